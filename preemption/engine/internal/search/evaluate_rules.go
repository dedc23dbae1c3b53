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
// the most important first. Consider the shortest end of this order that makes room when it is
// away. While a pod before it is tried, all of the end is away, so that the pod is put back. The
// first pod of the end is a victim, because the rest of the end does not make room. So only the end
// is looked at, which is a few pods.
type rulesReprieve struct {
	n       *state.NodeState
	rows    resourceReprieve // of n
	attempt *dryrun.Attempt
	rules   *searchRules
	budgets *dryrun.Charger
	memory  *rulesMemory
	// order lists the pods of the node by index, the most important first; nil if that is how the
	// node has them. Places in this order begin at from: the pods before may not leave.
	order []int32
	from  int
	// topOf is the index of the first victim.
	topOf int
	// best is the incumbent, for the node at this position to beat.
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

	// There is no victim where the node was given up, and no room where the caller spares too many pods, which
	// the bound does not know.
	if rows.score.Victims == 0 || !rows.fits() {
		return
	}
	if t.rules.order == callersOrder || t.rules.readsFirst {
		rows.score.Top = n.SortKeys[t.topOf].Priority // rules 11.3 and 13.2.3
	}
	rows.score.Position = position
	w.keep(rows.score)
}

// podAt returns the index of the pod at a place of the order.
func (t *rulesReprieve) podAt(place int) int {
	if t.order == nil {
		return place
	}
	return int(t.order[place])
}

// possible reports whether a pod could be a victim. The caller is asked only where it has a rule, or
// where the preemptor itself is on the node.
func (t *rulesReprieve) possible(i int) bool {
	if int64(t.n.SortKeys[i].Priority) >= t.attempt.Reach {
		return false
	}
	return t.rules.asks == asksNobody && t.attempt.Resident == nil || t.rules.allows(t.attempt, t.n.Objects[i])
}

// ascend takes pods, the least important first, until there is room (rule 13.3.1). The budgets are
// charged for these alone, in that order (rule 13.3.5).
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

// reprieve takes the end of the order away, and puts back the pods that there is room for. No budget
// covers more pods of the node than mostCovered.
func (t *rulesReprieve) reprieve(mostCovered uint8) {
	m, before := t.memory, t.rows
	m.broken = m.broken[:0]
	if !t.takeEnd() {
		return
	}

	// Nobody was said to violate a budget so far. If a pod of the end does, the order is another one: those
	// that violate a budget come first in it, and the end begins anew.
	if tight := t.tight(mostCovered); t.mayViolate(tight) && t.findBroken() {
		t.rows = before
		t.takeEnd()
	}
	if t.rules.order == callersOrder && t.loses() {
		return
	}
	t.returnEnd()
}

// returnEnd puts the pods of the end back that there is room for, in their order. The others are the
// victims.
func (t *rulesReprieve) returnEnd() {
	// The first victim is the one at the least place. By the variant that reads the first one it is the
	// victim that was found first, which violates a budget if any does (rule 13.2.3).
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

// loses reports that the node cannot beat the incumbent, by what is known of the first pod of
// the end: it is not put back, so that it is a violation or the first victim.
func (t *rulesReprieve) loses() bool {
	m, last := t.memory, len(t.memory.end)-1
	if last < 0 {
		return true
	}

	// What is not known is left at its best.
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

// takeEnd takes the shortest end of the order away that makes room, and reports whether
// there is one.
func (t *rulesReprieve) takeEnd() bool {
	m := t.memory
	m.end = m.end[:0]

	// The end of the order has pods that violate no budget, as far as these suffice, and then pods that do.
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

// tight returns the budgets that can be violated on the node: those that allow nothing, and of
// the others those that cover more than one of its pods.
func (t *rulesReprieve) tight(mostCovered uint8) uint32 {
	return t.rules.tightOn(mostCovered, coveredTwice(t.n))
}

// tightOn is tight for a node on which the budgets in twice cover more than one pod.
func (r *searchRules) tightOn(mostCovered uint8, twice uint32) uint32 {
	return r.tightAmong(min(mostCovered, 1)) | r.tightAmong(mostCovered)&twice
}

// mayViolate reports whether a pod of the end is covered by one of these budgets.
func (t *rulesReprieve) mayViolate(tight uint32) bool {
	for _, g := range t.n.Covered {
		if g.Budgets&tight != 0 && slices.ContainsFunc(t.memory.end, func(place int) bool { return t.podAt(place) == int(g.Index) }) {
			return true
		}
	}
	return false
}

// findBroken finds the possible victims that violate a budget, and reports whether one of the
// end does. The budgets are charged for all of them, the most important first.
func (t *rulesReprieve) findBroken() bool {
	// At first the covered pods are marked, which are to be asked about.
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
