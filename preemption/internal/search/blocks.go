package search

import (
	"context"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// eachSpan has the workers go over all spans.
func (s *Search) eachSpan(ctx context.Context, round func(w *Worker, from, to int)) error {
	return s.eachOf(ctx, len(s.blocks.spans)*s.spanSize(), round)
}

// spanSize is how many slots a span has. It divides the size of a block.
func (s *Search) spanSize() int { return min(s.chunk, state.SummaryBlockSize) }

// beginBlocks begins the spans, none of which has candidates yet.
func (s *Search) beginBlocks() {
	p := &s.blocks
	p.digests, p.positions, p.passing, p.least = s.snap.Digests(), s.snap.Positions(), nil, noCandidates
	p.spans = state.Fill(p.spans, len(p.digests)*state.SummaryBlockSize/s.spanSize(), span{bound: noCandidates})
}

// askFirst asks the first node filters about all nodes at once, where they may refuse any.
func (s *Search) askFirst() {
	restricted, before := 0, &s.Workers[0].before
	for _, d := range s.blocks.digests {
		restricted += bits.OnesCount64(d.Restricted)
	}
	s.blocks.passing = s.Attempt.Plan.AskAll(&s.Attempt.Asked, restricted, func(st filters.Status, nodes int) {
		before.count(before.intern(st), nodes)
	})
}

// openGiven begins the spans with the candidates that have bounds.
func (s *Search) openGiven() {
	for position := range s.Bounds {
		b, slot := &s.Bounds[position], s.snap.Order[position]
		if b.Kind != Settled {
			of := &s.blocks.spans[int(slot)/s.spanSize()]
			of.open |= 1 << (slot % state.SummaryBlockSize)
			of.include(spanBound{b.Bound, int32(b.fewest), rank.NoStart})
		}
	}
}

// spanAt returns the span that begins with a slot, and the block that it is a part of.
func (w *Worker) spanAt(slot int) (x *span, block int) {
	return &w.search.blocks.spans[slot/w.search.spanSize()], slot / state.SummaryBlockSize
}

// boundSpan counts the answers of the nodes in the slots of a span, and bounds the candidates.
func (w *Worker) boundSpan(from, to int) {
	p := &w.search.blocks
	x, block := w.spanAt(from)
	d := p.digests[block]
	nodes := d.Members & (math.MaxUint64 >> (state.SummaryBlockSize - (to - from)) << (from % state.SummaryBlockSize))
	alone := d.Apart
	switch {
	case p.passing != nil:
		nodes &= p.passing[block]
	case w.search.Attempt.Plan.Selects:
		alone = nodes
	default:
		alone |= d.Restricted
	}
	if alone &= nodes; w.search.Filtered {
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
	late := w.search.asksLate()
	if !late && !w.search.tabled {
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
	d, asks := w.search.blocks.digests[block], &w.search.asks
	short, same := d.Short(asks)
	if same && w.answerTogether(x, d, answer(short), nodes) {
		return
	}
	x.bound.top, x.bound.victims, x.bound.start = d.Least(asks)
	for left := nodes; left != 0; left &= left - 1 {
		b := w.boundRoughly(x, block, bits.TrailingZeros64(left))
		w.before.count(b.before, 1)
		w.after.count(b.after, 1)
	}
	if x.open == 0 {
		x.bound = noCandidates
	}
}

// answerTogether counts the answers of nodes that all lack the same, and reports whether it could:
// whether all of them are candidates, or none is.
func (w *Worker) answerTogether(x *span, d *state.Digest, before answer, nodes uint64) bool {
	asks, number := &w.search.asks, bits.OnesCount64(nodes)
	if before != 0 {
		small, nobody := d.Hopeless(asks, w.search.Attempt.Reach)
		switch {
		case small:
			before |= unresolvable
		case nobody:
			w.after.count(noVictims, number)
		case d.Helps(asks, w.search.Attempt.Reach):
			x.together = nodes
			x.bound.top, x.bound.victims, x.bound.start = d.Least(asks)
		default:
			return false
		}
	}
	w.before.count(before, number)
	return true
}

// boundRoughly bounds a node of a block by resources, its number of victims by that of the span.
func (w *Worker) boundRoughly(x *span, block, i int) *NodeBound {
	slot := slotOf(block, i)
	b, sum := &w.search.Bounds[w.search.blocks.positions[slot]], w.snap.Summaries.At(slot)
	*b = NodeBound{before: w.Shortage(sum), fewest: 1}
	if b.before != 0 && (w.lowestMakeRoom(b, sum) || w.withoutLower(b, slot, sum)) {
		x.open |= 1 << i
		if w.search.asksLate() {
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
	if sum := w.snap.Summaries.At(slot); !b.exact && b.Bound == sum.Lowest {
		b.fewest = max(b.fewest, uint16(sum.Fewest(&w.search.asks)))
	}
}

// boundAlone bounds a node of a block of which more is to be looked at than its summary.
func (w *Worker) boundAlone(x *span, block, i int) {
	slot := slotOf(block, i)
	position := int(w.search.blocks.positions[slot])
	b := &w.search.Bounds[position]
	if w.search.blocks.passing == nil {
		w.boundFiltered(b, position, slot)
	} else {
		*b = NodeBound{}
		w.boundPods(b, position, slot)
	}
	w.before.count(b.before, 1)
	w.after.count(b.after, 1)
	if b.Kind != Settled {
		x.open |= 1 << i
		x.include(spanBound{b.Bound, int32(b.fewest), rank.NoStart})
	}
}

// searchFirst evaluates the best candidates of the span if none has a better bound.
func (w *Worker) searchFirst(from, _ int) {
	x, block := w.spanAt(from)
	if x.bound != w.search.blocks.least || x.bound == noCandidates {
		return
	}
	w.lookInto(x, block)
	if first := w.bestOf(x, block); first >= 0 {
		w.evaluateInSpan(x, block, first)
	}
	w.evaluateBetter(x, block)
}

// searchBetter evaluates the candidates of the span that may be better than the incumbent by
// the first ranks.
func (w *Worker) searchBetter(from, _ int) {
	if x, block := w.spanAt(from); x.open|x.together != 0 && w.leads(x.bound.top, x.bound.victims) {
		w.lookInto(x, block)
		w.evaluateBetter(x, block)
	}
}

// searchRest evaluates the candidates of the span that the incumbent does not prune.
func (w *Worker) searchRest(from, _ int) {
	x, block := w.spanAt(from)
	if x.open|x.together == 0 || w.prunesSpan(&x.bound) {
		return
	}
	w.lookInto(x, block)
	for left := x.open; left != 0; left &= left - 1 {
		w.evaluateInSpan(x, block, bits.TrailingZeros64(left))
	}
}

// leads reports whether a candidate with this bound may be better than the best so far by the
// ranks before the start.
func (w *Worker) leads(top, victims int32) bool {
	best := &w.Best
	return best.Position < 0 || best.Violations > 0 || top < best.Top || top == best.Top && victims < best.Victims
}

// lookInto bounds the nodes of a span that have only been looked at together. Those that the
// incumbent prunes already are left out.
func (w *Worker) lookInto(x *span, block int) {
	for ; x.together != 0; x.together &= x.together - 1 {
		i := bits.TrailingZeros64(x.together)
		slot := slotOf(block, i)
		least := NodeBound{Bound: w.snap.Summaries.At(slot).Lowest, fewest: 1}
		if least.Bound == x.bound.top {
			least.fewest = uint16(x.bound.victims)
		}
		if !w.pruned(&least) && !w.losesByStart(&least, slot) {
			w.boundRoughly(x, block, i)
		}
	}
}

// evaluateBetter evaluates the candidates of a span that may be better than the best so far by
// the first ranks.
func (w *Worker) evaluateBetter(x *span, block int) {
	for left := x.open; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		slot := slotOf(block, i)
		b := &w.search.Bounds[w.search.blocks.positions[slot]]
		if !w.leads(b.Bound, int32(b.fewest)) {
			continue
		}
		if w.smooth(b, slot); !w.leads(b.Bound, int32(b.fewest)) {
			continue
		}
		if w.Tighten(b, slot); w.leads(b.Bound, int32(b.fewest)) {
			w.evaluateInSpan(x, block, i)
		}
	}
}

// prunesSpan reports whether no candidate with this bound can beat the best so far or tie
// with it.
func (w *Worker) prunesSpan(of *spanBound) bool {
	b := NodeBound{Bound: of.top, fewest: uint16(min(of.victims, math.MaxUint16))}
	return w.pruned(&b) || w.ties(&b) && of.start < w.Best.Start.Sec
}

// evaluateInSpan evaluates a candidate of a span unless it is pruned.
func (w *Worker) evaluateInSpan(x *span, block, i int) {
	x.open &^= 1 << i
	slot := slotOf(block, i)
	position := int(w.search.blocks.positions[slot])
	b := &w.search.Bounds[position]
	if w.pruned(b) {
		return
	}
	if w.smooth(b, slot); !w.pruned(b) {
		w.Tighten(b, slot)
		w.evaluate(b, position, slot)
	}
}

// bestOf returns the node of a span with the best bound.
func (w *Worker) bestOf(x *span, block int) (first int) {
	best := noCandidates
	first = -1
	for left := x.open; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		slot := slotOf(block, i)
		b := &w.search.Bounds[w.search.blocks.positions[slot]]
		if b.Bound > best.top || b.Bound == best.top && int32(b.fewest) > best.victims || w.pruned(b) {
			continue
		}
		w.smooth(b, slot)
		w.Tighten(b, slot)
		if of := (spanBound{b.Bound, int32(b.fewest), w.latestStart(b, slot)}); first < 0 || of.better(best) {
			best, first = of, i
		}
	}
	return first
}
