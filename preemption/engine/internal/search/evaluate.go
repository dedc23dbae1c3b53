package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// FindVictims finds the victims on a candidate, and keeps the candidate if it
// is the best. The bound says by its kind what decides on the victims, and so how much
// of a dry run can be replaced by arithmetic.
func (w *Worker) FindVictims(position int, n *state.NodeState, b *NodeBound) {
	w.unbroken = false
	if b.Kind == unasked && !w.rules.chosen {
		w.askLate(b, n)
	}

	// Whoever counts on rows takes the order of the pods on the node for that of the call.
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

// leaveAlone reports whether each pod of a node up to a priority leaves by itself, and no budget covers
// any of them. Such a node is evaluated as if there were no units: every unit with a pod above is put
// back, since the pods up to the bound leave room for all of them.
func (w *Worker) leaveAlone(n *state.NodeState, bound int32) bool {
	// The covered pods are listed by index, and so is the least important of them last.
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
// victims, and one check settles it. Elsewhere the kind of the bound says how victims are found.
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

	// The last covered pod has the lowest priority of these. If it is above the bound, no pod up to the
	// bound violates a budget, and nobody has to know who else does (see removed).
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

	// What is free beside the preemptor with all pods from the index on away. A column that the preemptor
	// does not ask for may be short all the same, and that keeps no pod away.
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

// removed returns the index of the first pod that the reprieve has to try, and
// what the pods from there on hold. These are all pods of lower priority than
// the preemptor or, if none of them up to the bound violates a budget, only
// those up to the bound: the others are put back in any case (see [Search]).
func (w *Worker) removed(n *state.NodeState, sum *state.NodeSummary, bound int32) (from int, held state.AmountRow) {
	last := len(w.violates) - 1
	if last >= 0 && n.SortKeys[w.violates[last]].Priority <= bound {
		from = n.First(w.attempt.Reach)
		return from, heldFrom(n, from)
	}

	// A pod above the bound that violates a budget is put back with the others, so that it adds nothing.
	w.violates, w.unbroken = w.violates[:0], true
	if bound == sum.Lowest {
		return len(n.Rows) - int(sum.LowPods), sum.Low
	}
	from = n.First(int64(bound) + 1)
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

// charge lists in violates the possible victims of a node that violate a budget.
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

// resourceReprieve is the reprieve on one node by the rows of its pods: a dry run without filters, where
// resources decide and, with concerned or columns, what else is known about single pods.
type resourceReprieve struct {
	n *state.NodeState
	// left is what is free beside the preemptor and the pods that are back so far.
	left  spare
	score NodeScore
	// now is when a pod without a start time counts as started.
	now rank.Instant
	// violates lists the pods that violate a budget, by index. They are tried first.
	violates []int32
	// best is the candidate that the node has to beat, nil where it is evaluated to the end.
	best *NodeScore
	// costs are what the pods of the node cost, by index; nil if that does not matter.
	costs []int64
	// concerned are the pods that filters are asked about, nil if they are not asked.
	concerned *concernedPods
	// columns are those of other filters on the node, nil where these do not count.
	columns *filters.Columns
	// record lists the pods that could not be put back, nil if nobody wants to know.
	record *[]blockedPod
}

// reprieveOn begins a reprieve on a node, with nothing free yet.
func (w *Worker) reprieveOn(n *state.NodeState) resourceReprieve {
	t := resourceReprieve{n: n, now: w.attempt.NowAt, costs: w.costsOn(n)}
	if w.recording {
		t.record = &w.blocked
	}

	// By other rules the ranks may compare in another order than reprieve ends by, and a candidate that is
	// recorded is wanted whether or not it is the best.
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

	most, beaten := t.mostSum(bound)
	if beaten {
		return t.score, false
	}

	// The pods that violate a budget have had their turn. They are in the order of the indexes, so that one
	// place in the list tells which comes next.
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
		if !t.putBack(i) && t.score.Sum > most {
			return t.score, false
		}
	}
	return t.score, true
}

// mostSum returns the most that the priorities of the victims may add up to for the node to win or tie,
// and whether it has lost already. It is asked once all pods that violate a budget were tried: no other
// pod adds a violation. Suppose that the violations tie with those of the best candidate, and that the top
// priority of that is not above the bound of this node. The node's own top priority is not below its bound,
// so that it loses by the second rank or ties there, and then a larger sum loses. Otherwise no sum is too
// large.
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

// putBack puts a pod back if there is room beside it and the filters that count pass, and counts it as a
// victim otherwise.
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

// shortOf returns what the preemptor is short of with a pod back that has this row: nothing where only
// another filter keeps the pod away.
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

// fits reports whether the preemptor has room beside the pods that are not away.
func (t *resourceReprieve) fits() bool { return t.left.fits() }

// violate counts violations.
func (t *resourceReprieve) violate(violations int) { t.score.Violations += violations }

// release makes the room of a pod free.
func (t *resourceReprieve) release(i int) { t.left.free(&t.n.Rows[i]) }

// concernedPods are the pods of one node that concern a filter.
type concernedPods struct {
	dry *dryrun.DryRunner
	// away marks by index the pods that are away for the filters.
	away []bool
	// above is how many pods of the node, the most important ones, may be victims only if they are marked.
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
// preemptor has to leave room for counted as running; space is memory for it. It is not ok if the sums
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

	// Room is an int16 that would wrap around below: a node with fewer than -MostPods is full either way.
	*space = *sum
	for _, p := range w.Dry.Nominated {
		for k, v := range p.Takes.Std {
			space.Free[k] -= v
		}
		space.Room = max(space.Room, -state.MostPods) - 1
	}
	return space, true
}
