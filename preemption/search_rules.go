package preemption

import (
	"context"
	"slices"
)

// Other rules than the default ones take the same first round, and the same
// bounds on resources. What remains of the arguments depends on the rule:
//
//   - Whoever may not be evicted (MayEvict) only makes the set of possible victims
//     smaller. Every bound holds for a subset, so that the caller is asked about the
//     pods of nodes alone that are evaluated, and there from the lowest priority up
//     until there is room. Where nothing helps in the end, all nodes are asked for
//     the sake of their statuses.
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
	// asked: MayEvict has to be asked about each possible victim. exactly: that is
	// done for every node, so that all of them have their own status.
	asked, exactly bool
	// reordered: possible victims are in the caller's order.
	reordered bool
	// topLast: the ranks compare a figure of the third rank or later before they
	// compare the top priority, so that victims above it have to be thought of.
	topLast bool
	// tight has a bit for each budget (see extremes.lowBudgets) that allows fewer
	// disruptions than its index; the last is for any number.
	tight [8]uint32
	// chosen: the caller's rule chooses the victims. Whatever it chooses has to make
	// room, so that the bounds on any set of victims hold.
	chosen bool
	// byRows: the victims are found as by the default rules.
	byRows bool
}

// pruned reports whether a question can be answered without evaluating every
// node. Extenders and scorers have to see every candidate.
func (c *Config) pruned(req *Request) bool {
	if req.Pod == nil || len(c.Extenders) > 0 || len(c.Scorers) > 0 {
		return false
	}
	if c.anyPriority() {
		return false
	}
	// A pod without priority counts as one of priority 0, and is no special case
	// below a higher one.
	return !c.Policy.EvictUnprioritized || req.Pod.PriorityValue() > 0
}

