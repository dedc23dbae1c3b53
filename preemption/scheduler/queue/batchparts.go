package queue

import "slices"

// mostParts is the largest number of classes in one batch. It bounds the cost of an operation on one pod,
// however many classes there are.
const mostParts = 128

// batchParts are the members of a batch, by class. A value is immutable, like the trees of [members]:
// every operation returns a new one.
type batchParts struct {
	// list has one part for each class, sorted by the serial of the class. It is never empty.
	list []batchPart
	// size is the number of members, and head is the first of them by identity.
	size int
	head *item
	// uncounted is the number of attempts of every member beyond those that its tree counts.
	uncounted int
}

// batchPart has the members of one class. head is the first of them by identity.
type batchPart struct {
	*classBatches
	members *members
	head    *item
}

// classBatches lists the batches that have pods of one class. serial is the class's place in the order of
// classes.
type classBatches struct {
	class   Class
	serial  uint64
	batches []*item
}

func partOf(class *classBatches, m *members) batchPart {
	return batchPart{classBatches: class, members: m, head: m.first()}
}

// partsOf makes batchParts of a list, which must not be empty and is not copied.
func partsOf(list []batchPart, uncounted int) *batchParts {
	ps := &batchParts{list: list, head: list[0].head, uncounted: uncounted}
	for i := range list {
		ps.size += list[i].members.size
		if compareMembers(list[i].head, ps.head) < 0 {
			ps.head = list[i].head
		}
	}
	return ps
}

// partsOrNil is partsOf, but returns nil for an empty list.
func partsOrNil(list []batchPart, uncounted int) *batchParts {
	if len(list) == 0 {
		return nil
	}
	return partsOf(list, uncounted)
}

// plus returns the members with n more attempts each. Constant time, because the trees are not touched.
func (ps *batchParts) plus(n int) *batchParts {
	copied := *ps
	copied.uncounted += n
	return &copied
}

// find returns the index of a class in the list, and whether the class is in it.
func (ps *batchParts) find(class *classBatches) (int, bool) {
	return slices.BinarySearchFunc(ps.list, class, func(p batchPart, class *classBatches) int { return compareClasses(p.classBatches, class) })
}

// hasClass reports whether any member is of the class. Nil has no members.
func (ps *batchParts) hasClass(class *classBatches) bool {
	if ps == nil {
		return false
	}
	_, found := ps.find(class)
	return found
}

func compareClasses(a, b *classBatches) int {
	switch {
	case a.serial < b.serial:
		return -1
	case a.serial > b.serial:
		return 1
	}
	return 0
}

// union returns the members of both, which must have none in common. Time is linear in the number of classes,
// plus the time to unite the trees of the classes that both have.
func (ps *batchParts) union(other *batchParts) *batchParts {
	if len(ps.list) < len(other.list) {
		ps, other = other, ps
	}

	// The result keeps ps.uncounted, so the difference of the others' attempts, which may be negative, is
	// added to their trees.
	difference := other.uncounted - ps.uncounted
	list := make([]batchPart, 0, len(ps.list)+len(other.list))
	a, b := ps.list, other.list
	for len(a) > 0 && len(b) > 0 {
		switch compareClasses(a[0].classBatches, b[0].classBatches) {
		case -1:
			list, a = append(list, a[0]), a[1:]
		case 1:
			list, b = append(list, b[0].plus(difference)), b[1:]
		default:
			list = append(list, partOf(a[0].classBatches, a[0].members.union(b[0].members.plus(difference))))
			a, b = a[1:], b[1:]
		}
	}
	list = append(list, a...)
	for _, p := range b {
		list = append(list, p.plus(difference))
	}

	union := &batchParts{list: list, size: ps.size + other.size, head: ps.head, uncounted: ps.uncounted}
	if compareMembers(other.head, ps.head) < 0 {
		union.head = other.head
	}
	return union
}

func (p batchPart) plus(n int) batchPart {
	p.members = p.members.plus(n)
	return p
}

// split returns the members that come before an item by identity, and the others. Either is nil if it would
// be empty.
func (ps *batchParts) split(at *item) (before, rest *batchParts) {
	var first, second []batchPart
	for _, p := range ps.list {
		// The head is the first of its class, so if it does not come before the item, no member of the
		// class does.
		if compareMembers(p.head, at) >= 0 {
			second = append(second, p)
			continue
		}

		a, b := p.members.split(at)
		first = append(first, batchPart{p.classBatches, a, p.head})
		if b != nil {
			second = append(second, partOf(p.classBatches, b))
		}
	}
	return partsOrNil(first, ps.uncounted), partsOrNil(second, ps.uncounted)
}

// without returns the members other than it, which is of the given class; rest is nil if there are none.
// uncounted is the number of attempts that the item does not count itself.
func (ps *batchParts) without(class *classBatches, it *item) (rest *batchParts, uncounted int) {
	at, _ := ps.find(class)
	tree, uncounted, _ := ps.list[at].members.without(it)

	var list []batchPart
	if tree == nil {
		list = slices.Concat(ps.list[:at], ps.list[at+1:])
	} else {
		list = slices.Clone(ps.list)
		list[at] = partOf(class, tree)
	}
	return partsOrNil(list, ps.uncounted), ps.uncounted + uncounted
}

// has reports whether an item of a class is among the members.
func (ps *batchParts) has(class *classBatches, it *item) bool {
	at, ok := ps.find(class)
	return ok && ps.list[at].members.has(it)
}

// each calls f for all members, class by class. uncounted is the number of attempts that the member's item
// does not count itself.
func (ps *batchParts) each(f func(it *item, uncounted int)) {
	for i := range ps.list {
		ps.list[i].members.each(ps.uncounted, f)
	}
}
