package search

import (
	"context"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// eachSpan has the workers go over all spans.
func (s *Search) eachSpan(ctx context.Context, round func(w *Worker, from, to int)) error {
	return s.eachOf(ctx, len(s.blocks.spans)*s.blocks.spanSize, round)
}

// beginBlocks begins the spans, none of which has candidates yet.
func (s *Search) beginBlocks() {
	p, snap := &s.blocks, s.Asked.snap
	p.positions, p.firsts, p.passing, p.least = snap.Positions(), snap.FirstPositions(), nil, noCandidates
	p.spanSize = min(s.chunk, state.SummaryBlockSize)
	p.spans = state.Fill(p.spans, len(p.digests)*state.SummaryBlockSize/p.spanSize, span{bound: noCandidates})
}

// askFirst asks the first node filters about all nodes at once, where they may refuse any.
func (s *Search) askFirst() {
	q, restricted, before := &s.Asked, 0, &s.Workers[0].before
	for _, d := range s.blocks.digests {
		restricted += bits.OnesCount64(d.Restricted)
	}
	s.blocks.passing = q.plan.AskAll(&q.Attempt.Asked, restricted, func(st filters.Status, nodes int) {
		before.count(before.intern(st), nodes)
	})
}

// openGiven begins the spans with the candidates that have bounds.
func (s *Search) openGiven() {
	p := &s.blocks
	for position, slot := range s.Asked.snap.Order {
		if b := &s.Bounds[position]; b.Kind != Settled {
			of := &p.spans[int(slot)/p.spanSize]
			of.open |= 1 << (slot % state.SummaryBlockSize)
			of.include(spanBound{b.Bound, int32(b.fewest), rank.NoStart})
		}
	}
}

// spanAt returns the span that begins with a slot, and the block that it is a part of.
func (w *Worker) spanAt(slot int) (x *span, block int) {
	return &w.blocks.spans[slot/w.blocks.spanSize], slot / state.SummaryBlockSize
}

// boundSpan counts the answers of the nodes in the slots of a span, and bounds the candidates.
func (w *Worker) boundSpan(from, to int) {
	p := w.blocks
	x, block := w.spanAt(from)
	d := p.digests[block]
	nodes := d.Members & (math.MaxUint64 >> (state.SummaryBlockSize - (to - from)) << (from % state.SummaryBlockSize))
	alone := d.Apart
	switch {
	case p.passing != nil:
		nodes &= p.passing[block]
	case w.plan.Selects:
		alone = nodes
	default:
		alone |= d.Restricted
	}
	if alone &= nodes; w.need.filtered {
		alone |= w.failing(nodes, block)
	}
	if alone != nodes {
		w.boundTogether(x, block, nodes&^alone)
	}
	for ; alone != 0; alone &= alone - 1 {
		w.boundAlone(x, block, bits.TrailingZeros64(alone))
	}
	if x.bound.better(w.leastSpan) {
		w.leastSpan = x.bound
	}
}

// failing returns those of the nodes of a block that resources alone do not bound.
func (w *Worker) failing(nodes uint64, block int) uint64 {
	late := w.asksLate()
	if !late && !w.need.tabled {
		return nodes
	}
	for left := nodes; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros64(left); late && w.isShort(slotOf(block, i)) || w.RulesPass(slotOf(block, i)) {
			nodes &^= 1 << i
		}
	}
	return nodes
}

func slotOf(block, i int) int32 { return int32(block*state.SummaryBlockSize + i) }

