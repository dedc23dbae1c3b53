package preemption

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
	oneWeight = 64
	mostTurns = 12
)

// weigh is the sum of shares.
func (x *setSearch) weigh(shares *row) (sum int64) {
	for k := range x.dims {
		sum += shares[k] * x.weights[k]
	}
	return sum
}

// findWeights looks for weights by which many items are needed: it takes those with the
// largest shares until these add up, and gives more weight to what they hold too little
// of.
func (x *setSearch) findWeights(left *rest) {
	best, most := row{}, -1.0
	for k := range x.dims {
		x.weights[k] = oneWeight
	}
	for range mostTurns {
		x.share()
		needed, held := x.neededByShares(left)
		if needed > most {
			best, most = x.weights, needed
		}
		total := int64(0)
		for k := range x.dims {
			if want := left.shares[k]; want > 0 {
				part := max(0.25, min(1.75, 1+0.5*(float64(want)-float64(held[k]))/float64(want)))
				x.weights[k] = max(1, min(oneWeight*oneWeight, int64(float64(x.weights[k])*part+0.5)))
			}
			total += x.weights[k]
		}
		if total == 0 {
			break
		}
	}
	x.weights, x.weighed = best, true
	x.share()
}

// share computes the weighted shares of all items.
func (x *setSearch) share() {
	for i := range x.items {
		it := &x.items[i]
		it.share = x.weigh(&it.shares)
	}
}

// neededByShares returns how many items of the list hold the rest by their shares, with a
// part of the last one, and what these hold of each resource.
func (x *setSearch) neededByShares(left *rest) (needed float64, held row) {
	slices.SortFunc(x.round.list, func(i, j int32) int { return cmp.Compare(x.items[j].share, x.items[i].share) })
	want := x.weigh(&left.shares)
	for _, i := range x.round.list {
		it := &x.items[i]
		part := 1.0
		if it.share > want && it.share > 0 {
			part = float64(want) / float64(it.share)
		}
		for k := range x.dims {
			held[k] += int64(part * float64(it.shares[k]))
		}
		needed += part
		if want -= it.share; want <= 0 {
			break
		}
	}
	return needed, held
}
