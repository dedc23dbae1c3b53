package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// groupTable is what a queue knows about groups: the objects, and the groups that are
// inside. A group is known by its namespace and name.
type groupTable struct {
	// trees says that composite groups are queued as one.
	trees bool
	// leaves are the groups of pods that are known or that pods name. composites are the composite
	// groups that are known.
	leaves     map[outrank.Key]*groupLeaf
	composites map[outrank.Key]*outrank.CompositePodGroup
	// inside has the items of the groups that are in a pool or in flight.
	inside map[groupID]*item
	// incomplete and apart are the numbers of pods in these places, tried that of groups in flight.
	incomplete, apart, tried int
	// reopen asks the gates of a gated group again.
	reopen func(it *item, now time.Time)
}

// groupLeaf is a group that pods name, whether or not it is known.
type groupLeaf struct {
	// group is nil if the group is not known.
	group *outrank.PodGroup
	// members are the pods inside that name the group.
	members map[*item]bool
}

func newGroupTable(trees bool, reopen func(*item, time.Time)) *groupTable {
	return &groupTable{
		trees: trees, leaves: map[outrank.Key]*groupLeaf{}, composites: map[outrank.Key]*outrank.CompositePodGroup{},
		inside: map[groupID]*item{}, reopen: reopen,
	}
}

// leafOf returns the leaf of a group, and makes it if there is none.
func (t *groupTable) leafOf(key outrank.Key) *groupLeaf {
	l := t.leaves[key]
	if l == nil {
		l = &groupLeaf{members: map[*item]bool{}}
		t.leaves[key] = l
	}
	return l
}

// tidy forgets the leaf of a group that is not known and that no pod names.
func (t *groupTable) tidy(key outrank.Key) {
	if l := t.leaves[key]; l != nil && l.group == nil && len(l.members) == 0 {
		delete(t.leaves, key)
	}
}

// rootOf returns the group that a pod is queued with, which is the root of its tree. It is not
// ok where a group on the way is not known (rule 5.8.5).
func (t *groupTable) rootOf(key outrank.Key) (*Group, bool) {
	l := t.leaves[key]
	if l == nil || l.group == nil {
		return nil, false
	}

	above := l.group.ParentKey()
	if !t.trees || above == "" {
		return &Group{PodGroup: l.group}, true
	}

	// A tree that is too high has no root, and neither has a circle of parents.
	for range outrank.MaxGroupLevels - 1 {
		g := t.composites[above]
		if g == nil {
			return nil, false
		}
		if above = g.ParentKey(); above == "" {
			return &Group{Composite: g}, true
		}
	}
	return nil, false
}

// attempt returns the item of the group whose attempt an entry belongs to, nil if that
// is over.
func (t *groupTable) attempt(e *Entry) *item {
	if t == nil {
		return nil
	}
	if it := t.inside[e.Group.id()]; it != nil && it.group.tried && it.Cycle == e.Cycle {
		return it
	}
	return nil
}

// back ends the flight of a group. It is in no pool afterwards, and the pods that waited for it are with
// it.
func (t *groupTable) back(it *item) {
	it.group.tried, it.pool = false, poolCount
	t.tried--
	t.apart -= it.size()
	for _, m := range it.group.waiting.items {
		m.pool = inGroup
	}
}

// outside returns the pods that are incomplete, and those that wait for their group to come back.
func (t *groupTable) outside() (without, waiting []Entry) {
	if t == nil {
		return nil, nil
	}
	var groupless, apartItems []*item
	for _, l := range t.leaves {
		for m := range l.members {
			switch m.pool {
			case incomplete:
				groupless = append(groupless, m)
			case apart:
				apartItems = append(apartItems, m)
			}
		}
	}
	return entriesOf(groupless), entriesOf(apartItems)
}

// entriesOf returns copies of the entries, sorted by group and then as the pods would be tried.
func entriesOf(items []*item) []Entry {
	slices.SortFunc(items, func(a, b *item) int { return cmp.Or(cmp.Compare(a.leaf, b.leaf), compareTries(a, b)) })
	var out []Entry
	for _, m := range items {
		out = append(out, m.Entry.copied())
	}
	return out
}
