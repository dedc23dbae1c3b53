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
// Pods are put back in this order: first those that violate a budget, then the others, the most important
// first in each group. Consider the shortest end of this order that makes room by leaving. While a pod before
// the end is tried, the whole end is gone, so that the pod is put back. The first pod of the end is a victim,
// because the rest of the end does not make room. So only the end, which is a few pods, has to be looked at.
type rulesReprieve struct {
	n       *state.NodeState
	rows    resourceReprieve // arithmetic on the rows of n
	attempt *dryrun.Attempt
	rules   *searchRules
	budgets *dryrun.Charger
	memory  *rulesMemory
	// order has the indexes of the pods of the node, the most important first. It is nil if the node's own
	// order is the right one. A place is an index in this order; pods at places before from may not leave.
	order []int32
	from  int
	// topOf is the index of the victim whose priority counts as the top priority.
	topOf int
	// best is the incumbent, which the node at this position has to beat.
	best     *NodeScore
	position int
}

// evaluateByRules is evaluateByResources for other rules about victims and
// budgets.
func (w *Worker) evaluateByRules(position int, n *state.NodeState) {
	var adjusted state.NodeSummary
	sum, _ := w.summaryFor(n, w.sums.At(n.Slot), &adjusted)
	t := rulesReprieve{
		n: n, rows: w.reprieveOn(n), attempt: w.attempt, rules: w.rules, budgets: &w.Dry.Budgets, memory: &w.memory,
		order: w.orderOn(n), best: &w.Best, position: position,
	}
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

	// There is no victim if the node was given up as a loser, and no room if the caller spares too many pods,
	// which the bound ignores.
	if rows.score.Victims == 0 || !rows.fits() {
		return
	}
	if t.rules.order == callersOrder || t.rules.readsFirst {
		rows.score.Top = n.SortKeys[t.topOf].Priority // rules 11.3 and 13.2.3
	}
	rows.score.Position = position
	w.keep(rows.score)
}

// podAt returns the index of the pod at a place.
func (t *rulesReprieve) podAt(place int) int {
	if t.order == nil {
		return place
	}
	return int(t.order[place])
}

// possible reports whether a pod can be a victim. allows is called only if the caller has a rule, or the
// preemptor itself may be on the node.
func (t *rulesReprieve) possible(i int) bool {
	if int64(t.n.SortKeys[i].Priority) >= t.attempt.Reach {
		return false
	}
	return t.rules.asks == asksNobody && t.attempt.Resident == nil || t.rules.allows(t.attempt, t.n.Objects[i])
}

// ascend takes pods as victims, the least important first, until there is room (rule 13.3.1). Only these are
// charged to the budgets, in the same order (rule 13.3.5).
func (t *rulesReprieve) ascend() {
	n := t.n
	for place := len(n.Rows) - 1; place >= t.from && !t.rows.fits(); place-- {
		i := t.podAt(place)
		if !t.possible(i) {
			continue
		}

		t.rows.release(i)
		t.rows.violate(t.budgets.Violations(len(t.budgets.Charge(n.Pods[i]))))
		t.rows.take(i)
		t.topOf = i
	}
	t.budgets.Reset()
}

// reprieve removes the end of the order, and puts back those of its pods for which there is room. mostCovered
// is an upper bound on the number of the node's pods that any budget covers.
func (t *rulesReprieve) reprieve(mostCovered uint8) {
	m, before := t.memory, t.rows
	m.broken = m.broken[:0]
	if !t.takeEnd() {
		return
	}

	// The end was taken as if no pod violated a budget. If one of its pods does, the order changes, because
	// violating pods come first in it, and the end has to be taken anew.
	if tight := t.tight(mostCovered); t.mayViolate(tight) && t.findBroken() {
		t.rows = before
		t.takeEnd()
	}
	if t.rules.order == callersOrder && t.loses() {
		return
	}
	t.returnEnd()
}

