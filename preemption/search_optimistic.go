package preemption

import "math"

// An optimistic score of a node is one that no candidate on it can beat. Consider a
// set of victims. Either all of them have the lowest priority of the node; then at
// least b.fewest of them are needed, and their starts bound the last rank (setLowest and
// boundStart). Or one of them is above that priority, and at least as many are needed
// as are of any pods (setUpper). The better of the two by the ranks is the bound. If no
// other rank is compared before the top priority, the first is better.

// optimistic returns the optimistic score of a node.
func (w *searchWorker) optimistic(b *nodeBound, position int, slot int32) nodeScore {
	sum := w.snap.summaries.at(slot)
	o := nodeScore{position: -1}
	if !w.topLast || b.bound == sum.lowest {
		b.setLowest(&o, position)
		if b.exact {
			w.boundStart(&o, b, slot, sum)
		}
		w.boundCost(&o, b, slot, sum, b.bound == sum.lowest)
	}
	if !w.topLast {
		return o
	}
	if e := w.snap.summaries.extremesAt(slot); w.goesHigh(b, sum, e) {
		upper := &w.highScore
		w.setUpper(upper, b, position, slot, sum, e, w.fewestOfAny(e, sum))
		if w.better(upper, &o) {
			return *upper
		}
	}
	return o
}

// setLowest sets the best score of victims that all have the lowest priority of the
// node or, if these do not make room, as little as is enough.
func (b *nodeBound) setLowest(o *nodeScore, position int) {
	o.position, o.figures = position, figures{top: b.bound, start: never}
	b.setVictims(o)
}

// setVictims sets how many these victims are at least.
func (b *nodeBound) setVictims(o *nodeScore) {
	o.victims, o.sum = int32(b.fewest), lowestSum(b)
}

// leads returns a figure of the best score of such victims.
func (b *nodeBound) leads(x figure) int64 {
	f := figures{top: b.bound, victims: int32(b.fewest), sum: lowestSum(b)}
	return f.leads(x)
}

// lowestSum is the least sum of the priorities of such victims.
func lowestSum(b *nodeBound) int64 { return int64(b.fewest) * (int64(b.bound) + priorityShift) }

// tightenByShares improves the bound of a node by the sums of shares of the pods of the
// lowest priority, and reports whether it could. Only searches by other rules than the default
// ones ask for it, and they bound no node byUnits.
func (w *searchWorker) tightenByShares(b *nodeBound, slot int32, sum *nodeSummary) bool {
	if b.bound != sum.lowest || b.kind == byUnits {
		return false
	}
	short, shares := w.short(sum), w.snap.summaries.shareSumsAt(slot)
	was := b.fewest
	b.fewest = uint16(shares.fewestAmong(&shares.low, &short, w.snap.summaries.extremesAt(slot), int32(was)))
	return b.fewest > was
}

// boundStart sets the latest that the start of such victims can be.
func (w *searchWorker) boundStart(o *nodeScore, b *nodeBound, slot int32, sum *nodeSummary) {
	if b.bound != sum.lowest || b.kind == byUnits {
		return
	}
	if start := w.snap.summaries.topSumsAt(slot).latestStart(sum, int32(b.fewest)); start != noStart {
		o.start = instant{start, 1e9}
	}
}

// boundCost sets the least that victims cost, so many of these pods, which hold what
// the node is short of.
func (w *searchWorker) boundCost(o *nodeScore, b *nodeBound, slot int32, sum *nodeSummary, low bool) {
	if !w.costed || sum.flags&largeAmounts != 0 {
		return
	}
	c := w.costTable.at(w.snap.nodes[slot], int(sum.lowPods), w.config.Cost)
	short := w.short(sum)
	if low {
		o.cost = c.low.least(o.victims, &short)
	} else {
		o.cost = c.all.least(o.victims, &short)
	}
}

// goesHigh reports that a victim may be above the lowest priority of the node.
func (w *searchWorker) goesHigh(b *nodeBound, sum *nodeSummary, e *extremes) bool {
	return b.bound != sum.lowest || !w.staysLow(b, sum, e)
}

// setUpper sets the best score of victims one of which is above the lowest priority of
// the node, where so few are needed of any pods.
func (w *searchWorker) setUpper(o *nodeScore, b *nodeBound, position int, slot int32, sum *nodeSummary, e *extremes, few int32) {
	top := b.above(sum)
	o.position, o.figures = position, figures{top: top, victims: few, start: never}
	if w.reordered || w.readsFirst {
		o.top = sum.lowest // it is that of the first, whichever that is
	}
	if e.upperStart != noStart {
		o.start = instant{e.upperStart, 1e9}
	}
	o.sum = upperSum(sum, top, few)
	w.boundCost(o, b, slot, sum, false)
	if w.better(o, &w.best) {
		w.tightenUpper(o, b, slot, sum, e)
	}
}

// tightenUpper improves such a score by the sums of shares, and where all victims are of the
// two lowest priorities by what is known of those.
func (w *searchWorker) tightenUpper(o *nodeScore, b *nodeBound, slot int32, sum *nodeSummary, e *extremes) {
	short, shares := w.short(sum), w.snap.summaries.shareSumsAt(slot)
	few, top := shares.fewest(&short, e, o.victims), b.above(sum)
	two := w.snap.summaries.twoLowestAt(slot)
	if second := w.snap.levelAbove(slot, 1); w.staysSecond(b, sum, e, two, second) {
		few, top = shares.fewestAmong(&shares.second, &short, e, few), second.priority
		if o.top = top; two.start != noStart {
			o.start = instant{two.start, 1e9}
		}
	}
	if few > o.victims {
		o.victims = few
		w.boundCost(o, b, slot, sum, false)
	}
	o.sum = upperSum(sum, top, few)
}

