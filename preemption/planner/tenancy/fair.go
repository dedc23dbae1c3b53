package tenancy

import (
	"math"
	"slices"
)

// fairRun is the state of a decision by shares (group 24.4). While it chooses victims, the preemptor's amounts count as
// used by its queue.
type fairRun struct {
	*decision
	taken   []Taken
	holders []*holder // the holders of taken, in the same order
	retry   []*holder // candidates that the first strategy rejected
}

// fair decides by shares, and returns the victims, or nil if nothing helps.
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

	// The preemptor's amounts are no longer counted as used, so fits applies directly.
	fits := func() bool { return d.fits(in.at, in.uses, in.asked) }
	if !found {
		r.taken, r.holders, found = d.takeFurther(r.taken, r.holders, fits)
	}
	if !found {
		return nil
	}
	return d.fillBack(r.taken, r.holders, fits)
}

// fairCandidates lists the candidates of the preemptor's queue, and those of every queue of its tree that uses more
// than its quota, in the order in which they are preempted.
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

// fitsNow reports whether the preemptor fits. Its amounts are counted as used already, so they are taken out for the
// question.
func (r *fairRun) fitsNow() bool {
	in := &r.incoming
	r.add(in.at, in.uses, -1)
	fits := r.fits(in.at, in.uses, in.asked)
	r.add(in.at, in.uses, 1)
	return fits
}

// take makes a workload a victim unless a window spares it, and reports whether the preemptor fits then.
func (r *fairRun) take(h *holder, rule string) bool {
	if r.spares(h, rule) {
		return false
	}
	r.add(h.at, h.uses, -1)
	r.taken = append(r.taken, Taken{*h.Workload, rule})
	r.holders = append(r.holders, h)
	return r.fitsNow()
}

// runFirst chooses victims by the first strategy, each time from the queue with the largest share (rules 24.4.3 to
// 24.4.5). It reports whether the preemptor fits then. Candidates that do not pass are kept for the second strategy.
func (r *fairRun) runFirst(list []*holder, strategy Strategy) bool {
	// A preemptor within its quota need not compare shares. Its amounts are counted as used already.
	entitled := !r.req.Fair.SharesAlone && !r.over(r.incoming.at, r.contested)
	o := r.newOrder(list)
	for queue := o.next(); queue != none; queue = o.next() {
		// In two cases the next candidate is preempted whatever the shares are (rule 24.4.4): it is in the preemptor's
		// queue, or the preemptor's queue stays within its quota.
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

		// If the preemptor's side borrows with weight 0 and the other side does not, no candidate can pass.
		_, mine, theirs := r.meet(r.incoming.at, queue)
		at := meeting{theirs: theirs, mine: r.share(mine), before: r.share(theirs)}
		if math.IsInf(at.mine.weighted(), 1) && !math.IsInf(at.before.weighted(), 1) {
			for o.has(queue) {
				r.retry = append(r.retry, o.pop(queue))
			}
			continue
		}

		// Look for the first candidate of the queue that passes.
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
			break // another queue may have the largest share now
		}
	}
	return false
}

// meeting has the shares by which two queues are compared: of the nodes just below their lowest common cohort
// (rule 24.4.2).
type meeting struct {
	theirs int   // the node on the other side
	mine   share // the share of the preemptor's side, with the preemptor
	before share // the share of the other side with the next candidate
}

// passes reports whether a strategy allows a victim (rule 24.4.5). It compares the share of the preemptor's side with
// the share of the other side, before or after the workload leaves.
func (r *fairRun) passes(strategy Strategy, h *holder, at meeting) bool {
	if strategy == LessThanInitialShare {
		return at.mine.compare(at.before) < 0
	}
	r.add(h.at, h.uses, -1)
	after := r.share(at.theirs)
	r.add(h.at, h.uses, 1)
	return at.mine.compare(after) <= 0
}

// runSecond applies LessThanInitialShare to the candidates that the first strategy rejected, and chooses at most one
// victim in each queue (rule 24.4.6). It reports whether the preemptor fits then.
func (r *fairRun) runSecond() bool {
	o := r.newOrder(r.retry)
	for queue := o.next(); queue != none; queue = o.next() {
		_, mine, theirs := r.meet(r.incoming.at, queue)
		if queue == r.incoming.at {
			mine, theirs = queue, queue
		}

		// A candidate that a window spares is skipped, and the next one of the queue is tried (rule 24.8.3).
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

// queueOrder finds the queue with the largest share among those with candidates left, going down from the top of the
// tree (rule 24.4.3).
type queueOrder struct {
	*fairRun
	left   map[int][]*holder // by queue, the candidates left, the next one first
	pruned map[int]bool      // nodes without further victims
}

// newOrder returns the order of the queues of some candidates, which must be in the order of before.
func (r *fairRun) newOrder(list []*holder) *queueOrder {
	o := &queueOrder{r, map[int][]*holder{}, map[int]bool{}}
	for _, h := range list {
		o.left[h.at] = append(o.left[h.at], h)
	}
	return o
}

// has reports whether a queue has candidates left.
func (o *queueOrder) has(queue int) bool { return len(o.left[queue]) > 0 }

// drop excludes a queue from further turns.
func (o *queueOrder) drop(queue int) { o.pruned[queue] = true }

// pop removes the next candidate of a queue that has one, and returns it.
func (o *queueOrder) pop(queue int) *holder {
	h := o.left[queue][0]
	o.left[queue] = o.left[queue][1:]
	return h
}

// next returns the queue whose turn it is, or none if no candidates are left. A queue without a cohort is the top of its
// tree.
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

// down returns the queue below a cohort whose turn it is. If the cohort has none, it is pruned, and down returns none:
// the caller then starts again at the top, unless the top itself was pruned.
func (o *queueOrder) down(cohort int) int {
	queue, group := none, none
	var most, mostGroup share
	for _, child := range o.nodes[cohort].children {
		if o.pruned[child] {
			continue
		}

		// The largest share wins, separately among queues and among cohorts.
		s := o.share(child)
		isQueue := o.nodes[child].queue
		switch {
		case o.exhausted(child, s):
			o.pruned[child] = true
		case !isQueue:
			if group == none || s.compare(mostGroup) >= 0 { // of cohorts with equal shares the last one wins
				group, mostGroup = child, s
			}
		case queue == none || s.compare(most) > 0 || s.compare(most) == 0 && o.before(o.left[child][0], o.left[queue][0]) < 0:
			queue, most = child, s
		}
	}

	// If a cohort and a queue have equal shares, the cohort goes first.
	switch {
	case queue == none && group == none:
		o.pruned[cohort] = true
		return none
	case group != none && (queue == none || mostGroup.compare(most) >= 0):
		return o.down(group)
	}
	return queue
}

// exhausted reports whether a node can have no further victims: it is a queue without candidates, or it is within its
// quota and the preemptor does not belong to it.
func (o *queueOrder) exhausted(at int, s share) bool {
	if o.nodes[at].queue {
		return !o.has(at) || !s.borrows && at != o.incoming.at
	}
	return !s.borrows && !o.above(at, o.incoming.at)
}
