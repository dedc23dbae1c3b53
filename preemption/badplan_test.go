package preemption_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// waiter says of a victim that it waited and that refusing it failed.
type waiter struct{ preemption.Recorder }

func (w *waiter) Reject(ctx context.Context, victim *outrank.Pod) (bool, error) {
	_, _ = w.Recorder.Reject(ctx, victim)
	return true, context.DeadlineExceeded
}

// A missing victim is found before anything is done, wherever it stands.
func TestPlanWithAMissingVictim(t *testing.T) {
	a, b := runningPod("a", "uid-a"), runningPod("b", "uid-b")
	for i, victims := range [][]*outrank.Pod{{nil, a, b}, {a, nil, b}, {a, b, nil}} {
		actions := &preemption.Recorder{}
		e, err := preemption.NewExecutor(preemption.ExecutorConfig{Actions: actions})
		require.NoError(t, err)
		_, err = e.CarryOut(context.Background(), evicting("p", victims...))
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, "plan for pod default/p: invalid input: victim "+string(rune('0'+i))+" is missing")
		assert.Empty(t, actions.Calls())
		assert.False(t, e.Preempting("default/p"))
	}
}

// Where refusing a victim fails, it does not count as refused, whatever else
// the answer says.
func TestRejectionThatFails(t *testing.T) {
	actions := &waiter{}
	e, err := preemption.NewExecutor(preemption.ExecutorConfig{Actions: actions})
	require.NoError(t, err)
	report, err := e.CarryOut(context.Background(), evicting("p", runningPod("a", "uid-a")))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, preemption.Failed, report.Victims[0].Deed)
	assert.Empty(t, actions.Events())
}
