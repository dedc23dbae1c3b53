package execution_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
	"github.com/outrank-go/outrank/priority/queue"
)

// Both queues take what a handler gives them, without an adapter: the attempt
// that was popped, the latest version, the filters and the time.
func TestQueuesFitTheFailurePath(t *testing.T) {
	priorities, err := queue.New(queue.Config{})
	require.NoError(t, err)
	for name, waiting := range map[string]queue.SchedulingQueue{"queue": priorities, "fifo": queue.NewFIFO()} {
		t.Run(name, func(t *testing.T) {
			pod, latest := pendingPod("p", withUID("uid-p")), pendingPod("p", withUID("uid-p"), withPriority(77))
			require.NoError(t, waiting.Add(pod, now))
			entry, ok := waiting.TryPop(now)
			require.True(t, ok)
			r := &executiontest.Recorder{Find: func(string) (*outrank.Pod, bool) { return latest, true }}
			handler := execution.FailureHandler{Actions: r, Queue: waiting}
			failure := execution.Failure{
				Entry: entry, Now: now.Add(5 * time.Second),
				Plan: turnedDown(preemption.NothingHelps, countOf(1, preemption.NodePorts, "taken"), countOf(2, preemption.NodePorts, "taken")),
			}
			_, err := handler.Handle(context.Background(), failure)
			require.NoError(t, err)
			inside := waiting.Pending()
			all := slices.Concat(inside.Active, inside.Backoff, inside.Unschedulable, inside.InFlight)
			require.Len(t, all, 1)
			assert.Same(t, latest, all[0].Pod)
			assert.Equal(t, []string{preemption.NodePorts}, all[0].FailedFilters)
			assert.Equal(t, failure.Now, all[0].Enqueued)
			assert.Equal(t, entry.Cycle, all[0].Cycle)

			result, err := handler.Handle(context.Background(), failure)
			require.ErrorIs(t, err, queue.ErrNotInFlight, "the attempt has ended")
			assert.Equal(t, execution.Requeued, result.Requeue)

			failure.Entry, ok = waiting.TryPop(now.Add(time.Hour))
			require.True(t, ok)
			r.Find = func(string) (*outrank.Pod, bool) { return nil, false }
			_, err = handler.Handle(context.Background(), failure)
			require.NoError(t, err)
			assert.Equal(t, queue.Counts{}, waiting.Counts(), "the attempt of a pod that is gone ends as well")
		})
	}
}
