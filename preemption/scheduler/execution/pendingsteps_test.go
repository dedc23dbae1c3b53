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
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// A pod whose step only waits goes back with that step pending, so that an event for
// it makes the pod active although its backoff is not over; any other goes to backoff
// (rule 15.2.11).
func TestStepsThatAreStillWaiting(t *testing.T) {
	for pending, want := range map[bool]queue.Parts[int]{true: {Active: 1}, false: {Backoff: 1}} {
		q, err := queue.New(queue.Config{NoEarlyPop: true})
		require.NoError(t, err)
		require.NoError(t, q.Add(pendingPod("p"), now))
		entry, _ := q.TryPop(now)
		refused := preemption.Status{Code: preemption.Unschedulable, Filter: "Devices", Reasons: []string{"waiting for the driver"}}
		h := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
		result, err := h.Fail(context.Background(), execution.Failure{Entry: entry, Queue: q, Now: now, Refused: &refused, Pending: pending})
		require.NoError(t, err)
		assert.Equal(t, []string{"Devices"}, result.Filters)
		assert.Equal(t, queue.Parts[int]{Unschedulable: 1}, q.Counts())
		q.MoveAll(queue.ClusterEvent{Kind: "ClaimAllocated"}, now.Add(time.Millisecond))
		assert.Equal(t, want, q.Counts())
	}
	_, err := (&execution.Failure{Entry: entryOf(pendingPod("p")), Err: errBusy, Pending: true}).Verdict()
	assert.ErrorIs(t, err, outrank.ErrInvalid)
}
