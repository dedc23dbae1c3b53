package executiontest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
	"github.com/outrank-go/outrank/priority/queue"
)

func TestRecorderForgets(t *testing.T) {
	r := &executiontest.Recorder{}
	r.Activate(&outrank.Pod{Name: "p"})
	calls := r.Calls()
	r.Reset()
	assert.Empty(t, r.Calls())
	assert.Len(t, calls, 1, "the slice is the caller's own")
}

// The fields decide what the calls return, and every call is written down with
// its answer.
func TestRecorderAnswers(t *testing.T) {
	pod, errBusy := &outrank.Pod{Name: "p"}, errors.New("busy")
	entry := queue.Entry{Pod: pod, FailedFilters: []string{preemption.NodePorts}, Cycle: 7}
	now := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	r := &executiontest.Recorder{}
	latest, err := r.Latest(context.Background(), pod)
	require.NoError(t, err)
	assert.Same(t, pod, latest, "without Find every pod is as it was asked for")
	require.NoError(t, r.AddUnschedulableIfNotPresent(entry, now))
	assert.True(t, r.Done(entry))
	entry.FailedFilters[0] = "changed"
	calls := r.Calls()
	require.Len(t, calls, 3)
	assert.Equal(t, []string{preemption.NodePorts}, calls[1].Entry.FailedFilters, "the filters are copied")
	assert.Equal(t, now, calls[1].Now)
	assert.Equal(t, int64(7), calls[2].Entry.Cycle)

	r.Do = func(executiontest.Call) error { return errBusy }
	_, err = r.Latest(context.Background(), pod)
	require.ErrorIs(t, err, errBusy)
	require.ErrorIs(t, r.AddUnschedulableIfNotPresent(entry, now), errBusy)
	assert.False(t, r.Done(entry))
	assert.Equal(t, "done default/p: busy", r.Calls()[5].String())

	r.Do, r.Find = nil, func(outrank.Key) (*outrank.Pod, bool) { return nil, false }
	_, err = r.Latest(context.Background(), pod)
	require.ErrorIs(t, err, preemption.ErrNotFound)
}
