package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// A batch is one item that stands for many pods of one or more [Class]es.
//
// Its pods share the pool, the priority, the times, the failed filters (none of them pending) and the
// step of the backoff. If they have terms of affinity they also share the class. The item's Pod is its
// first member and the item's Refusals are the shared step, so that pools sort a batch like any other
// item.
//
// Each member keeps an item of its own for what it does not share: its class and the number of its
// attempts. That item is in no pool.

// leader returns the batch that a member is in.
func (c *core) leader(it *item) *item {
	class := c.byClass[it.class]
	for _, batch := range class.batches {
		if batch.members.has(class, it) {
			return batch
		}
	}
	return nil
}

// leave takes a member out of its batch. Afterwards the member's item is in no heap; its pool names the pool
// of the batch.
func (c *core) leave(batch, it *item) {
	h, class := &c.pools[batch.pool], c.byClass[it.class]
	rest, uncounted := batch.members.without(class, it)
	if !rest.hasClass(class) {
		c.unlist(class, batch)
	}

	if rest == nil {
		h.remove(batch)
	} else {
		h.count--
		batch.members = rest

		// The first member is the key by which the pool sorts the batch.
		if batch.Pod == it.Pod {
			batch.Pod = rest.head.Pod
			h.fix(batch)
		}
	}

	// Until now the batch kept what the member shares with others. From here on the member's own item does.
	it.inBatch, it.run = false, batch.run
	it.due, it.pool = batch.due, batch.pool
	it.Entry = batch.entryOf(it, uncounted)
}

// alone returns a pod's item. If the pod is in a batch it is taken out first, and put into the same pool. A
// nil item stays nil.
func (c *core) alone(it *item) *item {
	if it == nil || !it.inBatch {
		return it
	}
	c.leave(c.leader(it), it)
	c.pools[it.pool].push(it)
	return it
}

// batchOf makes a batch of one item, which is in no pool and no batch.
func (c *core) batchOf(it *item) *item {
	batch := &item{Entry: it.Entry}
	c.enlist(batch, c.single(it))
	return batch
}

// single makes an item the only member of new batchParts. It lists the class if the class has no batch yet.
func (c *core) single(it *item) *batchParts {
	class := c.byClass[it.class]
	if class == nil {
		c.serial++
		class = &classBatches{class: it.class, serial: c.serial}
		if c.byClass == nil {
			c.byClass = map[Class]*classBatches{}
		}
		c.byClass[it.class] = class
	}

	it.inBatch, it.run = true, nil
	c.serial++
	return partsOf([]batchPart{{class, aloneInTree(it, c.serial), it}}, 0)
}

// enlist adds members to a batch, and the batch to the list of each class that is new in it. The
// caller takes the members out of their earlier batches.
func (c *core) enlist(batch *item, joining *batchParts) {
	for _, p := range joining.list {
		if !batch.members.hasClass(p.classBatches) {
			p.batches = append(p.batches, batch)
		}
	}
	if batch.members == nil {
		batch.members = joining
	} else {
		batch.members = batch.members.union(joining)
	}
}

// forget takes a batch off the list of each class whose last member has left it. gone are the members that
// left, staying the members that are still in the batch.
func (c *core) forget(batch *item, gone, staying *batchParts) {
	for _, p := range gone.list {
		if !staying.hasClass(p.classBatches) {
			c.unlist(p.classBatches, batch)
		}
	}
}

// unlist takes a batch off the list of a class. A class without batches is forgotten.
func (c *core) unlist(class *classBatches, batch *item) {
	if i := slices.Index(class.batches, batch); i >= 0 {
		class.batches = slices.Delete(class.batches, i, i+1)
	}
	if len(class.batches) == 0 {
		delete(c.byClass, class.class)
	}
}

// find returns the item of a pod, taken out of its batch if it was in one; nil if the pod is not inside. A
// pod of the same name with another UID is another pod (rule 5.2.4).
func (c *core) find(pod *outrank.Pod) *item {
	if pod == nil {
		return nil
	}
	if it := c.items[keyOf(pod)]; it != nil && it.Pod.UID == pod.UID {
		return c.alone(it)
	}
	return nil
}
