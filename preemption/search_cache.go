package preemption

import (
	"context"
	"math"
)

// answerFromCache answers from what the snapshot keeps of earlier decisions
// about preemptors of the same signature. It bounds only the nodes that changed
// since. It is not ok if the cache cannot be used.
func (s *search) answerFromCache(ctx context.Context) (plan *Plan, ok bool, err error) {
	cache := s.snap.cache
	if !s.fixed || s.anyPod || s.snap.summaries.large > 0 || len(s.snap.order) < 2 {
		return nil, false, nil
	}
	s.writeSignature()
	known := cache.of(s.signature, s.snap.order, len(s.snap.nodes))
	if known == nil {
		return nil, false, nil
	}
	c := cachedSearch{search: s, w: s.workers[0], cache: cache, known: known}
	plan, err = c.answer(ctx)
	return plan, true, err
}

// writeSignature writes everything of the preemptor that decides. Every node
// answers pods with equal signatures equally.
func (s *search) writeSignature() {
	key := &s.signature
	*key = (*key)[:0]
	key.amount(int64(s.priority))
	for _, v := range s.asks {
		key.amount(v)
	}
	key.texts(s.schedulers) // whose nominations count
	s.filterPlan.appendSignature(key, s.pod)
	s.plugins.appendSignature(key, s.off, s.silent)
}

// cachedSearch is one decision that uses a cache entry.
type cachedSearch struct {
	*search
	w     *searchWorker
	cache *answerCache
	known *cachedAnswers
	t     *tournament
}

// answer decides. Readers that ask for the same signature take turns until the
// node is found. Each works out the victims by itself.
func (c *cachedSearch) answer(ctx context.Context) (*Plan, error) {
	plan, best, err := c.decide(ctx)
	if err != nil {
		return nil, err
	}
	if plan.Outcome == Preempt {
		c.finishPlan(plan, best)
	}
	return plan, nil
}

// decide brings the entry up to date and finds the best node. The worker counts for
// the tournament meanwhile, and has a copy of the counts afterwards.
func (c *cachedSearch) decide(ctx context.Context) (plan *Plan, best nodeScore, err error) {
	c.known.mu.Lock()
	defer c.known.mu.Unlock()
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
		if plan = c.beginPlan(); plan.Outcome == Preempt {
			best, err = c.best(ctx)
		}
	}
	returned = true
	return plan, best, err
}

// open makes the tournament of the entry one that may be written.
func (c *cachedSearch) open() {
	t, _ := c.known.nodes.(*tournament)
	switch {
	case t == nil:
		t = &tournament{}
	case c.known.shared:
		t = t.copy()
	}
	c.t, c.known.nodes, c.known.shared = t, t, false
}

// update bounds the nodes that changed, or all nodes if that is less work. An entry that misses
// a change which is no more in the log misses more changes than there are nodes: answerCache
// drops changes only beyond so many. So the first condition is one of safety.
func (c *cachedSearch) update(ctx context.Context) error {
	t, end := c.t, c.cache.end()
	if c.known.synced < c.cache.start || t.nodes == 0 || end-c.known.synced > uint64(t.nodes) {
		if err := c.build(ctx); err != nil {
			t.nodes = 0
			return err
		}
	} else {
		for _, position := range t.transient {
			c.reboundNode(position)
		}
		c.renewGuarded()
		log := c.cache.log[c.known.synced-c.cache.start:]
		for i, slot := range log {
			if i+1 < len(log) && log[i+1] == slot {
				continue
			}
			if position, ok := c.cache.position(slot); ok {
				c.reboundNode(position)
			}
		}
	}
	c.known.synced, c.known.budgets, t.transient = end, c.snap.budgets, t.transient[:0]
	c.reboundOwnNode()
	return nil
}

// renewGuarded bounds the nodes whose evaluation depends on budgets that allow more
// or less by now. No bound depends on budgets, and a node with pods that other
// budgets cover now has changed itself.
func (c *cachedSearch) renewGuarded() {
	t := c.t
	if c.known.budgets == c.snap.budgets {
		return
	}
	var space [8]budgetChange
	changes := c.snap.budgets.appendChanges(space[:0], c.known.budgets)
	if len(changes) == 0 {
		return
	}
	kept := t.guarded[:0]
	for _, position := range t.guarded {
		current := t.at(position).kind == evaluated
		n := c.nodeAt(int(position))
		if current && !n.concernedBy(changes) && !c.w.hasUnits(n) {
			kept = append(kept, position)
			continue
		}
		if t.writable(position).guarded = false; current {
			c.reboundNode(position)
		}
	}
	t.guarded = kept
}

