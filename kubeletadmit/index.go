package kubeletadmit

import (
	"cmp"
	"slices"
)

// index finds the nearest of many candidates without looking at all of them. It
// is a tree over groups of candidates that free about the same. A search skips
// every part of the tree that cannot hold the nearest candidate. It usually
// reaches a few groups, at worst all of them. A removal takes logarithmic time.
//
// Candidates are identified by slots, which do not change while the list
// changes.
type index struct {
	figures *figures
	// pods has the movable pod of each slot.
	pods []int
	// list has the slots in the present order of the tier's list. positions has
	// the position of each slot in it, -1 for a removed slot.
	list, positions []int
	// leaves is the number of groups. Each is groupSize consecutive slots; the
	// last may have fewer. Node 1 is the root, the children of node i are 2i
	// and 2i+1, and the nodes from number leaves on are the groups.
	leaves int
	// most has, for each node and need, the most that any one candidate below the
	// node frees. winners has, for each node, the slot below it that wins a tie in
	// distance between all of them, -1 if none is left.
	most    []int64
	winners []int

	// left is what still has to be freed in the present search. best is the slot of
	// the nearest candidate found so far, -1 for none, and least its distance.
	left  []int64
	best  int
	least float64
	// order is scratch memory of sort: the places of the candidates in the
	// tier's list, in the order in which they get their slots.
	order []keyed
}

// groupSize is the number of candidates in a group. More of them make the tree smaller, but
// each group slower to search.
const groupSize = 8

// keyed is a place in the tier's list with its sort key.
type keyed struct {
	key   uint64
	place int
}

// build makes an index of the candidates. Time is n log n.
func (x *index) build(c *candidates, f *figures, left []int64) {
	x.figures = f
	x.sort(c, left)

	n := len(c.pods)
	x.pods, x.positions = x.pods[:0], x.positions[:0]
	x.list = slices.Grow(x.list[:0], n)[:n]
	for slot, o := range x.order {
		x.pods, x.positions = append(x.pods, c.pods[o.place]), append(x.positions, o.place)
		x.list[o.place] = slot
	}

	// Children have larger numbers than their parent, so going down from the largest
	// number computes them first.
	x.leaves = (n + groupSize - 1) / groupSize
	x.winners = slices.Grow(x.winners[:0], 2*x.leaves)[:2*x.leaves]
	x.most = zeros(x.most, 2*x.leaves*len(left))
	for node := 2*x.leaves - 1; node > 0; node-- {
		x.sum(node, len(left))
	}
}

