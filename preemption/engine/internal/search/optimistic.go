package search

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The optimistic score of a node is one that no candidate on it beats. It assumes that no budget is violated.
// Low and high victims (see nodebound.go) have a best score each:
//
//   - Low victims are at least as many as the bound of the node says, and the start of the first of them
//     follows from their number.
//   - High victims are at least as many as hold what the node is short of if each holds the most that a pod of
//     the node does. Their top priority is above the lowest one of the node.
//
// Every figure of such a score is at least as good as that of any victims of the sort. So the score beats them
// or ties with them by any ranks in any order, and the better of the two scores does so for all victims.
//
// If no rank but that by violations comes before the top priority, the score of low victims is enough. Where they
// make room it has the lower top priority. Where they do not setLow makes it of the bound, so that it holds for
// all victims.

// Optimistic returns the optimistic score of a node.
func (w *Worker) Optimistic(b *NodeBound, position int, slot int32) NodeScore {
	p := prospect{position, slot, w.sums.At(slot), b}

	low := NodeScore{Position: -1}
	if w.lowCounts(p) {
		b.setLow(&low, position)
		if b.tightened { // otherwise the top-k sums were not read, and the start stays at its best
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

// lowCounts reports whether the score of setLow has a part in the optimistic one: if low victims make room,
// or if that score holds for all victims because the top priority is compared first.
func (w *Worker) lowCounts(p prospect) bool { return !w.rules.topLast || p.mayBeLow() }

// boundLowStart sets the latest that the first of low victims can have started. That bounds the start of more
// of them as well, since the first of more pods started no later.
func (w *Worker) boundLowStart(o *NodeScore, p prospect) {
	b := p.bound
	if !p.mayBeLow() || b.Kind == byUnits {
		return
	}
	if start := w.sums.TopSumsAt(p.slot).LatestStart(p.sum, int32(b.fewest)); start != rank.NoStart {
		o.Start = lastInstantOf(start)
	}
}

// lastInstantOf returns an instant that is no earlier than any within a second.
func lastInstantOf(second int64) rank.Instant { return rank.Instant{Sec: second, Nsec: 1e9} }

// boundCost sets the least that as many victims as a score says cost, which hold what the node is short of.
// With low set all of them have the lowest priority of the node.
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

// highExtremes returns the extremes of a node if high victims have a part in its optimistic score, and nil if
// low ones are all that counts: because they score better or because the node never has high ones. By the usual ranks
// they score better, and the compiler puts that test in place of the call.
func (w *Worker) highExtremes(p prospect) *state.Extremes {
	if !w.rules.topLast {
		return nil
	}
	return w.extremesUnlessLow(p)
}

// extremesUnlessLow returns the extremes of a node, nil if all victims there are low.
func (w *Worker) extremesUnlessLow(p prospect) *state.Extremes {
	e := w.sums.ExtremesAt(p.slot)
	if p.mayBeLow() && w.StaysLow(p.bound, p.sum, e) {
		return nil
	}
	return e
}

// setHigh sets the best score of high victims.
func (w *Worker) setHigh(o *NodeScore, p prospect, e *state.Extremes) {
	top, fewest := p.leastHigh(), w.fewestOfAny(e, p.sum)
	o.Position = p.position
	o.Figures = rank.Figures{Top: w.rules.topOfHigh(p, top), Victims: fewest, Sum: highSum(p.sum, top, fewest), Start: rank.Never}

	// The victims of the top priority are among the pods above the lowest one, so that the latest start of
	// these bounds theirs.
	if e.UpperStart != rank.NoStart {
		o.Start = lastInstantOf(e.UpperStart)
	}
	w.boundCost(o, p, false)

	if w.rules.Better(o, &w.Best) {
		w.tightenHigh(o, p, e)
	}
}

// topOfHigh returns the top priority that the score of high victims has at best, where one of them has at
// least the priority top. Where the score has the priority of the first victim in an order that does not go
// by priority (rules 11.3 and 13.2.3), any pod of the node may be the first.
func (r *searchRules) topOfHigh(p prospect, top int32) int32 {
	if r.order == callersOrder || r.readsFirst {
		return p.sum.Lowest
	}
	return top
}

// tightenHigh improves the score of high victims by sums of shares. A pod's share is what it holds of the
// largest amount of each column on the node, added up; what is short has a share likewise. No victims hold
// enough of every column unless their shares add up to that of what is short, and the shares of k pods add up
// to no more than the k largest.
//
// If all victims are of the two lowest priorities only the shares of these pods count. The top priority is
// then the second lowest, and the start that of its pods.
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

// fewestOfAny is a lower bound on how many victims a node needs, of whatever priority.
func (w *Worker) fewestOfAny(e *state.Extremes, sum *state.NodeSummary) int32 {
	return max(FewestByExtremes(e, sum, &w.need.asks), 1)
}
