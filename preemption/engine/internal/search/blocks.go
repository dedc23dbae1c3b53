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
	p, q := &s.blocks, &s.Asked
	snap := q.snap
	p.positions = snap.Positions()
	p.firsts = snap.FirstPositions()
	p.passing = nil
	p.least = noCandidates

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

// openGiven begins the spans with the candidates that have bounds, where the caller gave the statuses.
func (s *Search) openGiven() {
	p, q := &s.blocks, &s.Asked
	snap := q.snap
	for position, slot := range snap.Order {
		if b := &s.Bounds[position]; b.Kind != Settled {
			x := &p.spans[int(slot)/p.spanSize]
			x.open |= 1 << (slot % state.SummaryBlockSize)
			x.include(spanBound{b.Bound, int32(b.fewest), rank.NoStart})
		}
	}
}

// spanAt returns the span that begins with a slot, and the block that it is a part of.
func (w *Worker) spanAt(slot int) (x *span, block int) {
	return &w.blocks.spans[slot/w.blocks.spanSize], slot / state.SummaryBlockSize
}

// boundSpan counts the answers of the nodes in the slots of a span, and bounds the candidates: together where the
// digest of the block says enough, and one by one elsewhere.
func (w *Worker) boundSpan(from, to int) {
	p := w.blocks
	x, block := w.spanAt(from)
	d := p.digests[block]
	nodes := d.Members & (math.MaxUint64 >> (state.SummaryBlockSize - (to - from)) << (from % state.SummaryBlockSize))

	// The digest says nothing of nodes apart, and node filters may turn the preemptor away from others. Those
	// that are known to do so are counted already.
	alone := d.Apart
	switch {
	case p.passing != nil:
		nodes &= p.passing[block]
	case w.plan.Selects:
		alone = nodes
	default:
		alone |= d.Restricted
	}
	alone &= nodes
	if w.need.filtered {
		alone |= w.filteredAlone(nodes, block)
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

// filteredAlone returns those of the nodes of a block that have to be bounded one by one because of filters after
// the first node filters. On the others all of these pass for certain, or are not asked before victims are wanted.
func (w *Worker) filteredAlone(nodes uint64, block int) uint64 {
	late := w.asksLate()
	if !late && !w.need.tabled {
		return nodes
	}
	for left := nodes; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if slot := slotOf(block, i); late && w.asksLateAbout(slot) || w.RulesPass(slot) {
			nodes &^= 1 << i
		}
	}
	return nodes
}

// slotOf returns the slot of a bit of a block.
func slotOf(block, i int) int32 { return int32(block*state.SummaryBlockSize + i) }

// boundTogether bounds nodes of a block on which resources alone decide. If all of them answer the same nothing is
// read of any. Otherwise each is bounded roughly, to know its answer.
//
// The bound of the span is that of a node which has the most of everything in the block. No node of the block has
// a better candidate, so that the span is pruned by it.
func (w *Worker) boundTogether(x *span, block int, nodes uint64) {
	d := w.blocks.digests[block]
	if answers, same := w.judge(d); same {
		w.countTogether(block, nodes, answers)
		if answers.candidate() {
			x.together = nodes
			x.bound = spanBoundOf(d, &w.need.asks)
		}
		return
	}

	x.bound = spanBoundOf(d, &w.need.asks)
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

// commonAnswer is what all nodes of a digest answer: as things are, and without the possible victims.
type commonAnswer struct{ before, after answer }

// candidate reports whether these nodes are candidates: they lack something, not for good, and nothing without
// the possible victims.
func (c *commonAnswer) candidate() bool {
	return c.before != 0 && c.before&unresolvable == 0 && c.after == 0
}

// countTogether counts nodes of a block that answer the same.
func (w *Worker) countTogether(block int, nodes uint64, c commonAnswer) {
	number := bits.OnesCount64(nodes)
	w.before.count(c.before, number)
	w.after.count(c.after, number)
	if c.before == 0 {
		w.fitTogether(block, nodes)
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
func (w *Worker) judge(d *state.Digest) (c commonAnswer, same bool) {
	short, small, nobody, same := d.Answers(&w.need.asks, w.attempt.Reach)
	c.before = answer(short)
	switch {
	case small:
		c.before |= unresolvable
	case nobody:
		c.after = noVictims
	}
	return c, same
}

// refuseAll counts the answers of all nodes if none is a candidate or takes the preemptor, for one
// reason that needs no look at any of them, and reports whether that is so.
func (s *Search) refuseAll() bool {
	q, p := &s.Asked, &s.blocks
	whole := p.whole
	if q.need.filtered || q.plan.Selects || whole == nil {
		return false
	}
	if unlike := whole.Apart | whole.Restricted; unlike != 0 {
		return false
	}

	w := s.Workers[0]
	c, same := w.judge(whole)
	if !same || c.before == 0 || c.candidate() {
		return false
	}
	w.before.count(c.before, len(s.Bounds))
	w.after.count(c.after, len(s.Bounds))
	return true
}

// boundRoughly bounds a node of a block by resources. It takes the number of victims from the bound of the span,
// which holds for nodes whose top victim has the least priority of that bound, and so reads no more of the node.
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
	if sum := w.sums.At(slot); !b.tightened && b.Bound == sum.Lowest {
		b.fewest = max(b.fewest, uint16(sum.Fewest(&w.need.asks)))
	}
}

// boundAlone bounds a node of a block about which its summary does not tell everything. No start is known of it,
// so that the span's bound has none.
func (w *Worker) boundAlone(x *span, block, i int) {
	slot := slotOf(block, i)
	position := int(w.blocks.positions[slot])
	b := &w.bounds[position]
	if w.blocks.passing == nil {
		w.boundFiltered(b, position, slot)
	} else { // the first node filters were asked already
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
