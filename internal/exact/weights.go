package exact

import (
	"cmp"
	"slices"
)

// The share of an item is the weighted sum of its shares of all columns. Whatever the weights are,
// a set that holds enough of each column holds enough of the weighted sum. If one column
// is scarcer among the items than another, a larger weight for it shows that more items
// are needed.

// oneWeight is the weight that all columns begin with. mostTurns is how often weights are changed at most.
const (
	oneWeight = 1024
	mostTurns = 48
)

// weigh returns the weighted sum of shares.
func (s *Search) weigh(shares *Row) (sum int64) {
	for k := range s.q.Dims {
		sum += shares[k] * s.weights[k]
	}
	return sum
}

// findWeights looks for weights that show that many items are needed. It takes the items with the
// largest shares until these add up to the rest, gives more weight to the columns of which they hold too
// little, and begins again. The best weights of all turns are kept.
func (s *Search) findWeights(left *rest) {
	if s.tiers.on {
		s.findTierWeights(left)
		return
	}
	s.setWeights(left, func(int) int64 { return oneWeight })
	s.weighed = true
}

// setWeights begins with the given weights and shifts them turn by turn. It sets the weights by which the most
// items on the list are needed to hold the rest.
func (s *Search) setWeights(left *rest, first func(column int) int64) {
	best, most := Row{}, -1.0
	for k := range s.q.Dims {
		s.weights[k] = first(k)
	}
	for range mostTurns {
		s.share()
		needed, held := s.neededByShares(left)
		if needed > most {
			best, most = s.weights, needed
		}
		if !s.shiftWeights(left, &held) {
			break
		}
	}
	s.weights = best
	s.share()
}

// findTierWeights looks for weights for the first tier of which the best set may have too many items. The items
// of the tier have to hold what all later tiers cannot. A column of which that is nothing gets the weight 0.
func (s *Search) findTierWeights(left *rest) {
	s.weighed = true
	tier := s.firstOpenTier(left)
	if tier < 0 {
		return
	}

	// neededByShares sorts the list of the round, so it gets a copy of the tier's part.
	list := s.round.list
	defer func() { s.round.list = list }()
	t := &s.tiers.list[tier]
	need := rest{}
	for k := range s.q.Dims {
		need.shares[k] = max(0, left.shares[k]-t.shares[k])
	}
	s.round.list = slices.Clone(list[t.from:t.to])
	s.setWeights(&need, func(column int) int64 {
		if need.shares[column] == 0 {
			return 0
		}
		return oneWeight
	})
}

// shiftWeights gives more weight to the columns of which too little is held, and less to the others. It
// reports whether any column has a weight above 0.
func (s *Search) shiftWeights(left *rest, held *Row) bool {
	total := int64(0)
	for k := range s.q.Dims {
		if want := left.shares[k]; want > 0 {
			part := max(0.25, min(1.75, 1+0.5*(float64(want)-float64(held[k]))/float64(want)))
			s.weights[k] = max(1, min(oneWeight*oneWeight, int64(float64(s.weights[k])*part+0.5)))
		}
		total += s.weights[k]
	}
	return total > 0
}

// share sets the weighted share of every item.
func (s *Search) share() {
	for i := range s.q.Items {
		it := &s.q.Items[i]
		it.share = s.weigh(&it.shares)
	}
}

// neededByShares returns how many items of the list hold the rest by their weighted shares, the largest first
// and the last one in part, and the shares that they hold of each column. It sorts the list.
func (s *Search) neededByShares(left *rest) (needed float64, held Row) {
	slices.SortFunc(s.round.list, func(i, j int32) int { return cmp.Compare(s.q.Items[j].share, s.q.Items[i].share) })
	want := s.weigh(&left.shares)
	for _, i := range s.round.list {
		it := &s.q.Items[i]
		part := 1.0
		if it.share > want && it.share > 0 {
			part = float64(want) / float64(it.share)
		}
		for k := range s.q.Dims {
			held[k] += int64(part * float64(it.shares[k]))
		}
		needed += part
		if want -= it.share; want <= 0 {
			break
		}
	}
	return needed, held
}
