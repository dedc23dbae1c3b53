package executiontest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
)

func TestCallsAreTheCallers(t *testing.T) {
	r := &executiontest.Recorder{}
	r.Actions().Activate(&outrank.Pod{Name: "p"})
	calls := r.Calls()
	calls[0].Op = "changed"
	assert.Equal(t, "activate", r.Calls()[0].Op)
}

// The fields decide what the calls return, and every call is written down with
// its answer.
func TestRecorderAnswers(t *testing.T) {
	pod, errBusy := &outrank.Pod{Name: "p"}, errors.New("busy")
	r := &executiontest.Recorder{}
	actions := r.Actions()
	latest, err := actions.Latest(context.Background(), pod)
	require.NoError(t, err)
	assert.Same(t, pod, latest, "without Find every pod is as it was asked for")
	waited, err := actions.Reject(context.Background(), pod)
	require.NoError(t, err)
	assert.False(t, waited)
	require.NoError(t, actions.Bind(context.Background(), pod, "n1"))
	calls := r.Calls()
	require.Len(t, calls, 2, "nobody waits, so that nobody was rejected")
	assert.Equal(t, "bind default/p to n1", calls[1].String())

	r.Do, r.Waiting = func(executiontest.Call) error { return errBusy }, func(*outrank.Pod) bool { return true }
	_, err = actions.Latest(context.Background(), pod)
	require.ErrorIs(t, err, errBusy)
	_, err = actions.Reject(context.Background(), pod)
	require.ErrorIs(t, err, errBusy)
	require.ErrorIs(t, actions.UpdateGroupStatus(context.Background(), "default/g", outrank.PodCondition{}), errBusy)
	assert.Equal(t, "reject default/p: busy", r.Calls()[3].String())

	r.Do, r.Find = nil, func(outrank.Key) (*outrank.Pod, bool) { return nil, false }
	_, err = actions.Latest(context.Background(), pod)
	require.ErrorIs(t, err, preemption.ErrNotFound)
}
