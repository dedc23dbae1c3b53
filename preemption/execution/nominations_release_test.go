package execution_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
	"github.com/outrank-go/outrank/priority/queue"
)

// A gated pod that is added brings its nomination from v1.37 on (rule 15.4.8).
func TestNominationsOfGatedPods(t *testing.T) {
	pod := func(node string, gates ...string) *outrank.Pod {
		p := pendingPod("p")
		p.NominatedNodeName, p.SchedulingGates = node, gates
		return p
	}
	for _, c := range []struct {
		name           string
		do             func(n *execution.Nominator)
		want36, want37 string
	}{
		{"added", func(n *execution.Nominator) { n.Add(pod("n1", "quota"), "") }, "", "n1"},
		{"without gates", func(n *execution.Nominator) { n.Add(pod("n1"), "") }, "n1", "n1"},
		{"the gates go", func(n *execution.Nominator) {
			n.Add(pod("n1", "quota"), "")
			n.Update(pod("n1", "quota"), pod("n1"))
		}, "n1", "n1"},
		{"updated while gated", func(n *execution.Nominator) {
			n.Add(pod("n1", "quota"), "")
			n.Update(pod("n1", "quota"), pod("n1", "other"))
		}, "n1", "n1"},
		{"nominated while gated", func(n *execution.Nominator) { n.Add(pod("", "quota"), "n2") }, "n2", "n2"},
		{"nominated, and updated", func(n *execution.Nominator) {
			n.Add(pod("", "quota"), "n2")
			n.Update(pod("", "quota"), pod("", "other"))
		}, "n2", "n2"},
	} {
		for r, want := range map[outrank.Release]string{outrank.V1_36: c.want36, outrank.V1_37: c.want37} {
			n := &execution.Nominator{Release: r}
			c.do(n)
			assert.Equal(t, want, n.NodeOf("default/p"), "%v: %s", r, c.name)
			assert.Equal(t, want != "", n.Len() == 1, "%v: %s", r, c.name)
			assert.Len(t, n.NominatedTo(want), n.Len())
		}
	}
}

// A nomination that is cleared leaves no entry, whatever the pod itself names (rule
// 15.4.9).
func TestEmptyNominationLeavesNone(t *testing.T) {
	for _, r := range outrank.Releases() {
		n := &execution.Nominator{Release: r}
		pod := pendingPod("p")
		pod.NominatedNodeName = "n1"
		n.Add(pod, "")
		handler := execution.FailureHandler{Actions: &executiontest.Recorder{}, Nominator: n}
		plan := &preemption.Plan{Outcome: preemption.NothingHelps, Pod: pod}
		_, err := handler.Handle(context.Background(), execution.Failure{Entry: queue.Entry{Pod: pod}, Plan: plan, Release: r})
		require.NoError(t, err)
		assert.Zero(t, n.Len())
		assert.Empty(t, n.NominatedTo(""))
		assert.Empty(t, n.NominatedTo("n1"))
	}
}

// A binding is tried again from v1.37 on (rule 14.1.13).
func TestBindingsAreRetried(t *testing.T) {
	passing := fmt.Errorf("unavailable: %w", execution.ErrRetriable)
	for _, c := range []struct {
		name           string
		errs           []error // of the tries; nil after them
		retry          execution.Retry
		want36, want37 int // tries
		fails          bool
	}{
		{"at once", nil, execution.Retry{}, 1, 1, false},
		{"the third time", []error{passing, passing}, execution.Retry{}, 1, 3, false},
		{"never", slices.Repeat([]error{passing}, 9), execution.Retry{}, 1, 4, true},
		{"not for a conflict", []error{assert.AnError}, execution.Retry{}, 1, 1, true},
		{"as often as is set", slices.Repeat([]error{passing}, 9), execution.Retry{Tries: 2}, 1, 2, true},
		{"a setting that is none", slices.Repeat([]error{passing}, 9), execution.Retry{Tries: -1}, 1, 1, true},
	} {
		for r, want := range map[outrank.Release]int{outrank.V1_36: c.want36, outrank.V1_37: c.want37} {
			tries := 0
			err := c.retry.Bind(context.Background(), r, func(context.Context) error {
				if tries++; tries <= len(c.errs) {
					return c.errs[tries-1]
				}
				return nil
			})
			assert.Equal(t, want, tries, "%v: %s", r, c.name)
			assert.Equal(t, c.fails || want <= len(c.errs), err != nil, "%v: %s", r, c.name)
		}
	}
}

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
		m := &execution.Metrics{Release: r}
		for _, fails := range []bool{false, true} {
			actions := &executiontest.Recorder{}
			if fails {
				actions.Do = func(call executiontest.Call) error {
					if call.Op == executiontest.OpEvict {
						return assert.AnError
					}
					return nil
				}
			}
			e, err := execution.NewExecutor(execution.Config{Actions: actions, Order: execution.Asynchronous, Metrics: m, Release: r})
			require.NoError(t, err)
			_, err = e.Execute(context.Background(), evicting("p", runningPod("victim", "uid-1")))
			require.Equal(t, fails, err != nil)
		}
		m.SetPending(execution.PendingPods{Counts: queue.Counts{Active: 1, Unschedulable: 2, Incomplete: 3, Waiting: 4}})
		m.SetIncoming(entered)
		values := m.Values()
		assert.Equal(t, r, values.Release)
		values.Incoming[0].Pods, values.Executions[execution.ExecutionSucceeded] = 7, 7
		var lines []string
		for _, f := range m.Values().Families() {
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
