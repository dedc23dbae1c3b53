package preemption

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
)

// budgetSet is the budgets of a snapshot, prepared for matching. It never
// changes.
type budgetSet struct {
	// list is in the order in which the budgets came. A budget that was taken
	// away leaves a nil behind, so that the others keep their index.
	list    []*outrank.PodDisruptionBudget
	matcher *pdb.Budgets
	gone    int // budgets that were taken away
}

func newBudgetSet(budgets []*outrank.PodDisruptionBudget) *budgetSet {
	list := slices.Clone(budgets)
	return &budgetSet{list: list, matcher: pdb.New(list)}
}

// with returns the set with another budget at an index, nil for none, where the
// index behind the last one adds a budget.
func (b *budgetSet) with(i int, budget *outrank.PodDisruptionBudget) *budgetSet {
	other := &budgetSet{matcher: b.matcher.With(i, budget), gone: b.gone}
	other.list = append(make([]*outrank.PodDisruptionBudget, 0, len(b.list)+1), b.list...)
	if i == len(b.list) {
		other.list = append(other.list, nil)
	}
	if other.list[i] = budget; budget == nil {
		other.gone++
	}
	return other
}

// findBudget returns the index of a budget, -1 for one that is not there. It looks
// first where the budget was the last time.
func (s *Snapshot) findBudget(key outrank.Key) int {
	namespace, name := key.Split()
	isIt := func(b *outrank.PodDisruptionBudget) bool {
		return b != nil && b.Name == name && b.NamespaceName() == namespace
	}
	list := s.budgets.list
	if i, ok := s.budgetAt.get(string(key)); ok && int(i) < len(list) && isIt(list[i]) {
		return int(i)
	}
	i := slices.IndexFunc(list, isIt)
	if i >= 0 {
		s.budgetAt.set(string(key), int32(i))
	}
	return i
}

// orderByKey returns what puts budgets into the order of their namespaces and names.
// Lists that classes share are put in order once.
func (b *budgetSet) orderByKey() func(covering []int32) []int32 {
	keys := make([]outrank.Key, len(b.list))
	for i, budget := range b.list {
		if budget != nil {
			keys[i] = budget.Key()
		}
	}
	known := map[*int32][]int32{}
	return func(covering []int32) []int32 {
		if len(covering) < 2 {
			return covering
		}
		order, ok := known[&covering[0]]
		if !ok {
			order = slices.Clone(covering)
			slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(keys[x], keys[y]) })
			known[&covering[0]] = order
		}
		return order
	}
}

// present lists the budgets without those that were taken away.
func (b *budgetSet) present() []*outrank.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(b.list), func(x *outrank.PodDisruptionBudget) bool { return x == nil })
}

// tooManyGone reports whether it is time to number the budgets anew.
func (b *budgetSet) tooManyGone() bool { return b.gone > 16 && b.gone > len(b.list)/2 }

// Budgets lists the budgets in the order in which they came. The slice is the
// caller's.
func (s *Snapshot) Budgets() []*outrank.PodDisruptionBudget { return s.budgets.present() }

// SetBudgets replaces all budgets. The error is that of
// [outrank.Cluster.Validate]. Time is that of matching every class of pods anew,
// and of moving the pods of those that other budgets cover now. [Snapshot.Undo]
// takes it back. One budget is changed by [Snapshot.PutBudget] in much less time.
func (s *Snapshot) SetBudgets(budgets []*outrank.PodDisruptionBudget) error {
	c := outrank.Cluster{Budgets: budgets}
	if err := c.Validate(); err != nil {
		return err
	}
	s.replaceBudgets(newBudgetSet(budgets))
	return nil
}

