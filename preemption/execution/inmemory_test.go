package execution_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
)

// The event about a victim that waited to be bound says so (rule 14.4.2), and that
// about any other does not. The older variants make no difference.
func TestEventOfAWaitingVictim(t *testing.T) {
	for _, c := range []struct {
		name   string
		config execution.Config
		want   string
	}{
		{"today", execution.Config{}, "Preempted by pod uid-p on node n1 (in kube-scheduler memory)."},
		{"today, beside the scheduler", execution.Config{Order: execution.Asynchronous}, "Preempted by pod uid-p on node n1 (in kube-scheduler memory)."},
		{"v1.13", old, "by default/p on node n1"},
		{"simplified", simplified, "Preempted by default/p on node n1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &executiontest.Recorder{Waiting: func(p *outrank.Pod) bool { return p.Name == "a" }}
			c.config.Actions = r
			_, err := newExecutor(t, c.config).Execute(context.Background(), planFor(victimsNamed("a b")...))
			require.NoError(t, err)
			for _, e := range r.Events()[:2] {
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
		_, err := newExecutor(t, execution.Config{Actions: r, Scheduler: c.set}).Execute(context.Background(), plan)
		require.NoError(t, err)
		assert.Equal(t, c.want+": preempting to accommodate a higher priority pod", r.Calls()[1].Condition.Message)
	}
}

// In the asynchronous order a plan whose victims all leave already clears nothing that
// the nominator knows (rule 14.2.6).
func TestNothingIsClearedWhereAllLeave(t *testing.T) {
	for order, want := range map[execution.Order]string{execution.Synchronous: "", execution.Asynchronous: "n1"} {
		var n execution.Nominator
		n.Add(waitingPod("lower", 1), "n1")
		e := newExecutor(t, execution.Config{Actions: &executiontest.Recorder{}, Order: order, Nominator: &n})
		report, err := e.Execute(context.Background(), planFor(pendingPod("a", withDeletion)))
		require.NoError(t, err)
		assert.Equal(t, execution.Completed, report.Result)
		assert.Equal(t, want, n.NodeOf("default/lower"), order)
		assert.Equal(t, "n1", n.NodeOf("default/p"))
	}
}
