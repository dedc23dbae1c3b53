package search

import (
	"context"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// chooseBest finds the best candidate, the most promising nodes first: their victims prune
// most other nodes.
func (s *Search) chooseBest(ctx context.Context) (NodeScore, error) {
	s.listPromising()
	for _, round := range [...]func(*Worker, int, int){
		(*Worker).searchFirst, (*Worker).searchBetter, (*Worker).searchRest,
	} {
		s.gather()
		if err := s.eachPromising(ctx, round); err != nil {
			return NodeScore{}, err
		}
	}
	s.gather()
	return s.incumbent.best, nil
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

// prunesSpan reports whether no candidate with this bound can beat the best so far or tie
// with it.
func (w *Worker) prunesSpan(of *spanBound) bool {
	b := NodeBound{Bound: of.top, fewest: uint16(min(of.victims, math.MaxUint16))}
	return w.pruned(&b) || w.ties(&b) && of.start < w.Best.Start.Sec
}

// evaluate finds the victims on a node, unless it is pruned. The node is
// settled afterwards.
func (w *Worker) evaluate(b *NodeBound, position int, slot int32) {
	if !w.pruned(b) && !w.losesByStart(b, slot) && !w.losesLate(b, slot) {
		w.FindVictims(position, w.snap.NodeStates[slot], b)
	}
	b.Kind = Settled
}

// Tighten improves the bound of a node by its top-k sums, and by the sums of shares of its pods of
// the lowest priority.
func (w *Worker) Tighten(b *NodeBound, slot int32) {
	sum := w.sums.At(slot)
	if !b.tightened && b.Bound == sum.Lowest {
		short := w.short(sum)
		fewest := w.sums.TopSumsAt(slot).Fewest(sum, &short, int32(b.fewest))
		shares := w.sums.ShareSumsAt(slot)
		b.fewest = uint16(min(shares.FewestAmong(&shares.Low, &short, w.sums.ExtremesAt(slot), fewest), math.MaxUint16))
	}
	b.tightened = true
}

// pruned reports whether no candidate with this bound can beat the best so far
// or tie with it.
func (w *Worker) pruned(b *NodeBound) bool {
	best := &w.Best
	return best.Position >= 0 && best.Violations == 0 &&
		(b.Bound > best.Top || b.Bound == best.Top && int64(b.fewest) > w.allowed)
}

// ties reports whether as many victims of the lowest priority as a bound says would tie with the
// best so far, but for their start. With more victims, or others, a candidate loses before that.
func (w *Worker) ties(b *NodeBound) bool {
	best, victims := &w.Best, int64(b.fewest)
	return best.Position >= 0 && best.Violations == 0 && b.Bound == best.Top && victims == int64(best.Victims) &&
		best.Sum == victims*(int64(best.Top)+rank.PriorityShift)
}

// losesByStart reports whether a node loses by the start of its most important
// victims, if it otherwise ties with the best so far.
func (w *Worker) losesByStart(b *NodeBound, slot int32) bool {
	return w.ties(b) && w.latestStart(b, slot) < w.Best.Start.Sec
}

// losesLate reports whether a node that otherwise ties with the best so far loses by the start of
// its most important victims: as many pods of the lowest priority as the bound says, none of which
// started before those of the best, do not hold what the node is short of. A pod has a part
// of that in each column, at most all of it. The parts of pods that hold enough together add up to
// the number of columns at least.
func (w *Worker) losesLate(b *NodeBound, slot int32) bool {
	sum := w.sums.At(slot)
	if b.Bound != sum.Lowest || b.Kind == byUnits || b.fewest > mostParts || !w.ties(b) {
		return false
	}
	n, short := w.snap.NodeStates[slot], w.short(sum)
	if w.latestHold(n, &short, int(b.fewest)) {
		return false
	}
	var per [state.NumColumns]float64
	enough := 0.0
	for k, v := range short {
		if v > 0 {
			per[k] = 1 / float64(v)
			enough++
		}
	}
	var largest [mostParts]float64
	left := enough // less the largest parts so far
	for i := len(n.Rows) - 1; i >= len(n.Rows)-int(sum.LowPods) && n.SortKeys[i].Sec >= w.Best.Start.Sec; i-- {
		part := 0.0
		for k, v := range n.Rows[i] {
			part += min(1, float64(v)*per[k])
		}
		left -= part
		for k := range b.fewest {
			if part > largest[k] {
				part, largest[k] = largest[k], part
			}
		}
		if left += part; left <= partsError {
			return false
		}
	}
	for _, part := range largest[:b.fewest] {
		enough -= part
	}
	return enough > partsError
}

// latestHold reports whether so many pods hold what is short, the last ones of a node by importance,
// and none of them started before those of the best. It is so wherever pods have one size.
func (w *Worker) latestHold(n *state.NodeState, short *state.AmountRow, pods int) bool {
	first := len(n.Rows) - pods
	if first < 0 || n.SortKeys[first].Sec < w.Best.Start.Sec {
		return false
	}
	held := heldFrom(n, first)
	return held[0] >= short[0] && held[1] >= short[1] && held[2] >= short[2]
}

// mostParts is the number of victims up to which losesLate adds up parts, and partsError is more
// than a sum of so many parts is wrong by.
const (
	mostParts  = 8
	partsError = 1e-9
)

// latestStart is the latest that the first of as few victims as a bound allows can have started,
// in seconds.
func (w *Worker) latestStart(b *NodeBound, slot int32) int64 {
	sum := w.sums.At(slot)
	if b.Kind == byUnits || b.Bound != sum.Lowest {
		return rank.NoStart
	}
	return w.sums.TopSumsAt(slot).LatestStart(sum, int32(b.fewest))
}