// PutBudget takes a budget in as an informer delivers it: a new one is added
// behind all others, and one of the same key replaced in its place. The error is
// that of [outrank.Cluster.Validate] about the budget.
//
// A change of the status alone, or of anything else but the selector, touches no
// pod: time is that of copying the list of budgets, however many pods there are. A new budget or another selector costs a look at every
// class of pods in addition, that is pods of the same namespace, labels and
// anti-affinity, and the pods of those classes that the change concerns are moved;
// where some of these are pending, every pod is looked at. [Snapshot.Undo] takes it
// back.
func (s *Snapshot) PutBudget(b *outrank.PodDisruptionBudget) error {
	c := outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{b}}
	if err := c.Validate(); err != nil {
		return err
	}
	i := s.findBudget(b.Key())
	if i < 0 {
		s.setBudgets(s.budgets.with(len(s.budgets.list), b))
		s.rematch(b.NamespaceName())
		return nil
	}
	before := s.budgets.list[i]
	if before == b {
		return nil
	}
	s.setBudgets(s.budgets.with(i, b))
	if !pdb.SameCoverage(before, b) {
		s.rematch(b.NamespaceName())
	}
	return nil
}

// DeleteBudget takes a budget away. Error: [ErrNotFound]. Time is that of another
// selector in [Snapshot.PutBudget]; once more budgets were taken away than are
// left, it is that of [Snapshot.SetBudgets]. [Snapshot.Undo] takes it back.
func (s *Snapshot) DeleteBudget(key outrank.Key) error {
	namespace, _ := key.Split()
	i := s.findBudget(key)
	if i < 0 {
		return fmt.Errorf("poddisruptionbudget %s: %w", key, ErrNotFound)
	}
	s.setBudgets(s.budgets.with(i, nil))
	s.budgetAt.remove(string(key))
	s.rematch(namespace)
	if s.budgets.tooManyGone() {
		s.replaceBudgets(newBudgetSet(s.budgets.present()))
	}
	return nil
}

// replaceBudgets puts another set of budgets in place and matches all pods.
func (s *Snapshot) replaceBudgets(b *budgetSet) {
	s.setBudgets(b)
	s.rematch("")
}

func (s *Snapshot) setBudgets(b *budgetSet) {
	s.journal.record(step{kind: putBudgets, budgets: s.budgets})
	s.budgets = b
}

// rematch finds out anew which budgets cover the pods of a namespace, of all
// namespaces where it is empty, and moves those for which that changed.
func (s *Snapshot) rematch(namespace string) {
	changed, slots := s.rematchClasses(namespace)
	if len(changed) == 0 {
		return
	}
	var pods []*podState
	if slots == nil {
		s.pods.each(func(p *podState) {
			if changed[p.class] != nil {
				pods = append(pods, p)
			}
		})
	}
	for slot := range slots {
		for _, p := range s.nodes[slot].pods {
			if changed[p.class] != nil {
				pods = append(pods, p)
			}
		}
	}
	for _, p := range pods {
		q := *p
		q.class = changed[p.class]
		s.replace(p, &q)
	}
}

// rematchClasses returns the classes of a namespace that other budgets cover now,
// each with what takes its place, and the slots where their pods are: nil where
// some of these are pending, and so on no node.
func (s *Snapshot) rematchClasses(namespace string) (changed map[*podClass]*podClass, slots map[int32]bool) {
	changed, slots = map[*podClass]*podClass{}, map[int32]bool{}
	pending := false
	finder := s.budgets.matcher.Finder()
	s.classes.each(func(_ string, m *classMembers) {
		k := m.class
		if namespace != "" && k.namespace != namespace {
			return
		}
		covering := finder.Covering(&outrank.Pod{Namespace: k.namespace, Labels: k.labels})
		if slices.Equal(covering, k.covering) {
			return
		}
		other := *k
		other.covering = covering
		changed[k] = &other
		running := 0
		for slot, pods := range m.nodes {
			slots[slot] = true
			running += int(pods)
		}
		pending = pending || running < m.pods
	})
	if pending {
		slots = nil
	}
	return changed, slots
}
