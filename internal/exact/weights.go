package exact

import (
	"cmp"
	"slices"
)

// Shares add up what an item holds of several resources. Whatever the weights of these,
// a set that holds enough of each holds enough of the weighted sum. Where one resource
// is scarcer among the items than another, a larger weight for it shows that more items
// are needed.

// oneWeight is the weight that all begin with, and mostTurns how often they are changed.
const (
	oneWeight = 1024
	mostTurns = 48
)

// weigh is the sum of shares.
func (s *Search) weigh(shares *Row) (sum int64) {
	for k := range s.q.Dims {
		sum += shares[k] * s.weights[k]
	}
	return sum
}

// findWeights looks for weights by which many items are needed: it takes those with the
// largest shares until these add up, and gives more weight to what they hold too little
// of.
func (s *Search) findWeights(left *rest) {
	if s.tiers.on {
		s.findTierWeights(left)
		return
	}
	best, most := Row{}, -1.0
	for k := range s.q.Dims {
		s.weights[k] = oneWeight
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
	s.weights, s.weighed = best, true
	s.share()
}

// findTierWeights does so for the first tier of which the best set may have too many, and for
// what its items have to hold beyond all of the tiers behind.
func (s *Search) findTierWeights(left *rest) {
	s.weighed = true
	tier := s.firstOpenTier(left)
	if tier < 0 {
		return
	}
	list := s.round.list
	defer func() { s.round.list = list }()
	t := &s.tiers.list[tier]
	need := rest{}
	for k := range s.q.Dims {
		need.shares[k] = max(0, left.shares[k]-t.shares[k])
	}
	best, most := s.weights, -1.0
	for k := range s.q.Dims {
		s.weights[k] = oneWeight
		if need.shares[k] == 0 {
			s.weights[k] = 0
		}
	}
	s.round.list = slices.Clone(list[t.from:t.to])
	for range mostTurns {
		s.share()
		needed, held := s.neededByShares(&need)
		if needed > most {
			best, most = s.weights, needed
		}
		if !s.shiftWeights(&need, &held) {
			break
		}
	}
	s.weights = best
	s.share()
}

// shiftWeights gives more weight to what is held too little of, and less to the others. It
// reports whether there is any.
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

// share computes the weighted shares of all items.
func (s *Search) share() {
	for i := range s.q.Items {
		it := &s.q.Items[i]
		it.share = s.weigh(&it.shares)
	}
}

// neededByShares returns how many items of the list hold the rest by their shares, with a
// part of the last one, and what these hold of each resource.
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
