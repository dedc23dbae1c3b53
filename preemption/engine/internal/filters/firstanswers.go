package filters

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Answers of the first node filters depend on little of a pod: its selector, its
// tolerations, the features that it needs. The snapshot keeps them for pods that are alike in
// that, whatever else they ask for, as it keeps those of the caller's rules.

// asksBefore is how many nodes an attempt asks about before all are asked at once: a question
// about a few nodes is not worth a table.
const asksBefore = 32

// firstAnswers is what the first node filters say in one attempt. Workers share it.
type firstAnswers struct {
	// asked counts the nodes asked about, as long as there is no table.
	asked atomic.Int32
	// finding is set while a worker looks for the table, and ready once it is there.
	finding, ready atomic.Bool
	table          *state.AnswerTable
	// key is that of the attempt, and text the last one as a string.
	key  state.KeyWriter
	text string
	// passing is the memory of AskAll.
	passing []uint64
}

// begin forgets the attempt before.
func (a *firstAnswers) begin() {
	a.asked.Store(0)
	a.ready.Store(false)
	a.table = nil
}

// at returns the answer about a node. The table is there.
func (a *firstAnswers) at(n *state.NodeState) Status {
	if a.table.Passes(n.Slot) {
		return Status{}
	}
	return unnamed(a.table.At(n.Slot))
}

// due counts a node that is asked about without the table. It reports whether it is time to
// look for the table: for the first node one that lacks a few nodes at most, and for the last of
// so many any. One worker alone is told so, which calls looked in the end; others do without the
// table meanwhile.
func (a *firstAnswers) due(q *Question) (lacks int, ok bool) {
	n := a.asked.Add(1)
	if n > 1 && n < asksBefore || !a.finding.CompareAndSwap(false, true) {
		return 0, false
	}
	if n > 1 {
		return math.MaxInt, true
	}
	return asksBefore, true
}

// looked ends what due began.
func (a *firstAnswers) looked() { a.finding.Store(false) }

// find takes the table that the snapshot has, or that it has but for so many nodes, which are
// asked. There is none where the context ends.
func (a *firstAnswers) find(q *Question, lacks int, order *[NumFirst]int, ask func(*state.NodeState) Status) {
	var last Status // and its name
	var name preemption.Status
	a.table = q.Snap.AnswersTo(q.ctx, state.AnswersKey{Key: a.keyOf(q, order)}, lacks, func(n *state.NodeState) preemption.Status {
		s := ask(n)
		if s.Code == Success {
			return preemption.Status{}
		}
		if s.By != last.By || !slices.Equal(s.Text, last.Text) || last.Code == Success {
			last, name = s, named(s)
		}
		return name
	})
	a.ready.Store(a.table != nil)
}

// keyOf is all that the first node filters read of the preemptor and the configuration.
func (a *firstAnswers) keyOf(q *Question, order *[NumFirst]int) string {
	a.key = a.key[:0]
	a.key.Amount(int64(q.Silent))
	for _, i := range order {
		if f := BuiltIn[i]; f.Entry.Signature != nil {
			f.Entry.Signature(&a.key, q.Pod)
		}
	}
	if a.text != string(a.key) {
		a.text = string(a.key)
	}
	return a.text
}

// named is a failure of a first node filter as a table keeps it: the filter's name stands
// before the reasons.
func named(s Status) preemption.Status {
	return preemption.Status{Code: s.Code.Public(), Reasons: slices.Concat([]string{BuiltInNames[s.By]}, s.Text)}
}

// unnamed is what named was made from.
func unnamed(s preemption.Status) Status {
	return Status{Code: CodeOf(s.Code), By: slices.Index(BuiltInNames[:NumFirst], s.Reasons[0]), Text: s.Reasons[1:]}
}
