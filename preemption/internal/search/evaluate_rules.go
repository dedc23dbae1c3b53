package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// rulesReprieve is the reprieve on one node by other rules about victims and budgets.
type rulesReprieve struct {
	attempt *dryrun.Attempt
	rules   *searchRules
	dry     *dryrun.DryRunner
	rows    resourceReprieve
	memory  *rulesMemory
	topOf   int32 // the first victim
}

// evaluateByRules is evaluateByResources for other rules about victims and
// budgets.
func (w *Worker) evaluateByRules(position int, n *state.NodeState, bound int32) {
	var adjusted state.NodeSummary
	sum, _ := w.summaryFor(n, w.snap.Summaries.At(n.Slot), &adjusted)
	s := w.search
	t := rulesReprieve{attempt: &s.Attempt, rules: &s.Rules, dry: &w.Dry, rows: w.reprieveOn(n), memory: &w.memory}
	rows := &t.rows
	rows.room, rows.score.Top = int32(sum.Room)-1, math.MinInt32
	for k := range rows.slack {
		rows.slack[k] = unlimited / 2
		if s.asks[k] != asksNothing {
			rows.slack[k] = sum.Free[k] - s.asks[k]
		}
	}
	if s.Attempt.Config.Ascending() {
		t.ascend()
	} else {
		t.reprieve(bound)
	}
	if rows.score.Victims > 0 && rows.fits() {
		rows.score.Position = position
		w.keep(rows.score)
	}
}

// ascend takes pods, the least important first, until there is room.
func (t *rulesReprieve) ascend() {
	n := t.rows.n
	if t.rules.reordered {
		t.listPossible(n.First(t.attempt.Reach))
		for _, i := range slices.Backward(t.memory.order) {
			if t.takeNext(int(i)) {
				break
			}
		}
	} else {
		for i := len(n.Rows) - 1; i >= 0 && int64(n.SortKeys[i].Priority) < t.attempt.Reach; i-- {
			if t.allows(n.Objects[i]) && t.takeNext(i) {
				break
			}
		}
	}
	t.dry.Budgets.Reset()
	t.correctTop()
}

// takeNext takes a pod, and reports whether there is room now.
func (t *rulesReprieve) takeNext(i int) (enough bool) {
	t.rows.release(i)
	t.rows.score.Violations += t.dry.Budgets.Violations(len(t.dry.Budgets.Charge(t.rows.n.Pods[i])))
	t.rows.take(i)
	t.topOf = int32(i)
	return t.rows.fits()
}

// allows reports whether a pod could be a victim.
func (t *rulesReprieve) allows(p *outrank.Pod) bool { return t.rules.allows(t.attempt, p) }

// topBound returns the lowest priority that the top victim can have, not ok if all
// possible victims together do not make room. Only pods that may be evicted count.
func (t *rulesReprieve) topBound(bound int32) (top int32, ok bool) {
	if !t.rules.asked {
		return bound, true
	}
	with, n := t.rows, t.rows.n
	for i := len(n.Rows) - 1; i >= 0 && int64(n.SortKeys[i].Priority) < t.attempt.Reach; i-- {
		if t.allows(n.Objects[i]) {
			if with.release(i); with.fits() {
				return n.SortKeys[i].Priority, true
			}
		}
	}
	return 0, false
}

// correctTop sets the top priority to that of the first victim, in the caller's order
// (rule 11.3) or as it was found (rule 13.2.3).
func (t *rulesReprieve) correctTop() {
	if (t.rules.reordered || t.rules.readsFirst) && t.rows.score.Victims > 0 {
		t.rows.score.Top = t.rows.n.SortKeys[t.topOf].Priority
	}
}

// reprieve puts back first the pods that violate a budget, then the others,
// each time the most important first. If none up to the bound violates a budget, and
// the order is by priority, those above it are put back in any case.
func (t *rulesReprieve) reprieve(bound int32) {
	bound, ok := t.topBound(bound)
	if !ok {
		return
	}
	n := t.rows.n
	from := n.First(t.attempt.Reach)
	lastViolating := t.chargePossible(from)
	if low := n.First(int64(bound) + 1); !t.rules.reordered && lastViolating < low {
		from = low
	}
	t.listPossible(from)
	order, broken := t.memory.order, t.memory.broken
	for _, i := range order {
		t.rows.release(int(i))
	}
	first := int32(math.MaxInt32)
	for _, violating := range [...]bool{true, false} {
		for at, i := range order {
			violated := int(broken[i])
			if (violated > 0) != violating || t.rows.putBack(int(i)) {
				continue
			}
			t.rows.score.Violations += t.dry.Budgets.Violations(violated)
			if int32(at) < first && !(t.rules.readsFirst && first != math.MaxInt32) {
				first, t.topOf = int32(at), i
			}
		}
	}
	t.correctTop()
}

// listPossible lists the possible victims by index, the most important first,
// beginning with an index.
func (t *rulesReprieve) listPossible(from int) {
	n, order := t.rows.n, t.memory.order[:0]
	for i := from; i < len(n.Rows); i++ {
		if t.allows(n.Objects[i]) {
			order = append(order, int32(i))
		}
	}
	t.memory.order = order
	t.sort(order)
}

// sort sorts pods of the node, by index, by the configured importance.
func (t *rulesReprieve) sort(order []int32) {
	pods, attempt := t.rows.n.Pods, t.attempt
	switch {
	case t.rules.reordered:
		importance := attempt.Config.Importance
		slices.SortFunc(order, func(i, j int32) int {
			if c := importance(pods[i].Pod, pods[j].Pod); c != 0 {
				return c
			}
			if attempt.Config.ByVariant().IgnoresStart {
				return attempt.MoreImportant(pods[i], pods[j])
			}
			return cmp.Compare(i, j) // the default order is that of the node
		})
	case attempt.Config.ByVariant().IgnoresStart:
		slices.SortFunc(order, func(i, j int32) int { return attempt.MoreImportant(pods[i], pods[j]) })
	}
}

// chargePossible charges the budgets for all possible victims, which begin at an
// index, and counts by index how many budgets each of them violates.
// It returns the last index of a pod that violates any, -1 for none.
func (t *rulesReprieve) chargePossible(from int) (last int) {
	n, m := t.rows.n, t.memory
	m.broken = state.Fill(m.broken, len(n.Pods), 0)
	m.order = m.order[:0]
	for _, g := range n.Covered {
		if int(g.Index) >= from && t.allows(n.Objects[g.Index]) {
			m.order = append(m.order, g.Index)
		}
	}
	t.sort(m.order)
	last = -1
	for _, i := range m.order {
		if broken := len(t.dry.Budgets.Charge(n.Pods[i])); broken > 0 {
			m.broken[i] = int32(broken)
			last = max(last, int(i))
		}
	}
	t.dry.Budgets.Reset()
	return last
}
