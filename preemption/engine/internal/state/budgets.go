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

// ConcernedBy reports whether any of the changes may make a difference to the pods of the node with priority
// highest or lower. A pod of higher priority counts, too, if several budgets cover it: whether it violates
// one decides whether it takes from the next (rule 6.3.8), which may cover pods of lower priority.
func (n *NodeState) ConcernedBy(changes []BudgetChange, highest int32) bool {
	for _, c := range changes {
		// The limit is on all pods of the node that the budget covers, whatever their priority.
		pods, some := 0, false
		for _, g := range n.Covered {
			if slices.Contains(g.Class.Covering, c.index) {
				pods++
				some = some || len(g.Class.Covering) > 1 || n.SortKeys[g.Index].Priority <= highest
			}
		}

		if some && pods > c.limit {
			return true
		}
	}
	return false
}

// findBudget returns the index of a budget, -1 for one that is not there.
func (s *Snapshot) findBudget(key outrank.Key) int {
	return s.BudgetSet.find(key, &s.objects.budgetAt)
}

// Budgets is engine.Snapshot.Budgets.
func (s *Snapshot) Budgets() iter.Seq[*outrank.PodDisruptionBudget] {
	return func(yield func(*outrank.PodDisruptionBudget) bool) {
		if s.BudgetSet == nil {
			return
		}
		for _, b := range s.BudgetSet.List { // a set never changes, so that the loop may change the snapshot
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
		s.setBudgets(s.BudgetSet.replacing(len(s.BudgetSet.List), b))
		s.rematch(b.NamespaceName())
		return nil
	}

	before := s.BudgetSet.List[i]
	if before == b {
		return nil
	}
	s.setBudgets(s.BudgetSet.replacing(i, b))

	// Most new versions only allow another number of disruptions to the same pods.
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

	s.setBudgets(s.BudgetSet.replacing(i, nil))
	s.objects.budgetAt.Remove(string(key))
	s.rematch(namespace)
	s.renumber()
	return nil
}

// renumber gives the budgets new indexes if too many indexes have become unused.
func (s *Snapshot) renumber() {
	if s.BudgetSet.tooManyGone() {
		s.replaceBudgets(newBudgetSet(s.BudgetSet.present()))
	}
}

// replaceBudgets installs another set of budgets and matches all pods anew. From then on an index may stand
// for another budget.
func (s *Snapshot) replaceBudgets(b *BudgetSet) {
	s.setBudgets(b)
	s.rematch("")
}

// setBudgets installs another set of budgets. The caller must then rematch the pods that it concerns.
func (s *Snapshot) setBudgets(b *BudgetSet) {
	s.Journal.record(step{kind: putBudgets, budgets: s.BudgetSet})
	s.BudgetSet = b
}

// rematch updates which budgets cover the pods of a namespace, or of all namespaces if it is empty.
func (s *Snapshot) rematch(namespace string) {
	changed := map[*PodClass]*PodClass{}
	finder := s.BudgetSet.finder()
	for m := range s.Classes.All() {
		k := m.Class
		if namespace != "" && k.Namespace != namespace {
			continue
		}

		// Budgets look only at namespace and labels, which all pods of a class share. So one pod stands for
		// the class.
		covering := finder.Covering(&outrank.Pod{Namespace: k.Namespace, Labels: k.Labels})
		if !slices.Equal(covering, k.Covering) {
			other := *k
			other.Covering = covering
			changed[k] = &other
		}
	}
	s.reclass(changed)
}

// reclass gives pods other classes. changed maps a class to the one that takes its place, which has
// the same key. Each node with pods of these classes is looked at once.
func (s *Snapshot) reclass(changed map[*PodClass]*PodClass) {
	if len(changed) == 0 {
		return
	}
	s.Journal.record(step{kind: putClasses, classes: changed})

	// Members know the nodes of the running pods. All other pods of the classes are pending.
	slots, pending := map[int32]bool{}, 0
	for was, is := range changed {
		m := s.membersOf(was)
		m.Class = is
		s.Topology.Counts.joined(is)
		pending += m.Pods
		for slot, on := range m.Nodes() {
			slots[slot] = true
			pending -= int(on.Pods)
		}
	}

	for slot := range slots {
		s.reclassNode(slot, changed)
	}
	if pending > 0 {
		s.reclassPending(changed)
	}
}

// reclassNode is reclass for the pods that run on a node. Of the node's derived data only the list of covered
// pods and the figures about them depend on classes.
func (s *Snapshot) reclassNode(slot int32, changed map[*PodClass]*PodClass) {
	n := s.writable(s.NodeStates[slot].Name)
	for i, p := range n.Pods {
		// Importance does not depend on the class, so that each pod keeps its place.
		if is := changed[p.Class]; is != nil {
			n.Pods[i] = s.withClass(p, is)
			s.attached.relist(n, p, n.Pods[i], s.Owner)
		}
	}

	n.findCovered()
	s.Summaries.setCovered(slot, n, s.Owner)
	s.changed(slot)
}

// reclassPending is reclass for the pending pods. It looks at every pod of the snapshot.
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

// withClass replaces a pod by an equal one of another class, in the indexes of pods and units.
func (s *Snapshot) withClass(p *PodState, k *PodClass) *PodState {
	q := *p
	q.Class = k
	s.PodStates.replace(p, &q)
	if p.Running {
		s.replaceInUnit(p, &q)
	}
	return &q
}
