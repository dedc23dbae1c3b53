package execution_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// The event about a victim that waited to be bound says so (rule 14.4.2), and that
// about any other does not. The older variants make no difference.
func TestEventOfAWaitingVictim(t *testing.T) {
	for _, c := range []struct {
		name string
		way  way
		want string
	}{
		{"today", way{}, "Preempted by pod uid-p on node n1 (in kube-scheduler memory)."},
		{"today, beside the scheduler", asynchronous, "Preempted by pod uid-p on node n1 (in kube-scheduler memory)."},
		{"v1.13", old, "by default/p on node n1"},
		{"simplified", simplified, "Preempted by default/p on node n1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &executiontest.Recorder{Waiting: func(p *outrank.Pod) bool { return p.Name == "a" }}
			_, err := newExecutor(t, execution.Config{Actions: r.Actions(), Order: c.way.order}).Execute(context.Background(), c.way.of(planFor(victimsNamed("a b")...)))
			require.NoError(t, err)
			for _, e := range eventsOf(r)[:2] {
				if e.Pod.Name == "a" {
					assert.Equal(t, c.want, e.Message)
				} else {
					assert.NotContains(t, e.Message, "memory")
				}
			}
		})
	}
}

// The condition of a victim names the preemptor's scheduler unless another name is
// set (rule 14.1.4).
func TestWhoseNameTheConditionHas(t *testing.T) {
	for _, c := range []struct{ pods, set, want string }{
		{"", "", "default-scheduler"}, {"theirs", "", "theirs"}, {"theirs", "mine", "mine"},
	} {
		r := &executiontest.Recorder{}
		plan := planFor(victimsNamed("a")...)
		plan.Pod.SchedulerName = c.pods
		_, err := newExecutor(t, execution.Config{Actions: r.Actions(), Scheduler: c.set, Order: execution.Synchronous}).Execute(context.Background(), plan)
		require.NoError(t, err)
		assert.Equal(t, c.want+": preempting to accommodate a higher priority pod", r.Calls()[1].Condition.Message)
	}
}

// In the asynchronous order a plan whose victims all leave already clears nothing that
// the nominator knows; in the synchronous one it clears what the plan names (rule 14.2.6).
func TestNothingIsClearedWhereAllLeave(t *testing.T) {
	lower := waitingPod("lower", 1)
	for _, c := range []struct {
		why   string
		order execution.Order
		names []*outrank.Pod
		want  string
	}{
		{"by default", "", nil, "n1"},
		{"the plan is that of a release that carries out beside the next attempts", execution.Synchronous, nil, "n1"},
		{"the plan is that of a release that does not", execution.Synchronous, []*outrank.Pod{lower}, ""},
		{"the reference does nothing then", execution.Asynchronous, []*outrank.Pod{lower}, "n1"},
	} {
		var n execution.Nominator
		require.NoError(t, n.Add(lower, "n1"))
		e := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions(), Order: c.order, Nominator: &n})
		plan := planFor(pendingPod("a", withDeletion))
		plan.ClearedNominations = c.names
		report, err := e.Execute(context.Background(), plan)
		require.NoError(t, err)
		assert.Equal(t, execution.Completed, report.Result)
		assert.Equal(t, c.want, n.NodeOf("default/lower"), c.why)
		assert.Equal(t, "n1", n.NodeOf("default/p"))
	}
}
