package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// budgetSet is the budgets of a snapshot, prepared for matching. It never
// changes.
type budgetSet struct {
	list    []*outrank.PodDisruptionBudget
	matcher *pdb.Budgets
}

func newBudgetSet(budgets []*outrank.PodDisruptionBudget) *budgetSet {
	list := slices.Clone(budgets)
	return &budgetSet{list, pdb.New(list)}
}
