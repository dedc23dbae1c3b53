package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// update makes every entry hold for this question. It bounds the nodes that changed again, or all nodes if
// that is less work.
func (c *cachedSearch) update(ctx context.Context) error {
	t, known := c.tournament, c.known
	log, end, complete := c.cache.Since(known.Synced)

	// An entry that misses a change which the log dropped misses more changes than there are nodes, since
	// the cache drops no others. So complete is asked for safety alone.
	stale := !complete || t.nodes == 0 || end-known.Synced > uint64(t.nodes)
	if stale || !c.reboundBesideLog() {
		if err := c.build(ctx); err != nil {
			t.nodes = 0 // not all entries were written
			return err
		}
	} else {
		// Evaluations that budgets spoil are dropped before nodes are bounded again, because a node that is
		// evaluated there already is evaluated by the new budgets.
		c.renewGuarded()
		c.reboundChanged(log)
	}

	known.Synced = end
	known.Budgets = c.budgets
	t.counted = c.counted
	c.reboundOwnNode()
	return nil
}

// reboundBesideLog bounds the nodes that are out of date though they did not change, so that the log does not
// name them: those whose entries held for one question, and those about which filters count something else by
// now. If the latter are so many that it is less work to bound all nodes, it leaves them and reports false.
func (c *cachedSearch) reboundBesideLog() bool {
	t := c.tournament
	transient := t.transient
	t.transient = t.transient[:0] // a node may be listed again, in the place of one that was read
	for _, position := range transient {
		c.reboundNode(position)
	}

	if c.counted == t.counted {
		return true
	}
	positions := c.countedAnew()
	if len(positions) > t.nodes/4 {
		return false
	}
	for _, position := range positions {
		c.reboundNode(position)
	}
	return true
}

// countedAnew lists the positions of the nodes about which a filter counts something else by now.
func (c *cachedSearch) countedAnew() []int32 {
	since := c.tournament.counted
	positions := c.tries.positions[:0]
	for position, slot := range c.snap.Order {
		if c.plan.CountsChanged(since, slot) {
			positions = append(positions, int32(position))
		}
	}
	c.tries.positions = positions
	return positions
}

// reboundChanged bounds the nodes of a log of slots again. A slot that comes several times in a row is looked
// at once: several changes of one node mostly follow one another.
func (c *cachedSearch) reboundChanged(log []int32) {
	for i, slot := range log {
		if i+1 < len(log) && log[i+1] == slot {
			continue
		}
		if position := c.positionOf(slot); position >= 0 {
			c.reboundNode(position)
		}
	}
}

// positionOf returns the position of a slot, below 0 for one without a node.
func (c *cachedSearch) positionOf(slot int32) int32 {
	if positions := c.snap.Positions(); int(slot) < len(positions) {
		return positions[slot]
	}
	return -1
}

// renewGuarded drops the evaluations that depend on budgets which allow more or less by now. Bounds stay: no
// bound depends on budgets, and a node with pods that other budgets cover now has changed itself.
func (c *cachedSearch) renewGuarded() {
	if c.known.Budgets == c.budgets {
		return
	}
	var space [8]state.BudgetChange
	changes := c.budgets.AppendChanges(space[:0], c.known.Budgets)
	if len(changes) == 0 {
		return
	}

	t := c.tournament
	guarded := t.guarded
	t.guarded = t.guarded[:0] // a node may be listed again, in the place of one that was read
	for _, position := range guarded {
		if c.outlasts(position, changes) {
			t.guarded = append(t.guarded, position)
		} else {
			c.dropEvaluation(position)
		}
	}
	t.playAgain()
}

// outlasts reports whether the evaluation of a node is right after changes of budgets as it was before. One
// with units is not known to be, because their pods on other nodes may be covered.
func (c *cachedSearch) outlasts(position int32, changes []state.BudgetChange) bool {
	e, n := c.tournament.At(position), c.worker.NodeAt(int(position))
	return e.Kind == Evaluated && !n.ConcernedBy(changes, e.budgetsMatterUpTo()) && !c.attempt.HasUnits(n)
}

// dropEvaluation gives a node its bound back, and leaves its matches to playAgain.
func (c *cachedSearch) dropEvaluation(position int32) {
	t := c.tournament
	e := t.writable(position)
	e.guarded = false
	switch {
	case e.Kind != Evaluated: // the node was bounded again since it was listed

	case e.kindOfBound == Settled: // it was evaluated while it was bounded, and has no bound to go back to
		c.reboundNode(position)

	default:
		e.Kind = e.kindOfBound
		c.scoreByBound(position)
		t.again = append(t.again, position)
	}
}

// reboundOwnNode bounds the node that the preemptor itself is nominated to. Another preemptor of the same
// signature has to leave room there for this one, which this one does not, so that the entry holds for this
// question alone.
func (c *cachedSearch) reboundOwnNode() {
	slot, ok := c.snap.NamedBy(c.attempt.Pod)
	if !ok {
		return
	}
	if position := c.positionOf(slot); position >= 0 {
		t := c.tournament
		c.reboundNode(position)
		t.transient = append(t.transient, position)
	}
}

// build bounds every node.
func (c *cachedSearch) build(ctx context.Context) error {
	nodes := len(c.snap.Order)
	c.worker.forgetAnswers()
	c.tournament.reset(nodes)
	for position := range nodes {
		if position%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.writeEntry(int32(position))
	}
	c.tournament.playAll()
	return nil
}

// reboundNode bounds a node again and plays its matches. Its earlier answers are counted no more.
func (c *cachedSearch) reboundNode(position int32) {
	w, e := c.worker, c.tournament.At(position)
	w.before.count(e.before, -1)
	w.after.count(e.after, -1)
	c.writeEntry(position)
	c.tournament.playFrom(position)
}
