package execution_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// The preemptor is activated where nothing will be heard of the last victim's end (rule
// 14.2.8): v1.36 left it waiting.
func TestActivatedAfterAVictimInMemory(t *testing.T) {
	waits := func(name string) func(*outrank.Pod) bool {
		return func(p *outrank.Pod) bool { return p.Name == name }
	}
	for _, test := range []struct {
		name    string
		release outrank.Release
		order   execution.Order
		waiting string
		want    bool
	}{
		{"v1.36", outrank.V1_36, execution.Asynchronous, "second", false},
		{"v1.37", outrank.V1_37, execution.Asynchronous, "second", true},
		{"not the last", outrank.V1_37, execution.Asynchronous, "first", false},
		{"nobody waits", outrank.V1_37, execution.Asynchronous, "", false},
		{"synchronous", outrank.V1_37, execution.Synchronous, "second", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			actions := &executiontest.Recorder{Waiting: waits(test.waiting)}
			e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Order: test.order})
			require.NoError(t, err)
			_, err = e.Execute(context.Background(), ofRelease(test.release, evicting("p", runningPod("first", "uid-1"), runningPod("second", "uid-2"))))
			require.NoError(t, err)
			calls := actions.Calls()
			assert.Equal(t, test.want, calls[len(calls)-1].Op == "activate")
		})
	}
}

// Victims that are all being deleted already are counted from v1.37 on (rule 14.5.8).
func TestTerminatingVictimsAreCounted(t *testing.T) {
	leaving := runningPod("leaving", "uid-1")
	leaving.DeletionTimestamp = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for r, want := range map[outrank.Release]uint64{outrank.V1_36: 0, outrank.V1_37: 1} {
		meter := &metrics.Meter{}
		e, err := execution.NewExecutor(execution.Config{Actions: (&executiontest.Recorder{}).Actions(), Order: execution.Asynchronous})
		require.NoError(t, err)
		report, err := e.Execute(context.Background(), ofRelease(r, evicting("p", leaving)))
		require.NoError(t, err)
		meter.AddExecution(report, err)
		victims := meter.Values().PreemptionVictims
		assert.Equal(t, want, victims.Count(), "%v", r)
	}
}

// A preemption that succeeds says so from v1.37 on (rule 11.11).
func TestSuccessSaysSo(t *testing.T) {
	plan := evicting("p", runningPod("victim", "uid-1"))
	plan.TurnedDown = []preemption.Count{{Status: preemption.Unschedulable.Because("Insufficient cpu"), Nodes: 1}}
	for r, want := range map[outrank.Release]string{
		outrank.V1_36: "0/1 nodes are available: 1 Insufficient cpu.",
		outrank.V1_37: "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node " + plan.Node + ", preempting 1 victims",
	} {
		f := execution.Failure{Plan: ofRelease(r, plan)}
		f.Entry.Pod = plan.Pod
		v, err := f.Verdict()
		require.NoError(t, err)
		assert.Equal(t, want, v.Condition.Message, "%v", r)
	}
}

// In v1.36 the plugin for devices says that a pod has no claims, and since then nothing
// (rules 15.3.2 and 15.3.8).
func TestDevicesSaySomethingOnce(t *testing.T) {
	short := preemption.Count{Status: preemption.Unschedulable.Because("Insufficient cpu"), Nodes: 1}
	for r, want := range map[outrank.Release]string{
		outrank.V1_36: "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
		outrank.V1_37: "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
	} {
		f := execution.Failure{Plan: &preemption.Plan{Release: r, Outcome: preemption.NotEligible, Ineligible: preemption.PolicyNever, TurnedDown: []preemption.Count{short}}}
		f.Entry.Pod = pendingPod("p")
		v, err := f.Verdict()
		require.NoError(t, err)
		assert.Equal(t, want, v.Condition.Message, "%v", r)
	}
}
