package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The optimistic score of a node is a score that no candidate on it beats. It assumes that no budget is
// violated. Low and high victims (see nodebound.go) each have a best score:
//
//   - The number of low victims is at least the fewest of the bound, and their earliest start is bounded by
//     their number.
//   - The number of high victims is at least the shortage divided by the largest amount of a single pod.
//     Their top priority is above the lowest one of the node.
//
// Every figure of such a score is at least as good as for any victims of that kind. So the score beats them
// or ties with them by any ranks in any order, and the better of the two scores does so for all victims.
//
// If only violations are compared before the top priority, the score of low victims is enough. If low victims
// make room, it has the lower top priority. If they do not, setLow uses the bound, so that the score is valid
// for all victims.

// Optimistic returns the optimistic score of a node.
func (w *Worker) Optimistic(b *NodeBound, position int, slot int32) NodeScore {
	p := prospect{position, slot, w.sums.At(slot), b}

	low := NodeScore{Position: -1}
	if w.lowCounts(p) {
		b.setLow(&low, position)
		if b.tightened { // otherwise the top-k sums have not been read yet, and the start stays at its best
			w.boundLowStart(&low, p)
		}
		w.boundCost(&low, p, p.mayBeLow())
	}

	if e := w.highExtremes(p); e != nil {
		high := &w.outlook.high
		w.setHigh(high, p, e)
		if w.rules.Better(high, &low) {
			return *high
		}
	}
	return low
}

// lowCounts reports whether the score of setLow has to be included: low victims make room, or that score is
// valid for all victims because the top priority is compared first.
func (w *Worker) lowCounts(p prospect) bool { return !w.rules.topLast || p.mayBeLow() }

// boundLowStart sets an upper bound on the earliest start of low victims. It is valid for more victims as
// well, because the first of more pods started no later.
func (w *Worker) boundLowStart(o *NodeScore, p prospect) {
	b := p.bound
	if !p.mayBeLow() || b.Kind == byUnits {
		return
	}
	if start := w.sums.TopSumsAt(p.slot).LatestStart(p.sum, int32(b.fewest)); start != rank.NoStart {
		o.Start = lastInstantOf(start)
	}
}

// lastInstantOf returns an instant that is not before any instant within the second.
func lastInstantOf(second int64) rank.Instant { return rank.Instant{Sec: second, Nsec: 1e9} }

// boundCost sets the least cost of victims that hold what the node is short of and are as many as the score
// says. low is set if all of them have the lowest priority of the node.
func (w *Worker) boundCost(o *NodeScore, p prospect, low bool) {
	if !w.rules.costed || p.sum.Flags&state.LargeAmounts != 0 {
		return
	}
	c := w.tables.costs(w.snap.NodeStates[p.slot])
	short := w.short(p.sum)
	if low {
		o.Cost = c.Low.Least(o.Victims, &short)
	} else {
		o.Cost = c.All.Least(o.Victims, &short)
	}
}

// highExtremes returns the extremes of a node if high victims have to be included in its optimistic score. It
// returns nil if low ones always score better, as by the usual ranks, or if the node cannot have high ones.
// It is small, so that the compiler inlines the first test.
func (w *Worker) highExtremes(p prospect) *state.Extremes {
	if !w.rules.topLast {
		return nil
	}
	return w.extremesUnlessLow(p)
}

// extremesUnlessLow returns the extremes of a node, nil if all victims there are certainly low.
func (w *Worker) extremesUnlessLow(p prospect) *state.Extremes {
	e := w.sums.ExtremesAt(p.slot)
	if p.mayBeLow() && w.StaysLow(p.bound, p.sum, e) {
		return nil
	}
	return e
}

// setHigh sets the best score that high victims can have.
func (w *Worker) setHigh(o *NodeScore, p prospect, e *state.Extremes) {
	top, fewest := p.leastHigh(), w.fewestOfAny(e, p.sum)
	o.Position = p.position
	o.Figures = rank.Figures{Top: w.rules.topOfHigh(p, top), Victims: fewest, Sum: highSum(p.sum, top, fewest), Start: rank.Never}

	// The victims of the top priority are among the pods above the lowest priority, so that the latest start
	// of those is a bound.
	if e.UpperStart != rank.NoStart {
		o.Start = lastInstantOf(e.UpperStart)
	}
	w.boundCost(o, p, false)

	if w.rules.Better(o, &w.Best) {
		w.tightenHigh(o, p, e)
	}
}

// topOfHigh returns the best top priority in the score of high victims, one of which has at least priority
// top. If the score uses the first victim in an order that is not by priority (rules 11.3 and 13.2.3), any
// pod of the node may be that victim.
func (r *searchRules) topOfHigh(p prospect, top int32) int32 {
	if r.order == callersOrder || r.readsFirst {
		return p.sum.Lowest
	}
	return top
}

// tightenHigh improves the score of high victims by sums of shares (see shareSums). Victims hold enough of
// every column only if their shares add up to at least the share of what is short, and the shares of k pods
// add up to at most the sum of the k largest.
//
// If all victims are of the two lowest priorities, only the shares of these pods count. The top priority is
// then the second lowest, and the start is bounded by the pods of that priority.
func (w *Worker) tightenHigh(o *NodeScore, p prospect, e *state.Extremes) {
	slot, short := p.slot, w.short(p.sum)
	shares := w.sums.ShareSumsAt(slot)
	fewest := shares.Fewest(&short, e, o.Victims)
	top := p.leastHigh()

	second, two := w.snap.LevelAbove(slot, 1), w.sums.TwoLowestAt(slot)
	if p.bound.Within(second) && w.StaysSecond(p.sum, e, two, second) {
		fewest = shares.FewestAmong(&shares.Second, &short, e, fewest)
		top = second.Priority
		o.Top = top
		if two.Start != rank.NoStart {
			o.Start = lastInstantOf(two.Start)
		}
	}

	if fewest > o.Victims {
		o.Victims = fewest
		w.boundCost(o, p, false)
	}
	o.Sum = highSum(p.sum, top, fewest)
}

// fewestOfAny returns a lower bound on the number of victims on a node, whatever their priorities.
func (w *Worker) fewestOfAny(e *state.Extremes, sum *state.NodeSummary) int32 {
	return max(FewestByExtremes(e, sum, &w.need.asks), 1)
}
