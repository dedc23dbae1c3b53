package state

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// BudgetSet is the budgets of a snapshot, prepared for matching. It never
// changes.
type BudgetSet struct {
	// List is in the order in which the budgets came. A budget that was taken
	// away leaves a nil behind, so that the others keep their index.
	List    []*outrank.PodDisruptionBudget
	matcher *pdb.Budgets
	gone    int // budgets that were taken away
}

// newBudgetSet prepares budgets, some of which may be nil.
func newBudgetSet(budgets []*outrank.PodDisruptionBudget) *BudgetSet {
	b := &BudgetSet{List: slices.Clone(budgets)}
	b.matcher = pdb.New(b.List)
	for _, budget := range b.List {
		if budget == nil {
			b.gone++
		}
	}
	return b
}

// Ledger returns a ledger of the budgets, or of what they would be if they had counted no
// disruption yet.
func (b *BudgetSet) Ledger(whole bool) *pdb.Ledger {
	if !whole {
		return b.matcher.Ledger()
	}
	list := slices.Clone(b.List)
	for i, budget := range list {
		if budget != nil && len(budget.DisruptedPods) > 0 {
			c := *budget
			c.DisruptedPods, list[i] = nil, &c
		}
	}
	return pdb.New(list).Ledger()
}

// with returns the set with another budget at an index, nil for none, where the
// index behind the last one adds a budget.
func (b *BudgetSet) with(i int, budget *outrank.PodDisruptionBudget) *BudgetSet {
	other := &BudgetSet{matcher: b.matcher.With(i, budget), gone: b.gone}
	other.List = append(make([]*outrank.PodDisruptionBudget, 0, len(b.List)+1), b.List...)
	if i == len(b.List) {
		other.List = append(other.List, nil)
	}
	if other.List[i] = budget; budget == nil {
		other.gone++
	}
	return other
}

// BudgetChange says that a budget allows more or less than before. It makes no
// difference on a node where it covers no more pods than limit.
type BudgetChange struct {
	index int32
	limit int
}

// AppendChanges appends what a set allows else than an earlier one. It is silent
// about pods that other budgets cover now.
func (b *BudgetSet) AppendChanges(dst []BudgetChange, earlier *BudgetSet) []BudgetChange {
	for i := range min(len(b.List), len(earlier.List)) {
		x, y := earlier.List[i], b.List[i]
		if x == y || x == nil || y == nil {
			continue
		}
		limit := max(0, int(min(x.DisruptionsAllowed, y.DisruptionsAllowed)))
		if !maps.Equal(x.DisruptedPods, y.DisruptedPods) {
			limit = 0
		} else if limit == max(0, int(max(x.DisruptionsAllowed, y.DisruptionsAllowed))) {
			continue
		}
		dst = append(dst, BudgetChange{int32(i), limit})
	}
	return dst
}

// present lists the budgets without those that were taken away.
func (b *BudgetSet) present() []*outrank.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(b.List), func(x *outrank.PodDisruptionBudget) bool { return x == nil })
}

// tooManyGone reports whether it is time to number the budgets anew.
func (b *BudgetSet) tooManyGone() bool { return b.gone > 16 && b.gone > len(b.List)/2 }
