package state

import (
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
)

// ClassMembers counts the pods of a class. The snapshot that owns it may write it; any other snapshot copies it
// first.
type ClassMembers struct {
	owner *Owner
	// Class is nil if the id is unused. In that case next is the next unused id, or noID.
	Class *PodClass
	next  int32
	// Pods counts all pods of the class, pending ones included.
	Pods int
	// slot and first are a node and the pods of the class that run there. Further nodes are in others: most
	// pods with labels of their own need no map.
	slot   int32
	first  ClassOn
	others map[int32]ClassOn
}

// ClassOn says how many pods of a class run on a node. Low and High are the lowest and the highest of their
// priorities, or the least and the largest int32 if these are not known.
type ClassOn struct{ Pods, Low, High int32 }

// with returns the numbers with a pod of a priority added. They are those of no pod at first.
func (c ClassOn) with(priority int32) ClassOn {
	if c.Pods == 0 {
		return ClassOn{1, priority, priority}
	}
	return ClassOn{c.Pods + 1, min(c.Low, priority), max(c.High, priority)}
}

// noID is no class's id.
const noID = -1

// without returns the numbers without one of the pods. Its priority may have been the only one of its kind.
func (c ClassOn) without() ClassOn {
	if c.Pods--; c.Low != c.High {
		c.Low, c.High = math.MinInt32, math.MaxInt32
	}
	return c
}

// Nodes iterates over the nodes with running pods of the class, by slot.
func (m *ClassMembers) Nodes() iter.Seq2[int32, ClassOn] {
	return func(yield func(slot int32, on ClassOn) bool) {
		if m.first.Pods > 0 && !yield(m.slot, m.first) {
			return
		}
		for slot, on := range m.others {
			if !yield(slot, on) {
				return
			}
		}
	}
}

// Runs reports whether any pod of the class runs.
func (m *ClassMembers) Runs() bool { return m.first.Pods > 0 || len(m.others) > 0 }

// start counts a pod that starts on a node, and stop takes one off.
func (m *ClassMembers) start(slot, priority int32) {
	known, ok := m.others[slot]
	switch {
	case m.first.Pods > 0 && m.slot == slot, m.first.Pods == 0 && !ok:
		m.slot, m.first = slot, m.first.with(priority)
	default:
		if m.others == nil {
			m.others = map[int32]ClassOn{}
		}
		m.others[slot] = known.with(priority)
	}
}

func (m *ClassMembers) stop(slot int32) {
	if m.first.Pods > 0 && m.slot == slot {
		m.first = m.first.without()
		return
	}
	if on := m.others[slot].without(); on.Pods > 0 {
		m.others[slot] = on
	} else {
		delete(m.others, slot)
	}
}

// classesPerPage is the number of members that are copied together once they are shared.
const classesPerPage = 128

type classPage struct {
	owner   *Owner
	members [classesPerPage]ClassMembers
}

// classIndex has the classes of the pods of a snapshot, and their members, by an id that each class has in the
// snapshot. It finds them by key, by the labels that selectors look at, and by their anti-affinity.
type classIndex struct {
	byKey sharedIndex[int32]
	pages []*classPage // by id
	// used is the number of ids that were given out, and unused the first of those that are unused now.
	used, unused int32
	labels       labelIndex
	terms        termIndex
	// AntiAffinity is the number of classes with required anti-affinity.
	AntiAffinity int
}

func newClassIndex() classIndex {
	return classIndex{byKey: NewSharedIndex[int32](0), unused: noID, labels: newLabelIndex(), terms: newTermIndex()}
}

// share returns a copy. From then on neither side writes a part that both have. view returns a copy that writes
// no part of x; see sharedIndex.view.
func (x *classIndex) share() classIndex {
	c := *x
	c.byKey, c.labels, c.terms = x.byKey.Share(), x.labels.share(), x.terms.share()
	c.pages = slices.Clone(x.pages)
	return c
}

func (x *classIndex) view() classIndex {
	c := *x
	c.byKey, c.labels, c.terms = x.byKey.view(), x.labels.view(), x.terms.view()
	c.pages = slices.Clone(x.pages)
	return c
}

// All iterates over the members of all classes.
func (x *classIndex) All() iter.Seq[*ClassMembers] {
	return func(yield func(*ClassMembers) bool) {
		for _, page := range x.pages {
			for i := range page.members {
				if m := &page.members[i]; m.Class != nil && !yield(m) {
					return
				}
			}
		}
	}
}

