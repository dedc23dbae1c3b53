package execution_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// Every plan that is begun counts once with all its victims: those that leave
// already, too, and none twice.
func TestVictimsThatAreCounted(t *testing.T) {
	a, b, terminating := runningPod("a", "uid-a"), runningPod("b", "uid-b"), runningPod("c", "uid-c")
	terminating.DeletionTimestamp = time.Unix(1, 0)
	busy := errors.New("busy")
	for _, c := range []struct {
		name    string
		plan    *preemption.Plan
		change  func(*executiontest.Recorder)
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
			func(r *executiontest.Recorder) {
				r.Do = func(c executiontest.Call) error {
					if c.Op == "evict" {
						return busy
					}
					return nil
				}
			}, 1, 2,
		},
		{
			"for a preemptor that is gone", evicting("p", a, b),
			func(r *executiontest.Recorder) {
				r.Find = func(outrank.Key) (*outrank.Pod, bool) { return nil, false }
			}, 0, 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions, meter := &executiontest.Recorder{}, &metrics.Meter{}
			if c.change != nil {
				c.change(actions)
			}
			e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions()})
			require.NoError(t, err)
			meter.AddExecution(e.Execute(context.Background(), c.plan))
			counted := meter.Values().PreemptionVictims
			assert.Equal(t, c.plans, counted.Count())
			assert.EqualValues(t, c.victims, counted.Sum)
		})
	}
}

// What becomes of a plan in the asynchronous order is counted with its error (rule 14.5.10).
func TestExecutionsAreCounted(t *testing.T) {
	busy := func(call executiontest.Call) error {
		if call.Op == "evict" {
			return errBusy
		}
		return nil
	}
	meter := &metrics.Meter{}
	for _, do := range []func(executiontest.Call) error{nil, busy} {
		actions := &executiontest.Recorder{Do: do}
		e := newExecutor(t, execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous})
		report, err := e.Execute(context.Background(), evicting("p", runningPod("victim", "uid-1")))
		meter.AddExecution(report, err)
		require.Equal(t, do != nil, err != nil)
	}
	assert.Equal(t, map[string]uint64{"success": 1, "error": 1}, meter.Values().Executions)
}
