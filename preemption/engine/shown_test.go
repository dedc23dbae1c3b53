package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/invariants"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
)

// What a failing invariant shows of a world is a scenario: its file asks the same question, with the caller's rules, and
// gets the same answer.
func TestPropertyShownWorldsAreScenarios(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		drawn := invariants.Worlds.Draw(r, "world")
		plan, err := fast.Explain(drawn.Cluster(), drawn.Request(), drawn.Config())
		require.NoError(r, err)
		require.Equal(r, planText(plantest.Unexplained(plan))+explanationText(plan), played(t, r, drawn.GoString()))
	})
	rapid.Check(t, func(r *rapid.T) {
		drawn := invariants.GroupWorlds.Draw(r, "world")
		plan, err := fast.PreemptGroup(drawn.Cluster(), preemption.GroupRequest{Pods: drawn.Preemptors(), Now: scenario.Now}, drawn.Config())
		require.NoError(r, err)
		require.Equal(r, groupText(plan), played(t, r, drawn.GoString()))
	})
}

// played plays a scenario, and returns the answer of its last command.
func played(t *testing.T, r *rapid.T, text string) (answer string) {
	file, err := scenario.Parse("shown", text)
	require.NoError(r, err)
	w := &scenarioWorld{t: t}
	handlers := map[string]scenario.Handler{"cluster": w.load, "config": w.configure, "explain": w.explain, "group": w.preemptGroup}
	for _, c := range file.Commands {
		require.Contains(r, handlers, c.Name)
		answer, err = handlers[c.Name](c)
		require.NoError(r, err)
	}
	return answer
}
