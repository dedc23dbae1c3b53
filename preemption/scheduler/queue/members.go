package queue

import "github.com/outrank-go/outrank/priority"

// members is a tree of those pods of a batch that are of one class, sorted by identity. It is a treap: a
// search tree that is also a heap by rank. Nodes are immutable: every operation makes new ones along its
// path, so that a tree that somebody kept does not change. Operations take O(log n); the union of trees
// with m and n items, m ≤ n, takes O(m log (n/m + 1)). A nil tree is empty.
type members struct {
	item *item
	// rank is a random number, at least as high as the rank of every node below.
	rank        uint64
	left, right *members
	size        int
	// own is the number of attempts that the item does not count itself. below is still to be added to
	// own of every node further down, so that plus need not visit them.
	own, below int
}

// aloneInTree returns a tree of one item. Its rank is a scrambled serial number, which keeps trees flat
// whatever the names of the pods are.
func aloneInTree(it *item, serial uint64) *members {
	z := serial * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return &members{item: it, rank: z ^ z>>31, size: 1}
}

func (t *members) count() int {
	if t == nil {
		return 0
	}
	return t.size
}

// plus returns the tree with n more attempts of every item. Constant time: the attempts are noted at the
// root, and children hands them down.
func (t *members) plus(n int) *members {
	if t == nil || n == 0 {
		return t
	}
	copied := *t
	copied.own += n
	copied.below += n
	return &copied
}

// withChildren returns the node with other children, which count the node's below already.
func (t *members) withChildren(left, right *members) *members {
	copied := *t
	copied.left, copied.right, copied.below = left, right, 0
	copied.size = 1 + left.count() + right.count()
	return &copied
}

// children returns the children with the node's below added, so that each is a complete tree by itself.
func (t *members) children() (left, right *members) {
	return t.left.plus(t.below), t.right.plus(t.below)
}

func compareMembers(a, b *item) int { return priority.CompareIdentity(a.Pod, b.Pod) }

// split returns the items that come before an item by identity, and the others.
func (t *members) split(at *item) (before, rest *members) {
	if t == nil {
		return nil, nil
	}

	left, right := t.children()
	if compareMembers(t.item, at) < 0 {
		before, rest = right.split(at)
		return t.withChildren(left, before), rest
	}
	before, rest = left.split(at)
	return before, t.withChildren(rest, right)
}

// union returns the items of both trees, which have none in common.
func (t *members) union(u *members) *members {
	switch {
	case t == nil:
		return u
	case u == nil:
		return t
	case t.rank < u.rank:
		t, u = u, t
	}

	// The node of the higher rank stays on top, as a treap demands. Its item divides the other tree.
	before, rest := u.split(t.item)
	left, right := t.children()
	return t.withChildren(left.union(before), right.union(rest))
}

// first returns the first item.
func (t *members) first() *item {
	for t.left != nil {
		t = t.left
	}
	return t.item
}

// without returns the tree without an item, and the number of attempts that the item does not count itself.
// ok is false if the item is not in the tree.
func (t *members) without(it *item) (rest *members, uncounted int, ok bool) {
	if t == nil {
		return nil, 0, false
	}

	left, right := t.children()
	switch c := compareMembers(it, t.item); {
	case c < 0:
		if left, uncounted, ok = left.without(it); ok {
			return t.withChildren(left, right), uncounted, true
		}
	case c > 0:
		if right, uncounted, ok = right.without(it); ok {
			return t.withChildren(left, right), uncounted, true
		}
	case t.item == it:
		return left.joined(right), t.own, true
	}
	return t, 0, false
}

// joined returns the items of both trees. All items of t must come before those of u. The node with
// the higher rank stays on top.
func (t *members) joined(u *members) *members {
	switch {
	case t == nil:
		return u
	case u == nil:
		return t
	case t.rank < u.rank:
		left, right := u.children()
		return u.withChildren(t.joined(left), right)
	}
	left, right := t.children()
	return t.withChildren(left, right.joined(u))
}

// has reports whether an item is in the tree.
func (t *members) has(it *item) bool {
	for t != nil {
		switch c := compareMembers(it, t.item); {
		case c < 0:
			t = t.left
		case c > 0:
			t = t.right
		default:
			return t.item == it
		}
	}
	return false
}

// each calls f for all items in order. uncounted is the number of attempts that the item does not count
// itself. more is the number of attempts noted above the tree.
func (t *members) each(more int, f func(it *item, uncounted int)) {
	if t == nil {
		return
	}
	t.left.each(more+t.below, f)
	f(t.item, more+t.own)
	t.right.each(more+t.below, f)
}
