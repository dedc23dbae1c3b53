package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// evaluateByRules is evaluateByResources for other rules about victims and
// budgets.
func (w *Worker) evaluateByRules(position int, n *state.NodeState, bound int32) {
	var adjusted state.NodeSummary
	sum, _ := w.summaryFor(n, w.snap.Summaries.At(n.Slot), &adjusted)
	t := resourceReprieve{Worker: w, n: n, room: int32(sum.Room) - 1}
	t.score.Top = math.MinInt32
	for k := range t.slack {
		t.slack[k] = unlimited / 2
		if w.search.asks[k] != asksNothing {
			t.slack[k] = sum.Free[k] - w.search.asks[k]
		}
	}
	t.costs = w.costsOn(n)
	if w.search.Attempt.Config.Ascending() {
		t.ascend()
	} else {
		t.reprieveByRules(bound)
	}
	if t.score.Victims > 0 && t.fits() {
		t.score.Position = position
		w.keep(t.score)
	}
}

// ascend takes pods, the least important first, until there is room.
func (t *resourceReprieve) ascend() {
	if t.search.Rules.reordered {
		t.listPossible(t.n.First(t.search.Attempt.Reach))
		for _, i := range slices.Backward(t.order) {
			if t.takeNext(int(i)) {
				break
			}
		}
	} else {
		for i := len(t.n.Rows) - 1; i >= 0 && int64(t.n.SortKeys[i].Priority) < t.search.Attempt.Reach; i-- {
			if t.allows(t.n.Objects[i]) && t.takeNext(i) {
				break
			}
		}
	}
	t.Dry.Budgets.Reset()
	t.correctTop()
}

// takeNext takes a pod, and reports whether there is room now.
func (t *resourceReprieve) takeNext(i int) (enough bool) {
	t.release(i)
	t.score.Violations += t.Dry.Budgets.Violations(len(t.Dry.Budgets.Charge(t.n.Pods[i])))
	t.take(i)
	t.topOf = int32(i)
	return t.fits()
}

// fits reports whether there is room for the preemptor.
func (t *resourceReprieve) fits() bool {
	return t.room >= 0 && t.slack[0] >= 0 && t.slack[1] >= 0 && t.slack[2] >= 0
}

// allows reports whether a pod could be a victim as far as the caller's rules go, which are
// not asked about the preemptor itself (rule 7.19.6).
func (w *Worker) allows(p *outrank.Pod) bool {
	if r := w.search.Attempt.Asked.Deferral.Resident; r != nil && r.Pod == p {
		return false
	}
	return !w.search.Rules.asked || w.search.Attempt.Config.Allows(w.search.Attempt.Asked.Pod, p)
}

// topBound returns the lowest priority that the top victim can have, not ok if all
// possible victims together do not make room. Only those who may be evicted count.
func (t *resourceReprieve) topBound(bound int32) (top int32, ok bool) {
	if !t.search.Rules.asked {
		return bound, true
	}
	with := *t
	for i := len(t.n.Rows) - 1; i >= 0 && int64(t.n.SortKeys[i].Priority) < t.search.Attempt.Reach; i-- {
		if t.allows(t.n.Objects[i]) {
			if with.release(i); with.fits() {
				return t.n.SortKeys[i].Priority, true
			}
		}
	}
	return 0, false
}

// release makes the room of a pod free.
func (t *resourceReprieve) release(i int) {
	row := &t.n.Rows[i]
	t.room++
	t.slack[0] += row[0]
	t.slack[1] += row[1]
	t.slack[2] += row[2]
}

// correctTop sets the top priority to that of the first victim, in the caller's order
// (rule 11.3) or as it was found (rule 13.2.3).
func (t *resourceReprieve) correctTop() {
	if (t.search.Rules.reordered || t.search.Rules.readsFirst) && t.score.Victims > 0 {
		t.score.Top = t.n.SortKeys[t.topOf].Priority
	}
}

// reprieveByRules puts back first the pods that violate a budget, then the others,
// each time the most important first. If none up to the bound violates a budget, and
// the order is by priority, those above it are put back in any case.
func (t *resourceReprieve) reprieveByRules(bound int32) {
	bound, ok := t.topBound(bound)
	if !ok {
		return
	}
	from := t.n.First(t.search.Attempt.Reach)
	lastViolating := t.chargePossible(from)
	if low := t.n.First(int64(bound) + 1); !t.search.Rules.reordered && lastViolating < low {
		from = low
	}
	t.listPossible(from)
	for _, i := range t.order {
		t.release(int(i))
	}
	first := int32(math.MaxInt32)
	for _, violating := range [...]bool{true, false} {
		for at, i := range t.order {
			broken := int(t.broken[i])
			if (broken > 0) != violating || t.putBack(int(i)) {
				continue
			}
			t.score.Violations += t.Dry.Budgets.Violations(broken)
			if int32(at) < first && !(t.search.Rules.readsFirst && first != math.MaxInt32) {
				first, t.topOf = int32(at), i
			}
		}
	}
	t.correctTop()
}

// listPossible lists the possible victims by index, the most important first,
// beginning with an index.
func (t *resourceReprieve) listPossible(from int) {
	t.order = t.order[:0]
	for i := from; i < len(t.n.Rows); i++ {
		if t.allows(t.n.Objects[i]) {
			t.order = append(t.order, int32(i))
		}
	}
	t.sortByRules(t.order)
}

// sortByRules sorts pods of the node, by index, by the configured importance.
func (t *resourceReprieve) sortByRules(order []int32) {
	pods := t.n.Pods
	switch {
	case t.search.Rules.reordered:
		importance := t.search.Attempt.Config.Importance
		slices.SortFunc(order, func(i, j int32) int {
			if c := importance(pods[i].Pod, pods[j].Pod); c != 0 {
				return c
			}
			if t.search.Attempt.Config.ByVariant().IgnoresStart {
				return t.search.Attempt.MoreImportant(pods[i], pods[j])
			}
			return cmp.Compare(i, j) // the default order is that of the node
		})
	case t.search.Attempt.Config.ByVariant().IgnoresStart:
		slices.SortFunc(order, func(i, j int32) int { return t.search.Attempt.MoreImportant(pods[i], pods[j]) })
	}
}

// chargePossible charges the budgets for all possible victims, which begin at an
// index, and counts in t.broken, by index, how many budgets each of them violates.
// It returns the last index of a pod that violates any, -1 for none.
func (t *resourceReprieve) chargePossible(from int) (last int) {
	n := t.n
	t.broken = state.Fill(t.broken, len(n.Pods), 0)
	t.order = t.order[:0]
	for _, g := range n.Covered {
		if int(g.Index) >= from && t.allows(n.Objects[g.Index]) {
			t.order = append(t.order, g.Index)
		}
	}
	t.sortByRules(t.order)
	last = -1
	for _, i := range t.order {
		if broken := len(t.Dry.Budgets.Charge(n.Pods[i])); broken > 0 {
			t.broken[i] = int32(broken)
			last = max(last, int(i))
		}
	}
	t.Dry.Budgets.Reset()
	return last
}
