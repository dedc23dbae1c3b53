package execution_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// The queue does not let a pod in while a plan is carried out for it beside the
// scheduler, and does when the last victim is gone (rule 14.2.5). Other pods come
// and go.
func TestGateKeepsThePreemptorOut(t *testing.T) {
	now := time.Unix(0, 0).UTC()
	actions := &cluster{}
	e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous, Parallel: 1})
	require.NoError(t, err)
	q, err := queue.New(queue.Config{Gates: []queue.Gate{{Name: "Preempting", Holds: e.Preempting}}})
	require.NoError(t, err)
	plan := evicting("p", victimsNamed("a b")...)
	require.NoError(t, q.Add(plan.Pod, now))
	entry, ok := q.TryPop(now)
	require.True(t, ok)
	goes := queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted}

	var steps []queue.Parts[int]
	actions.during = map[string]func(){
		"a": func() { // the attempt ends meanwhile
			entry.FailedFilters = []string{"NodeResourcesFit"}
			assert.NoError(t, q.AddUnschedulableIfNotPresent(entry, now))
			assert.NoError(t, q.Add(pendingPod("other"), now))
			steps = append(steps, q.Counts())
		},
		"b": func() {
			e.Gone(plan.Victims[0].Pod)
			q.MoveAll(goes, now)
			steps = append(steps, q.Counts())
			assert.Equal(t, "Preempting", q.Pending().Gated[0].Gate)
			e.Gone(plan.Victims[1].Pod)
			q.MoveAll(goes, now)
			steps = append(steps, q.Counts())
		},
	}
	_, err = e.Execute(context.Background(), plan)
	require.NoError(t, err)
	require.Equal(t, []queue.Parts[int]{
		{Active: 1, Unschedulable: 1}, // nothing happened yet that may help it
		{Active: 1, Gated: 1},         // a is gone, b is not
		{Active: 1, Backoff: 1},
	}, steps)
}

// A pod that has the name of a preemptor by now is another pod: it is not kept out of the
// queue, and its own plan is executed meanwhile.
func TestGateTellsPodsOfOneNameApart(t *testing.T) {
	actions := &cluster{}
	e := newExecutor(t, execution.Config{Actions: actions.Actions()})
	plan, later := planFor(victimsNamed("a")...), planFor(victimsNamed("b")...)
	later.Pod.UID = "uid-later"
	actions.during = map[string]func(){"a": func() {
		assert.True(t, e.Preempting(plan.Pod))
		assert.False(t, e.Preempting(later.Pod), "another pod")
		_, err := e.Execute(t.Context(), plan)
		require.ErrorIs(t, err, preemption.ErrState, "the same pod")
		report, err := e.Execute(t.Context(), later)
		require.NoError(t, err)
		assert.Equal(t, execution.Completed, report.Result)
		assert.True(t, e.Preempting(pendingPod("p")), "the earlier one still is")
		assert.True(t, e.Preempting(plan.Pod))
	}}
	_, err := e.Execute(t.Context(), plan)
	require.NoError(t, err)
	assert.False(t, e.Preempting(pendingPod("p")))
}
