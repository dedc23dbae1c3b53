package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// groupTable has what a queue knows about groups: the objects that the caller told it of, and the groups
// that are inside. Namespace and name identify a group.
type groupTable struct {
	// trees says that composite groups are queued as one.
	trees bool
	// leaves are the groups of pods that the queue was told of or that pods name. composites are the
	// composite groups that it was told of.
	leaves     map[outrank.Key]*groupLeaf
	composites map[outrank.Key]*outrank.CompositePodGroup
	// inside has the items of the groups that are in a pool or in flight.
	inside map[groupID]*item
	// incomplete and apart count the pods in these places. tried counts the groups in flight.
	incomplete, apart, tried int
	// reopen asks the gates of a gated group again.
	reopen func(it *item, now time.Time)
}

// groupLeaf is a group of pods, whether or not the queue was told of it.
type groupLeaf struct {
	// group is the object of the group, nil if it is not known.
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

// rootOf returns the group that the pods of a group are queued with: the root of its tree. The result is
// false if the group, or one on the way to the root, is not known (rule 5.8.5).
func (t *groupTable) rootOf(key outrank.Key) (*Group, bool) {
	l := t.leaves[key]
	if l == nil || l.group == nil {
		return nil, false
	}

	above := l.group.ParentKey()
	if !t.trees || above == "" {
		return &Group{PodGroup: l.group}, true
	}

	// The bound on the levels also ends the walk in a cycle of parents. Neither has a root.
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

// attempt returns the item of the group that the entry's attempt was made with, nil if the attempt is over.
func (t *groupTable) attempt(e *Entry) *item {
	if t == nil {
		return nil
	}
	if it := t.inside[e.Group.id()]; it != nil && it.group.tried && it.Cycle == e.Cycle {
		return it
	}
	return nil
}

// back ends the flight of a group. Afterwards the group is in no pool, and the pods that waited for it
// are with it.
func (t *groupTable) back(it *item) {
	it.group.tried, it.pool = false, poolCount
	t.tried--
	t.apart -= it.size()
	for _, m := range it.waiting().items {
		m.pool = inGroup
	}
}

// outside returns the pods that are in no pool: the incomplete ones, and those that wait for their group to
// come back.
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
