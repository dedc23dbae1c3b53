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
	if it.leaf = key; key != "" {
		c.groups.leafOf(key).members[it] = true
	}
}

// unlistMember undoes listMember.
func (c *core) unlistMember(it *item) {
	if it.leaf == "" {
		return
	}
	delete(c.groups.leaves[it.leaf].members, it)
	c.groups.tidy(it.leaf)
	it.leaf = ""
}

// join adds a member to its group: to the group's item if the group waits, to the pods that
// wait for it if the group is in flight, and to a new item if the group is not inside.
func (c *core) join(it *item) {
	t := c.groups
	root, ok := t.rootOf(it.leaf)
	it.Gate, it.BackoffEnd = "", time.Time{}
	if !ok {
		it.pool = incomplete
		t.incomplete++
		return
	}
	id := root.id()
	g := t.inside[id]
	if g != nil {
		c.joinInside(it, g)
		return
	}
	g = &item{Entry: Entry{Group: root, FirstEnqueued: it.FirstEnqueued, Enqueued: it.Enqueued}, pool: poolCount}
	g.group = &waitingGroup{id: id, waiting: heap{order: compareTries}}
	t.inside[id] = g
	it.of, it.pool = g, inGroup
	g.group.waiting.push(it)
	c.push(g, active)
}

func (c *core) joinInside(it, g *item) {
	it.of = g
	if g.group.tried {
		it.pool = apart
		c.groups.apart++
		g.group.waiting.push(it)
		return
	}
	h := &c.pools[g.pool]
	h.tally(g, -1)
	it.pool = inGroup
	g.group.waiting.push(it)
	h.tally(g, 1)
	c.arrive(g.pool, c.why, arrivals{pods: 1, grouped: 1})
	c.hold(g, it, c.gateOf(it.Pod, g.pool))
}

// hold moves a group that waits to the gated ones if this gate holds a member that is new in
// it or has changed.
func (c *core) hold(g, it *item, gate string) {
	if it.Gate = gate; gate != "" {
		g.Gate = it.Gate
		c.pools[g.pool].remove(g)
		c.put(g, gated)
	}
}

// quit takes a member that waits out of its group. A group without pods is dropped. Where the
// member held its group back, the group's gates are asked soon.
func (c *core) quit(it *item) {
	if it.pool == incomplete {
		c.groups.incomplete--
		return
	}
	g := it.of
	it.of = nil
	if it.pool == apart {
		c.groups.apart--
		g.group.waiting.remove(it)
		return
	}
	h := &c.pools[g.pool]
	h.tally(g, -1)
	g.group.waiting.remove(it)
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

// soon is a time that has passed, and is not zero.
var soon = time.Time{}.Add(1)

// popGroup begins an attempt with all pods of a group. The group and each of its pods are in
// flight afterwards.
func (c *core) popGroup(it *item) Entry {
	c.pools[it.pool].remove(it)
	members := it.group.waiting.items
	it.group.waiting = heap{order: compareTries}
	slices.SortFunc(members, compareTries)
	c.cycle++
	it.pool, it.group.tried, it.Attempts, it.Cycle = poolCount, true, it.Attempts+1, c.cycle
	c.groups.tried++
	e := it.Entry
	e.Group = e.Group.copied()
	for _, m := range members {
		m.of, m.Gate = nil, ""
		m.Attempts, m.Cycle = m.Attempts+1, c.cycle
		m.FailedFilters, m.PendingFilters = nil, nil
		m.moved, m.updated = false, false
		c.put(m, inFlight)
		e.Group.Members = append(e.Group.Members, m.Entry)
	}
	return e
}

// refresh gives a group that is inside the newest version of its object.
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

// regroup moves the waiting pods of groups that belong elsewhere by now.
func (c *core) regroup(keys ...outrank.Key) {
	var moving []*item
	for _, key := range keys {
		root, known := c.groups.rootOf(key)
		for m := range c.groups.leaves[key].members {
			if m.pool != inFlight && (known != (m.of != nil) || known && m.of.group.id != root.id()) {
				moving = append(moving, m)
			}
		}
	}
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

// remove takes an item out of its pool, or out of its group.
func (c *core) remove(it *item) {
	if it.pool > poolCount {
		c.quit(it)
	} else {
		c.pools[it.pool].remove(it)
	}
	it.pool = poolCount
}

// replaceMember sets another version of a member that waits. The gates of a gated group are
// asked again, and another group may be held back by it (rule 5.8.4).
func (c *core) replaceMember(it *item, pod *outrank.Pod, now time.Time) {
	it.Pod, it.batched.class = pod, nil
	if it.of == nil {
		return
	}
	it.of.group.waiting.fix(it)
	switch {
	case it.pool == apart:
	case it.of.pool == gated:
		c.groups.reopen(it.of, now)
	default:
		c.hold(it.of, it, c.gateOfVersion(pod, it.of.pool))
	}
}
