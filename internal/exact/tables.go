package exact

import (
	"slices"
)

// fill computes the table from the values. With caps, only as many items of a budget count as it allows, those
// with the largest values. It goes from the last place to the first, and keeps the values of the later places
// sorted.
func (t *sumTable) fill(values *tableValues, depth int, largest bool) {
	t.depth = depth
	t.same = len(values.byPlace) > 0 && slices.Max(values.byPlace) == slices.Min(values.byPlace)
	if t.same {
		t.each = values.byPlace[0]
		return
	}

	t.rows = slices.Grow(t.rows[:0], len(values.byPlace)*depth)[:len(values.byPlace)*depth]
	values.sorted = values.sorted[:0]
	for p := len(values.byPlace) - 1; p >= 0; p-- {
		// Sums within tiers begin anew where a tier ends.
		if len(values.tiers) > p+1 && values.tiers[p] != values.tiers[p+1] {
			values.sorted = values.sorted[:0]
		}
		values.insert(p, depth, largest)

		// If there are fewer values than the row has sums, the sum of all of them stands for the further ones.
		sum, row := int64(0), t.rows[p*depth:(p+1)*depth]
		for m := range row {
			if m < len(values.sorted) {
				sum = add(sum, values.sorted[m].value)
			}
			row[m] = sum
		}
	}
}

// insert puts the value of a place among the sorted values of later places. No more than depth values are kept.
func (t *tableValues) insert(p, depth int, largest bool) {
	v := tableValue{t.byPlace[p], -1}
	if largest && len(t.budgets) > 0 {
		v.budget = t.budgets[p]
	}
	at := len(t.sorted)
	for at > 0 && (largest && t.sorted[at-1].value < v.value || !largest && t.sorted[at-1].value > v.value) {
		at--
	}

	if v.budget >= 0 && !t.makeWay(v.budget, at) || at >= depth {
		return
	}
	if len(t.sorted) == depth {
		t.sorted = t.sorted[:depth-1]
	}
	t.sorted = slices.Insert(t.sorted, at, v)
}

// makeWay reports whether one more value of a budget counts at a place of the sorted values. It does if the
// budget allows more values than it has there, or if it has a smaller value after the place, which is then
// removed.
func (t *tableValues) makeWay(budget int32, at int) bool {
	count, least := int64(0), -1
	for i, o := range t.sorted {
		if o.budget == budget {
			count, least = count+1, i
		}
	}
	if count < t.allowed[budget] {
		return true
	}
	if least < at {
		return false
	}
	t.sorted = slices.Delete(t.sorted, least, least+1)
	return true
}

// mostEntries bounds the number of sums in a table, mostDepth the number of sums in each of its rows.
const (
	mostEntries = 1 << 15
	mostDepth   = 64
)

// prepare fills the tables for the items on the list. A set that is better than the best one usually has no
// more parts, so deeper sums are seldom needed.
func (s *Search) prepare() {
	r := &s.round
	n := len(r.list)
	depth := mostDepth
	if s.found {
		depth = int(s.score.Parts) + 1
	}
	r.depth = max(1, min(depth, n, mostDepth, mostEntries/max(n, 1)))

	v := &r.values
	v.byPlace = slices.Grow(v.byPlace[:0], n)[:n]
	fill := func(t *sumTable, largest bool, valueOf func(it *Item) int64) {
		for p, i := range r.list {
			v.byPlace[p] = valueOf(&s.q.Items[i])
		}
		t.fill(v, r.depth, largest)
	}

	// Amounts are bounded from above, and figures from below.
	s.findCaps()
	s.beginTiers()
	for k := range s.q.Dims {
		fill(&r.holds[k], true, func(it *Item) int64 { return it.Holds[k] })
	}
	fill(&r.shares, true, func(it *Item) int64 { return it.share })
	fill(&r.violates, false, func(it *Item) int64 { return it.always })
	fill(&r.parts, false, (*Item).parts)
	for k := range r.sums {
		fill(&r.sums[k], false, func(it *Item) int64 { return it.Sums[k] })
	}
}

// findCaps finds the budget that caps each item on the list. There are caps only if sets with violations do not
// matter: a set then has no more items of a budget than the budget has left.
func (s *Search) findCaps() {
	v := &s.round.values
	v.budgets = v.budgets[:0]
	v.allowed = s.q.Left
	if !s.sparing() {
		return
	}
	for _, i := range s.round.list {
		it, b := &s.q.Items[i], int32(-1)
		if it.parts() == 1 {
			b = s.q.Charges[it.From]
		}
		v.budgets = append(v.budgets, b)
	}
}

// sparing reports whether only sets without violations matter: the question is strict, or the best set has no
// violations and these are compared first.
func (s *Search) sparing() bool {
	return s.q.Strict || s.found && s.score.Violations == 0 && s.known.compared > 0 && s.q.Measures[0] == ByViolations
}

// wholeRest returns the rest of the empty set, which is the whole of every shortage.
func (s *Search) wholeRest() rest {
	r := rest{amounts: s.q.Short}
	for k := range s.q.Dims {
		r.shares[k] = wholeShare
	}
	r.share = s.weigh(&r.shares)
	return r
}

// without returns the rest after an item has left. No amount falls below 0.
func (s *Search) without(r *rest, it *Item) rest {
	out := *r
	for k := range s.q.Dims {
		out.amounts[k] = max(0, r.amounts[k]-it.Holds[k])
		out.shares[k] = max(0, r.shares[k]-it.shares[k])
		out.share -= (r.shares[k] - out.shares[k]) * s.weights[k]
	}
	return out
}

// met reports whether nothing is left to hold.
func (r *rest) met() bool { return r.amounts == Row{} }

// fewest returns the least number of items from a place on that can hold the rest, at least least. ok is false
// if all of them cannot.
func (s *Search) fewest(p, least int, rest *rest) (m int, ok bool) {
	r := &s.round
	n := len(r.list) - p
	for m = least; m <= n; m++ {
		if s.mayHold(p, m, rest) {
			return m, true
		}
		// Beyond the depth of the tables sums are rough, so it is checked first that all items together may
		// hold it.
		if m >= r.depth && !s.mayHold(p, n, rest) {
			return 0, false
		}
	}
	return 0, false
}

// mayHold reports whether some m items from a place on may hold the rest. It looks at each column by itself,
// and at the weighted shares.
func (s *Search) mayHold(p, m int, rest *rest) bool {
	r := &s.round
	for k := range s.q.Dims {
		if rest.amounts[k] > 0 && r.holds[k].sum(p, m) < rest.amounts[k] {
			return false
		}
	}
	return s.q.Dims < 2 || r.shares.sum(p, m) >= rest.share
}

// lower bounds from below the figures of every set that has the items with the figures f, and m or more items
// from a place on.
func (s *Search) lower(p, m int, f *Figures) Figures {
	r := &s.round
	return s.atLeastRoot(Figures{
		Violations: f.Violations + r.violates.sum(p, m),
		Parts:      f.Parts + r.parts.sum(p, m),
		Sums:       [2]int64{add(f.Sums[0], r.sums[0].sum(p, m)), add(f.Sums[1], r.sums[1].sum(p, m))},
		Top:        f.Top,
	})
}

// atLeastRoot raises a bound on figures to the bounds that hold for all sets of the round.
func (s *Search) atLeastRoot(f Figures) Figures {
	root := s.root()
	f = f.most(root)
	if f.Violations == root.Violations {
		f.Top = max(f.Top, s.round.topFree)
	}
	return f
}
