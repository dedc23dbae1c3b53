package documents

import (
	"cmp"
	"slices"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// saysOld is says of v1.13, where no reason is that a node is too small when empty (rule 13.2.15). What the other
// filters say of such a node counts.
func (w *world) saysOld(n *outrank.Node, here []*outrank.Pod) verdict {
	if w.alone(n) == yes && w.room(n, here) == never {
		return maybe
	}
	return w.says(n, here)
}

// beyondAmounts is says without the amounts.
func (w *world) beyondAmounts(n *outrank.Node, here []*outrank.Pod) verdict {
	if said := w.alone(n); said != yes {
		return said
	}
	return w.mates(n, here)
}

// first is what a node says as things are.
func (w *world) first(n *outrank.Node) verdict {
	here := w.on(n)
	if w.twice(n, here, w.says) == never && w.twice(n, here, w.beyondAmounts) == never {
		return never
	}
	return w.twice(n, here, w.saysOld)
}

// old is the preemption of v1.13 (genericScheduler.Preempt). Ties that it leaves to a map, or to a sort that is not
// stable, go by the order of the nodes and by namespace and name.
func (w *world) old() answer {
	var worth []*outrank.Node
	for _, n := range w.nodes {
		switch w.first(n) {
		case yes:
			return answer{outcome: preemption.Fits}
		case maybe:
			worth = append(worth, n)
		}
	}
	switch {
	case w.waitsOld():
		return answer{outcome: preemption.NotEligible, own: keeps}
	case len(worth) == 0:
		return answer{outcome: preemption.NothingHelps, own: loses}
	}

	var found []loot
	for _, n := range worth {
		if l, ok := w.loot(n); ok {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return answer{outcome: preemption.NothingHelps, own: keeps}
	}
	best := pickOld(found)
	return w.preempts(best.node, best.victims, best.violations)
}

// waitsOld reports whether a pod of lower priority leaves the node that the pod is nominated to
// (podEligibleToPreemptOthers).
func (w *world) waitsOld() bool {
	n := w.nominee()
	return n != nil && slices.ContainsFunc(w.on(n), func(p *outrank.Pod) bool { return p.Terminating() && rank(p) < rank(w.pod) })
}

// loot is who would leave a node, in the order found.
type loot struct {
	node       *outrank.Node
	victims    []*outrank.Pod
	violations int
}

// loot removes all pods of lower priority and puts back those that may stay, first those that violate a budget
// (selectVictimsOnNode). ok is false if the pod does not fit even then.
func (w *world) loot(n *outrank.Node) (l loot, ok bool) {
	var staying, lower []*outrank.Pod
	for _, p := range w.on(n) {
		if rank(p) < rank(w.pod) {
			lower = append(lower, p)
		} else {
			staying = append(staying, p)
		}
	}
	if w.twice(n, staying, w.says) != yes {
		return loot{}, false
	}

	slices.SortFunc(lower, func(p, q *outrank.Pod) int {
		return cmp.Or(-cmp.Compare(rank(p), rank(q)), cmp.Compare(p.NamespaceName(), q.NamespaceName()), cmp.Compare(p.Name, q.Name))
	})
	slices.SortStableFunc(lower, func(p, q *outrank.Pod) int { return cmp.Compare(number(!w.violatesOld(p)), number(!w.violatesOld(q))) })
	l.node = n
	for _, p := range lower {
		if with := append(slices.Clone(staying), p); w.twice(n, with, w.says) == yes {
			staying = with
			continue
		}
		l.victims = append(l.victims, p)
		l.violations += number(w.violatesOld(p))
	}
	return l, true
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// violatesOld reports whether a budget that covers the pod allows nothing (filterPodsWithPDBViolation as of then).
func (w *world) violatesOld(p *outrank.Pod) bool {
	return slices.ContainsFunc(w.budgets, func(b *outrank.PodDisruptionBudget) bool { return covers(b, p) && b.DisruptionsAllowed <= 0 })
}

// covers reports whether a budget covers a pod: one with an empty selector covers nobody, and nobody without
// labels is covered.
func covers(b *outrank.PodDisruptionBudget, p *outrank.Pod) bool {
	return len(p.Labels) > 0 && b.NamespaceName() == p.NamespaceName() && b.Selector != nil && len(b.Selector.MatchLabels) > 0 && picks(b.Selector, p)
}

// pickOld takes a node where nobody has to leave, and otherwise the least by four figures, of which the second is
// the priority of the victim that was found first (pickOneNodeForPreemption).
func pickOld(found []loot) loot {
	for _, l := range found {
		if len(l.victims) == 0 {
			return l
		}
	}
	figures := func(l loot) []int64 {
		return []int64{int64(l.violations), rank(l.victims[0]), shiftedSum(l.victims), int64(len(l.victims))}
	}
	return slices.MinFunc(found, func(l, m loot) int { return slices.Compare(figures(l), figures(m)) })
}

// shiftedSum is the sum of the priorities, each raised above 0 so that more victims never make less.
func shiftedSum(pods []*outrank.Pod) (sum int64) {
	for _, p := range pods {
		sum += rank(p) + 1<<31
	}
	return sum
}

func TestPreemptionOfV113(t *testing.T) { hold(t, outrank.VariantV1_13, (*world).old) }
