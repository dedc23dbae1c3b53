package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// FindVictims finds the victims on a candidate, and keeps the candidate if it
// is the best.
func (w *Worker) FindVictims(position int, n *state.NodeState, b *NodeBound) {
	w.unbroken = false
	if b.Kind == unasked && !w.rules.chosen {
		w.askLate(b, n)
	}
	switch {
	case b.Kind == Settled:
	case w.attempt.HasUnits(n) && (b.Kind != byResources || !w.leaveAlone(n, b.Bound)):
		w.evaluateByFilters(position, n)
	case b.Kind == byColumns && n.InOrder(w.attempt.NowAt):
		w.evaluateByColumns(position, n, b.Bound)
	case b.Kind == bySelection && n.InOrder(w.attempt.NowAt):
		w.evaluateSelectively(position, n, b.Bound)
	case b.Kind != byResources || !n.InOrder(w.attempt.NowAt) || w.rules.chosen:
		w.evaluateByFilters(position, n)
	case w.rules.byRows:
		w.evaluateByResources(position, n, b.Bound)
	default:
		w.evaluateByRules(position, n)
	}
}

// leaveAlone reports that the pods of a node up to a priority are units by themselves,
// none of which violates a budget. Then they are evaluated as where there are no units: all
// units above are put back, beside the room that these leave.
func (w *Worker) leaveAlone(n *state.NodeState, bound int32) bool {
	from := n.First(int64(bound) + 1)
	if last := len(n.Covered) - 1; last >= 0 && int(n.Covered[last].Index) >= from {
		return false
	}
	for _, p := range n.Pods[from:] {
		if p.Class.Group != "" {
			return false
		}
	}
	return true
}

// askLate asks the filters after NodeResourcesFit about a candidate whose victims are
// wanted. If no pod of the node touches them, their answer does not depend on the
// victims.
func (w *Worker) askLate(b *NodeBound, n *state.NodeState) {
	if b.Kind = w.kindAmong(n); b.Kind != byResources {
		return
	}
	w.Dry.EnterAfterResources(n)
	if st := w.Dry.CheckAfterResources(); st.Code != filters.Success {
		b.Kind = Settled
		w.after.count(w.after.intern(st), 1)
	}
}

// evaluateByResources finds the victims on a candidate on which resources alone
// decide (chapter 9).
func (w *Worker) evaluateByResources(position int, n *state.NodeState, bound int32) {
	if f, ok := w.reprieveRows(position, n, bound); ok {
		w.keep(f)
	}
}

// reprieveRows is the reprieve on the rows of a node. It is not ok once the node
// cannot be the best any more.
func (w *Worker) reprieveRows(position int, n *state.NodeState, bound int32) (f NodeScore, ok bool) {
	var adjusted state.NodeSummary
	sum, _ := w.summaryFor(n, w.sums.At(n.Slot), &adjusted)
	w.violates = w.violates[:0]
	if last := len(n.Covered) - 1; last >= 0 && n.SortKeys[n.Covered[last].Index].Priority <= bound {
		w.charge(n) // else no pod up to the bound violates a budget, see removed
	}
	from, held := w.removed(n, sum, bound)
	t := w.reprieveOn(n)
	if w.counting {
		w.columns.Leave(from)
		t.columns = &w.columns
	}
	t.violates, t.left.room = w.violates, int32(sum.Room)+int32(len(n.Rows)-from)-1
	for k := range t.left.slack {
		t.left.slack[k] = unlimited
		if w.need.asks[k] != asksNothing {
			t.left.slack[k] = sum.Free[k] + held[k] - w.need.asks[k]
		}
	}
	f, ok = t.reprieve(from, bound)
	f.Position = position
	return f, ok
}

// removed returns the index of the first pod that the reprieve has to try, and
// what the pods from there on hold. These are all pods of lower priority than
// the preemptor or, if none of them up to the bound violates a budget, only
// those up to the bound: the others are put back in any case (see search).
func (w *Worker) removed(n *state.NodeState, sum *state.NodeSummary, bound int32) (from int, held state.AmountRow) {
	last := len(w.violates) - 1
	if last >= 0 && n.SortKeys[w.violates[last]].Priority <= bound {
		from = n.First(w.attempt.Reach)
	} else {
		w.violates, w.unbroken = w.violates[:0], true
		if bound == sum.Lowest {
			return len(n.Rows) - int(sum.LowPods), sum.Low
		}
		from = n.First(int64(bound) + 1)
	}
	return from, heldFrom(n, from)
}

// heldFrom returns what the pods of a node from an index on hold together.
func heldFrom(n *state.NodeState, from int) (held state.AmountRow) {
	for i := range n.Rows[from:] {
		row := &n.Rows[from+i]
		held[0] += row[0]
		held[1] += row[1]
		held[2] += row[2]
	}
	return held
}

// charge finds the possible victims that violate a budget, by index. The
// covered pods are charged in order of importance (group 6.3).
func (w *Worker) charge(n *state.NodeState) {
	possible := n.Covered
	for len(possible) > 0 && int64(n.SortKeys[possible[0].Index].Priority) >= w.attempt.Reach {
		possible = possible[1:]
	}
	for _, g := range possible {
		if len(w.Dry.Budgets.Charge(n.Pods[g.Index])) > 0 {
			w.violates = append(w.violates, g.Index)
		}
	}
	w.Dry.Budgets.Reset()
}

