package search

import (
	"context"
	"math"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// known returns what the snapshot keeps of earlier decisions about preemptors of the same signature,
// nil where that is nothing, or where such preemptors may be answered in another way.
func (s *Search) known() *state.CachedAnswers {
	q := &s.Asked
	if !q.keeps || q.Attempt.AskedOne {
		return nil
	}
	cache := q.snap.Cache
	return cache.Of(q.signature, len(s.Bounds), len(q.snap.NodeStates))
}

// answerFromCache answers from what is known of earlier decisions. It bounds only the nodes that
// changed since.
func (s *Search) answerFromCache(ctx context.Context, known *state.CachedAnswers) (*preemption.Plan, error) {
	q := &s.Asked
	c := cachedSearch{search: s, w: s.Workers[0], attempt: &q.Attempt, plan: q.plan, snap: q.snap, sums: q.sums, cache: q.snap.Cache, known: known, counted: q.counted}
	return c.answer(ctx)
}

// cachedSearch is one decision that uses a cache entry.
type cachedSearch struct {
	search  *Search
	w       *Worker
	attempt *dryrun.Attempt
	plan    *filters.Plan
	snap    *state.Snapshot
	sums    *state.Summaries
	cache   *state.AnswerCache
	known   *state.CachedAnswers
	t       *Tournament
	// counted is the version of what the filters count.
	counted uint64
}

// answer decides. Readers that ask for the same signature take turns until the
// node is found. Each works out the victims by itself.
func (c *cachedSearch) answer(ctx context.Context) (*preemption.Plan, error) {
	plan, best, err := c.decide(ctx)
	if err != nil {
		return nil, err
	}
	if plan.Outcome == preemption.Preempts {
		c.search.finishPlan(plan, best)
	}
	return plan, nil
}

// decide brings the entry up to date and finds the best node. The worker counts for
// the tournament meanwhile, and has a copy of the counts afterwards.
func (c *cachedSearch) decide(ctx context.Context) (plan *preemption.Plan, best NodeScore, err error) {
	c.known.Mu.Lock()
	defer c.known.Mu.Unlock()
	c.open()
	w, t := c.w, c.t
	before, after := w.before.others[:0], w.after.others[:0]
	w.before, w.after = t.before, t.after
	returned := false
	defer func() {
		if !returned {
			t.nodes = 0 // the caller's code has panicked: it is built anew
		}
		t.before, t.after = w.before, w.after
		w.before.others, w.after.others = append(before, t.before.others...), append(after, t.after.others...)
	}()
	if err = c.update(ctx); err == nil {
		w.firstFit = t.firstFit()
		if plan = c.search.beginPlan(); plan.Outcome == preemption.Preempts {
			best, err = c.best(ctx)
		}
	}
	returned = true
	return plan, best, err
}

// open makes the tournament of the entry one that may be written.
func (c *cachedSearch) open() {
	t, _ := c.known.Nodes.(*Tournament)
	switch {
	case t == nil:
		t = &Tournament{}
	case c.known.Shared:
		t = t.copy()
	}
	c.t, c.known.Nodes, c.known.Shared = t, t, false
}

// update bounds the nodes that changed, or all nodes if that is less work. An entry that misses
// a change which is no more in the log misses more changes than there are nodes: answerCache
// drops changes only beyond so many. So the first condition is one of safety.
func (c *cachedSearch) update(ctx context.Context) error {
	t := c.t
	log, end, ok := c.cache.Since(c.known.Synced)
	stale := !ok || t.nodes == 0 || end-c.known.Synced > uint64(t.nodes)
	transient := t.transient
	t.transient = t.transient[:0] // a node that is bounded may be listed again, in the place of one that was read
	if !stale {
		for _, position := range transient {
			c.reboundNode(position)
		}
		stale = !c.recount()
	}
	if stale {
		if err := c.build(ctx); err != nil {
			t.nodes = 0
			return err
		}
	} else {
		c.renewGuarded()
		for i, slot := range log {
			if i+1 < len(log) && log[i+1] == slot {
				continue
			}
			if position := c.positionOf(slot); position >= 0 {
				c.reboundNode(position)
			}
		}
	}
	c.known.Synced, c.known.Budgets, t.counted = end, c.snap.BudgetSet, c.counted
	c.reboundOwnNode()
	return nil
}

// positionOf returns the position of a slot, below 0 for one without a node.
func (c *cachedSearch) positionOf(slot int32) int32 {
	if positions := c.snap.Positions(); int(slot) < len(positions) {
		return positions[slot]
	}
	return -1
}

// recount bounds the nodes about which a filter counts something else by now. It does nothing
// and reports false where these are many, so that it is less work to bound all.
func (c *cachedSearch) recount() bool {
	t := c.t
	if c.counted == t.counted {
		return true
	}
	tries := &c.search.tries
	positions := tries.positions[:0]
	for position, slot := range c.snap.Order {
		if c.plan.CountsChanged(t.counted, slot) {
			positions = append(positions, int32(position))
		}
	}
	tries.positions = positions
	if len(positions) > t.nodes/4 {
		return false
	}
	for _, position := range positions {
		c.reboundNode(position)
	}
	return true
}

// renewGuarded drops the evaluation of nodes where it depends on budgets that allow more
// or less by now. Their bounds stay: no bound depends on budgets, and a node with pods that
// other budgets cover now has changed itself.
func (c *cachedSearch) renewGuarded() {
	t := c.t
	if c.known.Budgets == c.snap.BudgetSet {
		return
	}
	var space [8]state.BudgetChange
	changes := c.snap.BudgetSet.AppendChanges(space[:0], c.known.Budgets)
	if len(changes) == 0 {
		return
	}
	guarded := t.guarded
	t.guarded = t.guarded[:0] // as in update
	for _, position := range guarded {
		current := t.At(position).Kind == Evaluated
		n := c.w.NodeAt(int(position))
		if current && !n.ConcernedBy(changes, t.At(position).upTo()) && !c.attempt.HasUnits(n) {
			t.guarded = append(t.guarded, position)
			continue
		}
		e := t.writable(position)
		switch e.guarded = false; {
		case !current:
		case e.was == Settled: // it was evaluated while it was bounded
			c.reboundNode(position)
		default:
			e.Kind = e.was
			c.scoreByBound(position)
			t.again = append(t.again, position)
		}
	}
	t.playAgain()
}

// reboundOwnNode bounds the node that the preemptor itself is nominated to, where it
// leaves no room for itself as it would for another.
func (c *cachedSearch) reboundOwnNode() {
	slot, ok := c.snap.NamedBy(c.attempt.Asked.Pod)
	if !ok {
		return
	}
	if position := c.positionOf(slot); position >= 0 {
		c.reboundNode(position)
		c.t.transient = append(c.t.transient, position)
	}
}

// build bounds every node.
func (c *cachedSearch) build(ctx context.Context) error {
	n := len(c.snap.Order)
	c.w.forgetAnswers()
	c.t.reset(n)
	for position := range n {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.bound(int32(position))
	}
	c.t.playAll()
	return nil
}

// reboundNode bounds a node again and plays its matches.
func (c *cachedSearch) reboundNode(position int32) {
	e, w := c.t.At(position), c.w
	w.before.count(e.before, -1)
	w.after.count(e.after, -1)
	c.bound(position)
	c.t.playFrom(position)
}

// bound writes the entry of a node, with the best score that its bound allows.
func (c *cachedSearch) bound(position int32) {
	slot, e, w := c.snap.Order[position], c.t.writable(position), c.w
	w.Best, w.settled = NodeScore{Position: -1}, false
	w.BoundNode(&e.NodeBound, int(position), slot)
	if w.settled {
		c.noteEvaluated(position)
	} else {
		c.scoreByBound(position)
	}
	w.before.count(e.before, 1)
	w.after.count(e.after, 1)
	c.t.noteFit(position, e.before == 0)
}

// noteEvaluated notes what the worker found when it evaluated a node, and what that depends on.
func (c *cachedSearch) noteEvaluated(position int32) {
	w := c.w
	e, n := c.t.writable(position), w.NodeAt(int(position))
	e.NodeScore, e.was, e.Kind, e.unbroken = w.Best, e.Kind, Evaluated, w.unbroken
	units := c.attempt.HasUnits(n)
	if n.Unstarted > 0 || units && (w.Dry.Unstarted || !c.plan.Fixed) {
		c.t.transient = append(c.t.transient, position) // starts depend on the time of the call, units on other nodes
	}
	if (units || e.minds(n)) && !e.guarded {
		e.guarded = true
		c.t.guarded = append(c.t.guarded, position)
	}
}

// minds reports whether what budgets allow may matter to the evaluation of a node. Where resources
// alone decide, only pods up to the bound may be victims as long as none of these violates a budget,
// so that it does not matter if no budget covers any of them.
func (e *entry) minds(n *state.NodeState) bool {
	last := len(n.Covered) - 1
	return last >= 0 && (e.was != byResources || n.SortKeys[n.Covered[last].Index].Priority <= e.Bound)
}

// upTo is the priority of the pods to whose budgets it matters what these allow. If none of the pods up to
// the bound violated a budget, no other pod was looked at, so that none of those has to know.
func (e *entry) upTo() int32 {
	if e.was == byResources && e.unbroken {
		return e.Bound
	}
	return math.MaxInt32
}

// scoreByBound writes the best score that a node's bound allows. The start would hold for units,
// too: a set that ties with the bound before is of pods of the node with its lowest priority,
// as a pod elsewhere makes it one more than are needed.
func (c *cachedSearch) scoreByBound(position int32) {
	e := c.t.writable(position)
	e.NodeScore = NodeScore{Position: -1}
	if e.Kind == Settled {
		return
	}
	e.NodeScore = NodeScore{int(position), rank.Figures{Top: e.Bound, Victims: int32(e.fewest), Sum: lowestSum(&e.NodeBound), Start: rank.Never}}
	slot := c.snap.Order[position]
	if sum := c.sums.At(slot); e.exact && sum.Lowest == e.Bound && e.Kind != byUnits {
		if start := c.sums.TopSumsAt(slot).LatestStart(sum, int32(e.fewest)); start != rank.NoStart {
			e.Start = rank.Instant{Sec: start, Nsec: math.MaxInt32}
		}
	}
}

// best evaluates the overall winner until the winner is an evaluated entry.
func (c *cachedSearch) best(ctx context.Context) (NodeScore, error) {
	for tries := 0; ; tries++ {
		if tries%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return NodeScore{}, ctx.Err()
		}
		position := c.t.best()
		e := c.t.At(position)
		if e.Position < 0 || e.Kind == Evaluated {
			return e.NodeScore, nil
		}
		e = c.t.writable(position)
		n := c.w.NodeAt(int(position))
		if !e.exact {
			c.w.Tighten(&e.NodeBound, n.Slot)
			c.scoreByBound(position)
			c.t.playFrom(position)
			continue
		}
		c.w.Best, c.w.allowed = NodeScore{Position: -1}, math.MaxInt64
		c.w.FindVictims(int(position), n, &e.NodeBound)
		c.noteEvaluated(position)
		c.t.playFrom(position)
	}
}
