package preemption

import (
	"cmp"
	"math"
	"slices"
)

// solve finds the best set: first by the ranks before the start, then the one of those
// with the latest start. x.out is set if the limit ends that early; x.bound then bounds
// the score of every set.
func (x *setSearch) solve() {
	x.limit = x.a.config.Policy.limit(x.checks || x.goesOn)
	x.round.ties = x.open
	for {
		x.listUseful()
		if !x.search() || x.out {
			break
		}
	}
	if x.out {
		x.bound = x.boundAll()
		return
	}
	if x.found && x.startSure && slices.Contains(x.ranks, ByStart) {
		x.solveStart()
	}
}

// listUseful lists the items that a set can have that is better than the best one.
func (x *setSearch) listUseful() {
	r := &x.round
	r.list = r.list[:0]
	for i := range x.items {
		f := x.alone(&x.items[i])
		if !x.hopeless(&f, r.ties) && !slices.Contains(x.forced, int32(i)) {
			r.list = append(r.list, int32(i))
		}
	}
}

// search looks at the sets of the items on the list together with the forced ones. It
// reports whether it found one with which the list should be made anew.
func (x *setSearch) search() (again bool) {
	r := &x.round
	r.done, r.anew, r.heavy = false, false, false
	x.sortList()
	clear(x.chosen)
	base, left := noFigures, x.wholeRest()
	for _, i := range x.forced {
		it := &x.items[i]
		base, left = x.with(&base, it), x.without(&left, it)
		x.chosen[i] = true
	}
	defer func() {
		for _, i := range x.forced {
			x.putBack(&x.items[i])
		}
	}()
	x.prepare()
	if !x.findRoot(&base, &left) {
		if !x.found {
			r.root = noFigures
		}
		return false
	}
	if root := x.atLeastRoot(r.root); x.hopeless(&root, r.ties) {
		return false
	}
	if len(x.forced) > 0 && left.met() && x.consider() && !x.goesOn {
		return false
	}
	if x.raiseTop(&base, &left) {
		return true
	}
	if root := x.atLeastRoot(r.root); x.out || x.strict && r.topFree == math.MaxInt32 || x.hopeless(&root, r.ties) {
		return false
	}
	r.dominated, r.from = false, x.steps
	clear(r.taken[:])
	x.extend(0, 1, &base, &left)
	if r.heavy && !x.out {
		x.findWeights(&left)
		return true
	}
	return r.anew && !x.out
}

// lightSteps is how many steps a round takes with equal weights, and enoughSteps how many
// before it compares every two items. Tests have it do both at once.
var lightSteps, enoughSteps = 256, 32

// sortList puts the items first that hold most of what the node is short of, and of
// those the least important.
func (x *setSearch) sortList() {
	slices.SortFunc(x.round.list, func(i, j int32) int {
		a, b := &x.items[i], &x.items[j]
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.sum, b.sum), cmp.Compare(j, i))
	})
}

// extend looks at every set that has the chosen items, whose figures are f, and one or more
// of the items from a place on. At least so many of these are needed.
func (x *setSearch) extend(from, least int, f *setFigures, left *rest) {
	r := &x.round
	for p := from; p < len(r.list); p++ {
		if x.steps++; x.steps > x.limit {
			x.steps, x.out = x.limit, true
			return
		}
		if !x.weighed && x.dims > 1 && x.steps-r.from > lightSteps {
			r.heavy, r.done = true, true
			return
		}
		m, ok := x.fewest(p, least, left)
		if !ok {
			return
		}
		if low := x.lower(p, m, f); x.hopeless(&low, r.ties) {
			return
		}
		least = m
		if !x.covered(p) {
			x.take(p, m, f, left)
		}
		if x.out || r.done {
			return
		}
	}
}

// take looks at the sets with the item at a place, too.
func (x *setSearch) take(p, m int, f *setFigures, left *rest) {
	r, i := &x.round, x.round.list[p]
	it := &x.items[i]
	g, lacks := x.with(f, it), x.without(left, it)
	if low := x.atLeastRoot(g); !x.hopeless(&low, r.ties) {
		x.choose(p, i, true)
		if !lacks.met() {
			x.extend(p+1, max(1, m-1), &g, &lacks)
		} else if !x.consider() || x.goesOn {
			if !r.done {
				x.extend(p+1, 1, &g, &lacks)
			}
		}
		x.choose(p, i, false)
	}
	x.putBack(it)
}

// choose adds an item to the set at hand or takes it out.
func (x *setSearch) choose(p int, i int32, in bool) {
	x.chosen[i] = in
	if p/64 < mostWords {
		x.round.taken[p/64] ^= 1 << (p % 64)
	}
	if x.checks {
		by := 1
		if in {
			by = -1
		}
		x.host.changeAll(x.podsOf(i), by)
	}
}

// consider looks at the set at hand, which holds enough, and reports whether the preemptor
// fits without it.
func (x *setSearch) consider() (fits bool) {
	if x.checks && x.host.check().code != Success {
		return false
	}
	had := x.found
	taken, allowed := x.offer()
	if taken {
		r := &x.round
		if !had {
			r.anew, r.done = true, true
		}
		if r.ties && !x.open {
			r.done = true
		}
	}
	return allowed
}

// findOver finds for each item those before it that are no worse in any way: they hold as
// much of everything, and count no more by any rank. There is a best set that has an item
// only with all of these (ENGINE.md). Where filters or orders of the caller tell pods
// apart, there are none.
func (x *setSearch) findOver() {
	r := &x.round
	r.over = slices.Grow(r.over[:0], len(r.list))[:len(r.list)]
	for p, j := range r.list {
		over, b := &r.over[p], &x.items[j]
		*over = [mostWords]uint64{}
		for q, i := range r.list[:p] {
			if x.noWorse(&x.items[i], b) {
				over[q/64] |= 1 << (q % 64)
			}
		}
	}
	r.dominated = true
}

// mayDominate reports whether dominance among the items on the list means anything.
func (x *setSearch) mayDominate() bool {
	return !x.checks && !x.goesOn && !x.open && x.budgetsSure && len(x.round.list) <= 64*mostWords
}

// noWorse reports whether taking a in place of b makes no set worse.
func (x *setSearch) noWorse(a, b *setItem) bool {
	if a.top > b.top || a.sum > b.sum || a.cost > b.cost || a.pods() > b.pods() || a.always > b.always {
		return false
	}
	for k := range x.dims {
		if a.holds[k] < b.holds[k] {
			return false
		}
	}
	if a.to-a.from > 1 || b.to-b.from > 1 {
		return false
	}
	ab := x.budgetOf[a.from]
	return ab < 0 || ab == x.budgetOf[b.from]
}

// covered reports that an item is not to be taken without another that is not taken.
func (x *setSearch) covered(p int) bool {
	r := &x.round
	if !r.dominated {
		if x.steps-r.from < enoughSteps || !x.mayDominate() {
			return false
		}
		x.findOver()
	}
	for k := range mostWords {
		if r.over[p][k]&^r.taken[k] != 0 {
			return true
		}
	}
	return false
}
