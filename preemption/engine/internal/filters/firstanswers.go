package filters

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The answers of the first node filters depend on little of a pod: its node selector and affinity, its
// tolerations, its node name. The snapshot keeps a table of these answers for all pods that are alike in
// this, whatever else they ask for, as it does for the caller's rules.

// asksBefore is the number of nodes that an attempt asks about before all are asked at once. A question
// about a few nodes is not worth a table.
const asksBefore = 32

// firstAnswers holds the answers of the first node filters in one attempt. Workers share it.
type firstAnswers struct {
	// asked counts the nodes about which the attempt has asked while there was no table.
	asked atomic.Int32
	// finding is set while a worker looks for the table, and ready once table is set.
	finding, ready atomic.Bool
	table          *state.AnswerTable
	// key is scratch memory for the attempt's key, and text the last key as a string.
	key  state.KeyWriter
	text string
	// passing is the memory of AskAll.
	passing []uint64
}

// known reports whether the table is there.
func (a *firstAnswers) known() bool { return a.ready.Load() }

// begin forgets the previous attempt.
func (a *firstAnswers) begin() {
	a.asked.Store(0)
	a.ready.Store(false)
	a.table = nil
}

// answer returns the answer about a node. It must be called only once the table is known.
func (a *firstAnswers) answer(n *state.NodeState) Status {
	if a.table.Passes(n.Slot) {
		return Status{}
	}
	return unnamed(a.table.At(n.Slot))
}

// all returns a bit by slot for each node that passes, and calls count for the answers of the others.
// It returns nil without a table.
func (a *firstAnswers) all(count func(s Status, nodes int)) (passing []uint64) {
	if a.table == nil {
		return nil // the context has ended
	}
	for i, nodes := range a.table.Nodes {
		if nodes > 0 {
			count(unnamed(a.table.Statuses[i]), nodes)
		}
	}
	return a.table.Passing
}

// due counts a node that is asked about without a table, and reports whether it is time to look for one. At
// the first node only a cheap table is worth it, one that lacks the answers of few nodes; from asksBefore
// nodes on, any is. lacks is the number of answers that may be missing. Only one worker at a time gets true,
// and it must call looked afterwards. The others go on without a table.
func (a *firstAnswers) due() (lacks int, ok bool) {
	n := a.asked.Add(1)
	if n > 1 && n < asksBefore || !a.finding.CompareAndSwap(false, true) {
		return 0, false
	}

	if n > 1 {
		return math.MaxInt, true
	}
	return asksBefore, true
}

// looked lets the next worker look for a table.
func (a *firstAnswers) looked() { a.finding.Store(false) }

// find takes the snapshot's table, and asks the nodes that it lacks. If these are more than lacks, or the
// context ends, there is no table.
func (a *firstAnswers) find(q *Question, lacks int, order *[NumFirst]int, ask func(*state.NodeState) Status) {
	snap := q.Snap
	var last Status
	var name preemption.Status // last, as the table keeps it
	a.table = snap.AnswersTo(q.ctx, state.AnswersKey{Key: a.keyOf(q, order)}, lacks, func(n *state.NodeState) preemption.Status {
		s := ask(n)
		if s.Code == Success {
			return preemption.Status{}
		}

		// Nodes in a row mostly fail alike. They share one status, so that it is allocated once.
		if s.By != last.By || !slices.Equal(s.Text, last.Text) || last.Code == Success {
			last, name = s, named(s)
		}
		return name
	})
	a.ready.Store(a.table != nil)
}

// keyOf encodes all that the first node filters read of the preemptor and the configuration.
func (a *firstAnswers) keyOf(q *Question, order *[NumFirst]int) string {
	a.key = a.key[:0]
	a.key.Amount(int64(q.Silent))
	for _, i := range order {
		f := BuiltIn[i]
		if entry := f.Entry; entry.Signature != nil {
			entry.Signature(&a.key, q.Pod)
		}
	}

	// Attempts in a row mostly have the same key. The comparison allocates nothing.
	if a.text != string(a.key) {
		a.text = string(a.key)
	}
	return a.text
}

// named converts a failure of a first node filter to the form in the table, where the filter's name comes
// before the reasons.
func named(s Status) preemption.Status {
	return preemption.Status{Code: s.Code.Public(), Reasons: slices.Concat([]string{BuiltInNames[s.By]}, s.Text)}
}

// unnamed is the inverse of named.
func unnamed(s preemption.Status) Status {
	return Status{Code: CodeOf(s.Code), By: slices.Index(BuiltInNames[:NumFirst], s.Reasons[0]), Text: s.Reasons[1:]}
}
