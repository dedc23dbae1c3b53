package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

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
	if !b.exact && b.Bound == sum.Lowest {
		short := w.short(sum)
		fewest := w.sums.TopSumsAt(slot).Fewest(sum, &short, int32(b.fewest))
		shares := w.sums.ShareSumsAt(slot)
		b.fewest = uint16(min(shares.FewestAmong(&shares.Low, &short, w.sums.ExtremesAt(slot), fewest), math.MaxUint16))
	}
	b.exact = true
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

// FindVictims finds the victims on a candidate, and keeps the candidate if it
// is the best.
func (w *Worker) FindVictims(position int, n *state.NodeState, b *NodeBound) {
	w.unbroken = false
	if b.Kind == unasked && !w.rules.chosen {
		w.askLate(b, n)
	}
	switch {
	case b.Kind == Settled:
	case w.attempt.HasUnits(n) && (b.Kind != byResources || !w.leaveAlone(n, b.Bound)):
		w.evaluateByFilters(position, n)
	case b.Kind == byColumns && n.InOrder(w.attempt.NowAt):
		w.evaluateByColumns(position, n, b.Bound)
	case b.Kind == bySelection && n.InOrder(w.attempt.NowAt):
		w.evaluateSelectively(position, n, b.Bound)
	case b.Kind != byResources || !n.InOrder(w.attempt.NowAt) || w.rules.chosen:
		w.evaluateByFilters(position, n)
	case w.rules.byRows:
		w.evaluateByResources(position, n, b.Bound)
	default:
		w.evaluateByRules(position, n)
	}
}

// leaveAlone reports that the pods of a node up to a priority are units by themselves,
// none of which violates a budget. Then they are evaluated as where there are no units: all
// units above are put back, beside the room that these leave.
func (w *Worker) leaveAlone(n *state.NodeState, bound int32) bool {
	from := n.First(int64(bound) + 1)
	if last := len(n.Covered) - 1; last >= 0 && int(n.Covered[last].Index) >= from {
		return false
	}
	for _, p := range n.Pods[from:] {
		if p.Class.Group != "" {
			return false
		}
	}
	return true
}

// askLate asks the filters after NodeResourcesFit about a candidate whose victims are
// wanted. If no pod of the node touches them, their answer does not depend on the
// victims.
func (w *Worker) askLate(b *NodeBound, n *state.NodeState) {
	if b.Kind = w.kindAmong(n); b.Kind != byResources {
		return
	}
	w.Dry.EnterAfterResources(n)
	if st := w.Dry.CheckAfterResources(); st.Code != filters.Success {
		b.Kind = Settled
		w.after.count(w.after.intern(st), 1)
	}
}
