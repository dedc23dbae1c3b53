package preemption_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Every plan that is begun counts once with all its victims: those that leave
// already, too, and none twice.
func TestVictimsThatAreCounted(t *testing.T) {
	a, b, terminating := runningPod("a", "uid-a"), runningPod("b", "uid-b"), runningPod("c", "uid-c")
	terminating.DeletionTime = time.Unix(1, 0)
	busy := errors.New("busy")
	for _, c := range []struct {
		name    string
		plan    *preemption.Plan
		change  func(*preemption.Recorder)
		plans   uint64
		victims uint64
	}{
		{"two", evicting("p", a, b), nil, 1, 2},
		{"one that is terminating", evicting("p", a, terminating), nil, 1, 2},
		{"terminating alone", evicting("p", terminating), nil, 1, 1},
		{"one that stands there twice", evicting("p", a, a, b), nil, 1, 2},
		{"none", evicting("p"), nil, 1, 0},
		{
			"one that cannot be evicted", evicting("p", a, b),
			func(r *preemption.Recorder) {
				r.Do = func(c preemption.Call) error {
					if c.Op == preemption.OpEvict {
						return busy
					}
					return nil
				}
			}, 1, 2,
		},
		{
			"for a preemptor that is gone", evicting("p", a, b),
			func(r *preemption.Recorder) {
				r.Find = func(string) (*outrank.Pod, bool) { return nil, false }
			}, 0, 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions, metrics := &preemption.Recorder{}, &preemption.Metrics{}
			if c.change != nil {
				c.change(actions)
			}
			e, err := preemption.NewExecutor(preemption.ExecutorConfig{Actions: actions, Metrics: metrics})
			require.NoError(t, err)
			_, _ = e.CarryOut(context.Background(), c.plan)
			counted := metrics.Counts().PreemptionVictims
			assert.Equal(t, c.plans, counted.Count())
			assert.Equal(t, c.victims, counted.Sum)
		})
	}
}
