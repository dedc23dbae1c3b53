package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// callerTables are what earlier searches heard of the caller's rules about the pods of a node;
// nil where none is asked.
type callerTables struct {
	costs  func(n *state.NodeState) *state.NodeCosts
	orders func(n *state.NodeState) *[]int32
	ends   func(n *state.NodeState) *endOfOrder
	// release lets others have the tables.
	release []func()
}

// takeTables makes what earlier searches heard of the caller's rules known to this one.
func (s *Search) takeTables() {
	t, config := &s.tables, s.Attempt.Config
	if config.Cost != nil {
		costs, release := state.TakeOfPods(s.snap, config, func(n *state.NodeState, c *state.NodeCosts) {
			c.Find(n, int(s.snap.Summaries.At(n.Slot).LowPods), config.Cost)
		})
		t.costs, t.release = costs, append(t.release, release)
	}
	if s.Rules.sorted {
		orders, release := state.TakeOfPods(s.snap, config, s.sortPods)
		t.orders, t.release = orders, append(t.release, release)
	}
	if s.Rules.endsDecide() {
		ends, release := state.TakeOfPods(s.snap, config, s.findEnd)
		t.ends, t.release = ends, append(t.release, release)
	}
}

// sortPods lists the pods of a node by index, the most important first by the rules of the search.
func (s *Search) sortPods(n *state.NodeState, order *[]int32) {
	*order = (*order)[:0]
	for i := range n.Pods {
		*order = append(*order, int32(i))
	}
	slices.SortStableFunc(*order, func(i, j int32) int { return s.Attempt.CompareByRule(n.Pods[i], n.Pods[j]) })
}

// findEnd notes the last pods of a node in the order of the search.
func (s *Search) findEnd(n *state.NodeState, e *endOfOrder) {
	order := *s.tables.orders(n)
	e.number, e.mostCovered = min(len(order), endPods), s.snap.Summaries.ExtremesAt(n.Slot).MostCovered
	e.twice, e.sorted, e.last = coveredTwice(n), false, 0
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

// releaseTables lets others have what is known of the caller's rules.
func (s *Search) releaseTables() {
	for _, release := range s.tables.release {
		release()
	}
	clear(s.tables.release)
	s.tables = callerTables{release: s.tables.release[:0]}
}

// costsOn returns what the pods of a node cost by index, nil if nobody asks.
func (w *Worker) costsOn(n *state.NodeState) []int64 {
	if w.search.tables.costs == nil {
		return nil
	}
	return w.search.tables.costs(n).Costs
}

// orderOn returns the pods of a node by index, the most important first by the rules of the
// search; nil if that is the order that the node has them in.
func (w *Worker) orderOn(n *state.NodeState) []int32 {
	if w.search.tables.orders == nil {
		return nil
	}
	return *w.search.tables.orders(n)
}
