package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Most nodes lose by their leading figures, which the first two ranks beside the violations compare. Bounds of
// these take less time than an optimistic score. A node with worse leading figures than a candidate loses, if
// the violations of the candidate are not compared before (see searchRules.decides).

// BoundLeading bounds the leading figures of a node from below. It goes on only as long as they may still be
// worse than others.
func (w *Worker) BoundLeading(p prospect, than *leading) leading {
	bound := leading{math.MaxInt64, unknown}
	rules := w.rules
	oneFigure := rules.secondFigure == rank.NoFigure

	// What high victims reach can only lower the bound. If it is not worse than the others by now, it never is.
	if w.lowCounts(p) {
		bound.first = p.bound.lowFigure(rules.firstFigure)
		if bound.first < than.first || bound.first == than.first && oneFigure {
			return bound
		}
	}

	fewestHigh := int32(0) // none is high
	if e := w.highExtremes(p); e != nil {
		fewestHigh = w.fewestOfAny(e, p.sum)
		bound.first = min(bound.first, w.highFigure(rules.firstFigure, p, fewestHigh))
	}

	if bound.first == than.first && !oneFigure {
		bound.second = w.boundFigure(rules.secondFigure, p, fewestHigh)
	}
	return bound
}

// boundFigure bounds one figure from below. High victims are at least fewestHigh, and there are none if that
// is 0.
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

// highFigure returns one figure of the best score of high victims, of whom there are so many at least.
func (w *Worker) highFigure(x rank.Figure, p prospect, fewest int32) int64 {
	top := p.leastHigh()
	f := rank.Figures{Top: w.rules.topOfHigh(p, top), Victims: fewest, Sum: highSum(p.sum, top, fewest)}
	return figureOrUnknown(&f, x)
}

// leadingOfAny bounds the leading figures of a node whose order is the caller's. Sums of shares say how many
// victims there are at least, each of which has at least the lowest priority of the node.
func (w *Worker) leadingOfAny(slot int32, sum *state.NodeSummary) leading {
	e, short := w.sums.ExtremesAt(slot), w.short(sum)
	fewest := w.sums.ShareSumsAt(slot).Fewest(&short, e, w.fewestOfAny(e, sum))
	best := NodeScore{Figures: rank.Figures{Top: sum.Lowest, Victims: fewest, Sum: highSum(sum, sum.Lowest, fewest)}}
	return w.rules.LeadingOf(&best)
}

// losesByLeading reports that a node loses against the best candidate by its leading figures. If the usual bound
// does not show it, a dearer one on the number of victims may. In the caller's order little else is bounded.
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

// losesByLatestStart reports that a node loses by the latest start of any pod on it, where the start is the
// first rank: the victims of the top priority have started no later.
func (w *Worker) losesByLatestStart(slot int32) bool {
	best := &w.Best
	return w.rules.startFirst && w.rules.decides(best) && w.sums.LatestAt(slot) < best.Start.Sec
}

// noteBestLeading notes the leading figures of the best candidate, if others lose by them.
func (w *Worker) noteBestLeading() {
	if w.rules.decides(&w.Best) {
		w.outlook.bestLeading = w.rules.LeadingOf(&w.Best)
	}
}
