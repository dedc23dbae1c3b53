package preemption_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

func waitingPod(name string, priority int32) *outrank.Pod {
	return &outrank.Pod{Name: name, UID: "uid-" + name, Priority: &priority}
}

// clearedFor says who lost the nomination to n1 while a plan was carried out.
func clearedFor(t *testing.T, e *preemption.Executor, plan *preemption.Plan) []string {
	report, err := e.CarryOut(context.Background(), plan)
	require.NoError(t, err)
	var names []string
	for _, c := range report.Cleared {
		assert.True(t, c.Cleared, c.Pod.Name)
		assert.NoError(t, c.Err, c.Pod.Name)
		names = append(names, c.Pod.Name)
	}
	return names
}

// With a nominator it alone says who is nominated when the time comes, and the
// latest version of the preemptor says who is lower.
func TestWhoLosesTheNomination(t *testing.T) {
	for _, c := range []struct {
		name   string
		latest int32 // the preemptor's priority by now; 10 when planned
		plan   []*outrank.Pod
		want   []string
	}{
		{"in the plan, too", 10, []*outrank.Pod{waitingPod("five", 5)}, []string{"nine", "five"}},
		{"nominated since", 10, nil, []string{"nine", "five"}},
		{"not nominated any more", 10, []*outrank.Pod{waitingPod("gone", 1)}, []string{"nine", "five"}},
		{"the preemptor has risen", 21, nil, []string{"twenty", "ten", "nine", "five"}},
		{"the preemptor has risen as high", 20, nil, []string{"ten", "nine", "five"}},
		{"the preemptor has fallen", 6, nil, []string{"five"}},
		{"the preemptor has fallen as low", 5, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &preemption.Nominator{}
			for name, priority := range map[string]int32{"five": 5, "nine": 9, "ten": 10, "twenty": 20} {
				n.Add(waitingPod(name, priority), "n1")
			}
			n.Add(waitingPod("far", 1), "n2")
			actions := &preemption.Recorder{Find: func(string) (*outrank.Pod, bool) { return waitingPod("p", c.latest), true }}
			e, err := preemption.NewExecutor(preemption.ExecutorConfig{Actions: actions, Nominator: n})
			require.NoError(t, err)
			plan := evicting("p", runningPod("victim", "uid-victim"))
			plan.Pod, plan.ClearedNominations = waitingPod("p", 10), c.plan
			assert.Equal(t, c.want, clearedFor(t, e, plan))
		})
	}
}

// A pod that is gone has lost its nomination, and nothing went wrong. Any other
// error stands in the report.
func TestReportOfClearing(t *testing.T) {
	busy := errors.New("busy")
	for _, c := range []struct {
		name string
		err  error
		want preemption.ClearReport
	}{
		{"done", nil, preemption.ClearReport{Cleared: true}},
		{"gone", preemption.ErrNotFound, preemption.ClearReport{Cleared: true}},
		{"failed", busy, preemption.ClearReport{Err: busy}},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions := &preemption.Recorder{Do: func(call preemption.Call) error {
				if call.Op == preemption.OpClear {
					return c.err
				}
				return nil
			}}
			e, err := preemption.NewExecutor(preemption.ExecutorConfig{Actions: actions})
			require.NoError(t, err)
			plan := evicting("p", runningPod("victim", "uid-victim"))
			plan.ClearedNominations = []*outrank.Pod{waitingPod("low", 1)}
			c.want.Pod = plan.ClearedNominations[0]
			report, err := e.CarryOut(context.Background(), plan)
			require.NoError(t, err)
			assert.Equal(t, []preemption.ClearReport{c.want}, report.Cleared)
		})
	}
}
