package queue

import "slices"

// A crowd is an item that stands for many pods of one [Class] for which the
// queue would note the same: the pool, the times, the filters that they failed
// with, none of them pending, and the step of the backoff. Its Pod is the first of
// its members, and its Refusals are that step, so that pools sort it like any other
// item. What a member has for itself, such as the number of its attempts, stands in
// the member's own item, which is in no pool meanwhile.

// size is how many pods the item stands for.
func (it *item) size() int {
	if it.members == nil {
		return 1
	}
	return it.members.size
}

// leader returns the crowd that a member is in.
func (c *core) leader(it *item) *item {
	for _, crowd := range c.crowds[it.class] {
		if crowd.members.has(it) {
			return crowd
		}
	}
	return nil
}

// leave takes a member out of its crowd. It is in no pool then.
func (c *core) leave(crowd, it *item) {
	rest, uncounted, _ := crowd.members.without(it)
	h := &c.pools[crowd.pool]
	if rest == nil {
		h.remove(crowd)
		c.forget(crowd)
	} else {
		h.count--
		crowd.members = rest
		if crowd.Pod == it.Pod {
			crowd.Pod = rest.first().Pod
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

// entryOf returns the entry of a member but for its Cycle, which is in the run.
func (crowd *item) entryOf(it *item, uncounted int) Entry {
	e := crowd.Entry
	e.Pod, e.FirstEnqueued = it.Pod, it.FirstEnqueued
	e.Attempts, e.Refusals = it.Attempts+uncounted, it.Refusals+uncounted
	return e
}

// forget strikes a crowd off the list of its class.
func (c *core) forget(crowd *item) {
	list := c.crowds[crowd.class]
	if i := slices.Index(list, crowd); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	if len(list) == 0 {
		delete(c.crowds, crowd.class)
	} else {
		c.crowds[crowd.class] = list
	}
}

// crowdOf makes an item that is in no pool, and no crowd, into a crowd.
func (c *core) crowdOf(it *item) *item {
	crowd := &item{Entry: it.Entry, class: it.class, members: c.leaf(it)}
	c.enlist(crowd)
	return crowd
}

func (c *core) enlist(crowd *item) {
	if c.crowds == nil {
		c.crowds = map[Class][]*item{}
	}
	c.crowds[crowd.class] = append(c.crowds[crowd.class], crowd)
}

// leaf makes an item a member.
func (c *core) leaf(it *item) *members {
	it.member = true
	c.serial++
	return leaf(it, c.serial)
}

// each appends an item for each pod that the item stands for.
func (it *item) each(to []*item) []*item {
	if it.members == nil {
		it.Cycle, it.run = it.cycle(), nil
		return append(to, it)
	}
	it.members.each(0, func(m *item, uncounted int) {
		e := it.entryOf(m, uncounted)
		e.Cycle = it.run.cycleOf(m)
		to = append(to, &item{Entry: e, due: it.due})
	})
	return to
}

// cycle returns the number of the latest attempt with a single pod.
func (it *item) cycle() int64 {
	if it.run != nil {
		return it.run.cycleOf(it)
	}
	return it.Cycle
}
