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

	// The steps that the reverting recorded go with the others.
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

// revert does the opposite of a step, as a change like any other. Steps are reverted in the opposite
// order, so that the snapshot is as the step left it.
func (s *Snapshot) revert(st step) {
	switch st.kind {
	case putPod:
		// The pod may have another state by now: reclass has put it into another class and back, and
		// has made a new state each time.
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

	// The other steps have the object before the change, nil for none.
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

	// An error of see, a panic in it or in a filter of the caller that is told of its changes takes all
	// of them back. Undo of the latest mark cannot fail.
	mark, done := s.Mark(), false
	defer func() {
		if !done {
			_ = s.Undo(mark)
		}
	}()

	// The lists are clipped: neither see nor the watcher appends into the memory of the other.
	point, err := see(slices.Clip(unseen.pods), slices.Clip(unseen.nodes), unseen.point, unseen.lost)
	if err != nil {
		return err
	}

	// The lists begin anew only now, so that the changes of see itself are not on them.
	done = true
	s.Journal.watcher.seen(by, point)
	return s.Keep(mark)
}

// unseenBy returns the changes that a follower has not seen. They are those since the last call of Follow
// if that was by the same follower. Any other follower must take everything for changed.
func (j *journal) unseenBy(follower any) watcher {
	if j.watcher.by != follower {
		return watcher{lost: true}
	}
	return j.watcher
}
