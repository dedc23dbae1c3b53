package preemption_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
)

// A plan whose context ends while another call has its victim says so, of the
// victim and as a whole.
func TestContextEndsWhileAnotherHasTheVictim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		victim := runningPod("victim", "uid-victim")
		door := make(chan struct{})
		actions := &cluster{during: map[string]func(){"victim": func() { <-door }}}
		e, err := preemption.NewExecutor(preemption.ExecutorConfig{Actions: actions})
		require.NoError(t, err)
		go func() {
			_, err := e.CarryOut(context.Background(), evicting("first", victim))
			assert.NoError(t, err)
		}()
		synctest.Wait()

		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			synctest.Wait()
			cancel()
		}()
		report, err := e.CarryOut(ctx, evicting("second", victim))
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "victim default/victim: ")
		assert.Equal(t, []preemption.VictimReport{{Pod: victim, Deed: preemption.Skipped, Err: context.Canceled}}, report.Victims)
		close(door)
	})
}
