package search

import (
	"context"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// eachSpan runs a round over all spans, shared among the workers.
func (s *Search) eachSpan(ctx context.Context, round func(w *Worker, from, to int)) error {
	return s.eachOf(ctx, len(s.blocks.spans)*s.blocks.spanSize, round)
}

// beginBlocks prepares the spans for a pass over the nodes. None has candidates yet.
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

// askFirst asks the first node filters about all nodes at once, if that is worth it (see
// filters.Plan.AskAll).
func (s *Search) askFirst() {
	q, restricted, before := &s.Asked, 0, &s.Workers[0].before
	for _, d := range s.blocks.digests {
		restricted += bits.OnesCount64(d.Restricted)
	}
	s.blocks.passing = q.plan.AskAll(&q.Attempt.Asked, restricted, func(st filters.Status, nodes int) {
		before.count(before.intern(st), nodes)
	})
}

// openGiven enters the candidates into the spans after boundGiven has bounded the nodes one by one.
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

// spanAt returns the span that begins at a slot, and the block that it is a part of.
func (w *Worker) spanAt(slot int) (x *span, block int) {
	return &w.blocks.spans[slot/w.blocks.spanSize], slot / state.SummaryBlockSize
}

// boundSpan counts the answers of the nodes in a span and bounds the candidates: together if the digest of
// the block tells enough about them, otherwise one by one.
func (w *Worker) boundSpan(from, to int) {
	w.work += (to - from + blocksPerUnit - 1) / blocksPerUnit
	p := w.blocks
	x, block := w.spanAt(from)
	d := p.digests[block]
	nodes := d.Members & (math.MaxUint64 >> (state.SummaryBlockSize - (to - from)) << (from % state.SummaryBlockSize))

	// The digest leaves out the nodes that are Apart, and node filters may turn the preemptor away from
	// others. If these filters were asked about all nodes at once, the failing nodes are counted already.
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

// filteredAlone returns the nodes, of those given, that have to be bounded one by one because of filters
// after the first node filters. On the other nodes these filters pass for certain, or are not asked before
// victims are wanted.
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

// slotOf returns the slot that bit i of a block stands for.
func slotOf(block, i int) int32 { return int32(block*state.SummaryBlockSize + i) }

// boundTogether bounds nodes of a block on which resources alone decide. If they all have the same answer,
// none of them is read. Otherwise each is bounded roughly, to find its answer.
//
// The span gets the bound of a node that has the maximum of everything in the block. No node of the block has
// a better candidate, so that the span can be pruned by this bound.
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

// commonAnswer is the answer that all nodes of a digest give: with all pods in place (before), and with the
// possible victims removed (after).
type commonAnswer struct{ before, after answer }

// candidate reports whether these nodes are candidates: they are short of something, could offer it when
// empty, and are short of nothing with the possible victims removed.
func (c *commonAnswer) candidate() bool {
	return c.before != 0 && c.before&unresolvable == 0 && c.after == 0
}

// countTogether counts nodes of a block that have the same answer.
func (w *Worker) countTogether(block int, nodes uint64, c commonAnswer) {
	number := bits.OnesCount64(nodes)
	w.before.count(c.before, number)
	w.after.count(c.after, number)
	if c.before == 0 {
		w.fitTogether(block, nodes)
	}
}

// fitTogether records that all these nodes of a block take the preemptor.
func (w *Worker) fitTogether(block int, nodes uint64) {
	p := w.blocks
	if int(p.firsts[block]) >= w.firstFit {
		return // all of them come after the first fit found so far
	}
	for ; nodes != 0; nodes &= nodes - 1 {
		w.firstFit = min(w.firstFit, int(p.positions[slotOf(block, bits.TrailingZeros64(nodes))]))
	}
}

// judge returns the answer of the nodes of a digest, if they all have the same. It is not asked by the rules of a
// variant, by which a node that is too small may be tried (rule 13.2.15).
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

// refuseAll reports whether the digest of all nodes shows that no node takes the preemptor or is a candidate,
// all for the same reason. If so, it counts the answers.
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

// boundRoughly bounds a node of a block by resources. For the number of victims it uses the bound of the
// span, if the top priorities agree, instead of reading more of the node.
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

// smooth improves a rough bound by the summary of the node. [Worker.Tighten] improves it further.
func (w *Worker) smooth(b *NodeBound, slot int32) {
	if sum := w.sums.At(slot); !b.tightened && b.Bound == sum.Lowest {
		b.fewest = max(b.fewest, uint16(sum.Fewest(&w.need.asks)))
	}
}

// boundAlone bounds a node that its summary does not describe completely. Its candidate's start is unknown,
// so that it leaves the span's bound without one.
func (w *Worker) boundAlone(x *span, block, i int) {
	w.work++
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
