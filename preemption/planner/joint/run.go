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
	// pods are those of the request, in the order of the queue.
	pods     []*outrank.Pod
	oneByOne *oneByOne
	// queue describes each of pods, in the same order.
	queue []*member
	// baseline is the plan of one by one. No other plan is taken that is worse.
	baseline *solution
	*draft
}

// findFatesAfter carries a solution out, also where it does not hold at once, finds out what becomes of its
// victims, and takes it back.
func (r *run) findFatesAfter(s *solution, effort effort) bool {
	if r.totals.lossCosts == nil {
		return true
	}
	mark := r.plain.Mark()
	defer func() { r.fail(r.plain.Undo(mark)) }()
	r.carryOut(r.plain, r.turns(s))
	return r.err == nil && r.findFates(r.plain, s, s.victims(), effort)
}

// carryOut removes the victims and binds the pods on a snapshot, whether or not their nodes take them.
func (r *run) carryOut(snap *engine.Snapshot, turns []turn) {
	r.clearOut(snap, turns)
	for _, t := range turns {
		if t.node >= 0 {
			r.fail(snap.Bind(r.pods[t.position].Key(), r.nodes[t.node].Name))
		}
	}
}

// clearOut removes the victims, and the nominations that end with them. A pod that preempted in vain has no
// node, so no nomination ends there.
func (r *run) clearOut(snap *engine.Snapshot, turns []turn) {
	for _, t := range turns {
		if t.node >= 0 {
			r.evict(snap, r.pods[t.position], spot{t.node, t.victims})
			continue
		}
		for _, v := range t.victims {
			r.fail(snap.RemovePod(v.Key()))
		}
	}
}
