package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// answer is the answer of one node to the preemptor. There are four kinds:
//
//   - 0: the node takes the pod.
//   - A set of bits below noVictims: NodeResourcesFit fails. There is a bit for each column that is short, one for
//     the number of pods, and one if even the empty node would be short.
//   - noVictims: no pod of the node may leave.
//   - firstOther and above: another status, by its index in a tally.
type answer int32

const (
	tooManyPods  answer = 1 << state.NumColumns
	unresolvable answer = 2 << state.NumColumns
	noVictims    answer = 4 << state.NumColumns
	firstOther          = noVictims + 1
)

// answers counts nodes by their answers: by number those below firstOther, and in a tally the others.
type answers struct {
	usual  [firstOther]int
	others tally
	// last is the status that internSame was last asked about, and lastAnswer stands for it.
	// It is 0 for none.
	last       filters.Status
	lastAnswer answer
}

// count counts nodes with one answer; less than 0 takes back what was counted.
func (a *answers) count(x answer, nodes int) {
	if x < firstOther {
		a.usual[x] += nodes
	} else {
		a.others[x-firstOther].nodes += nodes
	}
}

// intern returns the answer that stands for a status, which the tally has from then on.
func (a *answers) intern(s filters.Status) answer { return firstOther + answer(a.others.find(s)) }

// release drops everything that belongs to the caller.
func (a *answers) release() {
	clear(a.others)
	a.last, a.lastAnswer = filters.Status{}, 0
}

// internSame is intern for a status that mostly is the one before, so that the tally need not be searched.
func (a *answers) internSame(s *filters.Status) answer {
	if a.lastAnswer == 0 || a.last.By != s.By || a.last.Code != s.Code || !sameTexts(a.last.Text, s.Text) {
		a.last, a.lastAnswer = *s, a.intern(*s)
	}
	return a.lastAnswer
}

// tally counts statuses. There are few different ones.
type tally []tallied

// tallied is a status with the number of nodes that have it.
type tallied struct {
	filters.Status
	nodes int
}

// add counts nodes with a status.
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
