package tenancy

import (
	"math"
	"slices"
)

// fairRun is a decision by shares (group 24.4). While it takes, what the preemptor asks for counts as used by its
// queue.
type fairRun struct {
	*decision
	taken   []Taken
	holders []*holder // of taken
	retry   []*holder // those that the first strategy passed over
}

// fair decides by shares.
func (d *decision) fair() []Taken {
	list := d.fairCandidates()
	strategies := d.req.Fair.Strategies
	if strategies == nil {
		strategies = []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare}
	}

	in := &d.incoming
	d.add(in.at, in.uses, 1)
	r := &fairRun{decision: d}
	found := r.runFirst(list, strategies[0])
	if !found && len(strategies) > 1 {
		found = r.runSecond()
	}
	d.add(in.at, in.uses, -1)

	// What the preemptor asks for is not counted any more, so plain fits says whether there is room.
	fits := func() bool { return d.fits(in.at, in.uses, in.asked) }
	if !found {
		r.taken, r.holders, found = d.takeFurther(r.taken, r.holders, fits)
	}
	if !found {
		return nil
	}
	return d.fillBack(r.taken, r.holders, fits)
}

// fairCandidates lists, in order, the candidates of the queue itself, and those of all queues of the tree that
// have more than their own.
func (d *decision) fairCandidates() []*holder {
	var out []*holder
	queue := d.incoming.at
	parent := d.nodes[queue].parent
	for i := range d.admitted {
		h := &d.admitted[i]
		take := d.policy.Within
		if h.at != queue {
			take = d.policy.Reclaim
			if parent == none || d.root(h.at) != d.root(queue) || !d.over(h.at, d.contested) {
				continue
			}
		}
		if d.usesContested(h) && take.allows(d.incoming.ranked(), h.ranked()) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, d.before)
	return out
}

// fitsNow reports whether what the preemptor asks for fits. It is counted as used, and taken out for that.
func (r *fairRun) fitsNow() bool {
	in := &r.incoming
	r.add(in.at, in.uses, -1)
	fits := r.fits(in.at, in.uses, in.asked)
	r.add(in.at, in.uses, 1)
	return fits
}

// take takes a workload unless a window spares it, and reports whether the preemptor fits.
func (r *fairRun) take(h *holder, rule string) bool {
	if r.spares(h, rule) {
		return false
	}
	r.add(h.at, h.uses, -1)
	r.taken = append(r.taken, Taken{*h.Workload, rule})
	r.holders = append(r.holders, h)
	return r.fitsNow()
}

// runFirst takes by one strategy from the queue with the largest share, again and again
// (rules 24.4.3 to 24.4.5). It keeps those that do not pass for the second strategy.
func (r *fairRun) runFirst(list []*holder, strategy Strategy) bool {
	entitled := !r.req.Fair.SharesAlone && !r.over(r.incoming.at, r.contested)
	o := r.newOrder(list)
	for queue := o.next(); queue != none; queue = o.next() {
		// From these two the next candidate goes, whatever the shares are (rule 24.4.4).
		switch {
		case queue == r.incoming.at:
			if r.take(o.pop(queue), ruleWithin) {
				return true
			}
			continue
		case entitled:
			if r.take(o.pop(queue), ruleReclaimed) {
				return true
			}
			continue
		}

		// The preemptor's side borrows with weight 0 and the other side does not: whoever leaves, nobody passes.
		_, mine, theirs := r.meet(r.incoming.at, queue)
		at := meeting{theirs: theirs, mine: r.share(mine), before: r.share(theirs)}
		if math.IsInf(at.mine.weighted(), 1) && !math.IsInf(at.before.weighted(), 1) {
			for o.has(queue) {
				r.retry = append(r.retry, o.pop(queue))
			}
			continue
		}

		for o.has(queue) {
			h := o.pop(queue)
			if !r.passes(strategy, h, at) {
				r.retry = append(r.retry, h)
				continue
			}
			if r.spares(h, ruleFairShare) {
				continue
			}
			if r.take(h, ruleFairShare) {
				return true
			}
			break // the largest share may be another's now
		}
	}
	return false
}

