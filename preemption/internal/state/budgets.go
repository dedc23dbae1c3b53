package state

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
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

// ConcernedBy reports whether any of the changes may make a difference on a node.
func (n *NodeState) ConcernedBy(changes []BudgetChange) bool {
	for _, c := range changes {
		pods := 0
		for _, g := range n.Covered {
			if slices.Contains(g.Class.Covering, c.index) {
				pods++
			}
		}
		if pods > c.limit {
			return true
		}
	}
	return false
}

// findBudget returns the index of a budget, -1 for one that is not there. It looks
// first where the budget was the last time.
func (s *Snapshot) findBudget(key outrank.Key) int {
	namespace, name := key.Split()
	isIt := func(b *outrank.PodDisruptionBudget) bool {
		return b != nil && b.Name == name && b.NamespaceName() == namespace
	}
	list := s.BudgetSet.List
	if i, ok := s.budgetAt.Get(string(key)); ok && int(i) < len(list) && isIt(list[i]) {
		return int(i)
	}
	i := slices.IndexFunc(list, isIt)
	if i >= 0 {
		s.budgetAt.Set(string(key), int32(i))
	}
	return i
}

// present lists the budgets without those that were taken away.
func (b *BudgetSet) present() []*outrank.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(b.List), func(x *outrank.PodDisruptionBudget) bool { return x == nil })
}

// tooManyGone reports whether it is time to number the budgets anew.
func (b *BudgetSet) tooManyGone() bool { return b.gone > 16 && b.gone > len(b.List)/2 }

// Budgets is preemption.Snapshot.Budgets.
func (s *Snapshot) Budgets() []*outrank.PodDisruptionBudget {
	if s.BudgetSet == nil {
		return nil
	}
	return s.BudgetSet.present()
}

// SetBudgets is preemption.Snapshot.SetBudgets.
func (s *Snapshot) SetBudgets(budgets []*outrank.PodDisruptionBudget) error {
	c := outrank.Cluster{Budgets: budgets}
	if err := c.Validate(); err != nil {
		return err
	}
	next, ok := s.BudgetSet.followedBy(budgets)
	if !ok {
		s.replaceBudgets(newBudgetSet(budgets))
		return nil
	}
	namespaces := next.coveringElse(s.BudgetSet)
	s.setBudgets(next)
	for _, namespace := range namespaces {
		s.rematch(namespace)
	}
	s.numberAnew()
	return nil
}

// fewChanges is how many single changes of a set are made one after another, rather
// than by preparing all budgets anew.
const fewChanges = 8

// followedBy returns the set with these budgets in which each known one keeps its
// index. It is not ok if that is not their order.
func (b *BudgetSet) followedBy(budgets []*outrank.PodDisruptionBudget) (next *BudgetSet, ok bool) {
	later := make(map[outrank.Key]bool, len(budgets))
	for _, budget := range budgets {
		later[budget.Key()] = true
	}
	list := slices.Clone(b.List)
	var changed []int
	for i, known := range list {
		if known == nil {
			continue
		}
		key := known.Key()
		switch {
		case !later[key]:
			list[i] = nil
		case budgets[0].Key() != key:
			return nil, false
		default:
			list[i], budgets = budgets[0], budgets[1:]
		}
		if list[i] != known {
			changed = append(changed, i)
		}
	}
	if len(changed)+len(budgets) > fewChanges {
		return newBudgetSet(append(list, budgets...)), true
	}
	next = b
	for _, i := range changed {
		next = next.with(i, list[i])
	}
	for _, budget := range budgets {
		next = next.with(len(next.List), budget)
	}
	return next, true
}

// coveringElse lists the namespaces with budgets that cover other pods than in an
// earlier set with the same indexes, each once.
func (b *BudgetSet) coveringElse(earlier *BudgetSet) []string {
	var namespaces []string
	for i, budget := range b.List {
		var before *outrank.PodDisruptionBudget
		if i < len(earlier.List) {
			before = earlier.List[i]
		}
		if before == budget || pdb.SameCoverage(before, budget) {
			continue
		}
		if budget == nil {
			budget = before
		}
		if ns := budget.NamespaceName(); !slices.Contains(namespaces, ns) {
			namespaces = append(namespaces, ns)
		}
	}
	return namespaces
}

