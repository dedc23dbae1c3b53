package state

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// BudgetSet has the budgets of a snapshot, prepared for matching. It never
// changes.
type BudgetSet struct {
	// List has the budgets in the order in which they came. A budget that was taken
	// away leaves a nil behind, so that the others keep their index.
	List []*outrank.PodDisruptionBudget
	// matcher has the budgets of List under the same indexes.
	matcher *pdb.Budgets
	// gone counts the budgets that were taken away.
	gone int
}

// newBudgetSet prepares a list of budgets, none of which is nil.
func newBudgetSet(budgets []*outrank.PodDisruptionBudget) *BudgetSet {
	b := &BudgetSet{List: slices.Clone(budgets)}
	b.matcher = pdb.New(b.List)
	return b
}

// find returns the index of a budget, -1 for one that is not there. at remembers where each budget was found
// last, which mostly saves the search. The index may be another budget's by now, so that it is checked.
func (b *BudgetSet) find(key outrank.Key, at *sharedIndex[int32]) int {
	namespace, name := key.Split()
	isIt := func(budget *outrank.PodDisruptionBudget) bool {
		return budget != nil && budget.Name == name && budget.NamespaceName() == namespace
	}
	if i, ok := at.Get(string(key)); ok && int(i) < len(b.List) && isIt(b.List[i]) {
		return int(i)
	}

	i := slices.IndexFunc(b.List, isIt)
	if i >= 0 {
		at.Set(string(key), int32(i))
	}
	return i
}

// finder returns a Finder, which finds the covering budgets of many pods one after another.
func (b *BudgetSet) finder() *pdb.Finder { return b.matcher.Finder() }

// Ledger returns a ledger of the budgets. If whole is set, budgets' lists of pods that are already disrupted
// are ignored.
func (b *BudgetSet) Ledger(whole bool) *pdb.Ledger {
	if !whole {
		return b.matcher.Ledger()
	}
	// A pod takes nothing from a budget that lists it as disrupted (rule 6.3.4), so that all such
	// lists are left out.
	list := slices.Clone(b.List)
	for i, budget := range list {
		if budget != nil && len(budget.DisruptedPods) > 0 {
			c := *budget
			c.DisruptedPods, list[i] = nil, &c
		}
	}
	return pdb.New(list).Ledger()
}

// replacing returns a copy of the set with another budget at index i, or with none there if budget is nil.
// The index behind the last adds a budget.
func (b *BudgetSet) replacing(i int, budget *outrank.PodDisruptionBudget) *BudgetSet {
	other := &BudgetSet{matcher: b.matcher.With(i, budget), gone: b.gone}
	other.List = append(make([]*outrank.PodDisruptionBudget, 0, len(b.List)+1), b.List...)
	if i == len(b.List) {
		other.List = append(other.List, nil)
	}
	other.List[i] = budget

	// An index that became unused is never used again, so that this number only grows.
	if budget == nil {
		other.gone++
	}
	return other
}

// BudgetChange records that a budget allows more or fewer disruptions than before. On a node where the budget
// covers limit pods or fewer, the change makes no difference.
type BudgetChange struct {
	// index is the index of the budget in its set.
	index int32
	limit int
}

// AppendChanges appends to dst a change for each budget of both sets that allows more or fewer disruptions
// than in the earlier set. It does not report that other budgets cover a pod than before: then the pod's node
// counts as changed.
func (b *BudgetSet) AppendChanges(dst []BudgetChange, earlier *BudgetSet) []BudgetChange {
	for i := range min(len(b.List), len(earlier.List)) {
		x, y := earlier.List[i], b.List[i]
		if x == y || x == nil || y == nil {
			continue
		}

		// As many pods as the smaller of the two numbers may leave without a violation, both before
		// and now. A negative number is no worse than 0: the first pod violates the budget. If other
		// pods count as disrupted already (rule 6.3.4), any covered pod may be one of them.
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

// tooManyGone reports whether it is time for new indexes: more than half of the indexes are unused, and more
// than a few.
func (b *BudgetSet) tooManyGone() bool { return b.gone > 16 && b.gone > len(b.List)/2 }
