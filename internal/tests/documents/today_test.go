package documents

import (
	"slices"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// startOf is when a pod started, the present for one that did not.
func startOf(p *outrank.Pod) time.Time {
	if p.StartTime.IsZero() {
		return now
	}
	return p.StartTime
}

// today is the preemption of today's scheduler (Evaluator.Preempt).
func (w *world) today() answer {
	first := map[*outrank.Node]verdict{}
	for _, n := range w.nodes {
		if first[n] = w.twice(n, w.on(n), w.says); first[n] == yes {
			return answer{outcome: preemption.Fits}
		}
	}
	if w.pod.PreemptionPolicy == outrank.PreemptNever || w.waitsToday(first) {
		return answer{outcome: preemption.NotEligible, own: keeps}
	}

	var found []loot
	for _, n := range w.nodes {
		if first[n] != maybe {
			continue
		}
		if l, ok := w.lootToday(n); ok {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return answer{outcome: preemption.NothingHelps, own: loses}
	}

	best := slices.MinFunc(found, func(l, m loot) int { return slices.Compare(todaysFigures(l), todaysFigures(m)) })
	a := w.preempts(best.node, best.victims, best.violations)
	if !slices.ContainsFunc(best.victims, func(p *outrank.Pod) bool { return !p.Terminating() }) {
		a.cleared = nil // nothing is left to prepare (prepareCandidateAsync)
	}
	return a
}

// waitsToday reports whether victims of the pod's last preemption leave its node, unless nothing helps there
// (PodEligibleToPreemptOthers).
func (w *world) waitsToday(first map[*outrank.Node]verdict) bool {
	n := w.nominee()
	return n != nil && first[n] != never && slices.ContainsFunc(w.on(n), func(p *outrank.Pod) bool {
		return p.Terminating() && p.DisruptionReason == outrank.PreemptionByScheduler && rank(p) < rank(w.pod)
	})
}

// lootToday removes all pods of lower priority and puts back those that may stay, the most important first and
// those before all that violate a budget (SelectVictimsOnNode). ok is false if that makes no room, or takes none.
func (w *world) lootToday(n *outrank.Node) (l loot, ok bool) {
	staying := w.on(n)
	lower := slices.DeleteFunc(slices.Clone(staying), func(p *outrank.Pod) bool { return rank(p) >= rank(w.pod) })
	staying = slices.DeleteFunc(staying, func(p *outrank.Pod) bool { return rank(p) < rank(w.pod) })
	if len(lower) == 0 || w.twice(n, staying, w.says) != yes {
		return loot{}, false
	}

	slices.SortFunc(lower, importance)
	violating, rest := w.charge(lower)
	l.node = n
	for i, p := range append(violating, rest...) {
		if with := append(slices.Clone(staying), p); w.twice(n, with, w.says) == yes {
			staying = with
			continue
		}
		l.victims = append(l.victims, p)
		l.violations += number(i < len(violating))
	}
	slices.SortFunc(l.victims, importance)
	return l, len(l.victims) > 0
}

// charge parts pods into those that violate a budget and the others (filterPodsWithPDBViolation). From v1.37 on a
// pod is charged no further than to the first budget that it violates.
func (w *world) charge(pods []*outrank.Pod) (violating, rest []*outrank.Pod) {
	left := map[*outrank.PodDisruptionBudget]int32{}
	for _, p := range pods {
		violates := false
		for _, b := range w.budgets {
			if _, counted := b.DisruptedPods[p.Name]; counted || !covers(b, p) {
				continue
			}
			if left[b]--; b.DisruptionsAllowed+left[b] < 0 {
				violates = true
				if w.release == outrank.V1_37 {
					break
				}
			}
		}
		if violates {
			violating = append(violating, p)
		} else {
			rest = append(rest, p)
		}
	}
	return violating, rest
}

// todaysFigures are what nodes are compared by, the least of them first (OrderedScoreFuncs). The last is the
// earliest start of the victims of the top priority: the later, the better.
func todaysFigures(l loot) []int64 {
	top := rank(l.victims[0])
	earliest := startOf(l.victims[0])
	for _, p := range l.victims {
		if rank(p) == top && startOf(p).Before(earliest) {
			earliest = startOf(p)
		}
	}
	return []int64{int64(l.violations), top, shiftedSum(l.victims), int64(len(l.victims)), -earliest.UnixNano()}
}

func TestPreemptionOfToday(t *testing.T) { hold(t, 0, (*world).today) }
