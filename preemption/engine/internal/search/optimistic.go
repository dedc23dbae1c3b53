package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// An optimistic score of a node is one that no candidate on it can beat. Consider a
// set of victims. Either all of them have the lowest priority of the node; then at
// least b.fewest of them are needed, and their starts bound the last rank (setLowest and
// boundStart). Or one of them is above that priority, and at least as many are needed
// as are of any pods (setUpper). The better of the two by the ranks is the bound. If no
// other rank is compared before the top priority, the first is better.

// Optimistic returns the optimistic score of a node.
func (w *Worker) Optimistic(b *NodeBound, position int, slot int32) NodeScore {
	sum := w.sums.At(slot)
	at := nodeAt{position, slot, sum, b}
	o := NodeScore{Position: -1}
	if !w.rules.topLast || b.Bound == sum.Lowest {
		b.setLowest(&o, position)
		if b.exact {
			w.boundStart(&o, at)
		}
		w.boundCost(&o, at, b.Bound == sum.Lowest)
	}
	if !w.rules.topLast {
		return o
	}
	if e := w.sums.ExtremesAt(slot); w.goesHigh(b, sum, e) {
		upper := &w.outlook.high
		w.setUpper(upper, at, e)
		if w.rules.Better(upper, &o) {
			return *upper
		}
	}
	return o
}

// boundStart sets the latest that the start of such victims can be.
func (w *Worker) boundStart(o *NodeScore, at nodeAt) {
	if at.b.Bound != at.sum.Lowest || at.b.Kind == byUnits {
		return
	}
	if start := w.sums.TopSumsAt(at.slot).LatestStart(at.sum, int32(at.b.fewest)); start != rank.NoStart {
		o.Start = rank.Instant{Sec: start, Nsec: 1e9}
	}
}

// boundCost sets the least that victims cost, so many of these pods, which hold what
// the node is short of.
func (w *Worker) boundCost(o *NodeScore, at nodeAt, low bool) {
	sum := at.sum
	if !w.rules.costed || sum.Flags&state.LargeAmounts != 0 {
		return
	}
	c := w.tables.costs(w.snap.NodeStates[at.slot])
	short := w.short(sum)
	if low {
		o.Cost = c.Low.Least(o.Victims, &short)
	} else {
		o.Cost = c.All.Least(o.Victims, &short)
	}
}

// goesHigh reports that a victim may be above the lowest priority of the node.
func (w *Worker) goesHigh(b *NodeBound, sum *state.NodeSummary, e *state.Extremes) bool {
	return b.Bound != sum.Lowest || !w.StaysLow(b, sum, e)
}

// setUpper sets the best score of victims one of which is above the lowest priority of
// the node.
func (w *Worker) setUpper(o *NodeScore, at nodeAt, e *state.Extremes) {
	position, sum := at.position, at.sum
	top, few := at.b.above(sum), w.fewestOfAny(e, sum)
	o.Position, o.Figures = position, rank.Figures{Top: top, Victims: few, Start: rank.Never}
	if w.rules.order == callersOrder || w.rules.readsFirst {
		o.Top = sum.Lowest // it is that of the first, whichever that is
	}
	if e.UpperStart != rank.NoStart {
		o.Start = rank.Instant{Sec: e.UpperStart, Nsec: 1e9}
	}
	o.Sum = upperSum(sum, top, few)
	w.boundCost(o, at, false)
	if w.rules.Better(o, &w.Best) {
		w.tightenUpper(o, at, e)
	}
}

// tightenUpper improves such a score by the sums of shares, and where all victims are of the
// two lowest priorities by what is known of those.
func (w *Worker) tightenUpper(o *NodeScore, at nodeAt, e *state.Extremes) {
	b, slot, sum := at.b, at.slot, at.sum
	short, shares := w.short(sum), w.sums.ShareSumsAt(slot)
	few, top := shares.Fewest(&short, e, o.Victims), b.above(sum)
	second, two := w.snap.LevelAbove(slot, 1), w.sums.TwoLowestAt(slot)
	if b.Within(second) && w.StaysSecond(sum, e, two, second) {
		few, top = shares.FewestAmong(&shares.Second, &short, e, few), second.Priority
		if o.Top = top; two.Start != rank.NoStart {
			o.Start = rank.Instant{Sec: two.Start, Nsec: 1e9}
		}
	}
	if few > o.Victims {
		o.Victims = few
		w.boundCost(o, at, false)
	}
	o.Sum = upperSum(sum, top, few)
}

// extremesFor returns the extremes of a node, nil where victims above the lowest priority
// need not be thought of.
func (w *Worker) extremesFor(slot int32) *state.Extremes {
	if !w.rules.topLast {
		return nil
	}
	return w.sums.ExtremesAt(slot)
}

