package preemption

import "math"

// setFigures are what ranks compare of a set, but for its start. They grow with the set.
type setFigures struct {
	violations, sum, pods, cost int64
	top                         int32
}

// none are the setFigures of the empty set.
var noFigures = setFigures{top: math.MinInt32}

// compare orders setFigures by the leading ranks that have a bound.
func (x *setSearch) compare(f, g *setFigures) int {
	for _, r := range x.ranks[:x.compared] {
		a, b := f.of(r), g.of(r)
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
	}
	return 0
}

// of returns the figure that a rank compares.
func (f *setFigures) of(r Rank) int64 {
	switch r {
	case ByViolations:
		return f.violations
	case ByTopPriority:
		return int64(f.top)
	case ByPrioritySum:
		return f.sum
	case ByVictims:
		return f.pods
	case ByCost:
		return f.cost
	}
	return 0
}

// most are setFigures that are no better than either.
func (f setFigures) most(g setFigures) setFigures {
	return setFigures{
		max(f.violations, g.violations), max(f.sum, g.sum), max(f.pods, g.pods), max(f.cost, g.cost), max(f.top, g.top),
	}
}

// with are the setFigures with an item more. It takes from the budgets, which putBack
// undoes.
func (x *setSearch) with(f *setFigures, it *setItem) setFigures {
	g := *f
	g.top = max(g.top, it.top)
	g.sum += it.sum
	g.pods += it.pods()
	g.cost = addCosts(g.cost, it.cost)
	if x.a.config.uncharged() {
		g.violations += it.always
		return g
	}
	for at := it.from; at < it.to; at++ {
		if b := x.budgetOf[at]; b >= 0 {
			if x.left[b]--; x.left[b] < 0 {
				g.violations++
			}
		}
	}
	return g
}

// putBack gives the budgets back what an item took.
func (x *setSearch) putBack(it *setItem) {
	if x.a.config.uncharged() {
		return
	}
	for at := it.from; at < it.to; at++ {
		if b := x.budgetOf[at]; b >= 0 {
			x.left[b]++
		}
	}
}

// alone are the setFigures of an item by itself.
func (x *setSearch) alone(it *setItem) setFigures {
	f := x.with(&noFigures, it)
	x.putBack(it)
	return f
}

// setFiguresOf are those of a score.
func setFiguresOf(sc *Score) setFigures {
	return setFigures{int64(sc.Violations), sc.PrioritySum, int64(sc.Victims), sc.Cost, sc.TopPriority}
}

// hopeless reports that no set with these setFigures or higher ones can be taken in place
// of the best one. With ties, sets that tie are looked for as well.
func (x *setSearch) hopeless(f *setFigures, ties bool) bool {
	if x.strict && f.violations > 0 {
		return true
	}
	if !x.found {
		return false
	}
	c := x.compare(f, &x.bestAt)
	return c > 0 || c == 0 && !ties
}

// scoreOf returns the score of the set at hand, which is not empty, and whether it is
// one that a strict policy allows.
func (x *setSearch) scoreOf(set []bool) (sc Score, allowed bool) {
	w := x.host
	x.listed = x.listed[:0]
	for i := range x.items {
		if set[i] {
			x.listed = append(x.listed, x.podsOf(int32(i))...)
		}
	}
	violations := 0
	for _, p := range x.listed {
		violations += x.a.config.violations(len(w.charge(p)))
	}
	w.discharge()
	return x.a.scoreOf(x.listed, violations), !x.strict || violations == 0
}

// offer takes the set at hand as the best one if it is better.
func (x *setSearch) offer() (taken, allowed bool) {
	sc, allowed := x.scoreOf(x.chosen)
	if !allowed {
		return false, false
	}
	if x.found {
		if order, _ := sc.compareBy(&x.score, x.ranks); order >= 0 {
			return false, true
		}
	}
	x.found, x.score, x.bestAt = true, sc, setFiguresOf(&sc)
	copy(x.best, x.chosen)
	return true, true
}