// resourceReprieve is the reprieve on one node.
type resourceReprieve struct {
	n     *state.NodeState
	left  spare // while pods are put back
	score NodeScore
	// now is when a pod without a start time counts as started.
	now rank.Instant
	// violates lists the pods that violate a budget, by index. They are tried first.
	violates []int32
	// best is the candidate that the node has to beat, nil where it is evaluated to the end.
	best *NodeScore
	// costs are what the pods of the node cost, nil if that does not matter.
	costs []int64
	// concerned are the pods that filters are asked about, nil if they are not asked.
	concerned *concernedPods
	// columns are those of other filters on the node, nil where these do not count.
	columns *filters.Columns
	// record lists the pods that could not be put back, nil if that is not asked.
	record *[]blockedPod
}

// reprieveOn begins a reprieve on a node, with nothing free yet.
func (w *Worker) reprieveOn(n *state.NodeState) resourceReprieve {
	t := resourceReprieve{n: n, now: w.attempt.NowAt, costs: w.costsOn(n)}
	if w.recording {
		t.record = &w.blocked
	}
	if w.Best.Position >= 0 && !w.rules.general && !w.recording {
		t.best = &w.Best
	}
	return t
}

// reprieve puts back first the pods that violate a budget, then the others from
// an index on. It is not ok once the node cannot be the best any more.
func (t *resourceReprieve) reprieve(from int, bound int32) (f NodeScore, ok bool) {
	t.score.Top = math.MinInt32
	for _, i := range t.violates {
		if !t.putBack(int(i)) {
			t.score.Violations++
		}
	}
	// No pod adds a violation from here on. If the violations tie with those of the
	// best, and its top priority is not above the bound, a larger sum loses.
	limit := int64(math.MaxInt64)
	if b := t.best; b != nil {
		if b.Violations < t.score.Violations {
			return t.score, false
		}
		if b.Violations == t.score.Violations && b.Top <= bound {
			limit = b.Sum
		}
	}
	next, alone := 0, t.concerned == nil && t.columns == nil
	for i := from; i < len(t.n.Rows); i++ {
		if next < len(t.violates) && int(t.violates[next]) == i {
			next++
			continue
		}
		if row := &t.n.Rows[i]; alone && t.left.holds(row) { // as putBack does, without a call
			t.left.fill(row)
			continue
		}
		if t.concerned != nil && !t.concerned.tries(i) {
			continue
		}
		if !t.putBack(i) && t.score.Sum > limit {
			return t.score, false
		}
	}
	return t.score, true
}

// putBack puts a pod back if there is room, and counts it as a victim
// otherwise.
func (t *resourceReprieve) putBack(i int) bool {
	row := &t.n.Rows[i]
	if t.left.holds(row) && (t.concerned == nil || t.concerned.letBack(t.n.Pods[i], i)) && (t.columns == nil || t.columns.Return(int32(i))) {
		t.left.fill(row)
		return true
	}
	t.take(i)
	if t.record != nil {
		*t.record = append(*t.record, blockedPod{int32(i), t.shortOf(row)})
	}
	return false
}

// shortOf returns what the preemptor is short of beside a pod with this row.
func (t *resourceReprieve) shortOf(row *state.AmountRow) (short answer) {
	for k, v := range row {
		if v > t.left.slack[k] {
			short |= 1 << k
		}
	}
	if t.left.room < 1 {
		short |= tooManyPods
	}
	return short
}

// take counts a victim.
func (t *resourceReprieve) take(i int) {
	r, cost := &t.n.SortKeys[i], int64(0)
	if t.costs != nil {
		cost = t.costs[i]
	}
	start := rank.Instant{Sec: r.Sec, Nsec: r.Nsec}
	if r.Sec == rank.NoStart {
		start = t.now
	}
	t.score.Add(r.Priority, start, cost)
}

// release makes the room of a pod free.
func (t *resourceReprieve) release(i int) { t.left.free(&t.n.Rows[i]) }

// concernedPods are the pods of one node that concern a filter.
type concernedPods struct {
	dry *dryrun.DryRunner
	// away marks those that are away for the filters, by index.
	away []bool
	// above is the index behind the pods of which only those that are marked may be victims.
	above int
}

// tries reports whether a pod may be a victim.
func (c *concernedPods) tries(i int) bool { return i >= c.above || c.away[i] }

// letBack puts a pod back for the filters, and takes it away again if the preemptor
// does not fit with it.
func (c *concernedPods) letBack(p *state.PodState, i int) bool {
	if !c.away[i] {
		return true
	}
	c.dry.ChangeAfterResources(p, 1)
	if c.dry.CheckAfterResources().Code != filters.Success {
		c.dry.ChangeAfterResources(p, -1)
		return false
	}
	c.away[i] = false
	return true
}

// summaryFor returns the node's summary with the nominated pods that the
// preemptor has to leave room for counted as running. It is not ok if the sums
// are too large for that. Without those pods there is only more room, so the
// second pass of the filters is not needed (rule 7.16.2).
func (w *Worker) summaryFor(n *state.NodeState, sum *state.NodeSummary, space *state.NodeSummary) (adjusted *state.NodeSummary, ok bool) {
	if sum.Flags&state.LargeAmounts != 0 {
		return sum, false
	}
	if sum.Flags&state.HasNominated == 0 {
		return sum, true
	}
	w.Dry.Nominate(n)
	if len(w.Dry.Nominated) == 0 {
		return sum, true
	}
	*space = *sum
	for _, p := range w.Dry.Nominated {
		for k, v := range p.Takes.Std {
			space.Free[k] -= v
		}
		space.Room = max(space.Room, -state.MostPods) - 1
	}
	return space, true
}
