package kubeletadmit

import (
	"cmp"
	"slices"
)

// index finds the nearest of many candidates without looking at all of them:
// a tree over groups of candidates that free about the same. A search leaves out
// every part of the tree that cannot hold the nearest: it usually comes down to
// a few groups, at worst to all. A removal takes time logarithmic in their number.
//
// Candidates are named by slots, which stay theirs while the list changes.
type index struct {
	figures *figures
	// pods has the movable pod of each slot.
	pods []int
	// list has the slots of the tier's list as it stands, and places, by slot,
	// where in it each is; -1 for one that was removed.
	list, places []int
	// leaves is the number of groups; each is groupSize slots in a row, the
	// last maybe fewer. Node 1 is the root, the children of node i are 2i and
	// 2i+1, and those from leaves on are the groups.
	leaves int
	// most has for each node, by needs, the most that one of its candidates
	// frees, and first which of them goes first where all are equally far; -1
	// if none is left.
	most  []int64
	first []int

	// left is what a search is about, and best and least are the slot and the
	// distance of the nearest candidate that it has found, -1 for none.
	left  []int64
	best  int
	least float64
	// order is for sorting.
	order []keyed
}

// groupSize balances looking at candidates and looking at nodes.
const groupSize = 8

// keyed is a place in a list with what it is sorted by.
type keyed struct {
	key   uint64
	place int
}

// build makes an index of the candidates. The time is n log n.
func (x *index) build(c *candidates, f *figures, left []int64) {
	x.figures = f
	x.sort(c, left)
	n := len(c.pods)
	x.pods, x.places, x.list = x.pods[:0], x.places[:0], slices.Grow(x.list[:0], n)[:n]
	for slot, o := range x.order {
		x.pods, x.places = append(x.pods, c.pods[o.place]), append(x.places, o.place)
		x.list[o.place] = slot
	}
	x.leaves = (n + groupSize - 1) / groupSize
	x.first = slices.Grow(x.first[:0], 2*x.leaves)[:2*x.leaves]
	x.most = zeros(x.most, 2*x.leaves*len(left))
	for node := 2*x.leaves - 1; node > 0; node-- {
		x.sum(node, len(left))
	}
}

// sort puts candidates that free about the same next to each other: by their
// place on a Z-order curve over what they free of the needs that are left. Any
// order would do for the answers.
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
			x.order[place].key |= spread(uint64(frees*scale), bits) << (used - 1)
		}
	}
	slices.SortFunc(x.order, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
}

// spread puts the lowest bits of v six places apart.
func spread(v uint64, bits int) (apart uint64) {
	for i := range bits {
		apart |= v >> i & 1 << (6 * i)
	}
	return apart
}

// sum works out most and first of a node, those of its children being right.
func (x *index) sum(node, needs int) {
	most := x.most[node*needs : (node+1)*needs]
	clear(most)
	x.first[node] = -1
	if node >= x.leaves {
		for slot, end := x.group(node); slot < end; slot++ {
			if x.places[slot] < 0 {
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

// group gives the first slot of a group, and the one after its last.
func (x *index) group(node int) (slot, end int) {
	slot = (node - x.leaves) * groupSize
	return slot, min(slot+groupSize, len(x.pods))
}

// earlier gives the one of two slots that goes first where they are equally
// far: the smaller request, then the later in the list; -1 loses to any.
func (x *index) earlier(a, b int) int {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	order := x.figures.compareRequests(x.pods[a], x.pods[b])
	if order < 0 || order == 0 && x.places[a] > x.places[b] {
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

// bound is the distance of a pod that frees as much as any candidate below the
// node, of each need. None of them is nearer: a distance does not grow where
// more is freed (see square), and sums are taken in the same order.
func (x *index) bound(node int) float64 {
	var sum float64
	for i, n := range x.left {
		sum += square(n, x.most[node*len(x.left)+i])
	}
	return sum
}

// promising reports whether a node may hold a candidate that goes before the
// best: it does not if its bound is above the least distance, nor if it is
// equal and not even its first would win the tie.
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

// search looks for better ones below a promising node, first where the bound
// is lower.
func (x *index) search(node int) {
	if node >= x.leaves {
		x.look(node)
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

// look compares the candidates of a group with the best.
func (x *index) look(node int) {
	for slot, end := x.group(node); slot < end; slot++ {
		if x.places[slot] < 0 {
			continue
		}
		d := x.figures.distance(x.left, x.pods[slot])
		if x.best < 0 || d < x.least || d == x.least && x.earlier(x.best, slot) == slot {
			x.best, x.least = slot, d
		}
	}
}

// remove takes a candidate out, and puts the last of the list into its place.
func (x *index) remove(slot, needs int) {
	end := len(x.list) - 1
	last := x.list[end]
	x.list[x.places[slot]], x.places[last] = last, x.places[slot]
	x.places[slot], x.list = -1, x.list[:end]
	x.refresh(slot, needs)
	x.refresh(last, needs)
}

// refresh works out again what depends on a slot.
func (x *index) refresh(slot, needs int) {
	for node := x.leaves + slot/groupSize; node > 0; node /= 2 {
		x.sum(node, needs)
	}
}
