package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// stale reports whether a tournament has to be begun anew: it has no entries yet, or missed more changes than
// there are nodes.
func (c *cachedSearch) stale(t *Tournament) bool {
	// The cache drops a change only if every entry that misses it misses more changes than there are nodes.
	// So complete is checked only for safety.
	known := c.known
	_, end, complete := c.cache.Since(known.Synced)
	return !complete || t == nil || t.nodes == 0 || end-known.Synced > uint64(t.nodes)
}

// pending returns how many nodes have to be bounded until every entry is valid, apart from those about which
// counts or budgets have changed. The entry need not be open.
func (c *cachedSearch) pending() int {
	t, _ := c.known.Nodes.(*Tournament)
	if c.stale(t) {
		return len(c.snap.Order)
	}
	return int(c.cache.End()-c.known.Synced) + t.nodes - t.built
}

// update makes entries valid for this question, and bounds about as many nodes for it as most says. done reports
// whether every entry is valid now.
func (c *cachedSearch) update(ctx context.Context, most int) (done bool, err error) {
	t, known := c.tournament, c.known
	log, end, _ := c.cache.Since(known.Synced)
	if c.stale(t) || !c.reboundBesideLog(most) {
		c.worker.forgetAnswers()
		t.reset(len(c.snap.Order))
	} else {
		if len(log) > most {
			log, end = log[:most], known.Synced+uint64(most)
		}
		most -= len(log)

		// Evaluations by outdated budgets are dropped first. Bounding nodes again may evaluate some, and
		// those are by the new budgets.
		c.renewGuarded()
		c.reboundChanged(log)
	}

	known.Synced = end
	known.Budgets = c.budgets
	t.counted = c.counted
	if err := c.build(ctx, most); err != nil {
		return false, err
	}
	return t.built == t.nodes && end == c.cache.End(), nil
}

// reboundBesideLog bounds again the nodes whose entries are out of date although the log does not name them:
// those whose entries were valid for one question only, and those about which the filters' counts have
// changed. If the latter are so many that it is less work to bound all nodes, or more than most, it leaves them and
// reports false.
func (c *cachedSearch) reboundBesideLog(most int) bool {
	t := c.tournament
	transient := t.transient
	t.transient = t.transient[:0] // a node may be listed again, over an element that was read
	for _, position := range transient {
		c.reboundNode(position)
	}

	if c.counted == t.counted {
		return true
	}
	positions := c.countedAnew()
	if len(positions) > t.nodes/4 || len(positions) > most {
		return false
	}
	for _, position := range positions {
		c.reboundNode(position)
	}
	return true
}

// countedAnew lists the positions of the nodes about which a filter's counts have changed.
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

// reboundChanged bounds again the nodes in a log of slots. A slot that comes several times in a row is
// handled once, because several changes of one node mostly follow one another.
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

// positionOf returns the position of the node in a slot, below 0 if there is none.
func (c *cachedSearch) positionOf(slot int32) int32 {
	if positions := c.snap.Positions(); int(slot) < len(positions) {
		return positions[slot]
	}
	return -1
}

// renewGuarded drops the evaluations that depend on budgets which now allow more or less. Bounds stay,
// because they do not depend on budgets. A node whose pods other budgets cover than before is in the log of
// changed nodes.
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
	t.guarded = t.guarded[:0] // a node may be listed again, over an element that was read
	for _, position := range guarded {
		if c.outlasts(position, changes) {
			t.guarded = append(t.guarded, position)
		} else {
			c.dropEvaluation(position)
		}
	}
	t.playAgain()
}

// outlasts reports whether the evaluation of a node is certainly still right after these changes of budgets.
// With units it is not certain, because their pods on other nodes may be covered.
func (c *cachedSearch) outlasts(position int32, changes []state.BudgetChange) bool {
	e, n := c.tournament.At(position), c.worker.NodeAt(int(position))
	return e.Kind == Evaluated && !n.ConcernedBy(changes, e.budgetsMatterUpTo()) && !c.attempt.HasUnits(n)
}

// dropEvaluation returns an entry to its bound. Its matches are left to playAgain.
func (c *cachedSearch) dropEvaluation(position int32) {
	t := c.tournament
	e := t.writable(position)
	e.guarded = false
	switch {
	case e.Kind != Evaluated: // the node was bounded again since it was listed

	case e.kindOfBound == Settled: // it was evaluated at once, and has no bound to return to
		c.reboundNode(position)

	default:
		e.Kind = e.kindOfBound
		c.scoreByBound(position)
		t.again = append(t.again, position)
	}
}

// reboundOwnNode bounds again the node that the preemptor itself is nominated to. Other preemptors of the
// same signature have to leave room there for this one, while it does not for itself, so that the entry is
// valid for this question alone.
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

// build bounds the nodes that have no entry yet, at most so many. With the last it plays all matches.
func (c *cachedSearch) build(ctx context.Context, most int) error {
	t := c.tournament
	if t.built == t.nodes {
		return nil
	}
	for ; t.built < t.nodes && most > 0; most-- {
		if t.built%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.writeEntry(int32(t.built))
		t.built++
	}
	if t.built == t.nodes {
		t.playAll()
	}
	return nil
}

// reboundNode bounds a node again and plays its matches. Its earlier answers are taken off the counts. A node
// without an entry yet is left out.
func (c *cachedSearch) reboundNode(position int32) {
	if int(position) >= c.tournament.built {
		return
	}
	w, e := c.worker, c.tournament.At(position)
	w.before.count(e.before, -1)
	w.after.count(e.after, -1)
	c.writeEntry(position)
	c.tournament.playFrom(position)
}
