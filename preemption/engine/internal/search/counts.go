package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// answer is the answer of one node to the preemptor. 0 means that it takes the
// pod. Otherwise it has a bit for each column that is short, one for the pod
// count, and one if even the empty node would be short; or it is noVictims; or
// it is another status, by its index in a tally.
type answer int32

const (
	tooManyPods  answer = 1 << state.NumColumns
	unresolvable answer = 2 << state.NumColumns
	noVictims    answer = 4 << state.NumColumns
	firstOther          = noVictims + 1
)

// answers counts nodes by their answers.
type answers struct {
	usual  [firstOther]int
	others tally
	// last is the status that internSame was last asked about, and lastAnswer stands for it.
	// It is 0 for none.
	last       filters.Status
	lastAnswer answer
}

func (a *answers) count(x answer, nodes int) {
	if x < firstOther {
		a.usual[x] += nodes
	} else {
		a.others[x-firstOther].nodes += nodes
	}
}

// intern returns the answer that stands for a status.
func (a *answers) intern(s filters.Status) answer { return firstOther + answer(a.others.find(s)) }

// release drops everything that belongs to the caller.
func (a *answers) release() {
	clear(a.others)
	a.last, a.lastAnswer = filters.Status{}, 0
}

// internSame is intern for a status with texts of its own, which mostly is the one before.
func (a *answers) internSame(s *filters.Status) answer {
	if a.lastAnswer == 0 || a.last.By != s.By || a.last.Code != s.Code || !sameTexts(a.last.Text, s.Text) {
		a.last, a.lastAnswer = *s, a.intern(*s)
	}
	return a.lastAnswer
}

// tally counts statuses. There are few different ones.
type tally []tallied

type tallied struct {
	filters.Status
	nodes int
}

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
