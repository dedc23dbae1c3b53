package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// A crowd is an item that stands for many pods of one or more [Class]es for which
// the queue would note the same: the pool, the times, the filters that they failed
// with, none of them pending, and the step of the backoff. They have the same
// priority, and they are of one class if they have terms of affinity. Its Pod is
// the first of its members, and its Refusals are that step, so that pools sort it
// like any other item. What a member has for itself, such as its class and the
// number of its attempts, stands in the member's own item, which is in no pool
// meanwhile.

// leader returns the crowd that a member is in.
func (c *core) leader(it *item) *item {
	r := c.rosters[it.class]
	for _, crowd := range r.crowds {
		if crowd.members.has(r, it) {
			return crowd
		}
	}
	return nil
}

// leave takes a member out of its crowd. It is in no pool then.
func (c *core) leave(crowd, it *item) {
	h, r := &c.pools[crowd.pool], c.rosters[it.class]
	rest, uncounted := crowd.members.without(r, it)
	if rest == nil {
		h.remove(crowd)
	} else {
		h.count--
	}
	if at, _ := crowd.members.find(r); rest == nil || at == len(rest.list) || rest.list[at].roster != r {
		c.strike(r, crowd)
	}
	if rest != nil {
		crowd.members = rest
		if crowd.Pod == it.Pod {
			crowd.Pod = rest.head.Pod
			h.fix(crowd)
		}
	}
	it.member, it.run, it.due, it.pool = false, crowd.run, crowd.due, crowd.pool
	it.Entry = crowd.entryOf(it, uncounted)
}

// alone returns a pod's item, which is no member of a crowd from then on.
func (c *core) alone(it *item) *item {
	if it == nil || !it.member {
		return it
	}
	crowd := c.leader(it)
	c.leave(crowd, it)
	c.pools[it.pool].push(it)
	return it
}

// crowdOf makes an item that is in no pool, and no crowd, into a crowd.
func (c *core) crowdOf(it *item) *item {
	crowd := &item{Entry: it.Entry}
	c.enlist(crowd, c.single(it))
	return crowd
}

// single makes an item the only member of a crowd to be.
func (c *core) single(it *item) *crowdParts {
	r := c.rosters[it.class]
	if r == nil {
		c.serial++
		r = &roster{class: it.class, serial: c.serial}
		if c.rosters == nil {
			c.rosters = map[Class]*roster{}
		}
		c.rosters[it.class] = r
	}
	it.member, it.run = true, nil
	c.serial++
	return partsOf([]crowdPart{{r, leaf(it, c.serial), it}}, 0)
}

// enlist gives a crowd more members, which are struck off other crowds afterwards.
func (c *core) enlist(crowd *item, more *crowdParts) {
	i := 0
	for _, p := range more.list {
		if crowd.members != nil {
			for i < len(crowd.members.list) && compareRosters(crowd.members.list[i].roster, p.roster) < 0 {
				i++
			}
			if i < len(crowd.members.list) && crowd.members.list[i].roster == p.roster {
				continue
			}
		}
		p.roster.crowds = append(p.roster.crowds, crowd)
	}
	if crowd.members == nil {
		crowd.members = more
	} else {
		crowd.members = crowd.members.union(more)
	}
}

// forget strikes a crowd off the rosters of all classes of which there are members,
// but for those of which some are left.
func (c *core) forget(crowd *item, were, left *crowdParts) {
	for _, p := range were.list {
		if left != nil {
			if _, ok := left.find(p.roster); ok {
				continue
			}
		}
		c.strike(p.roster, crowd)
	}
}

// strike strikes a crowd off a roster.
func (c *core) strike(r *roster, crowd *item) {
	if i := slices.Index(r.crowds, crowd); i >= 0 {
		r.crowds = slices.Delete(r.crowds, i, i+1)
	}
	if len(r.crowds) == 0 {
		delete(c.rosters, r.class)
	}
}

// find returns the item of this very pod, nil if it is not inside.
func (c *core) find(pod *outrank.Pod) *item {
	if pod == nil {
		return nil
	}
	if it := c.items[keyOf(pod)]; it != nil && it.Pod.UID == pod.UID {
		return c.alone(it)
	}
	return nil
}