// boundTogether bounds nodes of a block on which resources alone decide.
func (w *Worker) boundTogether(x *span, block int, nodes uint64) {
	d, asks := w.blocks.digests[block], &w.need.asks
	before, after, same := w.judge(d)
	if same {
		number := bits.OnesCount64(nodes)
		w.before.count(before, number)
		w.after.count(after, number)
		if before == 0 {
			w.fitTogether(block, nodes)
		}
		if helped(before, after) {
			x.together = nodes
			x.bound.top, x.bound.victims, x.bound.start = d.Least(asks)
		}
		return
	}
	x.bound.top, x.bound.victims, x.bound.start = d.Least(asks)
	for left := nodes; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		b := w.boundRoughly(x, block, i)
		w.answered(b.before, int(w.blocks.positions[slotOf(block, i)]))
		w.after.count(b.after, 1)
		if b.Kind != Settled {
			x.together |= 1 << i
		}
	}
	if x.together == 0 {
		x.bound = noCandidates
	}
}

// fitTogether notes that all these nodes of a block take the preemptor.
func (w *Worker) fitTogether(block int, nodes uint64) {
	p := w.blocks
	if int(p.firsts[block]) >= w.firstFit {
		return // all of them come later than one that is known
	}
	for ; nodes != 0; nodes &= nodes - 1 {
		w.firstFit = min(w.firstFit, int(p.positions[slotOf(block, bits.TrailingZeros64(nodes))]))
	}
}

// judge returns what the nodes of a digest answer, if they answer the same.
func (w *Worker) judge(d *state.Digest) (before, after answer, same bool) {
	short, small, nobody, same := d.Answers(&w.need.asks, w.attempt.Reach)
	before = answer(short)
	switch {
	case small:
		before |= unresolvable
	case nobody:
		after = noVictims
	}
	return before, after, same
}

// helped reports whether nodes with these answers are candidates: they lack something, not for good,
// and nothing without their pods.
func helped(before, after answer) bool { return before != 0 && before&unresolvable == 0 && after == 0 }

// refuseAll counts the answers of all nodes if none is a candidate or takes the preemptor, for one
// reason that needs no look at any of them, and reports whether that is so.
func (s *Search) refuseAll() bool {
	q, whole := &s.Asked, s.blocks.whole
	if q.need.filtered || q.plan.Selects || whole == nil || whole.Apart|whole.Restricted != 0 {
		return false
	}
	w := s.Workers[0]
	before, after, same := w.judge(whole)
	if !same || before == 0 || helped(before, after) {
		return false
	}
	w.before.count(before, len(s.Bounds))
	w.after.count(after, len(s.Bounds))
	return true
}

// boundRoughly bounds a node of a block by resources, its number of victims by that of the span.
func (w *Worker) boundRoughly(x *span, block, i int) *NodeBound {
	slot := slotOf(block, i)
	b, sum := &w.bounds[w.blocks.positions[slot]], w.sums.At(slot)
	*b = NodeBound{before: w.Shortage(sum), fewest: 1}
	if b.before != 0 && (w.lowestMakeRoom(b, sum) || w.withoutLower(b, slot, sum)) {
		if w.asksLate() {
			b.Kind = unasked
		}
		if b.Bound == x.bound.top {
			b.fewest = uint16(x.bound.victims)
		}
	}
	return b
}

// smooth makes a rough bound as good as the summary of the node tells. [Worker.Tighten] makes it
// as good as it can be.
func (w *Worker) smooth(b *NodeBound, slot int32) {
	if sum := w.sums.At(slot); !b.exact && b.Bound == sum.Lowest {
		b.fewest = max(b.fewest, uint16(sum.Fewest(&w.need.asks)))
	}
}

// boundAlone bounds a node of a block of which more is to be looked at than its summary.
func (w *Worker) boundAlone(x *span, block, i int) {
	slot := slotOf(block, i)
	position := int(w.blocks.positions[slot])
	b := &w.bounds[position]
	if w.blocks.passing == nil {
		w.boundFiltered(b, position, slot)
	} else {
		*b = NodeBound{}
		w.boundPods(b, position, slot)
	}
	w.answered(b.before, position)
	w.after.count(b.after, 1)
	if b.Kind != Settled {
		x.open |= 1 << i
		x.include(spanBound{b.Bound, int32(b.fewest), rank.NoStart})
	}
}
