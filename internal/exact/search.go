package exact

import (
	"cmp"
	"slices"
)

// listUseful lists the items that can be in a set that is better than the best one.
func (s *Search) listUseful() {
	r := &s.round
	r.list = r.list[:0]
	for i := range s.q.Items {
		f := s.alone(&s.q.Items[i])
		if !s.hopeless(&f, r.ties) && !s.aboveTiers(int32(i)) && !slices.Contains(s.forced, int32(i)) {
			r.list = append(r.list, int32(i))
		}
	}
}

// lightSteps is the number of steps that a round takes with equal weights before it looks for better ones.
// enoughSteps is the number of steps that it takes before it looks for dominated items.
var lightSteps, enoughSteps = 256, 32

// stepsPerAsk is the number of steps between two calls of Question.Ended.
const stepsPerAsk = 256

// SearchHeavily makes searches look for weights and for dominated items almost at once, until the function that
// it returns is called. It is for tests alone.
func SearchHeavily() (stop func()) {
	light, enough := lightSteps, enoughSteps
	lightSteps, enoughSteps = 2, 0
	return func() { lightSteps, enoughSteps = light, enough }
}

// sortList puts the items first that hold the largest shares of the shortages, and of equal ones those that add
// least to the first sum and are least important. In a search by tiers the items stay in their order.
func (s *Search) sortList() {
	if s.tiers.on {
		slices.Sort(s.round.list)
		return
	}
	slices.SortFunc(s.round.list, func(i, j int32) int {
		a, b := &s.q.Items[i], &s.q.Items[j]
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.Sums[0], b.Sums[0]), cmp.Compare(j, i))
	})
}

// extend looks at every set that has the chosen items, whose figures are f, and one or more of the items from a
// place on. least is a number of these items that are needed in any case.
func (s *Search) extend(from, least int, f *Figures, left *rest) {
	r := &s.round
	for p := from; p < len(r.list); p++ {
		if s.steps++; s.steps > s.limit || s.steps%stepsPerAsk == 0 && s.q.Ended != nil && s.q.Ended() {
			s.steps = min(s.steps, s.limit)
			s.ended = true
			s.leaveOpen(p, f, left)
			return
		}

		// A round that takes long with equal weights is ended, to look for better ones first.
		if !s.weighed && s.q.Dims > 1 && s.steps-r.from > lightSteps {
			r.heavy, r.done = true, true
			return
		}

		// Bounds only grow along the list: if the items from here on cannot give a better set, neither can
		// those from a later place on.
		m, ok := s.reach(p, least, f, left)
		if !ok {
			return
		}
		least = m

		if !s.covered(p) && !(s.tiers.on && s.idle(p, left)) {
			s.take(p, m, f, left)
		}
		// If the next item is like this one, a set with the next and without this one would be an equal set.
		for s.tiers.on && p+1 < len(r.list) && s.tiers.alike[p+1] {
			p++
		}

		if s.ended || r.done {
			if s.ended {
				s.leaveOpen(p+1, f, left)
			}
			return
		}
	}
}

// reach returns the least number of items from a place on that a set needs, at least least. ok is false if no
// set of them and the chosen items can replace the best one.
func (s *Search) reach(p, least int, f *Figures, left *rest) (m int, ok bool) {
	if s.tiers.on {
		return 1, s.mayImprove(p, f, left)
	}
	if m, ok = s.fewest(p, least, left); !ok {
		return 0, false
	}
	low := s.lower(p, m, f)
	return m, !s.hopeless(&low, s.round.ties)
}

// take looks at the sets that have the item at a place as well, and items after it. A set that makes room is
// not extended, because more items make it no better, unless a set may be better than one that it contains.
func (s *Search) take(p, m int, f *Figures, left *rest) {
	r, i := &s.round, s.round.list[p]
	it := &s.q.Items[i]
	g, lacks := s.with(f, it), s.without(left, it)
	if low := s.atLeastRoot(g); !s.hopeless(&low, r.ties) {
		s.choose(p, i, true)
		if !lacks.met() {
			s.extend(p+1, max(1, m-1), &g, &lacks)
		} else if s.tiers.on && !s.worthMeeting(&g) {
			// Neither this set nor a larger one is better.
		} else if !s.consider() || s.known.goesOn {
			if !r.done {
				s.extend(p+1, 1, &g, &lacks)
			}
		}
		s.choose(p, i, false)
	}
	s.putBack(it)
}

// choose adds an item to the set at hand, or takes it out, and tells the host if it is asked about every set.
func (s *Search) choose(p int, i int32, in bool) {
	s.chosen[i] = in
	if p/64 < mostWords {
		s.round.taken[p/64] ^= 1 << (p % 64)
	}
	if parts := s.q.Items[i].parts(); in {
		s.tiers.count(i, parts)
	} else {
		s.tiers.count(i, -parts)
	}

	switch {
	case !s.q.Asked:
	case in:
		s.host.Leave(i)
	default:
		s.host.Return(i)
	}
}

// consider offers the set at hand, which holds enough, as the best one. It reports whether the set makes room
// and is allowed.
func (s *Search) consider() (fits bool) {
	if s.q.Asked && !s.host.Fits() {
		return false
	}
	had := s.found
	taken, allowed := s.offer()
	if taken {
		r := &s.round
		if !had { // with a first set as a bound, the list gets shorter
			r.anew, r.done = true, true
		}
		if r.ties && !s.known.open { // the round only looked for one set that ties and starts later
			r.done = true
		}
	}
	return allowed
}

// findOver finds for each item the items before it in the list that dominate it: they hold at least as much of
// every column, and count no more in any measure. There is a best set that has an item only together with all
// items that dominate it (ENGINE.md).
func (s *Search) findOver() {
	r := &s.round
	r.over = slices.Grow(r.over[:0], len(r.list))[:len(r.list)]
	for p, j := range r.list {
		over, b := &r.over[p], &s.q.Items[j]
		*over = [mostWords]uint64{}
		for q, i := range r.list[:p] {
			if s.noWorse(&s.q.Items[i], b) {
				over[q/64] |= 1 << (q % 64)
			}
		}
	}
	r.dominated = true
}

// mayDominate reports whether dominance among the items on the list can be used. It cannot if answers of the
// host, or measures without a bound, may tell items apart, or if the list is too long.
func (s *Search) mayDominate() bool {
	return !s.q.Asked && !s.known.goesOn && !s.known.open && !s.q.Overlaps && len(s.round.list) <= 64*mostWords
}

// noWorse reports whether a dominates b: taking a in place of b makes no set worse.
func (s *Search) noWorse(a, b *Item) bool {
	if a.Top > b.Top || a.Sums[0] > b.Sums[0] || a.Sums[1] > b.Sums[1] || a.parts() > b.parts() || a.always > b.always {
		return false
	}
	for k := range s.q.Dims {
		if a.Holds[k] < b.Holds[k] {
			return false
		}
	}

	// The exchange must not take from a budget that b does not take from.
	if a.parts() > 1 || b.parts() > 1 {
		return false
	}
	ab := s.q.Charges[a.From]
	return ab < 0 || ab == s.q.Charges[b.From]
}

// covered reports whether an item need not be taken, because an item that dominates it is not in the set.
func (s *Search) covered(p int) bool {
	r := &s.round
	if !r.dominated {
		if s.steps-r.from < enoughSteps || !s.mayDominate() {
			return false
		}
		s.findOver()
	}
	for k := range mostWords {
		if r.over[p][k]&^r.taken[k] != 0 {
			return true
		}
	}
	return false
}
