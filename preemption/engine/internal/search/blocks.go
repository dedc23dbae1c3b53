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

// searchFirst evaluates the best candidates of the span if none has a better bound.
func (w *Worker) searchFirst(from, _ int) {
	x, block := w.spanAt(from)
	if x.bound != w.blocks.least || x.bound == noCandidates {
		return
	}
	w.lookInto(x, block, math.MaxUint64)
	if first := w.bestOf(x, block); first >= 0 {
		w.evaluateInSpan(x, block, first)
	}
	w.evaluateBetter(x, block)
}

// searchBetter evaluates the candidates of the span that may be better than the incumbent by
// the first ranks.
func (w *Worker) searchBetter(from, _ int) {
	if x, block := w.spanAt(from); x.open|x.together != 0 && w.leads(x.bound.top, x.bound.victims) {
		nodes := uint64(math.MaxUint64)
		if manyNodes(x.together) {
			nodes = w.leading(block)
		}
		w.lookInto(x, block, nodes)
		w.evaluateBetter(x, block)
	}
}

// searchRest evaluates the candidates of the span that the incumbent does not prune.
func (w *Worker) searchRest(from, _ int) {
	x, block := w.spanAt(from)
	if !w.promises(x, block) {
		return
	}
	for left := x.open; left != 0; left &= left - 1 {
		w.evaluateInSpan(x, block, bits.TrailingZeros64(left))
	}
}

// listPromising lists the spans that have candidates.
func (s *Search) listPromising() {
	p := &s.blocks
	p.promising = p.promising[:0]
	for i := range p.spans {
		if x := &p.spans[i]; x.open|x.together != 0 {
			p.promising = append(p.promising, int32(i))
		}
	}
}

// eachPromising lets a round work on the spans that have candidates. Workers are shared among those
// that the incumbent does not prune; few of these are left to one worker, since the others would only
// be woken. A single worker's rounds leave out themselves what is pruned.
func (s *Search) eachPromising(ctx context.Context, round func(w *Worker, from, to int)) error {
	w, p := s.Workers[0], &s.blocks
	if len(s.Workers) > 1 && w.Best.Position >= 0 {
		left := p.promising[:0]
		for _, i := range p.promising {
			if x := &p.spans[i]; x.open|x.together != 0 && !w.prunesSpan(&x.bound) {
				left = append(left, i)
			}
		}
		p.promising = left
	}
	if len(s.Workers) > 1 && len(p.promising) > fewSpans {
		return s.eachSpan(ctx, round)
	}
	for _, i := range p.promising {
		if err := ctx.Err(); err != nil {
			return err
		}
		round(w, int(i)*p.spanSize, (int(i)+1)*p.spanSize)
	}
	return ctx.Err()
}

// fewSpans is how many spans one worker looks at alone.
const fewSpans = 16

// promises leaves out the candidates of a span that the incumbent prunes, and reports whether
// there are others, which have bounds of their own then.
func (w *Worker) promises(x *span, block int) bool {
	if x.open|x.together == 0 || w.prunesSpan(&x.bound) {
		return false
	}
	if manyNodes(x.together) {
		x.together &= w.unpruned(block)
	}
	w.lookInto(x, block, math.MaxUint64)
	return x.open != 0
}

// manyNodes reports whether it is less work to ask the sieve of a block than to look at each node.
func manyNodes(nodes uint64) bool { return bits.OnesCount64(nodes) > 8 }

// leads reports whether a candidate with this bound may be better than the best so far by the
// ranks before the start.
func (w *Worker) leads(top, victims int32) bool {
	best := &w.Best
	return best.Position < 0 || best.Violations > 0 || top < best.Top || top == best.Top && victims < best.Victims
}

// leading returns the nodes of a block of which leads may be true.
func (w *Worker) leading(block int) uint64 {
	best := &w.Best
	if best.Position < 0 || best.Violations > 0 {
		return math.MaxUint64
	}
	return w.snap.Sieve(block).Within(best.Top, int64(best.Victims)-1, math.MinInt64, &w.need.asks)
}

// unpruned returns the nodes of a block that the incumbent may not prune.
func (w *Worker) unpruned(block int) uint64 {
	best, start := &w.Best, int64(math.MinInt64)
	if best.Position < 0 || best.Violations > 0 {
		return math.MaxUint64
	}
	if w.ties(&NodeBound{Bound: best.Top, fewest: uint16(min(w.allowed, math.MaxUint16))}) {
		start = best.Start.Sec
	}
	return w.snap.Sieve(block).Within(best.Top, w.allowed, start, &w.need.asks)
}

// lookInto bounds some nodes of a span that have only been looked at together. Those that the
// incumbent prunes already are left out.
func (w *Worker) lookInto(x *span, block int, nodes uint64) {
	nodes &= x.together
	x.together &^= nodes
	for ; nodes != 0; nodes &= nodes - 1 {
		i := bits.TrailingZeros64(nodes)
		slot := slotOf(block, i)
		least := NodeBound{Bound: w.sums.At(slot).Lowest, fewest: 1}
		if least.Bound == x.bound.top {
			least.fewest = uint16(x.bound.victims)
		}
		if !w.pruned(&least) && !w.losesByStart(&least, slot) {
			w.boundRoughly(x, block, i)
			x.open |= 1 << i
		}
	}
}

// evaluateBetter evaluates the candidates of a span that may be better than the best so far by
// the first ranks.
func (w *Worker) evaluateBetter(x *span, block int) {
	for left := x.open; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		slot := slotOf(block, i)
		b := &w.bounds[w.blocks.positions[slot]]
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
	position := int(w.blocks.positions[slot])
	b := &w.bounds[position]
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
		b := &w.bounds[w.blocks.positions[slot]]
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
