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
	// and 2i+1, and those from leaves on are the groups.
	leaves int
	// most has, for each node and need, the most that one of its candidates
	// frees. first has the slot that wins if all are equally far, -1 if none is
	// left.
	most  []int64
	first []int

	// left is what the present search needs. best and least are the slot, -1
	// for none, and the distance of the nearest candidate found so far.
	left  []int64
	best  int
	least float64
	// order is for sorting.
	order []keyed
}

// groupSize balances the time for candidates and for nodes of the tree.
const groupSize = 8

// keyed is an index into a list with its sort key.
type keyed struct {
	key   uint64
	place int
}

// build makes an index of the candidates. Time is n log n.
func (x *index) build(c *candidates, f *figures, left []int64) {
	x.figures = f
	x.sort(c, left)
	n := len(c.pods)
	x.pods, x.positions, x.list = x.pods[:0], x.positions[:0], slices.Grow(x.list[:0], n)[:n]
	for slot, o := range x.order {
		x.pods, x.positions = append(x.pods, c.pods[o.place]), append(x.positions, o.place)
		x.list[o.place] = slot
	}
	x.leaves = (n + groupSize - 1) / groupSize
	x.first = slices.Grow(x.first[:0], 2*x.leaves)[:2*x.leaves]
	x.most = zeros(x.most, 2*x.leaves*len(left))
	for node := 2*x.leaves - 1; node > 0; node-- {
		x.sum(node, len(left))
	}
}

// sort puts candidates that free about the same next to each other: it sorts
// them along a Z-order curve over what they free of the needs that are left.
// The answers do not depend on this order.
func (x *index) sort(c *candidates, left []int64) {
	const bits, most = 10, 6 // that many bits for each of so many needs
	x.order = x.order[:0]
	for place := range c.pods {
		x.order = append(x.order, keyed{place: place})
	}
	used := 0
	for i, column := range c.columns {
		if left[i] == 0 || used == most {
			continue
		}
		used++
		scale := (1<<bits - 1) / max(slices.Max(column), 1)
		for place, frees := range column {
			x.order[place].key |= interleave(uint64(frees*scale), bits) << (used - 1)
		}
	}
	slices.SortFunc(x.order, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
}

// interleave puts the lowest bits of v six bits apart.
func interleave(v uint64, bits int) (apart uint64) {
	for i := range bits {
		apart |= v >> i & 1 << (6 * i)
	}
	return apart
}

// sum computes most and first of a node from its children.
func (x *index) sum(node, needs int) {
	most := x.most[node*needs : (node+1)*needs]
	clear(most)
	x.first[node] = -1
	if node >= x.leaves {
		for slot, end := x.group(node); slot < end; slot++ {
			if x.positions[slot] < 0 {
				continue
			}
			for i := range most {
				most[i] = max(most[i], x.figures.frees(x.pods[slot], i))
			}
			x.first[node] = x.earlier(x.first[node], slot)
		}
		return
	}
	for child := 2 * node; child < 2*node+2; child++ {
		for i := range most {
			most[i] = max(most[i], x.most[child*needs+i])
		}
		x.first[node] = x.earlier(x.first[node], x.first[child])
	}
}

// group returns the first slot of a group and the slot after its last.
func (x *index) group(node int) (slot, end int) {
	slot = (node - x.leaves) * groupSize
	return slot, min(slot+groupSize, len(x.pods))
}

// earlier returns the slot that wins if two are equally far: that with the
// smaller request, then the later in the list. -1 loses to any slot.
func (x *index) earlier(a, b int) int {
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

// bound returns the distance of a pod that frees, of each need, as much as any
// candidate below the node. No candidate below it is nearer: a distance does
// not grow when more is freed (see square), and all sums are taken in the same
// order.
func (x *index) bound(node int) float64 {
	var sum float64
	for i, n := range x.left {
		sum += square(n, x.most[node*len(x.left)+i])
	}
	return sum
}

// promising reports whether a node may hold a better candidate than the best.
// It does not if its bound is above the least distance, or equal to it and even
// its first candidate would lose the tie.
func (x *index) promising(node int, bound float64) bool {
	first := x.first[node]
	switch {
	case first < 0:
		return false
	case x.best < 0 || bound < x.least:
		return true
	}
	return bound == x.least && x.earlier(x.best, first) == first
}

// search looks for better candidates below a promising node, first where the
// bound is lower.
func (x *index) search(node int) {
	if node >= x.leaves {
		x.compareGroup(node)
		return
	}
	near, far := 2*node, 2*node+1
	low, high := x.bound(near), x.bound(far)
	if high < low || high == low && x.earlier(x.first[near], x.first[far]) == x.first[far] {
		near, far, low, high = far, near, high, low
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
		if x.best < 0 || d < x.least || d == x.least && x.earlier(x.best, slot) == slot {
			x.best, x.least = slot, d
		}
	}
}

// remove removes a candidate, and replaces it in the list by the last.
func (x *index) remove(slot, needs int) {
	end := len(x.list) - 1
	last := x.list[end]
	x.list[x.positions[slot]], x.positions[last] = last, x.positions[slot]
	x.positions[slot], x.list = -1, x.list[:end]
	x.refresh(slot, needs)
	x.refresh(last, needs)
}

// refresh computes everything that depends on a slot again.
func (x *index) refresh(slot, needs int) {
	for node := x.leaves + slot/groupSize; node > 0; node /= 2 {
		x.sum(node, needs)
	}
}
