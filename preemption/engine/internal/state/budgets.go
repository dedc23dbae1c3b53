package state

import (
	"fmt"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
)

// ConcernedBy reports whether any of the changes may make a difference to the pods of a node up to a
// priority. A pod that several budgets cover, of whatever priority, takes from the second if it does not
// violate the first, and so counts as one of these.
func (n *NodeState) ConcernedBy(changes []BudgetChange, upTo int32) bool {
	for _, c := range changes {
		pods, some := 0, false
		for _, g := range n.Covered {
			if slices.Contains(g.Class.Covering, c.index) {
				pods++
				some = some || len(g.Class.Covering) > 1 || n.SortKeys[g.Index].Priority <= upTo
			}
		}
		if some && pods > c.limit {
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
	if i, ok := s.objects.budgetAt.Get(string(key)); ok && int(i) < len(list) && isIt(list[i]) {
		return int(i)
	}
	i := slices.IndexFunc(list, isIt)
	if i >= 0 {
		s.objects.budgetAt.Set(string(key), int32(i))
	}
	return i
}

// Budgets is engine.Snapshot.Budgets.
func (s *Snapshot) Budgets() iter.Seq[*outrank.PodDisruptionBudget] {
	return func(yield func(*outrank.PodDisruptionBudget) bool) {
		if s.BudgetSet == nil {
			return
		}
		for _, b := range s.BudgetSet.List { // a set never changes: a loop may change the snapshot
			if b != nil && !yield(b) {
				return
			}
		}
	}
}

// PutBudget is engine.Snapshot.PutBudget.
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

// RemoveBudget is engine.Snapshot.RemoveBudget.
func (s *Snapshot) RemoveBudget(key outrank.Key) error {
	namespace, _ := key.Split()
	i := s.findBudget(key)
	if i < 0 {
		return fmt.Errorf("%s: %w", prose.Object("poddisruptionbudget", key), preemption.ErrNotFound)
	}
	s.setBudgets(s.BudgetSet.with(i, nil))
	s.objects.budgetAt.Remove(string(key))
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
		s.Topology.Counts.joined(is)
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
				s.attached.relist(n, p, n.Pods[i], s.Owner)
			}
		}
		n.findCovered()
		s.Summaries.setCovered(slot, n, s.Owner)
		s.changed(slot)
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
