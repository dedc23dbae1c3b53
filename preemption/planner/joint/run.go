package joint

import (
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// run is the state of one call of Preempt.
type run struct {
	ctx  context.Context
	eval *engine.Evaluator
	req  *Request
	// pods lists the pods of the request, in the order of the queue.
	pods     []*outrank.Pod
	oneByOne *oneByOne
	// queue describes each of pods, in the same order.
	queue []*member
	// baseline is the one-by-one plan. The answer is never worse.
	baseline *solution
	*draft
}

// findFatesAfter carries a solution out, whether or not it holds at once, finds out what becomes of its victims, and
// undoes it. It returns false if nothing was found out.
func (r *run) findFatesAfter(s *solution, effort effort) bool {
	if r.totals.lossCosts == nil {
		return true
	}
	mark := r.plain.Mark()
	defer func() { r.fail(r.plain.Undo(mark)) }()
	r.carryOut(r.plain, r.turns(s))
	return r.err == nil && r.findFates(r.plain, s, s.victims(), effort)
}

// carryOut removes the victims and binds the pods in a snapshot, without asking whether they fit.
func (r *run) carryOut(snap *engine.Snapshot, turns []turn) {
	r.clearOut(snap, turns)
	for _, t := range turns {
		if t.node >= 0 {
			r.fail(snap.Bind(r.pods[t.position].Key(), r.nodes[t.node].Name))
		}
	}
}

// clearOut removes the victims, and the nominations that pods of lower priority lose. For a pod that preempted in
// vain no nomination is cleared, because it has no node.
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
