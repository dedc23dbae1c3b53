package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// takeTables takes the tables with the kept answers of the caller's rules about pods.
func (q *Asked) takeTables() {
	t, terms := &q.tables, q.terms
	if terms.Cost != nil {
		costs, release := state.TakeOfPods(q.snap, terms, q.findCosts)
		t.costs, t.releases = costs, append(t.releases, release)
	}

	if q.Rules.order != nodesOrder {
		orders, release := state.TakeOfPods(q.snap, terms, q.sortPods)
		t.orders, t.releases = orders, append(t.releases, release)
	}

	// findEnd reads the orders. They are there, because ends decide only in the caller's order.
	if q.Rules.endsDecide() {
		ends, release := state.TakeOfPods(q.snap, terms, q.findEnd)
		t.ends, t.releases = ends, append(t.releases, release)
	}
}

// findCosts asks the caller's rule what the pods of a node cost.
func (q *Asked) findCosts(n *state.NodeState, c *state.NodeCosts) {
	c.Find(n, int(q.sums.At(n.Slot).LowPods), q.terms.Cost)
}

// sortPods lists the indexes of the pods of a node, the most important first by the rules of the search. The
// sort is stable, so that ties keep the node's order, by priority and start.
func (q *Asked) sortPods(n *state.NodeState, order *[]int32) {
	*order = (*order)[:0]
	for i := range n.Pods {
		*order = append(*order, int32(i))
	}
	slices.SortStableFunc(*order, func(i, j int32) int { return q.Attempt.CompareByRule(n.Pods[i], n.Pods[j]) })
}

// findEnd stores the last pods of a node in the order of the search.
func (q *Asked) findEnd(n *state.NodeState, e *endOfOrder) {
	order := *q.tables.orders(n)
	e.number = min(len(order), endPods)
	e.mostCovered = q.sums.ExtremesAt(n.Slot).MostCovered
	e.twice = coveredTwice(n)
	e.sorted = false // the derived fields are left to sortOut
	e.last = 0

	for k := range e.number {
		i := order[len(order)-1-k]
		e.pods[k] = endPod{row: n.Rows[i], priority: n.SortKeys[i].Priority}
		for _, g := range n.Covered {
			if g.Index == i {
				e.pods[k].budgets = g.Budgets
			}
		}
	}
}

// release lets other searches take the tables.
func (t *callerTables) release() {
	for _, release := range t.releases {
		release()
	}
	clear(t.releases)
	*t = callerTables{releases: t.releases[:0]}
}

// costsOn returns the costs of the pods of a node by index, nil if no rank compares costs.
func (w *Worker) costsOn(n *state.NodeState) []int64 {
	if w.tables.costs == nil {
		return nil
	}
	return w.tables.costs(n).Costs
}

// orderOn returns the indexes of the pods of a node, the most important first by the rules of the search. It
// is nil if the node's own order is the right one.
func (w *Worker) orderOn(n *state.NodeState) []int32 {
	if w.tables.orders == nil {
		return nil
	}
	return *w.tables.orders(n)
}
