package preemption

import "slices"

// findFilters finds out whether sets can be told from amounts alone, and whether the
// filters that pods of the node touch can only gain from a pod that leaves.
func (x *setSearch) findFilters() {
	a := x.a
	x.checks, x.coarse, x.monotone = false, false, true
	for i := range a.active {
		f := &a.active[i]
		if !f.touches(x.n) && !x.grouped {
			continue
		}
		x.checks = true
		x.monotone = x.monotone && a.gains(f.index, x.grouped)
	}
}

// gains reports whether a filter that passes goes on doing so whichever pods leave the
// node or, with far, other nodes as well (rule 13.4.4).
func (a *attempt) gains(filter int, far bool) bool {
	switch filter {
	case portsFilter.index, restrictionsFilter.index, volumeBindingFilter.index, volumeZoneFilter.index, declaredFeaturesFilter.index:
		return true
	case interPodFilter.index:
		return len(a.pod.Affinity.Pods) == 0
	case spreadFilter.index:
		return !far
	}
	return false
}

// findBudgets finds which budget the loss of each pod takes from. Pods that take from
// several are left out of the bounds.
func (x *setSearch) findBudgets() {
	x.budgetsSure = true
	x.budgetOf = fill(x.budgetOf, len(x.possible), -1)
	set := x.a.snap.budgets
	if x.leftOf != set {
		x.leftOf, x.left = set, x.left[:0]
		for _, b := range set.list {
			allowed := int64(0)
			if b != nil {
				allowed = int64(b.Allowed)
			}
			x.left = append(x.left, allowed)
		}
	}
	if len(set.list) == 0 {
		return
	}
	for i := range x.items {
		it := &x.items[i]
		for at := it.from; at < it.to; at++ {
			x.findBudget(it, at)
		}
	}
}

func (x *setSearch) findBudget(it *setItem, at int32) {
	w, p := x.host, x.possible[at]
	if len(p.class.covering) == 0 && !x.a.config.variant().emptySelectors {
		return
	}
	if x.a.config.uncharged() {
		if len(w.charge(p)) > 0 {
			it.always++
		}
		return
	}
	switch covering := w.coveredBy(p); {
	case len(covering) > 1:
		x.budgetsSure = false
	case len(covering) == 1:
		x.budgetOf[at] = covering[0]
		if x.left[covering[0]] <= 0 {
			it.always++
		}
	}
}

// findRanks finds out how far scores have bounds.
func (x *setSearch) findRanks() {
	x.topSure, x.startSure = true, startLast(x.ranks)
	for i := range x.items {
		it := &x.items[i]
		if i > 0 && it.top > x.items[i-1].top {
			x.topSure = false
		}
		for _, p := range x.possible[it.from:it.to] {
			x.startSure = x.startSure && p.priority() <= it.top
		}
	}
	x.startSure = x.startSure && x.topSure
	x.compared = len(x.ranks)
	if start := slices.Index(x.ranks, ByStart); start >= 0 {
		x.compared = start
	}
	if top := slices.Index(x.ranks, ByTopPriority); top >= 0 && !x.topSure {
		x.compared = min(x.compared, top)
	}
	x.open = x.compared < len(x.ranks) && !x.startSure
	x.goesOn = !x.topSure && slices.Contains(x.ranks, ByTopPriority) ||
		!x.startSure && slices.Contains(x.ranks, ByStart) ||
		!x.budgetsSure && (x.strict || slices.Contains(x.ranks, ByViolations))
}

// force takes the items away that every set has to have, where the filters can only gain:
// those beside which the preemptor does not fit even if all others leave. All are away
// now. Where the filters pass without these alone, they need not be asked about any set.
func (x *setSearch) force() {
	w := x.host
	for i := range x.items {
		pods := x.podsOf(int32(i))
		w.changeAll(pods, 1)
		if w.check().code != Success {
			x.forced = append(x.forced, int32(i))
			w.changeAll(pods, -1)
			continue
		}
		w.changeAll(pods, -1)
	}
	next := 0
	for i := range x.items {
		if next < len(x.forced) && x.forced[next] == int32(i) {
			next++
			continue
		}
		w.changeAll(x.podsOf(int32(i)), 1)
	}
	x.checks = x.coarse || !w.filtersPass()
}

// unforce puts the forced items back.
func (x *setSearch) unforce() {
	for _, i := range x.forced {
		x.host.changeAll(x.podsOf(i), 1)
	}
}

func (x *setSearch) podsOf(item int32) []*podState {
	it := &x.items[item]
	return x.possible[it.from:it.to]
}
