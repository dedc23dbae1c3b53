package execution_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// A preemptor whose plan fails in the background is activated as it is now, or as
// it was in the plan where that could not be found out.
func TestWhichVersionIsActivated(t *testing.T) {
	planned := &outrank.Pod{Name: "p"}
	latest := &outrank.Pod{Name: "p", UID: "uid-p", Labels: map[string]string{"new": "yes"}}
	busy := errors.New("busy")
	for _, c := range []struct {
		fails string
		want  *outrank.Pod
	}{
		{"latest", planned},
		{"nominate", latest},
		{"clear nomination", latest},
		{"reject", latest},
		{"evict", latest},
	} {
		t.Run(c.fails, func(t *testing.T) {
			actions := &executiontest.Recorder{
				Find: func(outrank.Key) (*outrank.Pod, bool) { return latest, true },
				// Only who waits can be rejected.
				Waiting: func(*outrank.Pod) bool { return c.fails == "reject" },
				Do: func(call executiontest.Call) error {
					if call.Op == c.fails {
						return busy
					}
					return nil
				},
			}
			e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous})
			require.NoError(t, err)
			plan := evicting("p", runningPod("victim", "uid-victim"))
			plan.Pod, plan.ClearedNominations = planned, []*outrank.Pod{waitingPod("low", 1)}
			_, _ = e.Execute(context.Background(), plan)
			calls := actions.Calls()
			last := calls[len(calls)-1]
			assert.Equal(t, "activate", last.Op)
			assert.Same(t, c.want, last.Pod)
		})
	}
}
