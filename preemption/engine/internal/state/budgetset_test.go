package state_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// numbered returns budgets with the names b0, b1 and so on.
func numbered(n int) (budgets []*outrank.PodDisruptionBudget) {
	for i := range n {
		budgets = append(budgets, &outrank.PodDisruptionBudget{Name: fmt.Sprint("b", i), DisruptionsAllowed: int32(i)})
	}
	return budgets
}

// A budget that was taken away leaves a gap in its set. It is charged nothing, and it allows neither more nor
// fewer disruptions than before.
func TestGapsAmongBudgets(t *testing.T) {
	s := snapshotOf(t, &outrank.Cluster{Budgets: numbered(3)})
	before := s.BudgetSet
	require.NoError(t, s.RemoveBudget("default/b1"))
	after := s.BudgetSet
	require.Len(t, after.List, 3)
	require.Nil(t, after.List[1])

	require.NotPanics(t, func() { after.Ledger(true) })
	assert.Empty(t, after.AppendChanges(nil, before), "b1 is gone")
	assert.Empty(t, before.AppendChanges(nil, after), "b1 is there again, as when a change is undone")

	more := *before.List[2]
	more.DisruptionsAllowed++
	require.NoError(t, s.PutBudget(&more))
	assert.Len(t, s.BudgetSet.AppendChanges(nil, before), 1, "b2 allows one more")
}

// Once half of the budgets are gone the others get new indexes. They are still found by their names.
func TestBudgetsAreFoundByTheirNames(t *testing.T) {
	s := snapshotOf(t, &outrank.Cluster{Budgets: numbered(60)})
	var want []string
	for i, b := range numbered(60) {
		require.NoError(t, s.PutBudget(b), "and now its index is known")
		if i%2 == 1 {
			want = append(want, b.Name)
		}
	}
	for i := range 60 {
		if i%2 == 0 {
			require.NoError(t, s.RemoveBudget(outrank.Key(fmt.Sprint("default/b", i))))
		}
	}
	require.NoError(t, s.PutBudget(&outrank.PodDisruptionBudget{Name: "last"}))
	require.NoError(t, s.RemoveBudget("default/last"), "this is one more than half")
	require.Len(t, s.BudgetSet.List, 30)

	for _, name := range want {
		require.NoError(t, s.PutBudget(&outrank.PodDisruptionBudget{Name: name}))
	}
	var names []string
	for b := range s.Budgets() {
		names = append(names, b.Name)
		assert.Zero(t, b.DisruptionsAllowed, b.Name)
	}
	slices.Sort(names)
	slices.Sort(want)
	assert.Equal(t, want, names, "each once, and each is the new one")
}
