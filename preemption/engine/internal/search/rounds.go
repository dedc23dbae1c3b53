package search

import (
	"context"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// chooseBest finds the best candidate. It evaluates the most promising nodes first, because their scores
// prune most other nodes.
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
		if p.spans[i].hasCandidates() {
			p.promising = append(p.promising, int32(i))
		}
	}
}

// eachPromising runs a round over the spans that have candidates. Several workers share them only if many are
// not pruned: for few spans waking the other workers takes longer.
func (s *Search) eachPromising(ctx context.Context, round func(w *Worker, from, to int)) error {
	w, p := s.Workers[0], &s.blocks
	if len(s.Workers) > 1 {
		// A round skips pruned spans anyway, so that the list is shortened only for its length.
		p.leavePruned(w)
		if len(p.promising) > fewSpans {
			return s.eachSpan(ctx, round)
		}
	}

	for _, i := range p.promising {
		if err := ctx.Err(); err != nil {
			return err
		}
		round(w, int(i)*p.spanSize, (int(i)+1)*p.spanSize)
	}
	return ctx.Err()
}

// fewSpans is the largest number of spans that one worker handles alone.
const fewSpans = 16

// hasCandidates reports whether a span has candidates that have not been evaluated.
func (x *span) hasCandidates() bool { return x.open|x.together != 0 }

// leavePruned removes from promising the spans that have no candidates left, or only ones that the best
// candidate of the worker prunes.
func (p *blockPass) leavePruned(w *Worker) {
	if w.Best.Position < 0 {
		return
	}
	left := p.promising[:0]
	for _, i := range p.promising {
		if x := &p.spans[i]; x.hasCandidates() && !w.prunesSpan(&x.bound) {
			left = append(left, i)
		}
	}
	p.promising = left
}

// searchFirst is the second round. In each span with the best bound of all it evaluates the most promising
// node, then the nodes that may be better by the ranks before the start.
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

// searchBetter is the third round. It evaluates the candidates of a span that may be better than the
// incumbent by the ranks before the start.
func (w *Worker) searchBetter(from, _ int) {
	x, block := w.spanAt(from)
	if !x.hasCandidates() || !w.mayLead(x.bound.top, x.bound.victims) {
		return
	}

	nodes := uint64(math.MaxUint64)
	if manyNodes(x.together) {
		nodes = w.leadingIn(block)
	}
	w.lookInto(x, block, nodes)
	w.evaluateBetter(x, block)
}

// searchRest is the last round. It evaluates the candidates of a span that the incumbent does not prune.
func (w *Worker) searchRest(from, _ int) {
	x, block := w.spanAt(from)
	if !w.promises(x, block) {
		return
	}
	for left := x.open; left != 0; left &= left - 1 {
		w.evaluateInSpan(x, block, bits.TrailingZeros64(left))
	}
}

// promises drops the candidates of a span that the incumbent prunes, and reports whether others are left.
// Afterwards each of these has a bound of its own.
func (w *Worker) promises(x *span, block int) bool {
	if !x.hasCandidates() || w.prunesSpan(&x.bound) {
		return false
	}

	if manyNodes(x.together) {
		x.together &= w.unpruned(block)
	}
	w.lookInto(x, block, math.MaxUint64)
	return x.open != 0
}

// manyNodes reports whether asking the sieve of a block is less work than looking at each of these nodes.
func manyNodes(nodes uint64) bool { return bits.OnesCount64(nodes) > 8 }

// mayLead reports whether a candidate with this bound may beat the best so far by the ranks before the start.
func (w *Worker) mayLead(top, victims int32) bool {
	best := &w.Best
	return best.Position < 0 || best.Violations > 0 || top < best.Top || top == best.Top && victims < best.Victims
}

// leadingIn returns a bit for each node of a block for which mayLead may be true.
func (w *Worker) leadingIn(block int) uint64 {
	best := &w.Best
	if best.Position < 0 || best.Violations > 0 {
		return math.MaxUint64
	}

	// To lead with the same top priority a node has to make room with fewer victims, whatever their start.
	return w.snap.Sieve(block).Within(best.Top, int64(best.Victims)-1, math.MinInt64, &w.need.asks)
}

