package preemption

import (
	"context"
	"slices"
)

// Other rules than the default ones take the same first round, and the same
// bounds on resources. What remains of the arguments depends on the rule:
//
//   - Whoever may not be evicted (MayEvict) only makes the set of possible victims
//     smaller. Every bound holds for a subset; the least top priority is found by
//     asking about pods from the lowest priority up until there is room, and not
//     further.
//   - Another order among the pods (Importance) changes which pods are put back, not
//     what has to be held by those that are not. Any set of victims still holds a
//     pod of priority q or above. The score's top priority is then that of the first
//     victim in the caller's order, so that only the lowest priority of the node
//     bounds it.
//   - Another order or a prefix of the ranks compares the same figures. A bound of
//     all figures at once is compared by the same ranks (see optimistic).
//   - Without reprieve (Ascending) the victims are the pods from the least important
//     up to the one with which there is room. Its priority is q.
//   - How violations are counted has no part in the bounds, which assume none.

// rules is what a search derives from its configuration.
type searchRules struct {
	// general: not the default rules, so that the nodes are evaluated in the order
	// of their optimistic scores.
	general bool
	// asked: MayEvict has to be asked about each possible victim.
	asked bool
	// reordered: possible victims are in the caller's order.
	reordered bool
	// topLast: the ranks compare a figure of the third rank or later before they
	// compare the top priority, so that victims above it have to be thought of.
	topLast bool
	// byRows: the victims are found as by the default rules.
	byRows bool
}

// pruned reports whether a question can be answered without evaluating every
// node. Extenders and scorers have to see every candidate.
func (c *Config) pruned(req *Request) bool {
	if req.Pod == nil || req.Statuses != nil || c.Sample != nil || len(c.Extenders) > 0 || len(c.Scorers) > 0 {
		return false
	}
	// A pod without priority counts as one of priority 0, and is no special case
	// below a higher one.
	return !c.Policy.EvictUnprioritized || req.Pod.PriorityValue() > 0
}

func (c *Config) searchRules() searchRules {
	policy := &c.Policy
	r := searchRules{asked: c.MayEvict != nil, reordered: c.Importance != nil}
	r.byRows = !r.asked && !r.reordered && policy.Victims == Reprieve && policy.Budgets == PerVictim &&
		!policy.IgnoreStart && !policy.EmptySelectors
	standard := policy.Ranks == nil || slices.Equal(policy.Ranks, sharedRanks)
	r.general = !r.byRows || !standard || policy.FilterOnce
	for _, rank := range policy.Ranks {
		if rank == ByTopPriority {
			break
		}
		r.topLast = r.topLast || rank != ByViolations
	}
	if policy.Ranks != nil && !slices.Contains(policy.Ranks, ByTopPriority) {
		r.topLast = len(policy.Ranks) > 0
	}
	r.topLast = r.topLast || r.reordered
	return r
}

// runGeneral is run for other rules than the default ones: the bounds of all nodes,
// and then the nodes in the order of their optimistic scores, until none is better
// than the incumbent.
func (s *search) runGeneral(ctx context.Context) (*Plan, error) {
	if err := s.each(ctx, (*searchWorker).boundNodes); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != Preempt {
		return plan, nil
	}
	s.gather()
	if err := s.evaluateBestFirst(ctx); err != nil {
		return nil, err
	}
	s.finishPlan(plan, s.workers[0].best)
	return plan, nil
}

// evaluateBestFirst evaluates the node with the best optimistic score, and then
// all nodes whose optimistic score is better than the incumbent's, the best first.
func (s *search) evaluateBestFirst(ctx context.Context) error {
	w := s.workers[0]
	least := nodeScore{position: -1}
	for position := range s.bounds {
		if b := &s.bounds[position]; b.kind != settled {
			if o := w.optimistic(b, position); w.better(&o, &least) {
				least = o
			}
		}
	}
	if least.position < 0 {
		return nil
	}
	w.evaluateAt(least.position)
	queue := promising{search: s, nodes: s.promising[:0]}
	for position := range s.bounds {
		if b := &s.bounds[position]; b.kind != settled {
			if o := w.optimistic(b, position); w.better(&o, &w.best) {
				queue.nodes = append(queue.nodes, o)
			}
		}
	}
	s.promising = queue.nodes
	queue.order()
	for tries := 0; len(queue.nodes) > 0; tries++ {
		if tries%chunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := &queue.nodes[0]
		if !w.better(first, &w.best) {
			return nil
		}
		b := &s.bounds[first.position]
		if !b.exact {
			w.tighten(b, s.snap.order[first.position])
			*first = w.optimistic(b, first.position)
			queue.sink(0)
			continue
		}
		w.evaluateAt(first.position)
		queue.dropFirst()
	}
	return nil
}

