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

// lightSteps is how many steps a round takes with equal weights before it looks for better ones. enoughSteps is how
// many it takes before it compares every two items.
var lightSteps, enoughSteps = 256, 32

// stepsPerAsk is how many steps lie between two questions whether the search has to end.
const stepsPerAsk = 256

// SearchHeavily makes searches look for weights and compare items at once, until the function that it returns is
// called. It is for tests alone.
func SearchHeavily() (stop func()) {
	light, enough := lightSteps, enoughSteps
	lightSteps, enoughSteps = 2, 0
	return func() { lightSteps, enoughSteps = light, enough }
}

// sortList puts those items first that hold most of what is short, and of these the least important ones. By tiers
// the items stay in their order.
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

// extend looks at every set that has the chosen items, whose figures are f, and one or more
// of the items from a place on. At least this many of them are needed.
func (s *Search) extend(from, least int, f *Figures, left *rest) {
	r := &s.round
	for p := from; p < len(r.list); p++ {
		if s.steps++; s.steps > s.limit || s.steps%stepsPerAsk == 0 && s.q.Ended != nil && s.q.Ended() {
			s.steps = min(s.steps, s.limit)
			s.ended = true
			s.leaveOpen(p, f, left)
			return
		}
		if !s.weighed && s.q.Dims > 1 && s.steps-r.from > lightSteps {
			r.heavy, r.done = true, true
			return
		}

		// Bounds only grow along the list: where none of the items from here on helps, nor do fewer of them.
		m, ok := s.reach(p, least, f, left)
		if !ok {
			return
		}
		least = m

		if !s.covered(p) && !(s.tiers.on && s.idle(p, left)) {
			s.take(p, m, f, left)
		}
		// A set that has the next item and not this one is the same again if the two are alike.
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

// reach returns how many of the items from a place on a set needs at least, from least up. It
// is not ok if no set that has them and the chosen ones can take the place of the best one.
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

// take looks at the sets that also have the item at a place, with items behind it. A set that makes room is not
// extended, because more items make it no better, unless a set may be better than one that it contains.
func (s *Search) take(p, m int, f *Figures, left *rest) {
	r, i := &s.round, s.round.list[p]
	it := &s.q.Items[i]
	g, lacks := s.with(f, it), s.without(left, it)
	if low := s.atLeastRoot(g); !s.hopeless(&low, r.ties) {
		s.choose(p, i, true)
		if !lacks.met() {
			s.extend(p+1, max(1, m-1), &g, &lacks)
		} else if s.tiers.on && !s.worthMeeting(&g) {
			// Neither this set nor one with more items is better.
		} else if !s.consider() || s.known.goesOn {
			if !r.done {
				s.extend(p+1, 1, &g, &lacks)
			}
		}
		s.choose(p, i, false)
	}
	s.putBack(it)
}

// choose adds an item to the set at hand, or takes it out, and tells the host where that is asked.
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

// consider looks at the set at hand, which holds enough, and takes it if it is better than the best one. It reports
// whether the set makes room and is allowed.
func (s *Search) consider() (fits bool) {
	if s.q.Asked && !s.host.Fits() {
		return false
	}
	had := s.found
	taken, allowed := s.offer()
	if taken {
		r := &s.round
		if !had { // fewer items are left to look at with a first set
			r.anew, r.done = true, true
		}
		if r.ties && !s.known.open { // the round was for one set that ties and starts later
			r.done = true
		}
	}
	return allowed
}

// findOver finds for each item those before it that are no worse in any way: they hold as
// much of everything, and count no more by any measure. There is a best set that has an item
// only with all of these (ENGINE.md).
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

// mayDominate reports whether dominance among the items on the list means anything. It does not where answers of the
// host, or measures without a bound, tell items apart.
func (s *Search) mayDominate() bool {
	return !s.q.Asked && !s.known.goesOn && !s.known.open && !s.q.Overlaps && len(s.round.list) <= 64*mostWords
}

// noWorse reports whether taking a in place of b makes no set worse.
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

// covered reports whether an item need not be taken, because one that is no worse is not taken.
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
