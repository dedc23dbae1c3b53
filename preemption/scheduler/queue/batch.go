package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// A batch is one item for many pods of one or more [Class]es. All its pods are in the same
// pool, with the same priority, the same times, the same failed filters, none of them pending,
// and the same step of the backoff; pods with terms of affinity are of one class. The item's
// Pod is the first member, and its Refusals are that step, so that pools sort it like any
// other item. Each member keeps an item of its own, in no pool, for what it does not share:
// its class and the number of its attempts.

// leader returns the batch that a member is in.
func (c *core) leader(it *item) *item {
	r := c.byClass[it.batched.class]
	for _, batch := range r.batches {
		if batch.batched.members.has(r, it) {
			return batch
		}
	}
	return nil
}

// leave takes a member out of its batch. The member's item is in no pool afterwards.
func (c *core) leave(batch, it *item) {
	h, r := &c.pools[batch.pool], c.byClass[it.batched.class]
	rest, uncounted := batch.batched.members.without(r, it)
	if rest == nil {
		h.remove(batch)
	} else {
		h.count--
	}
	if at, _ := batch.batched.members.find(r); rest == nil || at == len(rest.list) || rest.list[at].classBatches != r {
		c.unlist(r, batch)
	}
	if rest != nil {
		batch.batched.members = rest
		if batch.Pod == it.Pod {
			batch.Pod = rest.head.Pod
			h.fix(batch)
		}
	}
	it.batched.member, it.batched.run, it.due, it.pool = false, batch.batched.run, batch.due, batch.pool
	it.Entry = batch.entryOf(it, uncounted)
}

// alone takes a pod's item out of the batch that it may be in, and returns it.
func (c *core) alone(it *item) *item {
	if it == nil || !it.batched.member {
		return it
	}
	batch := c.leader(it)
	c.leave(batch, it)
	c.pools[it.pool].push(it)
	return it
}

// batchOf makes a batch of one item, which is in no pool and no batch.
func (c *core) batchOf(it *item) *item {
	batch := &item{Entry: it.Entry}
	c.enlist(batch, c.single(it))
	return batch
}

// single returns the parts of a batch with this one member.
func (c *core) single(it *item) *batchParts {
	r := c.byClass[it.batched.class]
	if r == nil {
		c.serial++
		r = &classBatches{class: it.batched.class, serial: c.serial}
		if c.byClass == nil {
			c.byClass = map[Class]*classBatches{}
		}
		c.byClass[it.batched.class] = r
	}
	it.batched.member, it.batched.run = true, nil
	c.serial++
	return partsOf([]batchPart{{r, leaf(it, c.serial), it}}, 0)
}

// enlist adds members to a batch. The caller takes them out of the batches they were in.
func (c *core) enlist(batch *item, more *batchParts) {
	i := 0
	for _, p := range more.list {
		if batch.batched.members != nil {
			for i < len(batch.batched.members.list) && compareClasses(batch.batched.members.list[i].classBatches, p.classBatches) < 0 {
				i++
			}
			if i < len(batch.batched.members.list) && batch.batched.members.list[i].classBatches == p.classBatches {
				continue
			}
		}
		p.classBatches.batches = append(p.classBatches.batches, batch)
	}
	if batch.batched.members == nil {
		batch.batched.members = more
	} else {
		batch.batched.members = batch.batched.members.union(more)
	}
}

// forget takes a batch off the lists of the classes of its former members, except the
// classes that still have a member in it.
func (c *core) forget(batch *item, were, left *batchParts) {
	for _, p := range were.list {
		if left != nil {
			if _, ok := left.find(p.classBatches); ok {
				continue
			}
		}
		c.unlist(p.classBatches, batch)
	}
}

// unlist takes a batch off the list of a class.
func (c *core) unlist(r *classBatches, batch *item) {
	if i := slices.Index(r.batches, batch); i >= 0 {
		r.batches = slices.Delete(r.batches, i, i+1)
	}
	if len(r.batches) == 0 {
		delete(c.byClass, r.class)
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
