package queue

import "slices"

// mostParts bounds how many classes there are in one batch, so that an operation on
// one pod does not depend on how many classes there are.
const mostParts = 128

// batchParts are the members of a batch, by class. They are never changed, as the trees
// are not.
type batchParts struct {
	list []batchPart // in the order of their classes
	size int
	head *item // the first of all items
	// more is how many attempts of all items are not counted in the trees.
	more int
}

// batchPart is the members of one class.
type batchPart struct {
	classBatches *classBatches
	members      *members
	head         *item
}

// classBatches lists the batches with pods of one class.
type classBatches struct {
	class   Class
	serial  uint64
	batches []*item
}

func partOf(r *classBatches, m *members) batchPart {
	return batchPart{classBatches: r, members: m, head: m.first()}
}

// partsOf counts the members of a list, which is not empty.
func partsOf(list []batchPart, more int) *batchParts {
	ps := &batchParts{list: list, head: list[0].head, more: more}
	for i := range list {
		ps.size += list[i].members.size
		if compareMembers(list[i].head, ps.head) < 0 {
			ps.head = list[i].head
		}
	}
	return ps
}

// partsOrNil is partsOf, with nil for an empty list.
func partsOrNil(list []batchPart, more int) *batchParts {
	if len(list) == 0 {
		return nil
	}
	return partsOf(list, more)
}

// plus returns the members with n more attempts of each.
func (ps *batchParts) plus(n int) *batchParts {
	copied := *ps
	copied.more += n
	return &copied
}

// find returns the index of the members of a class.
func (ps *batchParts) find(r *classBatches) (int, bool) {
	return slices.BinarySearchFunc(ps.list, r, func(p batchPart, r *classBatches) int { return compareClasses(p.classBatches, r) })
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

// union returns the members of both, which have none in common. Time is linear in
// the classes.
func (ps *batchParts) union(other *batchParts) *batchParts {
	if len(ps.list) < len(other.list) {
		ps, other = other, ps
	}
	list := make([]batchPart, 0, len(ps.list)+len(other.list))
	a, b := ps.list, other.list
	for len(a) > 0 && len(b) > 0 {
		switch compareClasses(a[0].classBatches, b[0].classBatches) {
		case -1:
			list, a = append(list, a[0]), a[1:]
		case 1:
			list, b = append(list, b[0].plus(other.more-ps.more)), b[1:]
		default:
			list = append(list, partOf(a[0].classBatches, a[0].members.union(b[0].members.plus(other.more-ps.more))))
			a, b = a[1:], b[1:]
		}
	}
	list = append(list, a...)
	for _, p := range b {
		list = append(list, p.plus(other.more-ps.more))
	}
	union := &batchParts{list: list, size: ps.size + other.size, head: ps.head, more: ps.more}
	if compareMembers(other.head, ps.head) < 0 {
		union.head = other.head
	}
	return union
}

func (p batchPart) plus(n int) batchPart {
	p.members = p.members.plus(n)
	return p
}

// split returns the members before an item, and the others; nil for none.
func (ps *batchParts) split(at *item) (before, rest *batchParts) {
	var first, second []batchPart
	for _, p := range ps.list {
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
	return partsOrNil(first, ps.more), partsOrNil(second, ps.more)
}

// without returns the members without one of a class, and how many of its attempts
// are not counted in it; nil where no other is left.
func (ps *batchParts) without(r *classBatches, it *item) (rest *batchParts, uncounted int) {
	at, _ := ps.find(r)
	tree, uncounted, _ := ps.list[at].members.without(it)
	var list []batchPart
	if tree == nil {
		list = slices.Concat(ps.list[:at], ps.list[at+1:])
	} else {
		list = slices.Clone(ps.list)
		list[at] = partOf(r, tree)
	}
	return partsOrNil(list, ps.more), ps.more + uncounted
}

// has reports whether an item of a class is among the members.
func (ps *batchParts) has(r *classBatches, it *item) bool {
	at, ok := ps.find(r)
	return ok && ps.list[at].members.has(it)
}

// each calls f with all items, class by class, and how many attempts of each are
// not counted in it.
func (ps *batchParts) each(f func(it *item, uncounted int)) {
	for i := range ps.list {
		ps.list[i].members.each(ps.more, f)
	}
}
