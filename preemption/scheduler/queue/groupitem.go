package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// listMember lists an item under the group that its pod names now.
func (c *core) listMember(it *item) {
	key := outrank.Key("")
	if c.isMember(it.Pod) {
		key = it.Pod.GroupKey()
	}
	if key == it.leaf {
		return
	}

	c.unlistMember(it)
	it.leaf = key
	if key != "" {
		c.groups.leafOf(key).members[it] = true
	}
}

// unlistMember takes an item off the list of the group that it is under, if any.
func (c *core) unlistMember(it *item) {
	if it.leaf == "" {
		return
	}
	delete(c.groups.leaves[it.leaf].members, it)
	c.groups.tidy(it.leaf)
	it.leaf = ""
}

// join adds a member that is in no place to its group. If the group waits, the member goes to the group's
// item; if the group is in flight, to the pods that wait for it; if the group is not inside, to a new
// item. A member whose group is not known is incomplete (rule 5.8.5).
func (c *core) join(it *item) {
	t := c.groups
	root, known := t.rootOf(it.leaf)
	it.Gate, it.BackoffEnd = "", time.Time{} // the group's item has them for all members
	if !known {
		it.pool = incomplete
		t.incomplete++
		return
	}

	id := root.id()
	if g := t.inside[id]; g != nil {
		c.joinInside(it, g)
		return
	}

	// A new group takes its times from its first pod (rule 5.8.9).
	g := &item{Entry: Entry{Group: root, FirstEnqueued: it.FirstEnqueued, Enqueued: it.Enqueued}, pool: poolCount}
	g.group = &waitingGroup{id: id, waiting: heap{order: compareTries}}
	t.inside[id] = g
	it.groupItem, it.pool = g, inGroup
	g.waiting().push(it)
	c.push(g, active)
}

// joinInside adds a member to a group that is in a pool or in flight.
func (c *core) joinInside(it, g *item) {
	it.groupItem = g
	if g.group.tried {
		it.pool = apart
		c.groups.apart++
		g.waiting().push(it)
		return
	}

	// The pool counts the group's pods, so the group is counted out and in around the change.
	h := &c.pools[g.pool]
	h.tally(g, -1)
	it.pool = inGroup
	g.waiting().push(it)
	h.tally(g, 1)

	// Only the gates of the joining pod are asked (rule 5.8.4).
	c.arrive(g.pool, c.why, arrivals{pods: 1, grouped: 1})
	c.hold(g, it, c.gateOf(it.Pod, g.pool))
}

// hold sets the gate of a member that has joined a waiting group or has changed; it is empty if no gate holds
// the member. Otherwise the whole group moves to gated.
func (c *core) hold(g, it *item, gate string) {
	it.Gate = gate
	if gate != "" {
		g.Gate = it.Gate
		c.pools[g.pool].remove(g)
		c.put(g, gated)
	}
}

// quit takes a waiting member out of its group. A group without pods is dropped. If the member's gate may
// have held the group back, the gates of the group are asked with the next flush (rule 5.8.4).
func (c *core) quit(it *item) {
	if it.pool == incomplete {
		c.groups.incomplete--
		return
	}

	g := it.groupItem
	it.groupItem = nil
	if it.pool == apart {
		c.groups.apart--
		g.waiting().remove(it)
		return
	}

	// The pool counts the group's pods, so the group is counted out and in around the change.
	h := &c.pools[g.pool]
	h.tally(g, -1)
	g.waiting().remove(it)
	h.tally(g, 1)

	switch {
	case g.size() == 0:
		h.remove(g)
		delete(c.groups.inside, g.group.id)
	case g.pool == gated && it.Gate != "":
		g.due = soon
		h.fix(g)
	}
}

// soon is a due time that has passed already. It is not the zero time, which means never.
var soon = time.Time{}.Add(1)

// popGroup begins an attempt with all pods of a group. The group and each of its pods are in
// flight afterwards.
func (c *core) popGroup(it *item) Entry {
	c.pools[it.pool].remove(it)
	members := it.waiting().items
	it.group.waiting = heap{order: compareTries}
	slices.SortFunc(members, compareTries)

	// The group is in no pool while it is in flight; pods that come meanwhile gather in its empty heap.
	c.cycle++
	it.pool, it.group.tried = poolCount, true
	it.Attempts, it.Cycle = it.Attempts+1, c.cycle
	c.groups.tried++

	// All members share the number of the attempt with the group.
	e := it.Entry
	e.Group = e.Group.copied()
	for _, m := range members {
		m.groupItem, m.Gate = nil, ""
		m.Attempts, m.Cycle = m.Attempts+1, c.cycle
		m.FailedFilters, m.PendingFilters = nil, nil
		m.moved, m.updated = false, false
		c.put(m, inFlight)
		e.Group.Members = append(e.Group.Members, m.Entry)
	}
	return e
}

// refresh gives the item of a group that is inside the newest version of the group's object.
func (c *core) refresh(id groupID) {
	g := c.groups.inside[id]
	if g == nil {
		return
	}
	if id.composite {
		if known := c.groups.composites[id.key]; known != nil {
			g.Group = &Group{Composite: known}
		}
	} else if l := c.groups.leaves[id.key]; l != nil && l.group != nil {
		g.Group = &Group{PodGroup: l.group}
	}
	if !g.group.tried {
		c.pools[g.pool].fix(g)
	}
}

// regroup moves those waiting pods of the given groups that belong to another root by now. Pods in flight
// join the right group when they come back.
func (c *core) regroup(keys ...outrank.Key) {
	var moving []*item
	for _, key := range keys {
		root, known := c.groups.rootOf(key)
		for m := range c.groups.leaves[key].members {
			if m.pool != inFlight && !m.waitsFor(root, known) {
				moving = append(moving, m)
			}
		}
	}

	// The earliest pod of a new group gives it its time (rule 5.8.13).
	slices.SortFunc(moving, func(a, b *item) int {
		if o := a.Enqueued.Compare(b.Enqueued); o != 0 {
			return o
		}
		return compareMembers(a, b)
	})
	c.why = unscheduledPodAdd
	for _, m := range moving {
		c.remove(m)
		c.join(m)
	}
}

// waitsFor reports whether a member waits with or for this group. If the group is not known, it reports
// whether the member waits for none.
func (it *item) waitsFor(root *Group, known bool) bool {
	g := it.groupItem
	if !known || g == nil {
		return !known && g == nil
	}
	return g.group.id == root.id()
}

// remove takes an item out of its pool, or out of its group.
func (c *core) remove(it *item) {
	if it.pool > poolCount {
		c.quit(it)
	} else {
		c.pools[it.pool].remove(it)
	}
	it.pool = poolCount
}

// replaceMember sets another version of a waiting member. The gates of a gated group are
// asked again. A group that is not gated moves there if the new version has scheduling gates (rule 5.8.4).
func (c *core) replaceMember(it *item, pod *outrank.Pod, now time.Time) {
	it.Pod, it.class = pod, nil
	g := it.groupItem
	if g == nil { // incomplete
		return
	}

	g.waiting().fix(it)
	switch {
	case it.pool == apart:
		// The gates are asked when the group comes back from its attempt.
	case g.pool == gated:
		c.groups.reopen(g, now)
	default:
		c.hold(g, it, c.gateOfVersion(pod, g.pool))
	}
}
