package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// FindVictims finds the victims on a candidate, and keeps the candidate if it is the best. The kind of the
// bound says what decides on the victims, and so how much of a dry run can be replaced by arithmetic.
func (w *Worker) FindVictims(position int, n *state.NodeState, b *NodeBound) {
	w.unbroken = false
	w.work += unitsPerVictim
	if b.Kind == unasked && !w.rules.chosen {
		w.askLate(b, n)
	}

	// Evaluations by rows rely on the node's pods being in the order of this call.
	inOrder := n.InOrder(w.attempt.NowAt)
	switch {
	case b.Kind == Settled:
	case w.attempt.HasUnits(n) && (b.Kind != byResources || !w.leaveAlone(n, b.Bound)):
		w.evaluateByFilters(position, n)
	case b.Kind == byColumns && inOrder:
		w.evaluateByColumns(position, n, b.Bound)
	case b.Kind == bySelection && inOrder:
		w.evaluateSelectively(position, n, b.Bound)
	case b.Kind != byResources || !inOrder || w.rules.chosen:
		w.evaluateByFilters(position, n)
	case w.rules.byRows:
		w.evaluateByResources(position, n, b.Bound)
	default:
		w.evaluateByRules(position, n)
	}
}

// leaveAlone reports whether each pod of a node up to the priority bound leaves by itself and is covered by
// no budget. Such a node is evaluated as if there were no units: every unit with a pod above the bound is put
// back, because the pods up to the bound leave room for all of them.
func (w *Worker) leaveAlone(n *state.NodeState, bound int32) bool {
	// Covered pods are listed by index, so that the last is the least important.
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

// askLate asks the filters after NodeResourcesFit about a candidate whose victims are wanted. If no pod of
// the node can change their answers, one check decides. Otherwise it only sets the kind of the bound, by
// which the victims are then found.
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

// reprieveRows is the reprieve by the rows of a node. ok is false if it ended early because the node cannot
// be the best.
func (w *Worker) reprieveRows(position int, n *state.NodeState, bound int32) (f NodeScore, ok bool) {
	var adjusted state.NodeSummary
	sum, _ := w.summaryFor(n, w.sums.At(n.Slot), &adjusted)

	// The last covered pod has the lowest priority of the covered ones. If it is above the bound, no pod up
	// to the bound violates a budget, and it does not matter which others do (see removed).
	w.violates = w.violates[:0]
	if last := len(n.Covered) - 1; last >= 0 && n.SortKeys[n.Covered[last].Index].Priority <= bound {
		w.charge(n)
	}

	from, held := w.removed(n, sum, bound)
	t := w.reprieveOn(n)
	if w.counting {
		w.columns.Leave(from)
		t.columns = &w.columns
	}

	// left starts with what is free beside the preemptor with all pods from the index on gone. A column that
	// the preemptor does not ask for may be overfull, which keeps no pod from coming back.
	t.violates = w.violates
	t.left.room = int32(sum.Room) + int32(len(n.Rows)-from) - 1
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

// removed returns the index of the first pod that the reprieve has to try, and what the pods from there on
// hold. These are all pods within reach or, if none up to the bound violates a budget, only those up to the
// bound: the others are always put back (see [Search]).
func (w *Worker) removed(n *state.NodeState, sum *state.NodeSummary, bound int32) (from int, held state.AmountRow) {
	last := len(w.violates) - 1
	if last >= 0 && n.SortKeys[w.violates[last]].Priority <= bound {
		from = n.First(w.attempt.Reach)
		return from, heldFrom(n, from)
	}

	// A pod above the bound that violates a budget is put back like the others, so that it need not be
	// counted.
	w.violates, w.unbroken = w.violates[:0], true
	if bound == sum.Lowest {
		return len(n.Rows) - int(sum.LowPods), sum.Low
	}
	from = n.First(int64(bound) + 1)
	return from, heldFrom(n, from)
}

// heldFrom returns the sum of what the pods of a node from an index on hold.
func heldFrom(n *state.NodeState, from int) (held state.AmountRow) {
	for i := range n.Rows[from:] {
		row := &n.Rows[from+i]
		held[0] += row[0]
		held[1] += row[1]
		held[2] += row[2]
	}
	return held
}

// charge appends to w.violates the possible victims of a node that violate a budget.
func (w *Worker) charge(n *state.NodeState) {
	w.violates = appendViolating(w.violates, &w.Dry.Budgets, n, w.attempt.Reach)
}

// appendViolating appends the indexes of the pods of a node below a priority that violate a budget. The
// covered pods are charged in order of importance (group 6.3).
func appendViolating(violating []int32, budgets *dryrun.Charger, n *state.NodeState, reach int64) []int32 {
	possible := n.Covered
	for len(possible) > 0 && int64(n.SortKeys[possible[0].Index].Priority) >= reach {
		possible = possible[1:]
	}

	for _, g := range possible {
		if len(budgets.Charge(n.Pods[g.Index])) > 0 {
			violating = append(violating, g.Index)
		}
	}
	budgets.Reset()
	return violating
}

// resourceReprieve is the reprieve on one node by the rows of its pods: a dry run in arithmetic. Other
// filters take part only through concerned and columns.
type resourceReprieve struct {
	n *state.NodeState
	// left is what is free beside the preemptor and the pods that are back so far.
	left  spare
	score NodeScore
	// now is the instant at which a pod without a start time counts as started.
	now rank.Instant
	// violates has the indexes of the pods that violate a budget. They are tried first.
	violates []int32
	// best is the candidate that the node has to beat. It is nil if the evaluation must not end early.
	best *NodeScore
	// costs has the costs of the pods by index, nil if costs do not matter.
	costs []int64
	// concerned has the pods about which filters are asked, nil if no filter is asked.
	concerned *concernedPods
	// columns has the columns of other filters on the node, nil if there are none to respect.
	columns *filters.Columns
	// record receives the pods that could not be put back, nil if they are not wanted.
	record *[]blockedPod
}

// reprieveOn returns a reprieve on a node. The caller must set left.
func (w *Worker) reprieveOn(n *state.NodeState) resourceReprieve {
	t := resourceReprieve{n: n, now: w.attempt.NowAt, costs: w.costsOn(n)}
	if w.recording {
		t.record = &w.blocked
	}

	// reprieve ends early by the default order of ranks, which other rules may not have. A candidate that is
	// recorded is wanted even if it is not the best.
	if w.Best.Position >= 0 && !w.rules.general && !w.recording {
		t.best = &w.Best
	}
	return t
}

// reprieve puts back first the pods that violate a budget, then the others from an index on. ok is false if
// it ended early because the node cannot be the best.
func (t *resourceReprieve) reprieve(from int, bound int32) (f NodeScore, ok bool) {
	t.score.Top = math.MinInt32
	for _, i := range t.violates {
		if !t.putBack(int(i)) {
			t.score.Violations++
		}
	}

	most, beaten := t.mostSum(bound)
	if beaten {
		return t.score, false
	}

	// The pods that violate a budget are skipped now. Both lists are sorted by index, so that next is enough
	// to recognize them.
	next, alone := 0, t.concerned == nil && t.columns == nil
	for i := from; i < len(t.n.Rows); i++ {
		if next < len(t.violates) && int(t.violates[next]) == i {
			next++
			continue
		}
		if row := &t.n.Rows[i]; alone && t.left.holds(row) { // putBack, inlined
			t.left.fill(row)
			continue
		}

		if t.concerned != nil && !t.concerned.tries(i) {
			continue
		}
		if !t.putBack(i) && t.score.Sum > most {
			return t.score, false
		}
	}
	return t.score, true
}

// mostSum returns the largest sum of priorities with which the node may still win or tie, and whether it has
// already lost. It is called after all pods that violate a budget were tried, so that the number of
// violations is final. Suppose that it ties with the best candidate's, and that the best's top priority is at
// most the bound of this node. The node's own top priority is at least its bound. So the node loses by the
// second rank, or ties there and loses with a larger sum. In all other cases no sum is too large.
func (t *resourceReprieve) mostSum(bound int32) (most int64, beaten bool) {
	best := t.best
	switch {
	case best == nil || best.Violations > t.score.Violations:
		return math.MaxInt64, false
	case best.Violations < t.score.Violations:
		return 0, true
	case best.Top <= bound:
		return best.Sum, false
	}
	return math.MaxInt64, false
}

// putBack puts a pod back if the preemptor still has room and the filters in question still pass. Otherwise
// it counts the pod as a victim.
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

// shortOf returns what the preemptor would be short of with a pod back that has this row. It is 0 if only
// another filter keeps the pod from coming back.
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

// take counts a victim. A missing start counts as the time of the call (rule 11.6).
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

// fits reports whether the preemptor has room beside the pods that are in place.
func (t *resourceReprieve) fits() bool { return t.left.fits() }

// violate counts violations.
func (t *resourceReprieve) violate(violations int) { t.score.Violations += violations }

// release frees the room of a pod.
func (t *resourceReprieve) release(i int) { t.left.free(&t.n.Rows[i]) }

// concernedPods tracks the pods of one node that concern a filter.
type concernedPods struct {
	dry *dryrun.DryRunner
	// away marks, by index, the pods that the filters see as gone.
	away []bool
	// above is the number of pods, from the start of the node's list, that can be victims only if they are
	// marked.
	above int
}

// tries reports whether a pod can be a victim.
func (c *concernedPods) tries(i int) bool { return i >= c.above || c.away[i] }

// letBack puts a pod back for the filters, and removes it again if the preemptor then fails.
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

// summaryFor returns the node's summary with those nominated pods counted as running that the preemptor has
// to leave room for; an adjusted summary is written to space. ok is false if the sums are too large. Without
// those pods there is only more room, so that the second pass of the filters is not needed (rule 7.16.2).
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

	// Room is an int16 and must not wrap around. A node that is this overfull is full either way.
	*space = *sum
	for _, p := range w.Dry.Nominated {
		for k, v := range p.Takes.Std {
			space.Free[k] -= v
		}
		space.Room = max(space.Room, -state.MostPods) - 1
	}
	return space, true
}