// returnEnd puts back, in their order, the pods of the end for which there is room. The others are the
// victims.
func (t *rulesReprieve) returnEnd() {
	// The first victim is the one at the least place. By the variant that reads the first victim, it is the
	// one found first, which violates a budget if any victim does (rule 13.2.3).
	first := math.MaxInt
	for _, place := range slices.Backward(t.memory.end) {
		i := t.podAt(place)
		if t.rows.putBack(i) {
			continue
		}
		if t.violates(i) {
			t.rows.violate(1)
		}
		if place < first && !(t.rules.readsFirst && first != math.MaxInt) {
			first, t.topOf = place, i
		}
	}
}

// loses reports whether the node certainly cannot beat the incumbent. The first pod of the end is not put
// back, so that it is a violation or the first victim; the rest of the score is unknown.
func (t *rulesReprieve) loses() bool {
	m, last := t.memory, len(t.memory.end)-1
	if last < 0 {
		return true
	}

	// Unknown figures are set to their best.
	o := NodeScore{t.position, rank.Figures{Top: math.MinInt32, Victims: 1, Start: rank.Never}}
	if first := t.podAt(m.end[last]); t.violates(first) {
		o.Violations = 1
	} else {
		o.Top = t.n.SortKeys[first].Priority
	}
	o.Sum = int64(o.Top) + rank.PriorityShift
	return !t.rules.Better(&o, t.best)
}

// violates reports whether a pod was found to violate a budget.
func (t *rulesReprieve) violates(i int) bool { return len(t.memory.broken) > 0 && t.memory.broken[i] }

// takeEnd removes the shortest end of the order that makes room, and reports whether there is one.
func (t *rulesReprieve) takeEnd() bool {
	m := t.memory
	m.end = m.end[:0]

	// The order ends with the pods that violate no budget. Pods that do are taken only if the others do not
	// suffice.
	for _, violating := range [...]bool{false, true} {
		for place := len(t.n.Rows) - 1; place >= t.from; place-- {
			if t.rows.fits() {
				return true
			}
			if i := t.podAt(place); t.violates(i) == violating && t.possible(i) {
				t.rows.release(i)
				m.end = append(m.end, place)
			}
		}
		if len(m.broken) == 0 {
			break
		}
	}
	return t.rows.fits()
}

// tight returns the bits of the budgets that can be violated on the node: those that allow nothing, and of
// the others those that cover more than one of its pods.
func (t *rulesReprieve) tight(mostCovered uint8) uint32 {
	return t.rules.tightOn(mostCovered, coveredTwice(t.n))
}

// tightOn is tight for a node on which the budgets in twice, and no others, cover more than one pod.
func (r *searchRules) tightOn(mostCovered uint8, twice uint32) uint32 {
	return r.tightAmong(min(mostCovered, 1)) | r.tightAmong(mostCovered)&twice
}

// mayViolate reports whether any of these budgets covers a pod of the end.
func (t *rulesReprieve) mayViolate(tight uint32) bool {
	for _, g := range t.n.Covered {
		if g.Budgets&tight != 0 && slices.ContainsFunc(t.memory.end, func(place int) bool { return t.podAt(place) == int(g.Index) }) {
			return true
		}
	}
	return false
}

// findBroken marks the possible victims that violate a budget, and reports whether one of them is in the end.
// All possible victims are charged, the most important first.
func (t *rulesReprieve) findBroken() bool {
	// At first all covered pods are marked. Charging then removes the marks of those that violate nothing.
	n, m := t.n, t.memory
	m.broken = state.Fill(m.broken, len(n.Pods), false)
	for _, g := range n.Covered {
		m.broken[g.Index] = true
	}

	for place := t.from; place < len(n.Pods); place++ {
		if i := t.podAt(place); m.broken[i] {
			m.broken[i] = t.possible(i) && len(t.budgets.Charge(n.Pods[i])) > 0
		}
	}
	t.budgets.Reset()
	return slices.ContainsFunc(m.end, func(place int) bool { return m.broken[t.podAt(place)] })
}
