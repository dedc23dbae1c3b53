package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// What the queue counts, and how carrying out counts (rules 14.5.9 and 14.5.10).
func TestMetricsOfReleases(t *testing.T) {
	entered := []queue.Incoming{{Queue: "active", Event: "NodeAdd", Pods: 2}}
	before := []string{
		`scheduler_pending_pods{queue="active"} 1`,
		`scheduler_pending_pods{queue="backoff"} 0`,
		`scheduler_pending_pods{queue="gated"} 0`,
		`scheduler_pending_pods{queue="unschedulable"} 2`,
		`scheduler_preemption_goroutines_execution_total{result="success"} 2`,
		`scheduler_queue_incoming_pods_total{event="NodeAdd",queue="active"} 2`,
	}
	now := []string{
		`scheduler_pending_pods{queue="active"} 1`,
		`scheduler_pending_pods{queue="backoff"} 0`,
		`scheduler_pending_pods{queue="gated"} 0`,
		`scheduler_pending_pods{queue="incomplete"} 3`,
		`scheduler_pending_pods{queue="pending"} 4`,
		`scheduler_pending_pods{queue="unschedulable"} 2`,
		`scheduler_preemption_goroutines_execution_total{result="error"} 1`,
		`scheduler_preemption_goroutines_execution_total{result="success"} 1`,
		`scheduler_queue_incoming_entities_total{event="NodeAdd",queue="active",type="pod"} 2`,
		`scheduler_queue_incoming_pods_total{event="NodeAdd",queue="active"} 2`,
		`scheduler_queued_entities{queue="active",type="pod"} 1`,
		`scheduler_queued_entities{queue="backoff",type="pod"} 0`,
		`scheduler_queued_entities{queue="gated",type="pod"} 0`,
		`scheduler_queued_entities{queue="incomplete",type="pod"} 3`,
		`scheduler_queued_entities{queue="pending",type="pod"} 4`,
		`scheduler_queued_entities{queue="unschedulable",type="pod"} 2`,
	}
	for r, want := range map[outrank.Release][]string{outrank.V1_36: before, outrank.V1_37: now} {
		m := &metrics.Meter{}
		beside := begun(1)
		beside.Order, beside.Plan = execution.Asynchronous, &preemption.Plan{Release: r}
		m.AddExecution(beside, nil)
		m.AddExecution(beside, assert.AnError)
		m.SetCounts(queue.Parts[int]{Active: 1, Unschedulable: 2, Incomplete: 3, Waiting: 4}, queue.Parts[int]{Active: 1, Unschedulable: 2, Incomplete: 3, Waiting: 4}, queue.Parts[int]{}, entered)
		values := m.Values()
		values.Incoming[0].Pods, values.Executions["success"] = 7, 7
		var lines []string
		for _, f := range m.Values().Families(r) {
			if f.Type == "histogram" || f.Name == "scheduler_preemption_attempts_total" {
				continue
			}
			for _, s := range f.Samples {
				lines = append(lines, s.String())
			}
		}
		assert.Equal(t, want, lines, "%v", r)
	}
}

func TestGroups(t *testing.T) { // rules 14.5.9 and 14.5.11
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
	require.NoError(t, err)
	m := &metrics.Meter{}
	whole, budgets := &outrank.PodGroup{Name: "g"}, []*outrank.PodDisruptionBudget{{}}
	plan := &preemption.GroupPlan{Outcome: preemption.Preempts, Victims: []preemption.Victim{
		{Pod: &outrank.Pod{Name: "v1", Group: "g"}, Group: whole, Violated: budgets}, {Pod: &outrank.Pod{Name: "v2", Group: "g"}, Group: whole, Violated: budgets},
		{Pod: &outrank.Pod{Name: "v3"}},
	}}
	m.AddGroupPreemption(plan)
	m.AddGroupPreemption(nil)
	m.AddGroupPreemption(&preemption.GroupPlan{Outcome: preemption.NothingHelps, Status: preemption.Status{Code: preemption.UnschedulableAndUnresolvable}})
	m.AddGroupPreemption(&preemption.GroupPlan{Outcome: preemption.Preempts, Composite: &outrank.CompositePodGroup{}})
	m.AddDisruptions("pod", 2000, -1)
	m.AddEvaluation(metrics.PreemptionStep{By: "podgroup"}, 3*time.Millisecond)
	m.AddExecutionDuration(metrics.PreemptionStep{By: "pod", Result: preemption.Contradiction}, time.Hour)
	q, err := queue.New(queue.Config{Release: release})
	require.NoError(t, err)
	q.PutGroup(&outrank.PodGroup{Name: "gang", UID: "uid-gang", Priority: outrank.Priority(100)})
	for _, pod := range []*outrank.Pod{{Name: "a", Group: "gang"}, {Name: "b", Group: "gang"}, {Name: "single"}} {
		require.NoError(t, q.Add(pod, time.Time{}.Add(1)))
	}
	m.SetQueue(q)
	var lines []string
	for _, f := range m.Values().Families(release) {
		for _, s := range f.Samples {
			if text := s.String(); !strings.HasSuffix(text, " 0") && (!strings.Contains(text, "_bucket") || strings.Contains(text, `le="2"`)) {
				lines = append(lines, strings.TrimPrefix(text, "scheduler_"))
			}
		}
	}
	assert.Equal(t, []string{
		`pending_pods{queue="active"} 3`,
		`preemption_evaluation_duration_seconds_sum{preemptor="podgroup",result="Success"} 0.003`,
		`preemption_evaluation_duration_seconds_count{preemptor="podgroup",result="Success"} 1`,
		`preemption_execution_duration_seconds_sum{preemptor="pod",result="error"} 3600`,
		`preemption_execution_duration_seconds_count{preemptor="pod",result="error"} 1`,
		`preemption_pdb_violations_total{preemptor="podgroup"} 2`,
		`preemption_workload_disruptions_sum{preemptor="pod"} 2000`,
		`preemption_workload_disruptions_count{preemptor="pod"} 1`,
		`preemption_workload_disruptions_bucket{preemptor="podgroup",le="2"} 1`,
		`preemption_workload_disruptions_sum{preemptor="podgroup"} 1`,
		`preemption_workload_disruptions_count{preemptor="podgroup"} 1`,
		`queue_incoming_entities_total{event="UnscheduledPodAdd",queue="active",type="pod"} 1`,
		`queue_incoming_entities_total{event="UnscheduledPodAdd",queue="active",type="podgroup"} 1`,
		`queue_incoming_pods_total{event="UnscheduledPodAdd",queue="active"} 3`,
		`queued_entities{queue="active",type="pod"} 1`,
		`queued_entities{queue="active",type="podgroup"} 1`,
		`workload_preemption_attempts_total{result="Error"} 1`,
		`workload_preemption_attempts_total{result="Success"} 2`,
		`workload_preemption_attempts_total{result="UnschedulableAndUnresolvable"} 1`,
		`workload_preemption_victims_bucket{le="2"} 1`,
		`workload_preemption_victims_sum 3`,
		`workload_preemption_victims_count 2`,
	}, lines)
	values := m.Values()
	assert.EqualValues(t, 2, values.GroupVictims.Count())
	ones := values.Disruptions["podgroup"]
	assert.EqualValues(t, 1, ones.Buckets[0], "a bound belongs to its bucket")
	for _, r := range outrank.Releases() {
		for _, f := range values.Families(r) {
			assert.NotContains(t, f.Name, "workload", "%v", r)
		}
	}
}
