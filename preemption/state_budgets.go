package preemption

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
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

// newBudgetSet prepares budgets, some of which may be nil.
func newBudgetSet(budgets []*outrank.PodDisruptionBudget) *budgetSet {
	b := &budgetSet{list: slices.Clone(budgets)}
	b.matcher = pdb.New(b.list)
	for _, budget := range b.list {
		if budget == nil {
			b.gone++
		}
	}
	return b
}

// ledger returns a ledger of the budgets, or of what they would be if they had counted no
// disruption yet.
func (b *budgetSet) ledger(whole bool) *pdb.Ledger {
	if !whole {
		return b.matcher.Ledger()
	}
	list := slices.Clone(b.list)
	for i, budget := range list {
		if budget != nil && len(budget.Disrupted) > 0 {
			c := *budget
			c.Disrupted, list[i] = nil, &c
		}
	}
	return pdb.New(list).Ledger()
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

// budgetChange says that a budget allows more or less than before. It makes no
// difference on a node where it covers no more pods than limit.
type budgetChange struct {
	index int32
	limit int
}

// appendChanges appends what a set allows else than an earlier one. It is silent
// about pods that other budgets cover now.
func (b *budgetSet) appendChanges(dst []budgetChange, earlier *budgetSet) []budgetChange {
	for i := range min(len(b.list), len(earlier.list)) {
		x, y := earlier.list[i], b.list[i]
		if x == y || x == nil || y == nil {
			continue
		}
		limit := max(0, int(min(x.Allowed, y.Allowed)))
		if !maps.Equal(x.Disrupted, y.Disrupted) {
			limit = 0
		} else if limit == max(0, int(max(x.Allowed, y.Allowed))) {
			continue
		}
		dst = append(dst, budgetChange{int32(i), limit})
	}
	return dst
}

// concernedBy reports whether any of the changes may make a difference on a node.
func (n *nodeState) concernedBy(changes []budgetChange) bool {
	for _, c := range changes {
		pods := 0
		for _, g := range n.covered {
			if slices.Contains(g.class.covering, c.index) {
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

// present lists the budgets without those that were taken away.
func (b *budgetSet) present() []*outrank.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(b.list), func(x *outrank.PodDisruptionBudget) bool { return x == nil })
}

// tooManyGone reports whether it is time to number the budgets anew.
func (b *budgetSet) tooManyGone() bool { return b.gone > 16 && b.gone > len(b.list)/2 }

// Budgets lists the budgets in the order in which they came. The slice is the
// caller's.
func (s *Snapshot) Budgets() []*outrank.PodDisruptionBudget {
	if s.budgets == nil {
		return nil
	}
	return s.budgets.present()
}

// SetBudgets replaces all budgets. The error is that of
// [outrank.Cluster.Validate].
//
// Time is that of going over the budgets, and for those that are new, gone or have
// another selector that of [Snapshot.PutBudget]; where known budgets come in another
// order, or new ones between them, all pods that budgets cover are moved.
// [Snapshot.Undo] takes it back. [Snapshot.PutBudget] does not even go over the other
// budgets.
func (s *Snapshot) SetBudgets(budgets []*outrank.PodDisruptionBudget) error {
	s.begin()
	c := outrank.Cluster{Budgets: budgets}
	if err := c.Validate(); err != nil {
		return err
	}
	next, ok := s.budgets.followedBy(budgets)
	if !ok {
		s.replaceBudgets(newBudgetSet(budgets))
		return nil
	}
	namespaces := next.coveringElse(s.budgets)
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
func (b *budgetSet) followedBy(budgets []*outrank.PodDisruptionBudget) (next *budgetSet, ok bool) {
	later := make(map[outrank.Key]bool, len(budgets))
	for _, budget := range budgets {
		later[budget.Key()] = true
	}
	list := slices.Clone(b.list)
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
		next = next.with(len(next.list), budget)
	}
	return next, true
}

// coveringElse lists the namespaces with budgets that cover other pods than in an
// earlier set with the same indexes, each once.
func (b *budgetSet) coveringElse(earlier *budgetSet) []string {
	var namespaces []string
	for i, budget := range b.list {
		var before *outrank.PodDisruptionBudget
		if i < len(earlier.list) {
			before = earlier.list[i]
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

// PutBudget takes a budget in as an informer delivers it: a new one is added
// behind all others, and one of the same key replaced in its place. The error is
// that of [outrank.Cluster.Validate] about the budget.
//
// A change of the status alone, or of anything else but the selector, touches no
// pod: time is that of copying the list of budgets, however many pods there are. A
// new budget or another selector costs a look at every class of pods in addition,
// that is pods of the same namespace, labels and anti-affinity, and at the nodes with
// pods of those classes that the change concerns; where some of these are pending,
// every pod is looked at. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutBudget(b *outrank.PodDisruptionBudget) error {
	s.begin()
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
	s.begin()
	namespace, _ := key.Split()
	i := s.findBudget(key)
	if i < 0 {
		return fmt.Errorf("%s: %w", phrase.Object("poddisruptionbudget", key), decision.ErrNotFound)
	}
	s.setBudgets(s.budgets.with(i, nil))
	s.budgetAt.remove(string(key))
	s.rematch(namespace)
	s.numberAnew()
	return nil
}

// numberAnew numbers the budgets anew if too many were taken away.
func (s *Snapshot) numberAnew() {
	if s.budgets.tooManyGone() {
		s.replaceBudgets(newBudgetSet(s.budgets.present()))
	}
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
// namespaces where it is empty.
func (s *Snapshot) rematch(namespace string) {
	changed := map[*podClass]*podClass{}
	finder := s.budgets.matcher.Finder()
	s.classes.each(func(_ string, m *classMembers) {
		k := m.class
		if namespace != "" && k.namespace != namespace {
			return
		}
		covering := finder.Covering(&outrank.Pod{Namespace: k.namespace, Labels: k.labels})
		if !slices.Equal(covering, k.covering) {
			other := *k
			other.covering = covering
			changed[k] = &other
		}
	})
	s.reclass(changed)
}

// reclass puts other classes with the same keys in the place of some, and looks at
// each node with pods of these once.
func (s *Snapshot) reclass(changed map[*podClass]*podClass) {
	if len(changed) == 0 {
		return
	}
	s.journal.record(step{kind: putClasses, classes: changed})
	slots, pending := map[int32]bool{}, 0
	for was, is := range changed {
		m := s.membersOf(was)
		m.class = is
		pending += m.pods
		for slot, pods := range m.nodes {
			slots[slot] = true
			pending -= int(pods)
		}
	}
	for slot := range slots {
		n := s.writable(s.nodes[slot].name)
		for i, p := range n.pods {
			if is := changed[p.class]; is != nil {
				n.pods[i] = s.withClass(p, is)
				n.relist(p, n.pods[i])
			}
		}
		n.findCovered()
		s.summaries.setCovered(slot, n, s.owner)
		s.cache.changed(slot)
	}
	if pending > 0 {
		s.reclassPending(changed)
	}
}

// reclassPending is reclass for pods without a node.
func (s *Snapshot) reclassPending(changed map[*podClass]*podClass) {
	var pods []*podState
	s.pods.each(func(p *podState) {
		if !p.running && changed[p.class] != nil {
			pods = append(pods, p)
		}
	})
	for _, p := range pods {
		q := s.withClass(p, changed[p.class])
		if p.at != nil {
			n := s.writable(p.at.name)
			n.nominated[indexOf(n.nominated, p)] = q
		}
	}
}

// withClass replaces a pod by an equal one of another class.
func (s *Snapshot) withClass(p *podState, k *podClass) *podState {
	q := *p
	q.class = k
	s.pods.replace(p, &q)
	if p.running {
		s.replaceInUnit(p, &q)
	}
	return &q
}
