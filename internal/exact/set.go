package exact

import (
	"cmp"
	"slices"
)

// with returns the figures with an item more. It takes from the budgets, which putBack undoes.
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

// putBack gives the budgets back what an item took.
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

// hopeless reports that no set with these figures or higher ones can be taken in place of
// the best one. With ties, sets that tie are looked for as well.
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

// offer takes the set at hand as the best one if it is better. It is not allowed if a strict
// question refuses it.
func (s *Search) offer() (taken, allowed bool) {
	sc := s.host.Score(s.chosen)
	if s.q.Strict && sc.Violations > 0 {
		return false, false
	}
	c := s.compareMet(&sc)
	if s.found && (c > 0 || c == 0 && !s.tiers.seeded) {
		return false, true
	}
	s.found, s.score, s.tiers.seeded = true, sc, false
	s.tiers.best, s.tiers.met = s.tiers.met, s.tiers.best
	copy(s.best, s.chosen)
	return true, true
}

// heldBy adds up what a set holds. Amounts are bounded by the shortage, so that the sum
// of any number of items that there can be is an int64.
func (s *Search) heldBy(set []bool) (held Row) {
	for i := range s.q.Items {
		if set[i] {
			s.addHeld(&held, &s.q.Items[i])
		}
	}
	return held
}

func (s *Search) addHeld(held *Row, it *Item) {
	for k := range s.q.Dims {
		held[k] = add(held[k], it.Holds[k])
	}
}

func (s *Search) holds(held *Row, left *rest) bool {
	for k := range s.q.Dims {
		if held[k] < left.amounts[k] {
			return false
		}
	}
	return true
}

// spareItem takes an item out of the set at hand, if that holds enough without it.
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

// compareMet orders a set, which offer is about, and the best one.
func (s *Search) compareMet(sc *Score) int {
	t := &s.tiers
	if !t.on {
		return compareScores(sc, &s.score, s.q.Measures)
	}
	clear(t.met)
	for i, in := range s.chosen {
		if in {
			t.met[t.of[i]] += s.q.Items[i].parts()
		}
	}
	if !s.found {
		return -1
	}
	return cmp.Or(slices.Compare(t.met, t.best), compareFigures(&sc.Figures, &s.score.Figures, s.q.Measures))
}