// rough is a lower bound on a figure, found with less than what
// optimistic looks at. It is unknown for the start and for a cost. If few is not 0, that
// many victims are needed at least where one is above the lowest priority of the node.
func (w *Worker) rough(x rank.Figure, b *NodeBound, sum *state.NodeSummary, few int32) int64 {
	least := int64(math.MaxInt64)
	if !w.rules.topLast || b.Bound == sum.Lowest {
		least = b.leads(x)
	}
	if few > 0 {
		least = min(least, w.upperFigure(x, b, sum, few))
	}
	return least
}

// upperFigure is rough for victims one of which is above the lowest priority of the node.
func (w *Worker) upperFigure(x rank.Figure, b *NodeBound, sum *state.NodeSummary, few int32) int64 {
	top := b.above(sum)
	f := rank.Figures{Top: top, Victims: few, Sum: upperSum(sum, top, few)}
	if w.rules.order == callersOrder || w.rules.readsFirst {
		f.Top = sum.Lowest
	}
	return leads(&f, x)
}

// outdone reports that a node loses by the latest start of any pod on it, where that
// is the first rank.
func (w *Worker) outdone(slot int32) bool {
	return w.rules.startFirst && w.rules.decides(&w.Best) && w.sums.LatestAt(slot) < w.Best.Start.Sec
}

// StaysLow reports that all victims have the lowest priority of the node. That is
// so where the pods of this priority that no budget covers make room: those that
// violate a budget are put back first, beside all pods of higher priority, and then
// the others of higher priority.
func (w *Worker) StaysLow(b *NodeBound, sum *state.NodeSummary, e *state.Extremes) bool {
	switch {
	case b.Kind != byResources || w.rules.anyPriority():
		return false
	case w.rules.ascending || !e.AnyCovered:
		return true
	case !w.rules.mayViolate(e.LowBudgets, e.MostCovered):
		return true
	case sum.Flags&state.HasNominated != 0:
		return false
	}
	return w.coversWithout(sum, &sum.Low, &e.Covered, int32(sum.LowPods)-int32(e.CoveredLow))
}

// Within reports whether resources alone bound a node by the priority of a level or a lower one;
// the level is nil if there is none.
func (b *NodeBound) Within(second *state.Level) bool {
	return b.Kind == byResources && second != nil && b.Bound <= second.Priority
}

// StaysSecond is StaysLow for the two lowest priorities, the higher of which is that of second,
// on a node that is bounded within it.
func (w *Worker) StaysSecond(sum *state.NodeSummary, e *state.Extremes, two *state.TwoLowest, second *state.Level) bool {
	switch {
	case w.rules.anyPriority():
		return false
	case w.rules.ascending || !e.AnyCovered:
		return true
	case !w.rules.mayViolate(two.Budgets, e.MostCovered):
		return true
	case sum.Flags&state.HasNominated != 0:
		return false
	}
	return w.coversWithout(sum, &second.Held, &two.Covered, second.Pods-int32(two.CoveredPods))
}

// coversWithout is covers for pods that hold this much, less what some of them hold.
func (w *Worker) coversWithout(sum *state.NodeSummary, held, less *state.AmountRow, pods int32) bool {
	for k := range sum.Free {
		if w.need.asks[k] > sum.Free[k]+held[k]-less[k] {
			return false
		}
	}
	return int32(sum.Room)+pods >= 1
}

// mayViolate reports whether one of these budgets can be violated on a node where none
// covers more than so many pods.
func (r *searchRules) mayViolate(budgets uint32, mostCovered uint8) bool {
	return budgets&r.tightAmong(mostCovered) != 0
}

// tightAmong returns the budgets that can be violated on a node where none covers more than
// so many pods.
func (r *searchRules) tightAmong(mostCovered uint8) uint32 {
	return r.tight[min(int(mostCovered), len(r.tight)-1)]
}

// NoteTight finds the budgets that so many evictions on one node would violate.
func (r *searchRules) NoteTight(budgets *state.BudgetSet) {
	r.tight = [len(r.tight)]uint32{}
	for i, b := range budgets.List {
		if b == nil {
			continue
		}
		for pods := max(0, int64(b.DisruptionsAllowed)) + 1; pods < int64(len(r.tight)); pods++ {
			r.tight[pods] |= 1 << (i % state.BudgetBits)
		}
		r.tight[len(r.tight)-1] |= 1 << (i % state.BudgetBits)
	}
}

// fewestOfAny is a lower bound on how many victims a node needs, of whatever priority.
func (w *Worker) fewestOfAny(e *state.Extremes, sum *state.NodeSummary) int32 {
	return max(FewestByExtremes(e, sum, &w.need.asks), 1)
}
