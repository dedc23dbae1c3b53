package exact

import (
	"cmp"
	"slices"
)

// with returns figures with one more item. The item takes from the budgets; putBack undoes that.
func (s *Search) with(f *Figures, it *Item) Figures {
	g := *f
	g.Top = max(g.Top, it.Top)
	g.Parts += it.parts()
	g.Sums[0] = add(g.Sums[0], it.Sums[0])
	g.Sums[1] = add(g.Sums[1], it.Sums[1])
	g.Violations += it.Fixed
	for at := it.From; at < it.To; at++ {
		if b := s.q.Charges[at]; b >= 0 {
			if s.q.Left[b]--; s.q.Left[b] < 0 {
				g.Violations++
			}
		}
	}
	return g
}

// putBack undoes what with took from the budgets for an item.
func (s *Search) putBack(it *Item) {
	for at := it.From; at < it.To; at++ {
		if b := s.q.Charges[at]; b >= 0 {
			s.q.Left[b]++
		}
	}
}

// alone returns the figures of an item by itself.
func (s *Search) alone(it *Item) Figures {
	f := s.with(&noFigures, it)
	s.putBack(it)
	return f
}

// hopeless reports whether no set with these figures or higher ones can replace the best one. With ties, a set
// that ties can replace it.
func (s *Search) hopeless(f *Figures, ties bool) bool {
	if s.q.Strict && f.Violations > 0 {
		return true
	}
	if !s.found || s.tiers.on {
		return false
	}
	c := compareFigures(f, &s.score.Figures, s.q.Measures[:s.known.compared])
	return c > 0 || c == 0 && !ties
}

// offer makes the set at hand the best one if it is better. allowed is false if the question is strict and the
// set has violations.
func (s *Search) offer() (taken, allowed bool) {
	score := s.host.Score(s.chosen)
	if s.q.Strict && score.Violations > 0 {
		return false, false
	}
	c := s.compareMet(&score)
	if s.found && (c > 0 || c == 0 && !s.tiers.seeded) {
		return false, true
	}

	s.found = true
	s.score = score
	s.tiers.seeded = false
	s.tiers.best, s.tiers.met = s.tiers.met, s.tiers.best
	copy(s.best, s.chosen)
	return true, true
}

// heldBy adds up the amounts that a set holds. An item holds no more than the shortage, so the sums do not
// overflow.
func (s *Search) heldBy(set []bool) (held Row) {
	for i := range s.q.Items {
		if set[i] {
			s.addHeld(&held, &s.q.Items[i])
		}
	}
	return held
}

// addHeld adds the amounts of an item.
func (s *Search) addHeld(held *Row, it *Item) {
	for k := range s.q.Dims {
		held[k] = add(held[k], it.Holds[k])
	}
}

// holds reports whether amounts are enough for the rest.
func (s *Search) holds(held *Row, left *rest) bool {
	for k := range s.q.Dims {
		if held[k] < left.amounts[k] {
			return false
		}
	}
	return true
}

// spareItem takes an item out of the set at hand if the set holds enough without it. Forced items stay. held
// has the amounts of the set.
func (s *Search) spareItem(i int32, held *Row) {
	it := &s.q.Items[i]
	if !s.chosen[i] || slices.Contains(s.forced, i) {
		return
	}
	for k := range s.q.Dims {
		if held[k]-it.Holds[k] < s.q.Short[k] {
			return
		}
	}
	for k := range s.q.Dims {
		held[k] -= it.Holds[k]
	}
	s.chosen[i] = false
}

// compareMet compares the set at hand, whose score is sc, with the best one. In a search by tiers it leaves the
// numbers of the set in tiers.met.
func (s *Search) compareMet(sc *Score) int {
	t := &s.tiers
	if !t.on {
		return compareScores(sc, &s.score, s.q.Measures)
	}
	clear(t.met)
	for i, in := range s.chosen {
		if in {
			t.met[t.tierOf[i]] += s.q.Items[i].parts()
		}
	}
	if !s.found {
		return -1
	}
	return cmp.Or(slices.Compare(t.met, t.best), compareFigures(&sc.Figures, &s.score.Figures, s.q.Measures))
}
