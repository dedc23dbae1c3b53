package execution_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// verdictOf is the verdict about a pod that is nominated to n9, after a decision by a variant.
func verdictOf(t *testing.T, variant outrank.Variant, config preemption.Config, nodes ...*outrank.Node) *execution.Verdict {
	t.Helper()
	pod := waitingPod("p", 9)
	pod.NominatedNodeName = "n9"
	config.Variant = variant
	plan, err := preemption.Preempt(&outrank.Cluster{Nodes: nodes}, preemption.Request{Pod: pod}, config)
	require.NoError(t, err)
	r := &executiontest.Recorder{}
	v, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Fail(context.Background(), execution.Failure{Entry: queue.Entry{Pod: pod}, Plan: plan})
	require.NoError(t, err)
	return v
}

// In v1.13 every pod that fits nowhere counts as an attempt to preempt, also while preemption is switched off
// (rule 13.2.16).
func TestV113CountsWhilePreemptionIsOff(t *testing.T) {
	off := preemption.Config{Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}}}
	for variant, want := range map[outrank.Variant]int{0: 0, outrank.VariantV1_13: 1, outrank.VariantSimplified: 0} {
		v := verdictOf(t, variant, off, &outrank.Node{Name: "n1", Unschedulable: true})
		assert.Equal(t, want, v.Preemptions, variant)
		assert.NoError(t, v.Err, variant)
		assert.Zero(t, v.Nomination, "%v: preemption did not look at it", variant)
	}
}

// In v1.13 an attempt without nodes ends in an error: preemption is not asked, and the nomination stays (rule
// 13.2.17).
func TestV113WithoutNodesIsAnError(t *testing.T) {
	for variant, want := range map[outrank.Variant]string{0: "unschedulable", outrank.VariantV1_13: "error", outrank.VariantSimplified: "unschedulable"} {
		v := verdictOf(t, variant, preemption.Config{})
		assert.Zero(t, v.Preemptions, variant)
		assert.Equal(t, want == "error", v.Err != nil, variant)
		assert.Equal(t, want != "error", v.Nomination.Override, variant)
		assert.Equal(t, "no nodes available to schedule pods", v.Condition.Message, variant)

		var meter metrics.Meter
		meter.AddFailure("s", v, nil)
		assert.Equal(t, map[metrics.Attempt]uint64{{Result: want, Profile: "s"}: 1}, meter.Values().ScheduleAttempts, variant)
	}
}

// v1.13 has lines of its own, and the simplified variant none (rule 14.7.7).
func TestLogRecordsOfVariants(t *testing.T) {
	pod := waitingPod("p", 9)
	of := func(variant outrank.Variant, plan preemption.Plan) []string {
		plan.Pod, plan.Variant = pod, variant
		return linesOf(execution.LogRecords(&plan))
	}
	leaves := []preemption.Victim{{Pod: runningPod("a", "uid-a")}, {Pod: runningPod("b", "uid-b")}}
	tried := []preemption.Count{{Status: preemption.Unschedulable.Because("no"), Nodes: 1}}
	for name, c := range map[string]struct {
		plan preemption.Plan
		want []string
	}{
		"fits":   {preemption.Plan{Outcome: preemption.Fits}, nil},
		"off":    {preemption.Plan{Outcome: preemption.NotEligible, Ineligible: preemption.Disabled}, nil},
		"waits":  {preemption.Plan{Outcome: preemption.NotEligible, Ineligible: preemption.VictimsTerminating}, []string{"5 Pod default/p is not eligible for more preemption."}},
		"no try": {preemption.Plan{Outcome: preemption.NothingHelps}, []string{"3 Preemption will not help schedule pod default/p on any node."}},
		"tried":  {preemption.Plan{Outcome: preemption.NothingHelps, Unhelpful: tried}, nil},
		"victims": {preemption.Plan{Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n", Victims: leaves}}, []string{
			"3 Node n is a potential node for preemption.",
			"5 Pod a is a potential preemption victim on node n.", "5 Pod b is a potential preemption victim on node n.",
		}},
	} {
		assert.Equal(t, c.want, of(outrank.VariantV1_13, c.plan), name)
		assert.Empty(t, of(outrank.VariantSimplified, c.plan), name)
	}

	none := "error error selecting node for pod err=no nodes available to schedule pods"
	assert.Equal(t, []string{none}, linesOf(verdictOf(t, outrank.VariantV1_13, preemption.Config{}).LogRecords()))
	assert.Empty(t, verdictOf(t, outrank.VariantV1_13, preemption.Config{}, &outrank.Node{Name: "n1", Unschedulable: true}).LogRecords())
	assert.Empty(t, verdictOf(t, outrank.VariantSimplified, preemption.Config{}).LogRecords())
}

// A nomination that v1.13 cannot clear is an error in the log and no other.
func TestLogRecordsOfAnExecutionInV113(t *testing.T) {
	plan := evicting("p", runningPod("a", "uid-a"))
	plan.ClearedNominations = []*outrank.Pod{waitingPod("low", 1)}
	for variant, want := range map[outrank.Variant][]string{
		outrank.VariantV1_13: {"error Cannot remove nominated node annotation of pod err=busy"}, outrank.VariantSimplified: nil,
	} {
		plan.Variant = variant
		r := &executiontest.Recorder{Do: func(c executiontest.Call) error {
			if c.Op == "clear nomination" {
				return errors.New("busy")
			}
			return nil
		}}
		report, _ := newExecutor(t, execution.Config{Actions: r.Actions()}).Execute(context.Background(), plan)
		assert.Equal(t, want, linesOf(report.LogRecords()), variant)
	}
}
