package joint

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// run is one call of Preempt.
type run struct {
	ctx  context.Context
	eval *engine.Evaluator
	req  *Request
	pods []*outrank.Pod // in the order of the queue
	one  *oneByOne
	all  []*member // by place in the queue
	// first is the plan of one by one.
	first *solution
	*draft
}

// movedAfter carries a solution out, holds it or not, and finds out what becomes of its victims.
func (r *run) movedAfter(s *solution, effort effort) bool {
	if r.totals.moves == nil {
		return true
	}
	mark := r.plain.Mark()
	defer func() { r.fail(r.plain.Undo(mark)) }()
	r.carryOut(r.plain, r.turns(s))
	return r.err == nil && r.moved(r.plain, s, s.victims(), effort)
}

// carryOut has the victims gone and the pods bound on a snapshot, whether or not their nodes take them.
func (r *run) carryOut(snap *engine.Snapshot, turns []turn) {
	r.clearOut(snap, turns)
	for _, at := range turns {
		if at.node >= 0 {
			r.fail(snap.Bind(r.pods[at.at].Key(), r.nodes[at.node].Name))
		}
	}
}

// clearOut has the victims gone, and the nominations that end with them.
func (r *run) clearOut(snap *engine.Snapshot, turns []turn) {
	for _, at := range turns {
		if at.node >= 0 {
			r.evict(snap, r.pods[at.at], spot{at.node, at.victims})
			continue
		}
		for _, v := range at.victims {
			r.fail(snap.RemovePod(v.Key()))
		}
	}
}
