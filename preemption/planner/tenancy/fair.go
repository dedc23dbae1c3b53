package tenancy

import (
	"math"
	"slices"
)

// fairRun is a decision by shares (group 24.4). The preemptor's share is with what it
// asks for.
type fairRun struct {
	*decision
	taken []Taken
	of    []*holder
	retry []*holder
}

// fair decides by shares.
func (d *decision) fair() []Taken {
	list := d.fairCandidates()
	strategies := d.req.Fair.Strategies
	if strategies == nil {
		strategies = []Strategy{LessThanOrEqualToFinalShare, LessThanInitialShare}
	}
	d.add(d.in.at, d.in.uses, 1)
	r := &fairRun{decision: d}
	found := r.first(list, strategies[0])
	if !found && len(strategies) > 1 {
		found = r.second()
	}
	d.add(d.in.at, d.in.uses, -1)
	fits := func() bool { return d.fits(d.in.at, d.in.uses, d.in.asked) }
	if !found {
		r.taken, r.of, found = d.widen(r.taken, r.of, fits)
	}
	if !found {
		return nil
	}
	return d.fillBack(r.taken, r.of, fits)
}

// fairCandidates lists those of the queue itself, and of all queues of the tree that have
// more than their own, in order.
func (d *decision) fairCandidates() []*holder {
	var out []*holder
	parent := d.nodes[d.in.at].parent
	for i := range d.admitted {
		h := &d.admitted[i]
		take := d.own.Within
		if h.at != d.in.at {
			take = d.own.Reclaim
			if parent == none || d.root(h.at) != d.root(d.in.at) || !d.over(h.at, d.contested) {
				continue
			}
		}
		if d.usesContested(h) && take.allows(d.in.ranked(), h.ranked()) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, d.before)
	return out
}

// fitsNow reports whether what the preemptor asks for, which is counted, fits.
func (r *fairRun) fitsNow() bool {
	r.add(r.in.at, r.in.uses, -1)
	fits := r.fits(r.in.at, r.in.uses, r.in.asked)
	r.add(r.in.at, r.in.uses, 1)
	return fits
}

// take takes a workload unless a window spares it, and reports whether the preemptor fits.
func (r *fairRun) take(h *holder, rule string) bool {
	if r.spares(h, rule) {
		return false
	}
	r.add(h.at, h.uses, -1)
	r.taken, r.of = append(r.taken, Taken{*h.Workload, rule}), append(r.of, h)
	return r.fitsNow()
}

// first takes by one strategy from the queue with the largest share, again and again
// (rules 24.4.3 to 24.4.5). Who fails it is kept for the second.
func (r *fairRun) first(list []*holder, strategy Strategy) bool {
	entitled := !r.req.Fair.SharesAlone && !r.over(r.in.at, r.contested)
	o := r.order(list)
	for queue := o.next(); queue != none; queue = o.next() {
		switch {
		case queue == r.in.at:
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

		_, mine, theirs := r.meet(r.in.at, queue)
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

// meeting has the shares of the nodes just below where the preemptor's queue and another one meet:
// mine is that of the preemptor's side, and before that of the other side, whose node is theirs.
type meeting struct {
	theirs       int
	mine, before share
}

// passes compares the shares where the two queues meet.
func (r *fairRun) passes(strategy Strategy, h *holder, at meeting) bool {
	if strategy == LessThanInitialShare {
		return at.mine.compare(at.before) < 0
	}
	r.add(h.at, h.uses, -1)
	after := r.share(at.theirs)
	r.add(h.at, h.uses, 1)
	return at.mine.compare(after) <= 0
}

// second takes one workload of each queue by its share as it is (rule 24.4.6).
func (r *fairRun) second() bool {
	o := r.order(r.retry)
	for queue := o.next(); queue != none; queue = o.next() {
		_, mine, theirs := r.meet(r.in.at, queue)
		if queue == r.in.at {
			mine, theirs = queue, queue
		}
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
	left   map[int][]*holder
	pruned map[int]bool
}

func (r *fairRun) order(list []*holder) *queueOrder {
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

// next returns the next queue, none if there is none.
func (o *queueOrder) next() int {
	top := o.root(o.in.at)
	if top == o.in.at {
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

// down finds the queue below a cohort. It is none if parts have been ruled out on the way,
// so that it has to be asked again.
func (o *queueOrder) down(cohort int) int {
	queue, group := none, none
	var most, mostGroup share
	for _, child := range o.nodes[cohort].children {
		if o.pruned[child] {
			continue
		}
		s := o.share(child)
		switch {
		case !o.nodes[child].queue && !s.borrows && !o.above(child, o.in.at), o.nodes[child].queue && (!o.has(child) || !s.borrows && child != o.in.at):
			o.pruned[child] = true
		case !o.nodes[child].queue:
			if group == none || s.compare(mostGroup) >= 0 {
				group, mostGroup = child, s
			}
		case queue == none || s.compare(most) > 0 || s.compare(most) == 0 && o.before(o.left[child][0], o.left[queue][0]) < 0:
			queue, most = child, s
		}
	}
	switch {
	case queue == none && group == none:
		o.pruned[cohort] = true
		return none
	case group != none && (queue == none || mostGroup.compare(most) >= 0):
		return o.down(group)
	}
	return queue
}
