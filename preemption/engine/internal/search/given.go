package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Statuses that the caller gives replace the answers of the filters with all pods in place. Preemption is
// then tried on every node with the code Unschedulable, even if the filters would pass. Only dry runs ask
// filters.

// takeStatuses makes the search use the statuses that the caller gives.
func (q *Asked) takeStatuses(req *preemption.Request) {
	q.given.any, q.given.from = true, req.Statuses
	q.plan.Refused, q.Attempt.Elsewhere = filters.Status{}, true // the nodes were already filtered elsewhere
}

// noteGiven counts the given statuses of the nodes at a range of positions, and marks those on which
// preemption is to be tried.
func (w *Worker) noteGiven(from, to int) {
	for ; from < to; from += state.SummaryBlockSize {
		end := min(from+state.SummaryBlockSize, to)
		try := w.noteChunk(from, end)
		for position := from; position < end; position++ {
			w.marked[position] = try&(1<<(position-from)) != 0
		}
	}
}

// boundGiven is boundGeneral for given statuses. It also serves the default rules, by which candidates are
// considered only in later rounds.
func (w *Worker) boundGiven(from, to int) {
	for ; from < to; from += state.SummaryBlockSize {
		end := min(from+state.SummaryBlockSize, to)
		try := w.noteChunk(from, end)
		if w.fitsSomewhere || w.need.onlyCount {
			try = 0 // no candidate is wanted
		}

		w.boundChunk(from, end, try)
		if w.rules.general {
			w.considerChunk(from, end)
		}
	}
}

// noteChunk counts the given statuses of at most SummaryBlockSize nodes. It returns a bit, the lowest for the
// first of them, for each node on which preemption is to be tried.
func (w *Worker) noteChunk(from, to int) (try uint64) {
	// Most statuses equal the one before. Equal ones in a row are counted together, when a different one
	// follows.
	var last *preemption.Status
	x, code, nodes := answer(0), filters.Success, 0
	for position := from; position < to; position++ {
		if st := w.givenAt(position); st != last && (last == nil || !sameStatus(st, last)) {
			w.before.count(x, nodes)
			last, nodes = st, 0

			// Every code beyond Unschedulable counts as unresolvable.
			x = w.answerGiven(st)
			code = min(filters.CodeOf(st.Code), filters.UnschedulableAndUnresolvable)
			if code == filters.Success {
				w.fitsSomewhere, w.firstFit = true, min(w.firstFit, position)
			}
		}

		nodes++
		if code == filters.Unschedulable {
			try |= 1 << (position - from)
		}
	}
	w.before.count(x, nodes)
	return try
}

// note counts the given status of a node, and reports whether preemption is to be tried there.
func (w *Worker) note(position int) bool { return w.noteChunk(position, position+1) != 0 }

// boundChunk bounds the nodes with a bit in try, and settles the others.
func (w *Worker) boundChunk(from, to int, try uint64) {
	plain := !w.need.filtered && w.rules.asks != asksEach && !w.plan.Selects
	for position := from; position < to; position++ {
		b := &w.bounds[position]
		if try&(1<<(position-from)) == 0 {
			b.Kind = Settled
			continue
		}

		// A node that is short of resources, and on which resources alone decide, is bounded by its summary.
		// A node with room is left to tryNode, because all of its pods could be put back.
		slot := w.snap.Order[position]
		if sum := w.sums.At(slot); plain && sum.Flags&^w.need.bounded == 0 {
			if w.boundByResources(b, slot, sum); b.before != 0 {
				w.after.count(b.after, 1)
				continue
			}
		}
		w.tryNode(b, position, slot)
	}
}

// readGiven asks the caller for the status of every node, in the order of the nodes, before the search looks
// at any.
func (q *Asked) readGiven() error {
	x, nodes := &q.given, len(q.snap.Order)
	x.list = slices.Grow(x.list[:0], nodes)
	for position := range nodes {
		status, err := q.Attempt.GivenStatus(x.from, position)
		if err != nil {
			return err
		}
		x.list = append(x.list, status)
	}
	return nil
}

// givenAt returns the status that the caller gave for a node. readGiven must have run.
func (w *Worker) givenAt(position int) *preemption.Status { return &w.statuses.list[position] }

// answerGiven returns the answer that stands for a given status.
func (w *Worker) answerGiven(st *preemption.Status) answer {
	if st.Code == preemption.Success {
		return 0
	}

	// Only Success has the answer 0, so that 0 in w.given stands for no status yet.
	if w.given.answer == 0 || !sameStatus(st, &w.given.last) {
		w.given.last, w.given.answer = *st, w.before.intern(dryrun.FilterStatusOf(st))
	}
	return w.given.answer
}

// mayRefuse reports whether a node filter may still turn the preemptor away. That can be only if the caller
// gave the statuses, because then no filter has been asked yet.
func (w *Worker) mayRefuse(sum *state.NodeSummary) bool {
	return w.attempt.Elsewhere && (sum.Flags&state.Restricted != 0 || w.plan.Selects)
}

// tryNode bounds a node on which preemption is to be tried even if it takes the preemptor, and counts its
// answer with the possible victims removed.
func (w *Worker) tryNode(b *NodeBound, position int, slot int32) {
	sum := w.sums.At(slot)
	switch {
	case w.mayRefuse(sum):
		// The dry run asks the node filters first. evaluateByFilters counts the answer.
		*b = NodeBound{}
		w.evaluateByFilters(position, w.snap.NodeStates[slot])
		b.Kind = Settled
		return
	case sum.Flags&^(state.Restricted|w.need.bounded) == 0 && !w.need.filtered && w.rules.asks != asksEach:
		w.boundByResources(b, slot, sum)
	default:
		*b = NodeBound{}
		w.boundPods(b, position, slot)
	}

	// The node has room already, so that all pods may be put back. The dry run finds that contradiction (rule
	// 9.9).
	if b.before == 0 {
		w.evaluateByFilters(position, w.snap.NodeStates[slot])
		b.Kind = Settled
	}
	w.after.count(b.after, 1)
}
