package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// answer is the answer of one node to the preemptor. There are four kinds:
//
//   - 0: the node takes the preemptor.
//   - A set of bits below noVictims: NodeResourcesFit fails. There is a bit for each column that is short,
//     tooManyPods, and unresolvable if even the empty node would be short.
//   - noVictims: no pod of the node may leave.
//   - firstOther and above: another status, by its index in a tally.
type answer int32

const (
	tooManyPods  answer = 1 << state.NumColumns
	unresolvable answer = 2 << state.NumColumns
	noVictims    answer = 4 << state.NumColumns
	firstOther          = noVictims + 1
)

// answers counts nodes by their answers: those below firstOther in usual, the others in a tally.
type answers struct {
	usual  [firstOther]int
	others tally
	// last is the status that internSame was last asked about, and lastAnswer its answer, 0 if there is none
	// yet.
	last       filters.Status
	lastAnswer answer
}

// count adds a number of nodes with an answer. A negative number takes nodes off.
func (a *answers) count(x answer, nodes int) {
	if x < firstOther {
		a.usual[x] += nodes
	} else {
		a.others[x-firstOther].nodes += nodes
	}
}

// intern returns the answer that stands for a status, and adds the status to the tally if it is new.
func (a *answers) intern(s filters.Status) answer { return firstOther + answer(a.others.find(s)) }

// release drops all references to the caller's data.
func (a *answers) release() {
	clear(a.others)
	a.last, a.lastAnswer = filters.Status{}, 0
}

// internSame is intern for a status that is mostly the same as in the previous call. Then the tally is not
// searched.
func (a *answers) internSame(s *filters.Status) answer {
	if a.lastAnswer == 0 || a.last.By != s.By || a.last.Code != s.Code || !sameTexts(a.last.Text, s.Text) {
		a.last, a.lastAnswer = *s, a.intern(*s)
	}
	return a.lastAnswer
}

// tally counts nodes by status. It is searched linearly, because there are few different statuses.
type tally []tallied

// tallied is a status with the number of nodes that have it.
type tallied struct {
	filters.Status
	nodes int
}

// add adds a number of nodes with a status.
func (t *tally) add(s filters.Status, nodes int) { (*t)[t.find(s)].nodes += nodes }

// find returns the index of a status, which is appended if it is new.
func (t *tally) find(s filters.Status) int {
	for i := range *t {
		if filters.SameStatus(&(*t)[i].Status, &s) {
			return i
		}
	}
	*t = append(*t, tallied{Status: s})
	return len(*t) - 1
}
