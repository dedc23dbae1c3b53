package execution_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// A pod that could not be bound gives up the room on its node: others that waited
// because of it are tried, it is not.
func TestFailedBindingWakesOthers(t *testing.T) {
	refused := preemption.Status{Code: preemption.Unschedulable, Filter: "VolumeBinding", Reasons: []string{"no"}}
	broken := errors.New("timeout")
	now := time.Unix(0, 0).UTC()
	for _, c := range []struct {
		name  string
		other int32 // its priority
		fail  execution.Failure
		moved bool
	}{
		{"refused", 1, execution.Failure{Refused: &refused}, true},
		{"refused before it counted for the other", 2, execution.Failure{Refused: &refused}, false},
		{"refused on its node", 2, execution.Failure{Refused: &refused, Node: "n1"}, true},
		{"binding failed", 1, execution.Failure{Err: broken, Node: "n1"}, true},
		{"binding failed, and the other is more important", 2, execution.Failure{Err: broken, Node: "n1"}, true},
		{"no node was found", 1, execution.Failure{Err: broken}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := queue.New(queue.Config{})
			require.NoError(t, err)
			other, pod := pendingPod("other", withPriority(c.other)), pendingPod("p", withPriority(1))
			require.NoError(t, q.Add(other, now))
			entry, _ := q.TryPop(now)
			entry.FailedFilters = []string{preemption.NodeResourcesFit}
			require.NoError(t, q.AddUnschedulableIfNotPresent(entry, now))
			require.NoError(t, q.Add(pod, now))
			c.fail.Entry, _ = q.TryPop(now)
			c.fail.Queue, c.fail.Now = q, now.Add(time.Minute)

			h := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
			_, err = h.Fail(context.Background(), c.fail)
			require.NoError(t, err)
			left := 0
			if c.moved {
				left = 1
				require.Equal(t, other.Key(), q.Pending().Active[0].Pod.Key())
			}
			require.Equal(t, left, q.Counts().Active)
			require.Equal(t, 2-left, q.Counts().Unschedulable+q.Counts().Backoff)
		})
	}
}
