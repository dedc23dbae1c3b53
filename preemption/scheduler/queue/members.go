package queue

import "github.com/outrank-go/outrank/priority"

// members are the pods of a batch, by identity. It is a treap whose nodes are
// never changed: every operation makes new ones along its path, so that who has
// kept a tree keeps what was in it. Operations take O(log n), union
// O(m log (n/m + 1)) for the smaller m of two; nil is empty.
type members struct {
	item        *item
	rank        uint64 // no less than those below
	left, right *members
	size        int
	// own is how many attempts of the item are not counted in it yet, below how
	// many of all items further down are not counted there.
	own, below int
}

// leaf returns an item alone. Its rank is a scrambled serial number, so that
// trees are flat whatever the names.
func leaf(it *item, serial uint64) *members {
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

// plus returns the tree with n more attempts of every item.
func (t *members) plus(n int) *members {
	if t == nil || n == 0 {
		return t
	}
	copied := *t
	copied.own += n
	copied.below += n
	return &copied
}

// with returns the node with other children, which have been counted to.
func (t *members) with(left, right *members) *members {
	copied := *t
	copied.left, copied.right, copied.below = left, right, 0
	copied.size = 1 + left.count() + right.count()
	return &copied
}

func (t *members) children() (left, right *members) {
	return t.left.plus(t.below), t.right.plus(t.below)
}

func compareMembers(a, b *item) int { return priority.CompareIdentity(a.Pod, b.Pod) }

// split returns the items before one, and the others.
func (t *members) split(at *item) (before, rest *members) {
	if t == nil {
		return nil, nil
	}
	left, right := t.children()
	if compareMembers(t.item, at) < 0 {
		before, rest = right.split(at)
		return t.with(left, before), rest
	}
	before, rest = left.split(at)
	return before, t.with(rest, right)
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
	before, rest := u.split(t.item)
	left, right := t.children()
	return t.with(left.union(before), right.union(rest))
}

// first returns the first item.
func (t *members) first() *item {
	for t.left != nil {
		t = t.left
	}
	return t.item
}

// without returns the tree without an item, and how many of the item's attempts
// are not counted in it; not ok if it is not in the tree.
func (t *members) without(it *item) (rest *members, uncounted int, ok bool) {
	if t == nil {
		return nil, 0, false
	}
	left, right := t.children()
	switch c := compareMembers(it, t.item); {
	case c < 0:
		if left, uncounted, ok = left.without(it); ok {
			return t.with(left, right), uncounted, true
		}
	case c > 0:
		if right, uncounted, ok = right.without(it); ok {
			return t.with(left, right), uncounted, true
		}
	case t.item == it:
		return left.joined(right), t.own, true
	}
	return t, 0, false
}

// joined returns the items of both trees, where all of the first come before
// those of the second.
func (t *members) joined(u *members) *members {
	switch {
	case t == nil:
		return u
	case u == nil:
		return t
	case t.rank < u.rank:
		left, right := u.children()
		return u.with(t.joined(left), right)
	}
	left, right := t.children()
	return t.with(left, right.joined(u))
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

// each calls f with all items in order, and how many attempts of each are not
// counted in it; more are those of all of them.
func (t *members) each(more int, f func(it *item, uncounted int)) {
	if t == nil {
		return
	}
	t.left.each(more+t.below, f)
	f(t.item, more+t.own)
	t.right.each(more+t.below, f)
}
