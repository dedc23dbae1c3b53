package exact

import (
	"cmp"
	"math"
	"slices"
)

// findRoot bounds the figures of every set of the items on the list, with the forced ones.
// It reports whether there can be any set at all.
func (s *Search) findRoot(base *Figures, left *rest) bool {
	r := &s.round
	r.root, r.topFree = *base, math.MinInt32
	if left.met() || s.tiers.on {
		return true
	}
	m, ok := s.fewest(0, 1, left)
	if !ok {
		return false
	}
	r.root = s.lower(0, m, base)
	r.root.Violations = max(r.root.Violations, base.Violations+s.fewestAlways(left))
	byTop := slices.Clone(r.list)
	slices.SortFunc(byTop, func(i, j int32) int { return cmp.Compare(s.q.Items[i].Top, s.q.Items[j].Top) })
	r.root.Top = max(r.root.Top, s.topThatHolds(byTop, left, false))
	r.topFree = r.root.Top
	v, t := slices.Index(s.q.Measures, ByViolations), slices.Index(s.q.Measures, ByTop)
	if v >= 0 && v < t && r.root.Violations == base.Violations {
		r.topFree = s.topThatHolds(byTop, left, true)
	}
	if s.sparesForTop(base) {
		r.topFree = max(r.topFree, r.root.Top, s.settledTop)
	}
	return true
}

// topThatHolds returns the lowest top up to which items hold the rest: all of them,
// or those that need not violate a budget, where of the parts of a budget no more count
// than it allows. The items are sorted by top.
func (s *Search) topThatHolds(byTop []int32, left *rest, free bool) int32 {
	var held Row
	for at, i := range byTop {
		it := &s.q.Items[i]
		if !free || it.always == 0 {
			s.addHeld(&held, it)
		}
		last := at == len(byTop)-1 || s.q.Items[byTop[at+1]].Top != it.Top
		if last && s.holds(&held, left) && (!free || s.holdsFreely(byTop[:at+1], left)) {
			return it.Top
		}
	}
	return math.MaxInt32
}

// holdsFreely reports whether items can hold the rest, resource by resource, with no more
// parts of each budget than it still allows. The forced items may have taken more than a
// budget had, which then allows none.
func (s *Search) holdsFreely(items []int32, left *rest) bool {
	var held Row
	byBudget := make([][]int32, 0, 8)
	for _, i := range items {
		it := &s.q.Items[i]
		b := int32(-1)
		if it.parts() == 1 {
			b = s.q.Charges[it.From]
		}
		switch at := slices.IndexFunc(byBudget, func(of []int32) bool { return s.q.Charges[s.q.Items[of[0]].From] == b }); {
		case it.always > 0:
		case b < 0:
			s.addHeld(&held, it)
		case at < 0:
			byBudget = append(byBudget, []int32{i})
		default:
			byBudget[at] = append(byBudget[at], i)
		}
	}
	for _, of := range byBudget {
		allowed := int(max(0, min(s.q.Left[s.q.Charges[s.q.Items[of[0]].From]], int64(len(of)))))
		for k := range s.q.Dims {
			slices.SortFunc(of, func(i, j int32) int { return cmp.Compare(s.q.Items[j].Holds[k], s.q.Items[i].Holds[k]) })
			for _, i := range of[:allowed] {
				held[k] = add(held[k], s.q.Items[i].Holds[k])
			}
		}
	}
	return s.holds(&held, left)
}

// fewestAlways returns how many items that violate a budget in any case are needed
// beside all others.
func (s *Search) fewestAlways(left *rest) int64 {
	most := int64(0)
	var always []int64
	for k := range s.q.Dims {
		lack := left.amounts[k]
		always = always[:0]
		for _, i := range s.round.list {
			if it := &s.q.Items[i]; it.always > 0 {
				always = append(always, it.Holds[k])
			} else {
				lack -= it.Holds[k]
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

// sparesForTop reports whether the first two measures are the violations, of which none is
// needed, and the top, and whether both can be told from budgets and amounts.
func (s *Search) sparesForTop(base *Figures) bool {
	return !s.q.Asked && s.known.top && !s.q.Overlaps && s.known.compared > 1 &&
		s.q.Measures[0] == ByViolations && s.q.Measures[1] == ByTop &&
		base.Violations == 0 && s.round.root.Violations == 0
}

// force takes the items away that every set has to have, where sets that make room make room
// with any more items gone: those beside which there is none even if all others leave. All are
// away now. Where everything but the columns agrees without these alone, the host need not be
// asked about any set.
func (s *Search) force() {
	for i := range s.q.Items {
		s.host.Return(int32(i))
		if !s.host.Fits() {
			s.forced = append(s.forced, int32(i))
		}
		s.host.Leave(int32(i))
	}
	s.eachFree(s.host.Return)
	s.q.Asked = s.q.Coarse || !s.host.Allows()
}
