package documents

import (
	"cmp"
	"slices"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// once asks one time, with the nominated pods that count in place (RunFilterPluginsWithNominatedPods in short).
func (w *world) once(n *outrank.Node, here []*outrank.Pod) verdict {
	return w.says(n, slices.Concat(here, w.nominated(n, w.counts)))
}

// short is preemption in short. Pods of one priority go by importance, the least important first.
func (w *world) short() answer {
	first := map[*outrank.Node]verdict{}
	for _, n := range w.nodes {
		if first[n] = w.once(n, w.on(n)); first[n] == yes {
			return answer{outcome: preemption.Fits}
		}
	}
	if !w.mayInShort(first) {
		return answer{outcome: preemption.NotEligible, own: keeps}
	}

	var found []loot
	for _, n := range w.nodes {
		if first[n] != maybe {
			continue
		}
		if victims := w.upTo(n); victims != nil {
			found = append(found, loot{n, victims, w.brokenBy(victims)})
		}
	}
	if len(found) == 0 {
		return answer{outcome: preemption.NothingHelps, own: loses}
	}
	best := slices.MinFunc(found, func(l, m loot) int { return slices.Compare(shortFigures(l), shortFigures(m)) })
	return w.preempts(best.node, best.victims, best.violations)
}

// mayInShort reports whether the pod may preempt: it has a priority, and no policy and no nomination keep it.
func (w *world) mayInShort(first map[*outrank.Node]verdict) bool {
	if w.pod.Priority == nil || w.pod.PreemptionPolicy == outrank.PreemptNever {
		return false
	}
	return w.pod.NominatedNodeName == "" || w.nominee() != nil && first[w.nominee()] == never
}

// upTo takes pods of lower priority, and all without one, until the pod fits; nil if it never does.
func (w *world) upTo(n *outrank.Node) []*outrank.Pod {
	left := w.on(n)
	taken := slices.DeleteFunc(slices.Clone(left), func(p *outrank.Pod) bool { return p.Priority != nil && rank(p) >= rank(w.pod) })
	slices.SortFunc(taken, func(p, q *outrank.Pod) int { return importance(q, p) })
	for i, p := range taken {
		left = slices.DeleteFunc(left, func(q *outrank.Pod) bool { return q == p })
		if w.once(n, left) == yes {
			return taken[:i+1]
		}
	}
	return nil
}

// brokenBy counts a violation for each victim and each budget that has nothing left (countPDBViolations).
func (w *world) brokenBy(victims []*outrank.Pod) (broken int) {
	left := map[*outrank.PodDisruptionBudget]int32{}
	for _, b := range w.budgets {
		left[b] = b.DisruptionsAllowed
	}
	for _, p := range victims {
		for _, b := range w.budgets {
			if b.NamespaceName() == p.NamespaceName() && picks(b.Selector, p) {
				broken += number(left[b] <= 0)
				left[b]--
			}
		}
	}
	return broken
}

// shortFigures are what nodes are compared by, the least of them first.
func shortFigures(l loot) []int64 {
	top, sum := rank(l.victims[0]), int64(0)
	for _, p := range l.victims {
		top, sum = max(top, rank(p)), sum+rank(p)
	}
	return []int64{int64(l.violations), top, int64(len(l.victims)), sum}
}

// importance orders pods, the most important first: by priority, then the earlier start, which without one is
// the present, and then by name.
func importance(p, q *outrank.Pod) int {
	return cmp.Or(-cmp.Compare(rank(p), rank(q)), startOf(p).Compare(startOf(q)),
		cmp.Compare(p.NamespaceName(), q.NamespaceName()), cmp.Compare(p.Name, q.Name))
}

func TestPreemptionInShort(t *testing.T) { hold(t, outrank.VariantSimplified, (*world).short) }