func (c *Config) searchRules() searchRules {
	policy := &c.Policy
	r := searchRules{asked: c.MayEvict != nil, reordered: c.Importance != nil, chosen: c.Chooser != nil}
	r.byRows = !r.chosen && !r.asked && !r.reordered && policy.Victims == Reprieve && policy.Budgets == PerVictim &&
		!policy.IgnoreStart && !policy.EmptySelectors
	standard := policy.Ranks == nil || slices.Equal(policy.Ranks, sharedRanks)
	r.general = !r.byRows || !standard || policy.FilterOnce || c.Sample != nil
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

// noteTight finds the budgets that so many evictions on one node would violate.
func (s *search) noteTight() {
	s.tight = [len(s.tight)]uint32{}
	for i, b := range s.snap.budgets.list {
		if b == nil {
			continue
		}
		for pods := max(0, int64(b.Allowed)) + 1; pods < int64(len(s.tight)); pods++ {
			s.tight[pods] |= 1 << (i % budgetBits)
		}
		s.tight[len(s.tight)-1] |= 1 << (i % budgetBits)
	}
}

// runGeneral is run for other rules than the default ones. One round bounds all
// nodes, and evaluates on the way those whose optimistic score is the best so far.
// Then come the nodes that this has not pruned, in the order of their optimistic
// scores, until none is better than the incumbent.
func (s *search) runGeneral(ctx context.Context, req *Request) (*Plan, error) {
	s.noteTight()
	s.onlyCount = s.eligible(s.codeOf) != Eligible
	if err := s.each(ctx, s.firstRound()); err != nil {
		return nil, err
	}
	if err := s.checkGiven(req); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != Preempt {
		return plan, nil
	}
	if s.config.Sample != nil {
		if err := s.trySample(ctx); err != nil {
			return nil, err
		}
	}
	s.gather()
	if err := s.evaluateBestFirst(ctx); err != nil {
		return nil, err
	}
	best := s.workers[0].best
	if s.asked && best.position < 0 && !s.exactly {
		return s.runExactly(ctx, req)
	}
	s.finishPlan(plan, best)
	if (s.asked || s.selective || s.chosen) && plan.Outcome == Preempt {
		plan.Unhelpful = nil
	}
	return plan, nil
}

// runExactly decides once more, with the caller asked about every possible victim.
func (s *search) runExactly(ctx context.Context, req *Request) (*Plan, error) {
	s.exactly = true
	for _, w := range s.workers {
		w.reset()
	}
	return s.runGeneral(ctx, req)
}

// firstRound returns the round over all nodes that ends with the status of every node
// known. For a sample it leaves the candidates alone.
func (s *search) firstRound() func(w *searchWorker, from, to int) {
	switch sample := s.config.Sample != nil; {
	case s.given && sample:
		return (*searchWorker).noteGiven
	case s.given:
		return (*searchWorker).boundGiven
	case sample:
		return (*searchWorker).filterNodes
	}
	return (*searchWorker).boundGeneral
}

// boundGeneral is boundNodes for other rules than the default ones. It considers
// each candidate at once, while its summary is at hand.
func (w *searchWorker) boundGeneral(from, to int) {
	plain := !w.filtered && !w.selects && !w.exactly
	for position := from; position < to; position++ {
		b, slot := &w.bounds[position], w.snap.order[position]
		sum := w.snap.summaries.at(slot)
		if sum.flags == 0 && (plain || w.rulesPass(slot)) {
			w.boundByResources(b, slot, sum)
		} else {
			w.boundFiltered(b, position, slot)
		}
		w.before.count(b.before, 1)
		w.after.count(b.after, 1)
		if b.before == 0 {
			w.fitsSomewhere = true
		}
		if b.kind != settled && !w.onlyCount && !w.fitsSomewhere {
			w.consider(b, position, slot, sum)
		}
	}
}

// noWorse reports whether a score is not worse than another by the ranks alone.
func (s *search) noWorse(f, g *nodeScore) bool {
	elsewhere := *g
	elsewhere.position = f.position
	return !s.better(&elsewhere, f)
}

// mostTries is how many nodes may be evaluated because they look as good as the best
// ones so far. A good incumbent saves the look at many others, but where bounds say
// little they would be evaluated in vain.
const mostTries = 32

// consider evaluates a candidate if its optimistic score is the best that the worker
// has seen, and keeps it in mind unless it is pruned.
func (w *searchWorker) consider(b *nodeBound, position int, slot int32, sum *nodeSummary) {
	o := nodeScore{position: -1}
	promising := false
	if !w.topLast || b.bound == sum.lowest {
		o = b.lowest(position)
		if promising = w.better(&o, &w.best); promising {
			w.tighten(b, slot)
			o = b.lowest(position)
			w.boundStart(&o, b, slot, sum)
			promising = w.better(&o, &w.best)
		}
	}
	if w.topLast {
		if upper, ok := w.upper(b, position, slot, sum); ok && w.better(&upper, &o) {
			o, promising = upper, w.better(&upper, &w.best)
		}
	}
	switch {
	case !promising:
	case w.least.position < 0 || w.tries < mostTries && w.noWorse(&o, &w.least):
		w.least = o
		w.tries++
		w.evaluateAt(position)
	default:
		w.promising = append(w.promising, o)
	}
}

// evaluateBestFirst evaluates the nodes whose optimistic score is better than the
// incumbent's, the best first.
func (s *search) evaluateBestFirst(ctx context.Context) error {
	w := s.workers[0]
	queue := promising{search: s, nodes: s.queue[:0]}
	for _, of := range s.workers {
		for i := range of.promising {
			if o := &of.promising[i]; w.better(o, &w.best) {
				queue.nodes = append(queue.nodes, *o)
			}
		}
	}
	s.queue = queue.nodes
	queue.order()
	for tries := 0; len(queue.nodes) > 0; tries++ {
		if tries%chunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !w.better(&queue.nodes[0], &w.best) {
			return nil
		}
		w.evaluateAt(queue.nodes[0].position)
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

// An optimistic score of a node is one that no candidate on it can beat. Consider a
// set of victims. Either all of them have the lowest priority of the node; then at
// least b.fewest of them are needed, and their starts bound the last rank (lowest and
// boundStart). Or one of them is above that priority, and at least as many are needed
// as are of any pods (upper). The better of the two by the ranks is the bound. If no
// other rank is compared before the top priority, the first is better.

// lowest returns the best score of victims that all have the lowest priority of the
// node or, if these do not make room, as little as is enough.
func (b *nodeBound) lowest(position int) nodeScore {
	return nodeScore{
		position: position, top: b.bound, victims: int32(b.fewest),
		sum: int64(b.fewest) * (int64(b.bound) + priorityShift), start: never,
	}
}

// boundStart sets the latest that the start of such victims can be.
func (w *searchWorker) boundStart(o *nodeScore, b *nodeBound, slot int32, sum *nodeSummary) {
	if b.bound != sum.lowest {
		return
	}
	if start := w.snap.summaries.topSumsAt(slot).latestStart(sum, int32(b.fewest)); start != noStart {
		o.start = instant{start, 1e9}
	}
}

// upper returns the best score of victims one of which is above the lowest priority
// of the node, not ok if there are no such victims.
func (w *searchWorker) upper(b *nodeBound, position int, slot int32, sum *nodeSummary) (o nodeScore, ok bool) {
	e, top := w.snap.summaries.extremesAt(slot), b.bound
	if b.bound == sum.lowest {
		if w.staysLow(b, sum, e) {
			return o, false
		}
		top++ // the preemptor's priority is higher
	}
	few := int64(max(e.fewest(sum, &w.asks), 1))
	o = nodeScore{
		position: position, top: top, victims: int32(few), start: never,
		sum: int64(top) + priorityShift + (few-1)*(int64(sum.lowest)+priorityShift),
	}
	if w.reordered {
		o.top = sum.lowest // it is that of the first in the caller's order
	}
	if e.upperStart != noStart {
		o.start = instant{e.upperStart, 1e9}
	}
	return o, true
}

// staysLow reports that all victims have the lowest priority of the node. That is
// so where the pods of this priority that no budget covers make room: those that
// violate a budget are put back first, beside all pods of higher priority, and then
// the others of higher priority.
func (w *searchWorker) staysLow(b *nodeBound, sum *nodeSummary, e *extremes) bool {
	switch {
	case b.kind != byResources || w.reordered || w.asked || w.chosen:
		return false
	case w.config.Policy.Victims == Ascending || !e.anyCovered && !w.config.Policy.EmptySelectors:
		return true
	case w.config.Policy.EmptySelectors:
		return false
	case !w.mayViolate(e):
		return true
	case sum.flags&hasNominated != 0:
		return false
	}
	held := sum.low
	for k := range held {
		held[k] -= e.covered[k]
	}
	return w.covers(sum, &held, int32(sum.lowPods)-int32(e.coveredLow))
}

// mayViolate reports whether a pod of the lowest priority can violate a budget.
func (w *searchWorker) mayViolate(e *extremes) bool {
	return e.lowBudgets&w.tight[min(int(e.mostCovered), len(w.tight)-1)] != 0
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