// meeting has the shares of the nodes just below where the preemptor's queue and another one meet (rule 24.4.2).
type meeting struct {
	theirs int   // the node on the other side
	mine   share // of the preemptor's side
	before share // of the other side, before anybody else is taken
}

// passes compares the shares where the two queues meet: that of the preemptor's side with that of the other side,
// with the workload or without it (rule 24.4.5).
func (r *fairRun) passes(strategy Strategy, h *holder, at meeting) bool {
	if strategy == LessThanInitialShare {
		return at.mine.compare(at.before) < 0
	}
	r.add(h.at, h.uses, -1)
	after := r.share(at.theirs)
	r.add(h.at, h.uses, 1)
	return at.mine.compare(after) <= 0
}

// runSecond takes one workload of each queue by its share as it is (rule 24.4.6).
func (r *fairRun) runSecond() bool {
	o := r.newOrder(r.retry)
	for queue := o.next(); queue != none; queue = o.next() {
		_, mine, theirs := r.meet(r.incoming.at, queue)
		if queue == r.incoming.at {
			mine, theirs = queue, queue
		}

		// One that a window spares is passed over, and the next of the queue is looked at (rule 24.8.3).
		for less := r.share(mine).compare(r.share(theirs)) < 0; less && o.has(queue); {
			if h := o.pop(queue); !r.spares(h, ruleFairShare) {
				if r.take(h, ruleFairShare) {
					return true
				}
				break
			}
		}
		o.drop(queue)
	}
	return false
}

// queueOrder goes down from the top to the queue with the largest share that has
// candidates left (rule 24.4.3).
type queueOrder struct {
	*fairRun
	left   map[int][]*holder // by queue, in order
	pruned map[int]bool      // nodes that have been ruled out
}

// newOrder returns the order in which the queues of some candidates have their turn.
func (r *fairRun) newOrder(list []*holder) *queueOrder {
	o := &queueOrder{r, map[int][]*holder{}, map[int]bool{}}
	for _, h := range list {
		o.left[h.at] = append(o.left[h.at], h)
	}
	return o
}

func (o *queueOrder) has(queue int) bool { return len(o.left[queue]) > 0 }
func (o *queueOrder) drop(queue int)     { o.pruned[queue] = true }

func (o *queueOrder) pop(queue int) *holder {
	h := o.left[queue][0]
	o.left[queue] = o.left[queue][1:]
	return h
}

// next returns the next queue, none if there is none. A queue without a cohort is the top itself.
func (o *queueOrder) next() int {
	top := o.root(o.incoming.at)
	if top == o.incoming.at {
		if o.has(top) && !o.pruned[top] {
			return top
		}
		return none
	}
	for !o.pruned[top] {
		if queue := o.down(top); queue != none {
			return queue
		}
	}
	return none
}

// down finds the queue below a cohort. It returns none where it rules the cohort out: the caller begins at the top
// again then, unless that is what was ruled out.
func (o *queueOrder) down(cohort int) int {
	queue, group := none, none
	var most, mostGroup share
	for _, child := range o.nodes[cohort].children {
		if o.pruned[child] {
			continue
		}
		s := o.share(child)
		isQueue := o.nodes[child].queue
		switch {
		case o.exhausted(child, s):
			o.pruned[child] = true
		case !isQueue:
			if group == none || s.compare(mostGroup) >= 0 { // of equal ones the last
				group, mostGroup = child, s
			}
		case queue == none || s.compare(most) > 0 || s.compare(most) == 0 && o.before(o.left[child][0], o.left[queue][0]) < 0:
			queue, most = child, s
		}
	}

	// Between a cohort and a queue with equal shares the cohort goes first.
	switch {
	case queue == none && group == none:
		o.pruned[cohort] = true
		return none
	case group != none && (queue == none || mostGroup.compare(most) >= 0):
		return o.down(group)
	}
	return queue
}

// exhausted reports whether nobody is taken from a node any more: it has no more than is its own and the preemptor
// does not belong to it, or it is a queue without candidates.
func (o *queueOrder) exhausted(at int, s share) bool {
	if o.nodes[at].queue {
		return !o.has(at) || !s.borrows && at != o.incoming.at
	}
	return !s.borrows && !o.above(at, o.incoming.at)
}
