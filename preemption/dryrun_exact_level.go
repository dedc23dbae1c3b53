package preemption

import (
	"math"
	"slices"
)

// raiseTop finds out whether the least top priority can be had without a violation, where
// the ranks look at these two first, and raises it to the next one as long as it cannot.
// It reports whether it found a better set.
func (x *setSearch) raiseTop(base *setFigures, left *rest) (better bool) {
	r := &x.round
	if left.met() || !x.sparesForTop(base) {
		return x.tryLevel(left)
	}
	for !x.found || x.bestAt.top > r.topFree {
		if x.tryLevel(left) || x.searchLevel(base, left) {
			return true
		}
		if x.out {
			return false
		}
		next := int32(math.MaxInt32)
		for _, i := range r.list {
			if top := x.items[i].top; top > r.topFree {
				next = min(next, top)
			}
		}
		x.settledTop, r.topFree = next, next
		if next == math.MaxInt32 {
			break
		}
	}
	x.prepare()
	return false
}

// sparesForTop reports whether the first two ranks are the violations, of which none is
// needed, and the top priority, and whether both can be told from budgets and amounts.
func (x *setSearch) sparesForTop(base *setFigures) bool {
	return !x.checks && x.topSure && x.budgetsSure && x.compared > 1 &&
		x.ranks[0] == ByViolations && x.ranks[1] == ByTopPriority &&
		base.violations == 0 && x.round.root.violations == 0
}

// searchLevel looks for a set without violations of the items up to the least top priority.
// All that no budget keeps back are taken, because the sum and the number do not matter for
// now; so only the others have to be searched.
func (x *setSearch) searchLevel(base *setFigures, left *rest) (better bool) {
	r := &x.round
	all, weighed, figures, lacks := r.list, x.weighed, *base, *left
	kept, taken := x.splitLevel()
	for _, i := range taken {
		it := &x.items[i]
		figures, lacks = x.with(&figures, it), x.without(&lacks, it)
		x.chosen[i] = true
	}
	r.list, r.dominated, r.from, x.weighed = kept, false, x.steps, true
	clear(r.taken[:])
	x.prepare()
	if lacks.met() {
		x.consider()
	} else {
		x.extend(0, 1, &figures, &lacks)
	}
	for _, i := range taken {
		x.putBack(&x.items[i])
		x.chosen[i] = false
	}
	r.list, x.weighed, r.done = all, weighed, false
	if !x.found || x.bestAt.top > r.topFree {
		return false
	}
	copy(x.chosen, x.best)
	held := x.heldBy(x.chosen)
	for i := range x.items {
		x.spareItem(int32(i), &held)
	}
	x.offer()
	return true
}

// splitLevel lists the items up to the least top priority that can leave without a
// violation: those of which budgets may not allow all together, and the others.
func (x *setSearch) splitLevel() (kept, others []int32) {
	r := &x.round
	wanted := make([]int64, len(x.left))
	each := func(do func(i int32, it *setItem)) {
		for _, i := range r.list {
			if it := &x.items[i]; it.top <= r.topFree && it.always == 0 {
				do(i, it)
			}
		}
	}
	each(func(_ int32, it *setItem) {
		for _, b := range x.budgetOf[it.from:it.to] {
			if b >= 0 {
				wanted[b]++
			}
		}
	})
	each(func(i int32, it *setItem) {
		if slices.ContainsFunc(x.budgetOf[it.from:it.to], func(b int32) bool { return b >= 0 && wanted[b] > x.left[b] }) {
			kept = append(kept, i)
		} else {
			others = append(others, i)
		}
	})
	return kept, others
}
