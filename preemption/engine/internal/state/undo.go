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

	// Reverting has recorded steps as well, which are dropped with the others.
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

// revert makes the opposite change of a step. Steps are reverted from the last to the first, so that the
// snapshot is as the step left it.
func (s *Snapshot) revert(st step) {
	switch st.kind {
	case putPod:
		// The pod may have another PodState by now, because reclass makes a new one each time it moves a pod
		// to another class and back.
		p, _ := s.PodStates.Of(st.pod.Pod)
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

	// The other kinds have the object before the change, nil if there was none.
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

	unseen := s.Journal.unseenBy(by)

	// If see returns an error or panics, or a caller's filter panics that hears of its changes, all changes
	// of see are reverted. Undoing the latest mark cannot fail.
	mark, done := s.Mark(), false
	defer func() {
		if !done {
			_ = s.Undo(mark)
		}
	}()

	// Clipped lists keep see and the watcher from appending into each other's memory.
	point, err := see(slices.Clip(unseen.pods), slices.Clip(unseen.nodes), unseen.point, unseen.lost)
	if err != nil {
		return err
	}

	// The lists start anew only now, so that they do not include the changes of see itself.
	done = true
	s.Journal.watcher.seen(by, point)
	return s.Keep(mark)
}

// unseenBy returns the changes that a follower has not seen: those since the last call of Follow, if that was
// by the same follower. Any other follower must assume that everything has changed.
func (j *journal) unseenBy(follower any) watcher {
	if j.watcher.by != follower {
		return watcher{lost: true}
	}
	return j.watcher
}
