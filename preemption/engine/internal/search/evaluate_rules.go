package search

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// rulesReprieve is the reprieve on one node by other rules about victims and budgets.
//
// Pods are put back in one order: those that violate a budget, then the others, each time
// the most important first. Consider the shortest end of this order with which away there
// is room. While a pod before it is tried, all of the end is away, so that it is put back,
// and the first of the end never is. So only the end is looked at, which is a few pods.
type rulesReprieve struct {
	attempt *dryrun.Attempt
	rules   *searchRules
	dry     *dryrun.DryRunner
	rows    resourceReprieve
	memory  *rulesMemory
	// order has the pods of the node by index, the most important first, nil if that is how
	// they are. Places in this order begin at from.
	order []int32
	from  int
	topOf int // the index of the first victim
	// best is the incumbent, for the node at this position to beat.
	best     *NodeScore
	position int
}

// evaluateByRules is evaluateByResources for other rules about victims and
// budgets.
func (w *Worker) evaluateByRules(position int, n *state.NodeState) {
	var adjusted state.NodeSummary
	sum, _ := w.summaryFor(n, w.sums.At(n.Slot), &adjusted)
	t := rulesReprieve{attempt: w.attempt, rules: w.rules, dry: &w.Dry, rows: w.reprieveOn(n), memory: &w.memory, order: w.orderOn(n), best: &w.Best, position: position}
	if t.order == nil {
		t.from = n.First(w.attempt.Reach)
	}
	rows := &t.rows
	rows.left.begin(sum, &w.need.asks)
	rows.score.Top = math.MinInt32
	if w.rules.ascending {
		t.ascend()
	} else {
		t.reprieve(w.sums.ExtremesAt(n.Slot).MostCovered)
	}
	if rows.score.Victims == 0 || !rows.left.fits() {
		return
	}
	if t.rules.order == callersOrder || t.rules.readsFirst {
		rows.score.Top = n.SortKeys[t.topOf].Priority // rules 11.3 and 13.2.3
	}
	rows.score.Position = position
	w.keep(rows.score)
}

// at returns the index of the pod at a place of the order.
func (t *rulesReprieve) at(place int) int {
	if t.order == nil {
		return place
	}
	return int(t.order[place])
}

// possible reports whether a pod could be a victim.
func (t *rulesReprieve) possible(i int) bool {
	if int64(t.rows.n.SortKeys[i].Priority) >= t.attempt.Reach {
		return false
	}
	return t.rules.asks == asksNobody && t.attempt.Asked.Deferral.Resident == nil || t.rules.allows(t.attempt, t.rows.n.Objects[i])
}

// ascend takes pods, the least important first, until there is room.
func (t *rulesReprieve) ascend() {
	n := t.rows.n
	for place := len(n.Rows) - 1; place >= t.from && !t.rows.left.fits(); place-- {
		if i := t.at(place); t.possible(i) {
			t.rows.release(i)
			t.rows.score.Violations += t.dry.Budgets.Violations(len(t.dry.Budgets.Charge(n.Pods[i])))
			t.rows.take(i)
			t.topOf = i
		}
	}
	t.dry.Budgets.Reset()
}

// reprieve takes the end of the order away, and puts back what there is room for. No budget
// covers more pods than mostCovered.
func (t *rulesReprieve) reprieve(mostCovered uint8) {
	m, before := t.memory, t.rows
	m.broken = m.broken[:0]
	if !t.takeEnd() {
		return
	}
	if tight := t.tight(mostCovered); t.mayViolate(tight) && t.findBroken() {
		t.rows = before // those that violate a budget come first in the order
		t.takeEnd()
	}
	if t.rules.order == callersOrder && t.loses() {
		return
	}
	first := math.MaxInt
	for _, place := range slices.Backward(m.end) {
		i := t.at(place)
		if t.rows.putBack(i) {
			continue
		}
		if t.violates(i) {
			t.rows.score.Violations++
		}
		if place < first && !(t.rules.readsFirst && first != math.MaxInt) {
			first, t.topOf = place, i
		}
	}
}

// loses reports that the node cannot beat the incumbent, by what is known of the first pod of
// the end: it is not put back, so that it is a violation or the first victim.
func (t *rulesReprieve) loses() bool {
	m, last := t.memory, len(t.memory.end)-1
	if last < 0 {
		return true
	}
	o := NodeScore{t.position, rank.Figures{Top: math.MinInt32, Victims: 1, Start: rank.Never}}
	if first := t.at(m.end[last]); t.violates(first) {
		o.Violations = 1
	} else {
		o.Top = t.rows.n.SortKeys[first].Priority
	}
	o.Sum = int64(o.Top) + rank.PriorityShift
	return !t.rules.Better(&o, t.best)
}

// violates reports whether a pod was found to violate a budget.
func (t *rulesReprieve) violates(i int) bool { return len(t.memory.broken) > 0 && t.memory.broken[i] }

// takeEnd takes the shortest end of the order away that makes room, and reports whether
// there is one.
func (t *rulesReprieve) takeEnd() bool {
	m := t.memory
	m.end = m.end[:0]
	for _, violating := range [...]bool{false, true} {
		for place := len(t.rows.n.Rows) - 1; place >= t.from; place-- {
			if t.rows.left.fits() {
				return true
			}
			if i := t.at(place); t.violates(i) == violating && t.possible(i) {
				t.rows.release(i)
				m.end = append(m.end, place)
			}
		}
		if len(m.broken) == 0 {
			break
		}
	}
	return t.rows.left.fits()
}

// tight returns the budgets that can be violated on the node: those that allow nothing, and of
// the others those that cover more than one of its pods.
func (t *rulesReprieve) tight(mostCovered uint8) uint32 {
	return t.rules.tightOn(mostCovered, coveredTwice(t.rows.n))
}

// tightOn is tight for a node with such budgets.
func (r *searchRules) tightOn(mostCovered uint8, twice uint32) uint32 {
	return r.tightAmong(min(mostCovered, 1)) | r.tightAmong(mostCovered)&twice
}

// mayViolate reports whether a pod of the end is covered by one of these budgets.
func (t *rulesReprieve) mayViolate(tight uint32) bool {
	for _, g := range t.rows.n.Covered {
		if g.Budgets&tight != 0 && slices.ContainsFunc(t.memory.end, func(place int) bool { return t.at(place) == int(g.Index) }) {
			return true
		}
	}
	return false
}

// findBroken finds the possible victims that violate a budget, and reports whether one of the
// end does. The budgets are charged for all of them, the most important first.
func (t *rulesReprieve) findBroken() bool {
	n, m := t.rows.n, t.memory
	m.broken = state.Fill(m.broken, len(n.Pods), false)
	for _, g := range n.Covered {
		m.broken[g.Index] = true // to be asked about
	}
	for place := t.from; place < len(n.Pods); place++ {
		if i := t.at(place); m.broken[i] {
			m.broken[i] = t.possible(i) && len(t.dry.Budgets.Charge(n.Pods[i])) > 0
		}
	}
	t.dry.Budgets.Reset()
	return slices.ContainsFunc(m.end, func(place int) bool { return m.broken[t.at(place)] })
}
