package queue

import "slices"

// mostParts bounds how many classes there are in one crowd, so that an operation on
// one pod does not depend on how many classes there are.
const mostParts = 128

// crowdParts are the members of a crowd, by class. They are never changed, as the trees
// are not.
type crowdParts struct {
	list []crowdPart // in the order of their rosters
	size int
	head *item // the first of all items
	// more is how many attempts of all items are not counted in the trees.
	more int
}

// crowdPart is the members of one class.
type crowdPart struct {
	roster  *roster
	members *members
	head    *item
}

// roster lists the crowds with pods of one class.
type roster struct {
	class  Class
	serial uint64
	crowds []*item
}

func partOf(r *roster, m *members) crowdPart {
	return crowdPart{roster: r, members: m, head: m.first()}
}

// partsOf counts the members of a list, which is not empty.
func partsOf(list []crowdPart, more int) *crowdParts {
	ps := &crowdParts{list: list, head: list[0].head, more: more}
	for i := range list {
		ps.size += list[i].members.size
		if compareMembers(list[i].head, ps.head) < 0 {
			ps.head = list[i].head
		}
	}
	return ps
}

// partsOrNil is partsOf, with nil for an empty list.
func partsOrNil(list []crowdPart, more int) *crowdParts {
	if len(list) == 0 {
		return nil
	}
	return partsOf(list, more)
}

// plus returns the members with n more attempts of each.
func (ps *crowdParts) plus(n int) *crowdParts {
	copied := *ps
	copied.more += n
	return &copied
}

// find returns the index of the members of a class.
func (ps *crowdParts) find(r *roster) (int, bool) {
	return slices.BinarySearchFunc(ps.list, r, func(p crowdPart, r *roster) int { return compareRosters(p.roster, r) })
}

func compareRosters(a, b *roster) int {
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
func (ps *crowdParts) union(other *crowdParts) *crowdParts {
	if len(ps.list) < len(other.list) {
		ps, other = other, ps
	}
	list := make([]crowdPart, 0, len(ps.list)+len(other.list))
	a, b := ps.list, other.list
	for len(a) > 0 && len(b) > 0 {
		switch compareRosters(a[0].roster, b[0].roster) {
		case -1:
			list, a = append(list, a[0]), a[1:]
		case 1:
			list, b = append(list, b[0].plus(other.more-ps.more)), b[1:]
		default:
			list = append(list, partOf(a[0].roster, a[0].members.union(b[0].members.plus(other.more-ps.more))))
			a, b = a[1:], b[1:]
		}
	}
	list = append(list, a...)
	for _, p := range b {
		list = append(list, p.plus(other.more-ps.more))
	}
	union := &crowdParts{list: list, size: ps.size + other.size, head: ps.head, more: ps.more}
	if compareMembers(other.head, ps.head) < 0 {
		union.head = other.head
	}
	return union
}

func (p crowdPart) plus(n int) crowdPart {
	p.members = p.members.plus(n)
	return p
}

// split returns the members before an item, and the others; nil for none.
func (ps *crowdParts) split(at *item) (before, rest *crowdParts) {
	var first, second []crowdPart
	for _, p := range ps.list {
		if compareMembers(p.head, at) >= 0 {
			second = append(second, p)
			continue
		}
		a, b := p.members.split(at)
		first = append(first, crowdPart{p.roster, a, p.head})
		if b != nil {
			second = append(second, partOf(p.roster, b))
		}
	}
	return partsOrNil(first, ps.more), partsOrNil(second, ps.more)
}

// without returns the members without one of a class, and how many of its attempts
// are not counted in it; nil where no other is left.
func (ps *crowdParts) without(r *roster, it *item) (rest *crowdParts, uncounted int) {
	at, _ := ps.find(r)
	tree, uncounted, _ := ps.list[at].members.without(it)
	var list []crowdPart
	if tree == nil {
		list = slices.Concat(ps.list[:at], ps.list[at+1:])
	} else {
		list = slices.Clone(ps.list)
		list[at] = partOf(r, tree)
	}
	return partsOrNil(list, ps.more), ps.more + uncounted
}

// has reports whether an item of a class is among the members.
func (ps *crowdParts) has(r *roster, it *item) bool {
	at, ok := ps.find(r)
	return ok && ps.list[at].members.has(it)
}

// each calls f with all items, class by class, and how many attempts of each are
// not counted in it.
func (ps *crowdParts) each(f func(it *item, uncounted int)) {
	for i := range ps.list {
		ps.list[i].members.each(ps.more, f)
	}
}
