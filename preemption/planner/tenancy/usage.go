package tenancy

import (
	"cmp"
	"math"

	"github.com/outrank-go/outrank/resource"
)

// usage has the amounts that the queues of a tree use. A cohort uses what the nodes below it have
// beyond what they keep to themselves (rule 24.1.5), so that the queues alone decide it.
type usage struct {
	*Tree
	used [][]int64 // by node and resource
	// steps counts the amounts that were changed. Tests bound it.
	steps int
}

// newUsage returns a usage in which nobody uses anything.
func (t *Tree) newUsage() *usage {
	u := &usage{Tree: t, used: make([][]int64, len(t.nodes))}
	all := make([]int64, len(t.nodes)*len(t.names))
	for i := range u.used {
		u.used[i], all = all[:len(t.names):len(t.names)], all[len(t.names):]
	}
	return u
}

func (u *usage) clone() *usage {
	c := u.newUsage()
	for i := range u.used {
		copy(c.used[i], u.used[i])
	}
	return c
}

// add adds amounts to a queue; by is 1, or -1 to take them away again.
func (u *usage) add(queue int, amounts []int64, by int64) {
	for r, v := range amounts {
		if v != 0 {
			u.change(queue, r, by*v)
		}
	}
}

// change changes an amount of a node, and those above by what that changes beyond what each keeps to itself.
func (u *usage) change(at, r int, by int64) {
	for at != none && by != 0 {
		n, had := &u.nodes[at], u.used[at][r]
		u.used[at][r] = had + by
		u.steps++

		// The node above sees what this one has beyond what it keeps to itself (rule 24.1.5).
		by = max(0, had+by-n.local[r]) - max(0, had-n.local[r])
		at = n.parent
	}
}

// available returns how much more a node may have (rule 24.1.6). It is below 0 where
// there is too much.
func (u *usage) available(at, r int) int64 {
	n, used := &u.nodes[at], u.used[at][r]
	if n.parent == none {
		return n.subtree[r] - used
	}

	// From above it may have what is left there, within its limit on borrowing.
	above := u.available(n.parent, r)
	if n.borrow[r] != none {
		stored := n.subtree[r] - n.local[r]
		above = min(above, resource.AddSat(stored-max(0, used-n.local[r]), n.borrow[r]))
	}
	return resource.AddSat(max(0, n.local[r]-used), above)
}

// most returns how much a node may have at most, if nobody else had anything.
func (t *Tree) most(at, r int) int64 {
	n := &t.nodes[at]
	if n.parent == none {
		return n.subtree[r]
	}
	most := resource.AddSat(n.local[r], t.most(n.parent, r))
	if n.borrow[r] != none {
		most = min(most, resource.AddSat(n.subtree[r], n.borrow[r]))
	}
	return most
}

// over reports whether a node has more than is there for it and all below, of any of these
// resources.
func (u *usage) over(at int, contested []bool) bool {
	for r, yes := range contested {
		if yes && u.used[at][r] > u.nodes[at].subtree[r] {
			return true
		}
	}
	return false
}

// borrowsWith reports whether a queue would have more than its own with these amounts in addition, of any
// resource that they have.
func (u *usage) borrowsWith(queue int, amounts []int64, asked []bool) bool {
	for r, v := range amounts {
		if asked[r] && resource.AddSat(u.used[queue][r], v) > u.nodes[queue].subtree[r] {
			return true
		}
	}
	return false
}

// fits reports whether a queue may have these amounts in addition.
func (u *usage) fits(queue int, amounts []int64, asked []bool) bool {
	for r, v := range amounts {
		if asked[r] && v > u.available(queue, r) {
			return false
		}
	}
	return true
}

// share says how far a node is above what is its own (group 24.4).
type share struct {
	// part is the largest over the resources: what the node has beyond its own, in thousandths of what could be
	// had at most where it stands.
	part, weight float64
	// borrows is set where it has more than its own of anything.
	borrows bool
}

// share returns the share of a node (rule 24.4.1). Flavors of a resource add up.
func (u *usage) share(at int) share {
	n := &u.nodes[at]
	s := share{weight: n.weight}
	if n.parent == none {
		return s
	}

	// By kind, how much more it uses than is there for it. Resources without a quota do not count.
	beyond := make([]int64, u.kinds)
	for r := range n.subtree {
		if b := u.used[at][r] - n.subtree[r]; n.declared[r] && b > 0 {
			beyond[u.kind[r]] = resource.AddSat(beyond[u.kind[r]], b)
			s.borrows = true
		}
	}
	if !s.borrows {
		return s
	}

	// What could be had at most where it stands is what the node above could have.
	lendable := make([]int64, u.kinds)
	for r := range n.subtree {
		lendable[u.kind[r]] = resource.AddSat(lendable[u.kind[r]], u.most(n.parent, r))
	}
	for k, b := range beyond {
		if b > 0 && lendable[k] > 0 {
			s.part = max(s.part, float64(b)*1000/float64(lendable[k]))
		}
	}
	return s
}

// weighted returns the share divided by the weight. It is 0 for a share of 0, and otherwise infinite for weight 0.
func (s share) weighted() float64 {
	switch {
	case s.part == 0:
		return 0
	case s.weight == 0:
		return math.Inf(1)
	}
	return s.part / s.weight
}

// compare orders shares. Of two with weight 0 that borrow the part decides.
func (s share) compare(o share) int {
	a, b := s.weighted(), o.weighted()
	if s.weight == 0 && o.weight == 0 {
		a, b = s.part, o.part
	}
	return cmp.Compare(a, b)
}
