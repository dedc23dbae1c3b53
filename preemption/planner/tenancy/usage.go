package tenancy

import (
	"cmp"
	"math"

	"github.com/outrank-go/outrank/resource"
)

// usage has the amounts that the nodes of a tree use. A cohort uses what its children use beyond their local quota
// (rule 24.1.5), so only the usage of queues is given.
type usage struct {
	*Tree
	used [][]int64 // by node and resource
	// steps counts the changes of single amounts. Tests check that they stay few.
	steps int
}

// newUsage returns a usage of 0 everywhere.
func (t *Tree) newUsage() *usage {
	u := &usage{Tree: t, used: make([][]int64, len(t.nodes))}
	all := make([]int64, len(t.nodes)*len(t.names))
	for i := range u.used {
		u.used[i], all = all[:len(t.names):len(t.names)], all[len(t.names):]
	}
	return u
}

// clone returns a copy with amounts of its own. Its steps begin at 0.
func (u *usage) clone() *usage {
	c := u.newUsage()
	for i := range u.used {
		copy(c.used[i], u.used[i])
	}
	return c
}

// add adds amounts to a queue if by is 1, and subtracts them if by is -1.
func (u *usage) add(queue int, amounts []int64, by int64) {
	for r, v := range amounts {
		if v != 0 {
			u.change(queue, r, by*v)
		}
	}
}

// change adds an amount of one resource to a node, and passes the change on to the nodes above: each sees only the
// usage beyond the local quota of its children.
func (u *usage) change(at, r int, by int64) {
	for at != none && by != 0 {
		n, had := &u.nodes[at], u.used[at][r]
		u.used[at][r] = had + by
		u.steps++

		// The node above counts what this one uses beyond its local quota (rule 24.1.5).
		by = max(0, had+by-n.local[r]) - max(0, had-n.local[r])
		at = n.parent
	}
}

// available returns how much more a node may use of a resource (rule 24.1.6). It is below 0 if more is used already
// than is allowed.
func (u *usage) available(at, r int) int64 {
	n, used := &u.nodes[at], u.used[at][r]
	if n.parent == none {
		return n.subtree[r] - used
	}

	// Beyond its local quota the node may use what is available above, up to its limit on borrowing.
	above := u.available(n.parent, r)
	if n.borrow[r] != none {
		stored := n.subtree[r] - n.local[r]
		above = min(above, resource.AddSat(stored-max(0, used-n.local[r]), n.borrow[r]))
	}
	return resource.AddSat(max(0, n.local[r]-used), above)
}

// most returns how much of a resource a node may use if nobody else uses any.
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

// over reports whether a node uses more than its subtree quota of any of the marked resources.
func (u *usage) over(at int, contested []bool) bool {
	for r, yes := range contested {
		if yes && u.used[at][r] > u.nodes[at].subtree[r] {
			return true
		}
	}
	return false
}

// borrowsWith reports whether a queue would exceed its quota with these additional amounts, in any of the resources
// marked in asked.
func (u *usage) borrowsWith(queue int, amounts []int64, asked []bool) bool {
	for r, v := range amounts {
		if asked[r] && resource.AddSat(u.used[queue][r], v) > u.nodes[queue].subtree[r] {
			return true
		}
	}
	return false
}

// fits reports whether a queue may use these additional amounts, in all of the resources marked in asked.
func (u *usage) fits(queue int, amounts []int64, asked []bool) bool {
	for r, v := range amounts {
		if asked[r] && v > u.available(queue, r) {
			return false
		}
	}
	return true
}

// share says how much a node borrows (group 24.4).
type share struct {
	// part is the largest ratio over all resources: the usage beyond the node's quota, in thousandths of the most
	// that its parent could use. weight is the node's weight.
	part, weight float64
	// borrows is set if the node uses more than its quota of any resource.
	borrows bool
}

// share returns the share of a node (rule 24.4.1). Flavors of a resource add up.
func (u *usage) share(at int) share {
	n := &u.nodes[at]
	s := share{weight: n.weight}
	if n.parent == none {
		return s
	}

	// The usage beyond the quota, by kind of resource. Resources without a quota do not count.
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

	// The denominator is the most that the parent could use, over all flavors of the resource.
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

// weighted returns the part divided by the weight. A part of 0 gives 0, and any other part with weight 0 gives
// infinity.
func (s share) weighted() float64 {
	switch {
	case s.part == 0:
		return 0
	case s.weight == 0:
		return math.Inf(1)
	}
	return s.part / s.weight
}

// compare orders shares by their weighted parts. If both weights are 0, the parts themselves decide.
func (s share) compare(o share) int {
	a, b := s.weighted(), o.weighted()
	if s.weight == 0 && o.weight == 0 {
		a, b = s.part, o.part
	}
	return cmp.Compare(a, b)
}
