package state

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
)

// Mark is engine.Snapshot.Mark.
func (s *Snapshot) Mark() Mark { return s.Journal.mark() }

// Undo is engine.Snapshot.Undo.
func (s *Snapshot) Undo(m Mark) error {
	steps, err := s.Journal.take(m)
	if err != nil {
		return err
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s.revert(steps[i])
	}
	s.Journal.forget(m)
	return nil
}

// Keep is engine.Snapshot.Keep.
func (s *Snapshot) Keep(m Mark) error {
	if _, err := s.Journal.take(m); err != nil {
		return err
	}
	s.Journal.keep(m)
	return nil
}

// revert does the opposite of a step. The steps that this records are dropped
// together with the mark.
func (s *Snapshot) revert(st step) {
	switch st.kind {
	case putPod:
		p, _ := s.PodStates.Of(st.pod.Pod) // another class may have taken the place of its own
		s.Drop(p)
	case dropPod:
		s.Put(st.pod)
	case putNode:
		s.unsetNode(st.position)
	case dropNode:
		s.setNode(st.node.Name, st.node, st.position)
	case putBudgets:
		s.setBudgets(st.budgets)
	case putClasses:
		before := make(map[*PodClass]*PodClass, len(st.classes))
		for was, is := range st.classes {
			before[is] = was
		}
		s.reclass(before)
	case changeNode:
		s.changeNode(s.NodeState(st.node.Name).Slot, st.node)
	case putGroup:
		s.setGroup(st.name, st.group)
	case putComposite:
		s.setComposite(st.name, st.composite)
	case putNamespace:
		s.setNamespace(st.name, st.namespace)
	}
}

// Revision is engine.Snapshot.Revision.
func (s *Snapshot) Revision() uint64 { return s.Journal.changes }

// Follow is engine.Snapshot.Follow.
func (s *Snapshot) Follow(by any, see func(pods []*outrank.Pod, nodes []string, point uint64, all bool) (uint64, error)) error {
	if by == nil {
		return fmt.Errorf("snapshot: %w: nobody follows it", outrank.ErrInvalid)
	}
	if v := reflect.ValueOf(by); v.Kind() != reflect.Pointer && !v.Comparable() {
		return fmt.Errorf("snapshot: %w: %T follows it, which cannot be compared", outrank.ErrInvalid, by)
	}
	w := s.Journal.watcher
	if w.by != by {
		w = watcher{lost: true}
	}
	mark, done := s.Mark(), false
	defer func() {
		if !done { // also where a filter that is attached panics
			_ = s.Undo(mark) // the latest mark: this cannot fail
		}
	}()
	point, err := see(slices.Clip(w.pods), slices.Clip(w.nodes), w.point, w.lost)
	if err != nil {
		return err
	}
	done = true
	s.Journal.watcher.seen(by, point)
	return s.Keep(mark)
}
