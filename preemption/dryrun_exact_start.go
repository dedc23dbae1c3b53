package preemption

import (
	"cmp"
	"math"
	"slices"
)

// startFrom offers the sets that are at hand before any search, with which the preemptor
// fits: all that can leave, and those that the reprieve of chapter 9 leaves. All pods but
// the forced ones are on the node.
func (x *setSearch) startFrom() {
	for i := range x.chosen {
		x.chosen[i] = true
	}
	x.offer()
	w, possible := x.w, x.possible
	for i, p := range possible {
		w.violated[i] = len(w.charge(p))
	}
	w.ledger.Reset()
	if x.checks {
		x.reprieveByFilters()
	} else {
		x.reprieveByAmounts()
	}
	if slices.Contains(x.chosen, true) {
		x.offer()
	}
}

// reprieveByFilters is the reprieve of the dry run.
func (x *setSearch) reprieveByFilters() {
	w, possible := x.w, x.possible
	for i := range x.items {
		if !slices.Contains(x.forced, int32(i)) {
			w.changeAll(x.podsOf(int32(i)), -1)
		}
	}
	w.victim = fill(w.victim, len(possible), true)
	w.spared = fill(w.spared, len(possible), false)
	reprieve := w.reprieve
	if len(w.units) > 0 {
		w.noteViolating()
		reprieve = w.reprieveUnits
	}
	reprieve(possible, true)
	reprieve(possible, false)
	for i := range x.items {
		x.chosen[i] = w.victim[x.items[i].from]
		if x.chosen[i] && !slices.Contains(x.forced, int32(i)) {
			w.changeAll(x.podsOf(int32(i)), 1)
		}
	}
	clear(w.victim)
	for i := range w.blocks {
		w.blocks[i] = filterStatus{}
	}
}

// reprieveByAmounts is the reprieve where amounts alone decide.
func (x *setSearch) reprieveByAmounts() {
	held := x.heldBy(x.chosen)
	for _, violating := range [...]bool{true, false} {
		for i := range x.items {
			it := &x.items[i]
			broken := slices.ContainsFunc(x.w.violated[it.from:it.to], func(n int) bool { return n > 0 })
			if broken == violating {
				x.spareItem(int32(i), &held)
			}
		}
	}
}

// heldBy adds up what a set holds. Amounts are bounded by the shortage, so that the sum
// of any number of items that there can be is an int64.
func (x *setSearch) heldBy(set []bool) (held row) {
	for i := range x.items {
		if set[i] {
			x.addHeld(&held, &x.items[i])
		}
	}
	return held
}

// spareItem takes an item out of the set at hand, if that holds enough without it.
func (x *setSearch) spareItem(i int32, held *row) {
	it := &x.items[i]
	if !x.chosen[i] || slices.Contains(x.forced, i) {
		return
	}
	for k := range x.dims {
		if held[k]-it.holds[k] < x.short[k] {
			return
		}
	}
	for k := range x.dims {
		held[k] -= it.holds[k]
	}
	x.chosen[i] = false
}

// tryLevel looks for a set without items above the least top priority, where the best
// one has some: all of the others but those that a budget has no allowance for, less what
// can be spared. It reports whether it found a better one.
func (x *setSearch) tryLevel(left *rest) bool {
	r := &x.round
	level := max(r.topFree, r.root.top)
	if x.checks || !x.topSure || left.met() || x.found && x.bestAt.top <= level {
		return false
	}
	f := noFigures
	clear(x.chosen)
	var took []int32
	for i := len(x.items) - 1; i >= 0; i-- {
		it := &x.items[i]
		forced := slices.Contains(x.forced, int32(i))
		if !forced && (it.top > level || !slices.Contains(r.list, int32(i))) {
			continue
		}
		if g := x.with(&f, it); !forced && g.violations > f.violations {
			x.putBack(it)
			continue
		}
		took = append(took, int32(i))
		x.chosen[i] = true
	}
	for _, i := range took {
		x.putBack(&x.items[i])
	}
	held := x.heldBy(x.chosen)
	better := false
	if x.holds(&held, &rest{amounts: x.short}) {
		for i := range x.items {
			x.spareItem(int32(i), &held)
		}
		better, _ = x.offer()
	}
	clear(x.chosen)
	for _, i := range x.forced {
		x.chosen[i] = true
	}
	return better
}

// solveStart finds, of the sets that tie with the best one in all ranks before it, one
// with the latest start. A set with a start of at least s has no item of the top priority
// that started before s; so the latest possible s is found by halving.
func (x *setSearch) solveStart() {
	x.round.ties = true
	var starts []instant
	for i := range x.items {
		it := &x.items[i]
		if it.top == x.score.TopPriority && instantOf(x.score.Start).before(it.start) {
			starts = append(starts, it.start)
		}
	}
	slices.SortFunc(starts, func(a, b instant) int {
		return cmp.Or(cmp.Compare(a.sec, b.sec), cmp.Compare(a.nsec, b.nsec))
	})
	starts = slices.Compact(starts)
	for from, to := 0, len(starts); from < to; {
		middle := int(uint(from+to) / 2)
		x.listUseful()
		x.round.list = slices.DeleteFunc(x.round.list, func(i int32) bool {
			it := &x.items[i]
			return it.top == x.score.TopPriority && it.start.before(starts[middle])
		})
		before := x.score.Start
		if !x.forcedBefore(starts[middle]) {
			for x.search() && x.round.heavy {
			}
		}
		if x.out {
			x.bound = x.score
			x.bound.Start = starts[to-1].time()
			return
		}
		if x.score.Start.Equal(before) {
			to = middle
			continue
		}
		for from < to && !instantOf(x.score.Start).before(starts[from]) {
			from++
		}
	}
}

// forcedBefore reports whether a forced item of the top priority started before s.
func (x *setSearch) forcedBefore(s instant) bool {
	return slices.ContainsFunc(x.forced, func(i int32) bool {
		it := &x.items[i]
		return it.top == x.score.TopPriority && it.start.before(s)
	})
}

// boundAll returns a score that no set beats, after a search that the limit ended: that of
// the best set or one that no set of the items on the list beats, whichever is better.
func (x *setSearch) boundAll() Score {
	root := x.atLeastRoot(x.round.root)
	latest := instant{sec: math.MinInt64}
	top := int32(math.MaxInt32)
	for i := range x.items {
		it := &x.items[i]
		top = min(top, it.top)
		for _, p := range x.podsOf(int32(i)) {
			r := p.rank().at(x.w.a.nowAt)
			if start := (instant{r.sec, r.nsec}); latest.before(start) {
				latest = start
			}
		}
	}
	if !x.topSure {
		root.top = top
	}
	b := Score{
		Violations: int(root.violations), TopPriority: max(root.top, top), PrioritySum: root.sum,
		Victims: int(root.pods), Cost: root.cost, Start: latest.time(),
	}
	if x.found {
		if order, _ := x.score.compareBy(&b, x.ranks); order <= 0 {
			return x.score
		}
	}
	return b
}
