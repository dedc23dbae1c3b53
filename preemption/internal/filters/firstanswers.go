package filters

import (
	"slices"
	"sync/atomic"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// Answers of the first node filters depend on little of a pod: its selector, its
// tolerations, the features that it needs. The snapshot keeps them for pods that are alike in
// that, whatever else they ask for, as it keeps those of the caller's rules.

// asksBefore is how many nodes an attempt asks about before all are asked at once: a question
// about a few nodes is not worth a table.
const asksBefore = 32

// builtInRule stands for the first node filters among the rules; those of callers are counted
// from 1 on.
const builtInRule = 0

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
}

// begin forgets the attempt before.
func (a *firstAnswers) begin() {
	a.asked.Store(0)
	a.ready.Store(false)
	a.table = nil
}

// at returns the answer about a node if it is known.
func (a *firstAnswers) at(fp *Plan, q *Question, n *state.NodeState) (s Status, known bool) {
	if !a.ready.Load() && !a.look(fp, q) {
		return s, false
	}
	if a.table.Passes(n.Slot) {
		return s, true
	}
	return unnamed(a.table.At(n.Slot)), true
}

// look looks for the table for the first node that is asked about, and makes one for the last
// of so many; other workers do without it meanwhile. It reports whether the table is there.
func (a *firstAnswers) look(fp *Plan, q *Question) bool {
	n := a.asked.Add(1)
	if n > 1 && n < asksBefore || !a.finding.CompareAndSwap(false, true) {
		return false
	}
	defer a.finding.Store(false)
	most := asksBefore
	if n > 1 {
		most = len(q.Snap.NodeStates)
	}
	if !a.ready.Load() {
		a.find(fp, q, most)
	}
	return a.ready.Load()
}

// find takes the answers that the snapshot has, or that it has but for so many nodes.
func (a *firstAnswers) find(fp *Plan, q *Question, most int) {
	key := state.AnswersKey{Rule: builtInRule, Key: a.keyOf(fp, q)}
	kept, stale := q.Snap.Answers.Find(key)
	slots := len(q.Snap.NodeStates)
	if kept == nil || len(stale) > 0 || len(kept.Of) < slots {
		w, ok := state.TableFrom(kept, slots)
		if !ok {
			stale = q.Snap.Order
		}
		if len(stale) > most {
			return
		}
		for _, slot := range slices.Compact(slices.Sorted(slices.Values(stale))) {
			var s decision.Status
			if n := q.Snap.NodeStates[slot]; n != nil && n.Node != nil {
				s = named(fp.askNode(q, n))
			}
			w.Set(slot, s)
		}
		t := w.AnswerTable
		kept = &t
		q.Snap.Answers.Keep(key, kept)
	}
	a.table = kept
	a.ready.Store(true)
}

// keyOf is all that the first node filters read of the preemptor and the configuration.
func (a *firstAnswers) keyOf(fp *Plan, q *Question) string {
	a.key = a.key[:0]
	a.key.Amount(int64(q.Silent))
	for _, i := range fp.order {
		if f := BuiltIn[i]; f.appendSignature != nil {
			f.appendSignature(&a.key, q.Pod)
		}
	}
	if a.text != string(a.key) {
		a.text = string(a.key)
	}
	return a.text
}

// named is a status of a first node filter as a table keeps it: the filter's name stands
// before the reasons.
func named(s Status) decision.Status {
	if s.Code == decision.Success {
		return decision.Status{}
	}
	return decision.Status{Code: s.Code, Reasons: slices.Concat([]string{BuiltIn[s.By].Name}, s.Text)}
}

// unnamed is what named was made from.
func unnamed(s decision.Status) Status {
	return Status{Code: s.Code, By: slices.Index(BuiltInNames[:NumFirst], s.Reasons[0]), Text: s.Reasons[1:]}
}
