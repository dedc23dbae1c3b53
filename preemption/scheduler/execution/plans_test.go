package execution_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

func TestPlansThatAreNone(t *testing.T) {
	r := &executiontest.Recorder{}
	e := newExecutor(t, execution.Config{Actions: r.Actions()})
	without := planFor(victimsNamed("a")...)
	without.Pod = nil
	unknown, strange := planFor(victimsNamed("a")...), planFor(victimsNamed("a")...)
	unknown.Release, strange.Variant = 3, outrank.VariantSimplified+1
	for name, c := range map[string]struct {
		plan *preemption.Plan
		want error
	}{
		"nil":             {nil, preemption.ErrState},
		"fits":            {&preemption.Plan{Pod: pendingPod("p"), Outcome: preemption.Fits}, preemption.ErrState},
		"nothing helps":   {&preemption.Plan{Pod: pendingPod("p"), Outcome: preemption.NothingHelps}, preemption.ErrState},
		"no preemptor":    {without, outrank.ErrInvalid},
		"a victim is nil": {planFor(nil), outrank.ErrInvalid},
		"of no release":   {unknown, outrank.ErrInvalid},
		"of no variant":   {strange, outrank.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := e.Execute(context.Background(), c.plan)
			require.ErrorIs(t, err, c.want)
			require.NotNil(t, report)
			require.NotEmpty(t, report.String())
			require.Empty(t, r.Calls())
		})
	}
	e.Gone(nil)
}

// A missing pod that would lose its nomination is found as well.
func TestPlanWithAMissingNomination(t *testing.T) {
	for _, nominator := range []*execution.Nominator{nil, {}} {
		actions := &executiontest.Recorder{}
		plan := evicting("p", runningPod("a", "uid-a"))
		plan.ClearedNominations = []*outrank.Pod{waitingPod("low", 1), nil}
		_, err := newExecutor(t, execution.Config{Actions: actions.Actions(), Nominator: nominator}).Execute(context.Background(), plan)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.EqualError(t, err, "plan for pod default/p: invalid input: cleared nomination 1 is missing")
		assert.Empty(t, actions.Calls())
	}
}

// A missing victim is found before anything is done, wherever it stands.
func TestPlanWithAMissingVictim(t *testing.T) {
	a, b := runningPod("a", "uid-a"), runningPod("b", "uid-b")
	for i, victims := range [][]*outrank.Pod{{nil, a, b}, {a, nil, b}, {a, b, nil}} {
		actions := &executiontest.Recorder{}
		e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions()})
		require.NoError(t, err)
		_, err = e.Execute(context.Background(), evicting("p", victims...))
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, "plan for pod default/p: invalid input: victim "+string(rune('0'+i))+" is missing")
		assert.Empty(t, actions.Calls())
		assert.False(t, e.Preempting(pendingPod("p")))
	}
}