// sort puts candidates that free about the same next to each other: it sorts
// them along a Z-order curve over what they free of the needs that are left.
// The answers do not depend on this order.
func (x *index) sort(c *candidates, left []int64) {
	// A key has 10 bits of each of at most 6 needs: 60 bits of 64.
	const bits, mostNeeds = 10, 6
	x.order = x.order[:0]
	for place := range c.pods {
		x.order = append(x.order, keyed{place: place})
	}

	used := 0
	for i, column := range c.columns {
		if left[i] == 0 || used == mostNeeds {
			continue
		}
		used++

		// The pod that frees the most of the need gets the highest number.
		scale := (1<<bits - 1) / max(slices.Max(column), 1)
		for place, frees := range column {
			x.order[place].key |= interleave(uint64(frees*scale), bits) << (used - 1)
		}
	}

	slices.SortFunc(x.order, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
}

// interleave puts the lowest bits of v six places apart, which leaves room for the bits of five
// other needs between them.
func interleave(v uint64, bits int) (apart uint64) {
	for i := range bits {
		apart |= v >> i & 1 << (6 * i)
	}
	return apart
}

// sum computes most and the winner of a node: of a group from its candidates, of any other node
// from its children.
func (x *index) sum(node, needs int) {
	most := x.most[node*needs : (node+1)*needs]
	clear(most)
	x.winners[node] = -1

	if node >= x.leaves {
		for slot, end := x.group(node); slot < end; slot++ {
			if x.positions[slot] < 0 {
				continue
			}
			for i := range most {
				most[i] = max(most[i], x.figures.frees(x.pods[slot], i))
			}
			x.winners[node] = x.winner(x.winners[node], slot)
		}
		return
	}

	for child := 2 * node; child < 2*node+2; child++ {
		for i := range most {
			most[i] = max(most[i], x.most[child*needs+i])
		}
		x.winners[node] = x.winner(x.winners[node], x.winners[child])
	}
}

// group returns the first slot of a group and the slot after its last.
func (x *index) group(node int) (slot, end int) {
	slot = (node - x.leaves) * groupSize
	return slot, min(slot+groupSize, len(x.pods))
}

// winner returns the slot that wins if two are equally far: the one with the
// smaller request, then the later one in the list (rules 17.6.4 and 17.6.5). -1
// loses to any slot.
func (x *index) winner(a, b int) int {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	order := x.figures.compareRequests(x.pods[a], x.pods[b])
	if order < 0 || order == 0 && x.positions[a] > x.positions[b] {
		return a
	}
	return b
}

// nearest finds the candidate with the least distance, ties broken as in step
// 5 of Resolve. There is at least one.
func (x *index) nearest(left []int64) (slot int, distance float64) {
	x.left, x.best = left, -1
	x.search(1)
	return x.best, x.least
}

// bound returns the distance of a pod that would free, of each need, as much as
// the candidate below the node that frees the most of it. No candidate below the
// node is nearer: a distance does not grow when more is freed (see square), and
// all sums are taken in the same order.
func (x *index) bound(node int) float64 {
	var sum float64
	for i, n := range x.left {
		sum += square(n, x.most[node*len(x.left)+i])
	}
	return sum
}

// promising reports whether a node may hold a better candidate than the best.
// It cannot if its bound is above the least distance, or if the two are equal and
// even its winner would lose the tie.
func (x *index) promising(node int, bound float64) bool {
	winner := x.winners[node]
	switch {
	case winner < 0:
		return false
	case x.best < 0 || bound < x.least:
		return true
	}
	return bound == x.least && x.winner(x.best, winner) == winner
}

// search looks for better candidates below a promising node. It goes first where the
// bound is lower, so that the other child is less likely to be promising afterwards.
func (x *index) search(node int) {
	if node >= x.leaves {
		x.compareGroup(node)
		return
	}

	near, far := 2*node, 2*node+1
	low, high := x.bound(near), x.bound(far)
	if high < low || high == low && x.winner(x.winners[near], x.winners[far]) == x.winners[far] {
		near, far = far, near
		low, high = high, low
	}

	if x.promising(near, low) {
		x.search(near)
	}
	if x.promising(far, high) {
		x.search(far)
	}
}

// compareGroup compares the candidates of a group with the best.
func (x *index) compareGroup(node int) {
	for slot, end := x.group(node); slot < end; slot++ {
		if x.positions[slot] < 0 {
			continue
		}
		d := x.figures.distance(x.left, x.pods[slot])
		if x.best < 0 || d < x.least || d == x.least && x.winner(x.best, slot) == slot {
			x.best, x.least = slot, d
		}
	}
}

// remove removes a candidate, and replaces it in the list by the last (rule 17.6.6).
func (x *index) remove(slot, needs int) {
	end := len(x.list) - 1
	last := x.list[end]
	x.list[x.positions[slot]], x.positions[last] = last, x.positions[slot]

	// This comes last, because slot may itself be the last of the list.
	x.positions[slot], x.list = -1, x.list[:end]

	// The last one has a new position, which may change the ties that it wins.
	x.refresh(slot, needs)
	x.refresh(last, needs)
}

// refresh computes the group of a slot anew, and all nodes above it.
func (x *index) refresh(slot, needs int) {
	for node := x.leaves + slot/groupSize; node > 0; node /= 2 {
		x.sum(node, needs)
	}
}