// reboundOwnNode bounds the node that the preemptor itself is nominated to, where it
// leaves no room for itself as it would for another.
func (c *cachedSearch) reboundOwnNode() {
	p, ok := c.snap.pods.of(c.pod)
	if !ok || p.at == nil {
		return
	}
	slot, ok := c.snap.slots.get(p.at.name)
	if !ok {
		return
	}
	if position, ok := c.cache.position(slot); ok {
		c.reboundNode(position)
		c.t.transient = append(c.t.transient, position)
	}
}

// build bounds every node.
func (c *cachedSearch) build(ctx context.Context) error {
	n := len(c.snap.order)
	c.w.before, c.w.after = answers{others: c.w.before.others[:0]}, answers{others: c.w.after.others[:0]}
	c.t.reset(n)
	for position := range n {
		if position%chunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.bound(int32(position))
	}
	c.t.playAll()
	return nil
}

// reboundNode bounds a node again and plays its matches.
func (c *cachedSearch) reboundNode(position int32) {
	e := c.t.at(position)
	c.w.before.count(e.before, -1)
	c.w.after.count(e.after, -1)
	c.bound(position)
	c.t.playFrom(position)
}

// bound writes the entry of a node, with the best score that its bound allows.
func (c *cachedSearch) bound(position int32) {
	slot, e := c.snap.order[position], c.t.writable(position)
	c.w.boundNode(&e.nodeBound, int(position), slot)
	c.scoreByBound(position)
	c.w.before.count(e.before, 1)
	c.w.after.count(e.after, 1)
}

// scoreByBound writes the best score that a node's bound allows. The start would hold for units,
// too: a set that ties with the bound before is of pods of the node with its lowest priority,
// as a pod elsewhere makes it one more than are needed.
func (c *cachedSearch) scoreByBound(position int32) {
	e := c.t.writable(position)
	e.nodeScore = nodeScore{position: -1}
	if e.kind == settled {
		return
	}
	e.nodeScore = nodeScore{int(position), figures{top: e.bound, victims: int32(e.fewest), sum: lowestSum(&e.nodeBound), start: never}}
	slot := c.snap.order[position]
	if sum := c.snap.summaries.at(slot); e.exact && sum.lowest == e.bound && e.kind != byUnits {
		if start := c.snap.summaries.topSumsAt(slot).latestStart(sum, int32(e.fewest)); start != noStart {
			e.start = instant{start, math.MaxInt32}
		}
	}
}

// best evaluates the overall winner until the winner is an evaluated entry.
func (c *cachedSearch) best(ctx context.Context) (nodeScore, error) {
	for tries := 0; ; tries++ {
		if tries%chunkSize == 0 && ctx.Err() != nil {
			return nodeScore{}, ctx.Err()
		}
		position := c.t.best()
		e := c.t.at(position)
		if e.position < 0 || e.kind == evaluated {
			return e.nodeScore, nil
		}
		e = c.t.writable(position)
		n := c.nodeAt(int(position))
		if !e.exact {
			c.w.tighten(&e.nodeBound, n.slot)
			c.scoreByBound(position)
			c.t.playFrom(position)
			continue
		}
		c.w.best, c.w.allowed = nodeScore{position: -1}, math.MaxInt64
		c.w.findVictims(int(position), n, &e.nodeBound)
		e.nodeScore, e.kind = c.w.best, evaluated
		if n.unstarted > 0 || c.w.hasUnits(n) && c.w.dry.unstarted {
			c.t.transient = append(c.t.transient, position) // starts depend on the time of the call
		}
		if (len(n.covered) > 0 || c.w.hasUnits(n)) && !e.guarded {
			e.guarded = true
			c.t.guarded = append(c.t.guarded, position)
		}
		c.t.playFrom(position)
	}
}