// at returns the members of a class by its id, for reading.
func (x *classIndex) at(id int32) *ClassMembers {
	return &x.pages[id/classesPerPage].members[id%classesPerPage]
}

// find finds the members of a class by its key.
func (x *classIndex) find(key []byte) (*ClassMembers, bool) {
	if id, ok := x.byKey.find(key); ok {
		return x.at(id), true
	}
	return nil, false
}

// own returns the members with an id for writing.
func (x *classIndex) own(id int32, o *Owner) *ClassMembers {
	page := &x.pages[id/classesPerPage]
	if (*page).owner != o {
		copied := **page
		copied.owner = o
		*page = &copied
	}

	m := &(*page).members[id%classesPerPage]
	if m.owner != o {
		m.owner, m.others = o, maps.Clone(m.others)
	}
	return m
}

// writable returns the members of a class for writing. isNew reports whether the index did not have the class.
func (x *classIndex) writable(k *PodClass, o *Owner) (m *ClassMembers, isNew bool) {
	if id, ok := x.byKey.Get(k.Key); ok {
		return x.own(id, o), false
	}

	id := x.newID(o)
	m = x.own(id, o)
	*m = ClassMembers{owner: o, Class: k}
	x.byKey.Set(k.Key, id)
	x.labels.add(id, k, o)
	x.terms.add(id, k.antiAffinity, o)
	if len(k.antiAffinity) > 0 {
		x.AntiAffinity++
	}
	return m, true
}

// newID takes an id that no class has.
func (x *classIndex) newID(o *Owner) int32 {
	if id := x.unused; id != noID {
		x.unused = x.at(id).next
		return id
	}
	if x.used == int32(len(x.pages)*classesPerPage) {
		x.pages = append(x.pages, &classPage{owner: o})
	}
	x.used++
	return x.used - 1
}

// remove removes a class without pods.
func (x *classIndex) remove(k *PodClass, o *Owner) {
	id, _ := x.byKey.Get(k.Key)
	x.byKey.Remove(k.Key)
	x.labels.remove(id, k, o)
	x.terms.remove(id, k.antiAffinity, o)
	if len(k.antiAffinity) > 0 {
		x.AntiAffinity--
	}
	*x.own(id, o) = ClassMembers{owner: o, next: x.unused}
	x.unused = id
}

// Selected calls f for the classes that a term of a pod to be placed picks.
func (s *Snapshot) Selected(t *Term, f func(*ClassMembers)) {
	x := &s.Classes
	in := func(namespace string) {
		x.labels.selected(namespace, t.labels.Selector, func(id int32) { f(x.at(id)) })
	}

	// Most terms name their namespaces; other ones are asked about each that has pods.
	if !t.all && t.spaces == nil {
		for _, name := range t.namespaces {
			in(name)
		}
		return
	}
	x.labels.namespaces.Each(func(name string, _ int32) {
		ns, known := s.namespace(name)
		var labels map[string]string
		if known {
			labels = ns.Labels
		}
		if t.looksIn(name, labels, known) {
			in(name)
		}
	})
}

// SelectedIn calls f for the classes of a namespace that a valid selector picks; nil picks none.
func (s *Snapshot) SelectedIn(namespace string, selector *outrank.LabelSelector, f func(*ClassMembers)) {
	s.Classes.labels.selected(namespace, selector, func(id int32) { f(s.Classes.at(id)) })
}

// KeptApart calls f for each anti-affinity term that picks a pod, with its topology key and the members of each
// class that has it. A namespace that the snapshot does not know counts as one without labels here (rule
// 7.13.18).
func (s *Snapshot) KeptApart(pod *outrank.Pod, f func(topologyKey string, classes iter.Seq[*ClassMembers])) {
	namespace := pod.NamespaceName()
	var labels map[string]string
	if ns, known := s.namespace(namespace); known {
		labels = ns.Labels
	}

	x := &s.Classes
	x.terms.eachPicking(pod.Labels, func(t *Term, classes ids) {
		if !t.looksIn(namespace, labels, true) {
			return
		}
		f(t.Key, func(yield func(*ClassMembers) bool) {
			for id := range classes.all() {
				if !yield(x.at(id)) {
					return
				}
			}
		})
	})
}
