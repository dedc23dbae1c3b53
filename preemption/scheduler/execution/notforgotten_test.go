package execution_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// A plan that is refused because another one for the pod is under way has the pod tried again once that has
// ended, in the asynchronous order (rule 14.2.9).
func TestRefusedPlanIsNotForgotten(t *testing.T) {
	for order, want := range map[execution.Order]int{execution.Asynchronous: 1, execution.Synchronous: 0} {
		actions := &cluster{}
		e := newExecutor(t, execution.Config{Actions: actions.Actions(), Order: order})
		plan := planFor(victimsNamed("a")...)
		actions.during = map[string]func(){"a": func() {
			e.Gone(plan.Victims[0].Pod) // so the pod is tried again
			_, err := e.Execute(t.Context(), plan)
			require.ErrorIs(t, err, preemption.ErrState)
		}}
		_, err := e.Execute(t.Context(), plan)
		require.NoError(t, err)
		activated := 0
		for _, c := range actions.Calls() {
			if c.Op == "activate" {
				activated++
			}
		}
		assert.Equal(t, want, activated, "times that the preemptor is activated in the order %s", order)
	}
}

// A preemptor whose victims all leave already is not kept out of the queue while its nomination is written
// (rule 14.2.6).
func TestNobodyWaitsForVictimsThatLeaveAlready(t *testing.T) {
	actions := (&cluster{}).Actions()
	var e *execution.Executor
	plan := planFor(pendingPod("a", withDeletion))
	held := false
	actions.Nominate = func(context.Context, *outrank.Pod, string) error {
		held = e.Preempting(plan.Pod)
		return nil
	}
	e = newExecutor(t, execution.Config{Actions: actions, Order: execution.Asynchronous})
	report, err := e.Execute(t.Context(), plan)
	require.NoError(t, err)
	assert.True(t, report.Nominated)
	assert.False(t, held, "the preemptor is kept out while it is nominated")
}