// PutBudget is preemption.Snapshot.PutBudget.
func (s *Snapshot) PutBudget(b *outrank.PodDisruptionBudget) error {
	c := outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{b}}
	if err := c.Validate(); err != nil {
		return err
	}
	i := s.findBudget(b.Key())
	if i < 0 {
		s.setBudgets(s.BudgetSet.with(len(s.BudgetSet.List), b))
		s.rematch(b.NamespaceName())
		return nil
	}
	before := s.BudgetSet.List[i]
	if before == b {
		return nil
	}
	s.setBudgets(s.BudgetSet.with(i, b))
	if !pdb.SameCoverage(before, b) {
		s.rematch(b.NamespaceName())
	}
	return nil
}

// DeleteBudget is preemption.Snapshot.DeleteBudget.
func (s *Snapshot) DeleteBudget(key outrank.Key) error {
	namespace, _ := key.Split()
	i := s.findBudget(key)
	if i < 0 {
		return fmt.Errorf("%s: %w", phrase.Object("poddisruptionbudget", key), decision.ErrNotFound)
	}
	s.setBudgets(s.BudgetSet.with(i, nil))
	s.budgetAt.Remove(string(key))
	s.rematch(namespace)
	s.numberAnew()
	return nil
}

// numberAnew numbers the budgets anew if too many were taken away.
func (s *Snapshot) numberAnew() {
	if s.BudgetSet.tooManyGone() {
		s.replaceBudgets(newBudgetSet(s.BudgetSet.present()))
	}
}

// replaceBudgets puts another set of budgets in place and matches all pods.
func (s *Snapshot) replaceBudgets(b *BudgetSet) {
	s.setBudgets(b)
	s.rematch("")
}

func (s *Snapshot) setBudgets(b *BudgetSet) {
	s.Journal.record(step{kind: putBudgets, budgets: s.BudgetSet})
	s.BudgetSet = b
}

// rematch finds out anew which budgets cover the pods of a namespace, of all
// namespaces where it is empty.
func (s *Snapshot) rematch(namespace string) {
	changed := map[*PodClass]*PodClass{}
	finder := s.BudgetSet.matcher.Finder()
	s.Classes.Each(func(_ string, m *ClassMembers) {
		k := m.Class
		if namespace != "" && k.Namespace != namespace {
			return
		}
		covering := finder.Covering(&outrank.Pod{Namespace: k.Namespace, Labels: k.Labels})
		if !slices.Equal(covering, k.Covering) {
			other := *k
			other.Covering = covering
			changed[k] = &other
		}
	})
	s.reclass(changed)
}

// reclass puts other classes with the same keys in the place of some, and looks at
// each node with pods of these once.
func (s *Snapshot) reclass(changed map[*PodClass]*PodClass) {
	if len(changed) == 0 {
		return
	}
	s.Journal.record(step{kind: putClasses, classes: changed})
	slots, pending := map[int32]bool{}, 0
	for was, is := range changed {
		m := s.membersOf(was)
		m.Class = is
		pending += m.Pods
		for slot, pods := range m.Nodes {
			slots[slot] = true
			pending -= int(pods)
		}
	}
	for slot := range slots {
		n := s.writable(s.NodeStates[slot].Name)
		for i, p := range n.Pods {
			if is := changed[p.Class]; is != nil {
				n.Pods[i] = s.withClass(p, is)
				n.relist(p, n.Pods[i])
			}
		}
		n.findCovered()
		s.Summaries.setCovered(slot, n, s.Owner)
		s.Cache.changed(slot)
	}
	if pending > 0 {
		s.reclassPending(changed)
	}
}

// reclassPending is reclass for pods without a node.
func (s *Snapshot) reclassPending(changed map[*PodClass]*PodClass) {
	var pods []*PodState
	s.PodStates.Each(func(p *PodState) {
		if !p.Running && changed[p.Class] != nil {
			pods = append(pods, p)
		}
	})
	for _, p := range pods {
		q := s.withClass(p, changed[p.Class])
		if p.At != nil {
			n := s.writable(p.At.Name)
			n.Nominated[indexOf(n.Nominated, p)] = q
		}
	}
}

// withClass replaces a pod by an equal one of another class.
func (s *Snapshot) withClass(p *PodState, k *PodClass) *PodState {
	q := *p
	q.Class = k
	s.PodStates.replace(p, &q)
	if p.Running {
		s.replaceInUnit(p, &q)
	}
	return &q
}
