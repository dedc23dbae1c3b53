package preemption

import "github.com/outrank-go/outrank"

// Mark is a point in a snapshot's history to come back to.
type Mark struct {
	journal *journal
	depth   int
	serial  uint64
}

// Mark notes the present state. From now on changes are recorded, until the
// mark is used up by [Snapshot.Undo] or [Snapshot.Keep]. Marks nest: a later
// one is used up together with an earlier one.
func (s *Snapshot) Mark() Mark { return s.journal.mark() }

// Undo takes back every change since the mark, exactly, and uses the mark up.
// Time is that of making the changes. Error: [ErrMark].
func (s *Snapshot) Undo(m Mark) error {
	steps, err := s.journal.take(m)
	if err != nil {
		return err
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s.revert(steps[i])
	}
	s.journal.forget(m)
	return nil
}

// Keep uses a mark up without taking anything back. Changes that an earlier
// mark may still take back stay recorded. Error: [ErrMark].
func (s *Snapshot) Keep(m Mark) error {
	if _, err := s.journal.take(m); err != nil {
		return err
	}
	s.journal.keep(m)
	return nil
}

// step is one change, with what is needed to take it back.
type step struct {
	kind     stepKind
	pod      *podState
	node     *outrank.Node
	position int
	budgets  *budgetSet
	// group and namespace are the objects before the change, nil for none; name
	// is that of either.
	group     *outrank.PodGroup
	namespace *outrank.Namespace
	name      string
}

type stepKind uint8

const (
	putPod stepKind = iota
	dropPod
	putNode
	dropNode
	changeNode
	putBudgets
	putGroup
	putNamespace
)

// revert does the opposite of a step. What that records is forgotten with the
// mark.
func (s *Snapshot) revert(st step) {
	switch st.kind {
	case putPod:
		s.drop(st.pod)
	case dropPod:
		s.put(st.pod)
	case putNode:
		s.unsetNode(st.position)
	case dropNode:
		s.setNode(st.node.Name, st.node, st.position)
	case putBudgets:
		s.setBudgets(st.budgets)
	case changeNode:
		s.changeNode(s.node(st.node.Name).slot, st.node)
	case putGroup:
		s.setGroup(st.name, st.group)
	case putNamespace:
		s.setNamespace(st.name, st.namespace)
	}
}

// journal records the steps since the first mark that is still of use; with no
// mark it records nothing.
type journal struct {
	steps  []step
	marks  []markAt
	serial uint64
}

type markAt struct {
	at     int // steps before the mark
	serial uint64
}

func (j *journal) record(st step) {
	if len(j.marks) > 0 {
		j.steps = append(j.steps, st)
	}
}

func (j *journal) mark() Mark {
	j.serial++
	j.marks = append(j.marks, markAt{len(j.steps), j.serial})
	return Mark{j, len(j.marks) - 1, j.serial}
}

// take gives the steps since a mark.
func (j *journal) take(m Mark) ([]step, error) {
	if m.journal != j || m.depth >= len(j.marks) || j.marks[m.depth].serial != m.serial {
		return nil, ErrMark
	}
	return j.steps[j.marks[m.depth].at:], nil
}

// forget drops a mark, the later ones and all steps since.
func (j *journal) forget(m Mark) {
	at := j.marks[m.depth].at
	clear(j.steps[at:])
	j.steps = j.steps[:at]
	j.marks = j.marks[:m.depth]
}

// keep drops a mark and the later ones, but the steps only where no earlier
// mark needs them.
func (j *journal) keep(m Mark) {
	j.marks = j.marks[:m.depth]
	if len(j.marks) == 0 {
		clear(j.steps)
		j.steps = j.steps[:0]
	}
}
