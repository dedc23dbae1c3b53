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

// newBudgetSet prepares a list of budgets. A nil in it stands for a budget that was taken away.
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

// find returns the index of a budget, -1 for one that is not there. at remembers where each budget
// was found last, so that mostly the list is not searched. Another budget may be there by now.
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

// finder finds the budgets that cover many pods, one after another.
func (b *BudgetSet) finder() *pdb.Finder { return b.matcher.Finder() }

// Ledger returns a ledger of the budgets. If whole is set, no pod counts as one whose disruption a
// budget has counted already.
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

// replacing returns the set with another budget at an index, or with none there for nil. The
// index behind the last one adds a budget.
func (b *BudgetSet) replacing(i int, budget *outrank.PodDisruptionBudget) *BudgetSet {
	other := &BudgetSet{matcher: b.matcher.With(i, budget), gone: b.gone}
	other.List = append(make([]*outrank.PodDisruptionBudget, 0, len(b.List)+1), b.List...)
	if i == len(b.List) {
		other.List = append(other.List, nil)
	}
	other.List[i] = budget

	// Nobody puts a budget where one was taken away, so that this number never falls.
	if budget == nil {
		other.gone++
	}
	return other
}

// BudgetChange says that a budget allows more or less than before. The change makes no
// difference on a node where the budget covers no more pods than limit.
type BudgetChange struct {
	// index is that of the budget in its set.
	index int32
	limit int
}

// AppendChanges appends to dst the budgets of both sets that allow more or less than in the earlier
// one. It says nothing of pods that other budgets cover than before: their nodes count as changed
// themselves.
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

// tooManyGone reports whether it is time to number the budgets anew: more than half of the indexes
// are without a budget, and they are not just a few.
func (b *BudgetSet) tooManyGone() bool { return b.gone > 16 && b.gone > len(b.List)/2 }
