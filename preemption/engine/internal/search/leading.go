package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Most nodes lose by their leading figures: those that the first two ranks beside the violations compare.
// Bounds on these take less time than an optimistic score. A node with worse leading figures than a candidate
// loses, unless violations of the candidate are compared first (see searchRules.decides).

// BoundLeading bounds the leading figures of a node from below. It stops as soon as the bound can no longer
// become worse than other figures (than).
func (w *Worker) BoundLeading(p prospect, than *leading) leading {
	bound := leading{math.MaxInt64, unknown}
	rules := w.rules
	oneFigure := rules.secondFigure == rank.NoFigure

	// High victims can only lower the bound. If it is not worse than the other figures by now, it never will
	// be.
	if w.lowCounts(p) {
		bound.first = p.bound.lowFigure(rules.firstFigure)
		if bound.first < than.first || bound.first == than.first && oneFigure {
			return bound
		}
	}

	fewestHigh := int32(0) // 0 stands for no high victims
	if e := w.highExtremes(p); e != nil {
		fewestHigh = w.fewestOfAny(e, p.sum)
		bound.first = min(bound.first, w.highFigure(rules.firstFigure, p, fewestHigh))
	}

	if bound.first == than.first && !oneFigure {
		bound.second = w.boundFigure(rules.secondFigure, p, fewestHigh)
	}
	return bound
}

// boundFigure bounds one figure from below. fewestHigh is the least number of victims if one is high, and 0
// if none can be.
func (w *Worker) boundFigure(x rank.Figure, p prospect, fewestHigh int32) int64 {
	least := int64(math.MaxInt64)
	if w.lowCounts(p) {
		least = p.bound.lowFigure(x)
	}
	if fewestHigh > 0 {
		least = min(least, w.highFigure(x, p, fewestHigh))
	}
	return least
}

// highFigure returns one figure of the best score that high victims can have, if there are at least fewest.
func (w *Worker) highFigure(x rank.Figure, p prospect, fewest int32) int64 {
	top := p.leastHigh()
	f := rank.Figures{Top: w.rules.topOfHigh(p, top), Victims: fewest, Sum: highSum(p.sum, top, fewest)}
	return figureOrUnknown(&f, x)
}

// leadingOfAny bounds the leading figures of a node by the caller's order. Sums of shares give the least
// number of victims, and each victim has at least the lowest priority of the node.
func (w *Worker) leadingOfAny(slot int32, sum *state.NodeSummary) leading {
	e, short := w.sums.ExtremesAt(slot), w.short(sum)
	fewest := w.sums.ShareSumsAt(slot).Fewest(&short, e, w.fewestOfAny(e, sum))
	best := NodeScore{Figures: rank.Figures{Top: sum.Lowest, Victims: fewest, Sum: highSum(sum, sum.Lowest, fewest)}}
	return w.rules.LeadingOf(&best)
}

// losesByLeading reports whether a node loses against the best candidate by its leading figures. If the usual
// bound does not show it, it tries a costlier one on the number of victims. By the caller's order little else
// can be bounded.
func (w *Worker) losesByLeading(p prospect) bool {
	best := &w.outlook.bestLeading
	if b := p.bound; p.mayBeLow() {
		b.fewest = max(b.fewest, uint16(p.sum.Fewest(&w.need.asks)))
	}
	if bound := w.BoundLeading(p, best); bound.Worse(best) {
		return true
	}
	bound := w.leadingOfAny(p.slot, p.sum)
	return bound.Worse(best)
}

// losesByLatestStart reports whether a node loses by the latest start of any pod on it. That is possible if
// the start is the first rank, because the victims have started no later.
func (w *Worker) losesByLatestStart(slot int32) bool {
	best := &w.Best
	return w.rules.startFirst && w.rules.decides(best) && w.sums.LatestAt(slot) < best.Start.Sec
}

// noteBestLeading stores the leading figures of the best candidate, if worse ones make other nodes lose.
func (w *Worker) noteBestLeading() {
	if w.rules.decides(&w.Best) {
		w.outlook.bestLeading = w.rules.LeadingOf(&w.Best)
	}
}