// above is the least priority of a victim above the lowest priority of the node.
func (b *nodeBound) above(sum *nodeSummary) int32 {
	if b.bound == sum.lowest && b.bound < math.MaxInt32 {
		return b.bound + 1
	}
	return b.bound
}

// upperSum is the least sum of the priorities of so many pods of a node, one of which
// has at least the priority top.
func upperSum(sum *nodeSummary, top, pods int32) int64 {
	return int64(top) + priorityShift + int64(pods-1)*(int64(sum.lowest)+priorityShift)
}

// extremesFor returns the extremes of a node, nil where victims above the lowest priority
// need not be thought of.
func (w *searchWorker) extremesFor(slot int32) *extremes {
	if !w.topLast {
		return nil
	}
	return w.snap.summaries.extremesAt(slot)
}

// rough is a lower bound on a figure, found with less than what
// optimistic looks at. It is unknown for the start and for a cost. If few is not 0, that
// many victims are needed at least where one is above the lowest priority of the node.
func (w *searchWorker) rough(x figure, b *nodeBound, sum *nodeSummary, few int32) int64 {
	least := int64(math.MaxInt64)
	if !w.topLast || b.bound == sum.lowest {
		least = b.leads(x)
	}
	if few > 0 {
		least = min(least, w.upperFigure(x, b, sum, few))
	}
	return least
}

// upperFigure is rough for victims one of which is above the lowest priority of the node.
func (w *searchWorker) upperFigure(x figure, b *nodeBound, sum *nodeSummary, few int32) int64 {
	top := b.above(sum)
	f := figures{top: top, victims: few, sum: upperSum(sum, top, few)}
	if w.reordered || w.readsFirst {
		f.top = sum.lowest
	}
	return f.leads(x)
}

// outdone reports that a node loses by the latest start of any pod on it, where that
// is the first rank.
func (w *searchWorker) outdone(slot int32) bool {
	return w.startFirst && w.decides(&w.best) && w.snap.summaries.latestAt(slot) < w.best.start.sec
}

// staysLow reports that all victims have the lowest priority of the node. That is
// so where the pods of this priority that no budget covers make room: those that
// violate a budget are put back first, beside all pods of higher priority, and then
// the others of higher priority.
func (w *searchWorker) staysLow(b *nodeBound, sum *nodeSummary, e *extremes) bool {
	switch {
	case b.kind != byResources || w.anyPriority:
		return false
	case w.ascending || !e.anyCovered:
		return true
	case !w.mayViolate(e.lowBudgets, e.mostCovered):
		return true
	case sum.flags&hasNominated != 0:
		return false
	}
	return w.coversWithout(sum, &sum.low, &e.covered, int32(sum.lowPods)-int32(e.coveredLow))
}

// staysSecond is staysLow for the two lowest priorities; second is the level of the higher
// one of these, nil if there is none.
func (w *searchWorker) staysSecond(b *nodeBound, sum *nodeSummary, e *extremes, two *twoLowest, second *level) bool {
	switch {
	case b.kind != byResources || w.anyPriority || second == nil || b.bound > second.priority:
		return false
	case w.ascending || !e.anyCovered:
		return true
	case !w.mayViolate(two.budgets, e.mostCovered):
		return true
	case sum.flags&hasNominated != 0:
		return false
	}
	return w.coversWithout(sum, &second.held, &two.covered, second.pods-int32(two.coveredPods))
}

// coversWithout is covers for pods that hold this much, less what some of them hold.
func (w *searchWorker) coversWithout(sum *nodeSummary, held, less *amountRow, pods int32) bool {
	for k := range sum.free {
		if w.asks[k] > sum.free[k]+held[k]-less[k] {
			return false
		}
	}
	return int32(sum.room)+pods >= 1
}

// mayViolate reports whether one of these budgets can be violated on a node where none
// covers more than so many pods.
func (w *searchWorker) mayViolate(budgets uint32, mostCovered uint8) bool {
	return budgets&w.tight[min(int(mostCovered), len(w.tight)-1)] != 0
}

// noteTight finds the budgets that so many evictions on one node would violate.
func (s *search) noteTight() {
	s.tight = [len(s.tight)]uint32{}
	for i, b := range s.snap.budgets.list {
		if b == nil {
			continue
		}
		for pods := max(0, int64(b.Allowed)) + 1; pods < int64(len(s.tight)); pods++ {
			s.tight[pods] |= 1 << (i % budgetBits)
		}
		s.tight[len(s.tight)-1] |= 1 << (i % budgetBits)
	}
}

// fewestOfAny is a lower bound on how many victims a node needs, of whatever priority.
func (w *searchWorker) fewestOfAny(e *extremes, sum *nodeSummary) int32 {
	return max(e.fewest(sum, &w.asks), 1)
}

// fewest returns a lower bound on how many pods of the node hold what it is short
// of, of whatever priority.
func (e *extremes) fewest(l *nodeSummary, asks *amountRow) int32 {
	pods := float64(1 - int32(l.room))
	for k, v := range asks {
		if p := float64(v-l.free[k]) * e.perLargest[k]; p > pods {
			pods = p
		}
	}
	// Less by more than what dividing and multiplying can have added.
	return int32(min(int64(math.Ceil(pods*(1-1e-9))), mostPods))
}
