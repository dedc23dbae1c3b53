package queue

import "slices"

// splitBatches parts each batch in which an event helps some classes and not others. What a hint looks at in a waiting
// pod is the same for all pods of a class, so that one of them answers for all.
func (q *Queue) splitBatches(event *ClusterEvent) {
	if !q.batching {
		return
	}

	// The batches are parted after the walk over the pool, because that moves items in it.
	var apart []parting
	for _, it := range q.pools[unschedulable].items {
		if it.members == nil || len(it.members.list) == 1 {
			continue
		}
		if helped := q.helpedParts(it, event); len(helped) > 0 && len(helped) < len(it.members.list) {
			apart = append(apart, parting{it, helped})
		}
	}
	for _, p := range apart {
		q.pools[unschedulable].push(q.part(p.batch, p.leaving))
	}
}

// parting is a batch that some of its classes leave.
type parting struct {
	batch   *item
	leaving []batchPart
}

// helpedParts lists the classes of a batch that an event helps.
func (q *Queue) helpedParts(batch *item, event *ClusterEvent) []batchPart {
	var helped []batchPart
	asked := batch.Entry
	for _, p := range batch.members.list {
		asked.Pod = p.head.Pod
		if q.config.Helps(&asked, *event) {
			helped = append(helped, p)
		}
	}
	return helped
}

// part moves some of the classes of a batch into an item of their own, which is in no pool yet.
func (q *Queue) part(batch *item, leaving []batchPart) *item {
	h, members := &q.pools[batch.pool], batch.members
	own := &item{Entry: batch.Entry, pool: batch.pool, due: batch.due, batchState: batchState{run: batch.run}}
	gone := partsOf(leaving, members.uncounted)
	staying := partsOf(slices.DeleteFunc(slices.Clone(members.list), func(p batchPart) bool { return gone.hasClass(p.classBatches) }), members.uncounted)

	// The classes are listed with the new batch before the old one forgets them, so that none is lost between.
	q.enlist(own, gone)
	own.Pod = gone.head.Pod
	q.forget(batch, gone, staying)

	h.count -= gone.size
	batch.members, batch.Pod = staying, staying.head.Pod
	h.fix(batch)
	return own
}