// unpruned returns a bit for each node of a block that the incumbent may not prune.
func (w *Worker) unpruned(block int) uint64 {
	best := &w.Best
	if best.Position < 0 || best.Violations > 0 {
		return math.MaxUint64
	}

	// If the largest allowed number of victims ties with the best candidate, the start decides. Otherwise any
	// start is possible.
	start := int64(math.MinInt64)
	if w.ties(&NodeBound{Bound: best.Top, fewest: uint16(min(w.allowed, math.MaxUint16))}) {
		start = best.startSec()
	}
	return w.snap.Sieve(block).Within(best.Top, w.allowed, start, &w.need.asks)
}

// lookInto bounds the given nodes of a span, as far as they have been looked at only together. Nodes that the
// incumbent already prunes are dropped.
func (w *Worker) lookInto(x *span, block int, nodes uint64) {
	nodes &= x.together
	x.together &^= nodes
	for ; nodes != 0; nodes &= nodes - 1 {
		// A first bound needs less of the node: its lowest priority bounds the top priority and, if the
		// span's top priority is the same, the span's bound also bounds the number of victims.
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

// bestOf returns the node of a span with the best bound, as its bit, or -1 if the incumbent prunes all of
// them.
func (w *Worker) bestOf(x *span, block int) (first int) {
	best := noCandidates
	first = -1
	for left := x.open; left != 0; left &= left - 1 {
		// Tightening only makes a bound worse, so that a node which already loses by its rough bound is
		// skipped.
		i := bits.TrailingZeros64(left)
		slot := slotOf(block, i)
		b := &w.bounds[w.blocks.positions[slot]]
		if b.Bound > best.top || b.Bound == best.top && int32(b.fewest) > best.victims || w.pruned(b) {
			continue
		}

		w.smooth(b, slot)
		w.Tighten(b, slot)
		if tight := (spanBound{b.Bound, int32(b.fewest), w.latestStart(b, slot)}); first < 0 || tight.better(best) {
			best, first = tight, i
		}
	}
	return first
}

// evaluateBetter evaluates the candidates of a span that may beat the best so far by the ranks before the
// start.
func (w *Worker) evaluateBetter(x *span, block int) {
	for left := x.open; left != 0; left &= left - 1 {
		// Each refinement of the bound costs more than the one before, and most nodes fail at the first.
		i := bits.TrailingZeros64(left)
		slot := slotOf(block, i)
		b := &w.bounds[w.blocks.positions[slot]]
		if !w.mayLead(b.Bound, int32(b.fewest)) {
			continue
		}
		if w.smooth(b, slot); !w.mayLead(b.Bound, int32(b.fewest)) {
			continue
		}
		if w.Tighten(b, slot); w.mayLead(b.Bound, int32(b.fewest)) {
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

// prunesSpan reports whether no candidate of a span with this bound can beat the best so far or tie with it.
func (w *Worker) prunesSpan(bound *spanBound) bool {
	b := NodeBound{Bound: bound.top, fewest: uint16(min(bound.victims, math.MaxUint16))}
	return w.pruned(&b) || w.ties(&b) && bound.start < w.Best.startSec()
}

// evaluate finds the victims on a node unless it loses by its bound. The node is
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
	// If the bound is above the lowest priority, a single victim may be enough, so that fewest cannot be
	// improved.
	sum := w.sums.At(slot)
	if !b.tightened && b.Bound == sum.Lowest {
		short := w.short(sum)
		fewest := w.sums.TopSumsAt(slot).Fewest(sum, &short, int32(b.fewest))
		shares := w.sums.ShareSumsAt(slot)
		b.fewest = uint16(min(shares.FewestAmong(&shares.Low, &short, w.sums.ExtremesAt(slot), fewest), math.MaxUint16))
	}
	b.tightened = true
}

// pruned reports whether no candidate with this bound can beat the best so far or tie with it. If the best
// has no violations, a candidate cannot win by the first rank. It then loses by the second rank, or by the
// third, because with more than allowed victims its sum is larger.
func (w *Worker) pruned(b *NodeBound) bool {
	best := &w.Best
	return best.Position >= 0 && best.Violations == 0 &&
		(b.Bound > best.Top || b.Bound == best.Top && int64(b.fewest) > w.allowed)
}

// ties reports whether the least number of victims in a bound, all of its priority, would tie with the best
// so far in all ranks but the start. A candidate with more victims, or with one above that priority, loses by
// an earlier rank.
func (w *Worker) ties(b *NodeBound) bool {
	best, victims := &w.Best, int64(b.fewest)
	return best.Position >= 0 && best.Violations == 0 && b.Bound == best.Top && victims == int64(best.Victims) &&
		best.Sum == victims*(int64(best.Top)+rank.PriorityShift)
}

// losesByStart reports whether a node loses by the start of its most important
// victims, if it otherwise ties with the best so far.
func (w *Worker) losesByStart(b *NodeBound, slot int32) bool {
	return w.ties(b) && w.latestStart(b, slot) < w.Best.startSec()
}

// losesLate reports whether a node that otherwise ties with the best so far loses by the start of its most
// important victims. To win, the number of pods in the bound, all of the lowest priority and none started
// before the best's victims, have to hold what the node is short of.
//
// The part of a pod in a column is the fraction of the shortage that it holds, at most 1. If pods hold enough
// together, their parts add up to at least 1 in each column that is short. So if the largest parts, summed
// over the columns, do not add up to the number of short columns, no such pods hold enough.
func (w *Worker) losesLate(b *NodeBound, slot int32) bool {
	sum := w.sums.At(slot)
	if b.Bound != sum.Lowest || b.Kind == byUnits || b.fewest > mostParts || !w.ties(b) {
		return false
	}
	n, short := w.snap.NodeStates[slot], w.short(sum)
	if w.latestHold(n, &short, int(b.fewest)) {
		return false
	}

	per, columns := partsOf(&short)
	largest := largestParts{number: int(b.fewest), missing: columns}
	for i := len(n.Rows) - 1; i >= len(n.Rows)-int(sum.LowPods) && n.SortKeys[i].Sec >= w.Best.startSec(); i-- {
		// More pods only make the sum larger, so that nothing is proved once nothing is missing.
		if largest.add(partOf(&n.Rows[i], &per)); largest.missing <= partsError {
			return false
		}
	}
	return largest.missingFrom(columns) > partsError
}

// partsOf returns, by column, the part of a shortage that a single unit is, and the number of columns that
// are short.
func partsOf(short *state.AmountRow) (per [state.NumColumns]float64, columns float64) {
	for k, v := range short {
		if v > 0 {
			per[k] = 1 / float64(v)
			columns++
		}
	}
	return per, columns
}

// partOf returns the part of a pod with this row, at most 1 in each column, summed over the columns.
func partOf(row *state.AmountRow, per *[state.NumColumns]float64) (part float64) {
	for k, v := range row {
		part += min(1, float64(v)*per[k])
	}
	return part
}

// largestParts has the largest parts among some pods, in falling order, of at most number pods.
type largestParts struct {
	parts  [mostParts]float64
	number int
	// missing is the number of short columns less the sum of the parts. Rounding errors accumulate in it.
	missing float64
}

// add includes a part, and drops the least if there are more than number.
func (l *largestParts) add(part float64) {
	l.missing -= part
	for k := range l.number {
		if part > l.parts[k] {
			part, l.parts[k] = l.parts[k], part
		}
	}
	l.missing += part
}

// missingFrom computes missing anew, with only as many rounding errors as there are parts.
func (l *largestParts) missingFrom(columns float64) float64 {
	for _, part := range l.parts[:l.number] {
		columns -= part
	}
	return columns
}

// latestHold reports whether the last pods of a node, this many, hold what is short and none of them started
// before the victims of the best candidate. If all pods have the same size, this cheap test mostly decides.
func (w *Worker) latestHold(n *state.NodeState, short *state.AmountRow, pods int) bool {
	first := len(n.Rows) - pods
	if first < 0 || n.SortKeys[first].Sec < w.Best.startSec() {
		return false
	}

	held := heldFrom(n, first)
	return held[0] >= short[0] && held[1] >= short[1] && held[2] >= short[2]
}

// mostParts is the largest number of victims for which losesLate adds up parts, and partsError an upper bound
// on the rounding error of such a sum.
const (
	mostParts  = 8
	partsError = 1e-9
)

// latestStart returns an upper bound, in seconds, on the earliest start of the least number of victims in a
// bound. It is rank.NoStart if none is known.
func (w *Worker) latestStart(b *NodeBound, slot int32) int64 {
	sum := w.sums.At(slot)
	if b.Kind == byUnits || b.Bound != sum.Lowest {
		return rank.NoStart
	}
	return w.sums.TopSumsAt(slot).LatestStart(sum, int32(b.fewest))
}
