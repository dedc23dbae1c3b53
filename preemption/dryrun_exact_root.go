package preemption

import (
	"cmp"
	"math"
	"slices"
)

// findRoot bounds the figures of every set of the items on the list, with the forced ones.
// It reports whether there can be any set at all.
func (x *setSearch) findRoot(base *setFigures, left *rest) bool {
	r := &x.round
	r.root, r.topFree = *base, math.MinInt32
	if left.met() {
		return true
	}
	m, ok := x.fewest(0, 1, left)
	if !ok {
		return false
	}
	r.root = x.lower(0, m, base)
	r.root.violations = max(r.root.violations, base.violations+x.fewestAlways(left))
	byTop := slices.Clone(r.list)
	slices.SortFunc(byTop, func(i, j int32) int { return cmp.Compare(x.items[i].top, x.items[j].top) })
	r.root.top = max(r.root.top, x.topThatHolds(byTop, left, false))
	r.topFree = r.root.top
	v, t := slices.Index(x.ranks, ByViolations), slices.Index(x.ranks, ByTopPriority)
	if v >= 0 && v < t && r.root.violations == base.violations {
		r.topFree = x.topThatHolds(byTop, left, true)
	}
	if x.sparesForTop(base) {
		r.topFree = max(r.topFree, r.root.top, x.settledTop)
	}
	return true
}

// topThatHolds returns the lowest priority up to which items hold the rest: all of them,
// or those that need not violate a budget, where of the pods of a budget no more count
// than it allows. The items are sorted by priority.
func (x *setSearch) topThatHolds(byTop []int32, left *rest, free bool) int32 {
	var held row
	for at, i := range byTop {
		it := &x.items[i]
		if !free || it.always == 0 {
			x.addHeld(&held, it)
		}
		last := at == len(byTop)-1 || x.items[byTop[at+1]].top != it.top
		if last && x.holds(&held, left) && (!free || x.holdsFreely(byTop[:at+1], left)) {
			return it.top
		}
	}
	return math.MaxInt32
}

func (x *setSearch) addHeld(held *row, it *setItem) {
	for k := range x.dims {
		held[k] = addCosts(held[k], it.holds[k])
	}
}

func (x *setSearch) holds(held *row, left *rest) bool {
	for k := range x.dims {
		if held[k] < left.amounts[k] {
			return false
		}
	}
	return true
}

// holdsFreely reports whether items can hold the rest, resource by resource, with no more
// pods of each budget than it still allows. The forced items may have taken more than a
// budget had, which then allows none.
func (x *setSearch) holdsFreely(items []int32, left *rest) bool {
	var held row
	byBudget := make([][]int32, 0, 8)
	for _, i := range items {
		it := &x.items[i]
		b := int32(-1)
		if it.to-it.from == 1 {
			b = x.budgetOf[it.from]
		}
		switch at := slices.IndexFunc(byBudget, func(of []int32) bool { return x.budgetOf[x.items[of[0]].from] == b }); {
		case it.always > 0:
		case b < 0:
			x.addHeld(&held, it)
		case at < 0:
			byBudget = append(byBudget, []int32{i})
		default:
			byBudget[at] = append(byBudget[at], i)
		}
	}
	for _, of := range byBudget {
		allowed := int(max(0, min(x.left[x.budgetOf[x.items[of[0]].from]], int64(len(of)))))
		for k := range x.dims {
			slices.SortFunc(of, func(i, j int32) int { return cmp.Compare(x.items[j].holds[k], x.items[i].holds[k]) })
			for _, i := range of[:allowed] {
				held[k] = addCosts(held[k], x.items[i].holds[k])
			}
		}
	}
	return x.holds(&held, left)
}

// fewestAlways returns how many items that violate a budget in any case are needed
// beside all others.
func (x *setSearch) fewestAlways(left *rest) int64 {
	most := int64(0)
	var always []int64
	for k := range x.dims {
		lack := left.amounts[k]
		always = always[:0]
		for _, i := range x.round.list {
			if it := &x.items[i]; it.always > 0 {
				always = append(always, it.holds[k])
			} else {
				lack -= it.holds[k]
			}
			if lack <= 0 {
				break
			}
		}
		if lack <= 0 {
			continue
		}
		slices.SortFunc(always, func(a, b int64) int { return cmp.Compare(b, a) })
		for n, v := range always {
			if lack -= v; lack <= 0 {
				most = max(most, int64(n)+1)
				break
			}
		}
	}
	return most
}