// evaluateAt finds the victims on the node at a position.
func (w *searchWorker) evaluateAt(position int) {
	b := &w.bounds[position]
	w.findVictims(position, w.nodeAt(position), b)
	b.kind = settled
}

// optimistic returns a score that no candidate on this node can beat. Consider a
// set of victims. Either all of them have the lowest priority of the node, and then
// at least b.fewest of them are needed, and their starts bound the last rank. Or one
// of them is above that priority, and at least as many are needed as are of any
// pods. The better of the two by the ranks is the bound.
func (w *searchWorker) optimistic(b *nodeBound, position int) nodeScore {
	slot := w.snap.order[position]
	sum := w.snap.summaries.at(slot)
	low := nodeScore{
		position: position, top: b.bound, victims: int32(b.fewest),
		sum: int64(b.fewest) * (int64(b.bound) + priorityShift), start: never,
	}
	atLowest := b.bound == sum.lowest
	if b.exact && atLowest {
		if start := w.snap.summaries.topSumsAt(slot).latestStart(sum, int32(b.fewest)); start != noStart {
			low.start = instant{start, 1e9}
		}
	}
	if !w.topLast {
		return low
	}
	e := w.snap.summaries.extremesAt(slot)
	if atLowest && w.staysLow(b, sum, e) {
		return low
	}
	above := b.bound
	if atLowest && above < w.priority {
		above++
	}
	few := int64(max(e.fewest(sum, &w.asks), 1))
	upper := nodeScore{
		position: position, top: above, victims: int32(few), start: never,
		sum: int64(above) + priorityShift + (few-1)*(int64(sum.lowest)+priorityShift),
	}
	if w.reordered {
		upper.top, low.top = sum.lowest, sum.lowest
	} else if atLowest && e.upperStart != noStart {
		upper.start = instant{e.upperStart, 1e9}
	}
	if atLowest && w.better(&low, &upper) {
		return low
	}
	return upper
}

// staysLow reports that all victims have the lowest priority of the node. That is
// so where the pods of this priority that no budget covers make room: those that
// violate a budget are put back first, beside all pods of higher priority, and then
// the others of higher priority.
func (w *searchWorker) staysLow(b *nodeBound, sum *nodeSummary, e *extremes) bool {
	switch {
	case b.kind != byResources || w.reordered:
		return false
	case w.config.Policy.Victims == Ascending || e.coveredPods == 0 && !w.config.Policy.EmptySelectors:
		return true
	case w.asked || w.config.Policy.EmptySelectors || sum.flags != 0:
		return false
	}
	held := sum.low
	for k := range held {
		held[k] -= e.covered[k]
	}
	return w.covers(sum, &held, int32(sum.lowPods)-e.coveredLow)
}

// fewest returns a lower bound on how many pods of the node hold what it is short
// of, of whatever priority.
func (e *extremes) fewest(l *nodeSummary, asks *amountRow) int32 {
	pods := int64(1 - int32(l.room))
	for k, v := range asks {
		if short := v - l.free[k]; short > 0 && e.largest[k] > 0 {
			pods = max(pods, (short+e.largest[k]-1)/e.largest[k])
		}
	}
	return int32(min(pods, mostPods))
}

// promising is a heap of nodes by their optimistic scores, the best first.
type promising struct {
	*search
	nodes []nodeScore
}

func (q *promising) order() {
	for i := len(q.nodes)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

func (q *promising) sink(i int) {
	for {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.nodes); child++ {
			if q.better(&q.nodes[child], &q.nodes[best]) {
				best = child
			}
		}
		if best == i {
			return
		}
		q.nodes[i], q.nodes[best] = q.nodes[best], q.nodes[i]
		i = best
	}
}

func (q *promising) dropFirst() {
	last := len(q.nodes) - 1
	q.nodes[0] = q.nodes[last]
	q.nodes = q.nodes[:last]
	q.sink(0)
}
