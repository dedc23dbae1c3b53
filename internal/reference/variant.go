package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Variant has the changes of a configuration beside the filters: a variant
// (chapter 13), rules of the caller, a sample of the nodes (group 10.1). The zero
// value changes nothing.
type Variant struct {
	// MayEvict reports whether a pod may be a victim at all; nil allows any.
	MayEvict func(p *outrank.Pod) bool
	// MayPreempt returns the reason why the preemptor may not preempt, in place of chapter
	// 8; nil agrees.
	MayPreempt func(nominated Status, rule string) string
	// MayTake reports whether a pod may be a victim, in place of lower priority
	// (rule 13.6.1); nil means lower priority.
	MayTake func(p *outrank.Pod) bool
	// Guard reports whether these pods may be gone together (rule 13.6.2); nil lets any.
	Guard func(gone []*outrank.Pod) Status
	// Importance is asked before the order of importance; nil is silent.
	Importance func(p, q *outrank.Pod) int
	// Own is a further filter, behind all others, that looks at the node alone; nil
	// means none.
	Own func(n *outrank.Node) Status
	// Statuses are the nodes' statuses from elsewhere, in place of the filters; nil
	// means that the filters are asked. A node without one was never filtered.
	Statuses map[string]Status
	// Sample, if not nil, ends the search early.
	Sample *Sample

	// Charging says how budgets are charged.
	Charging
	// The fields of the variants: without reprieve (13.3.1), importance without the
	// start (13.2.1), pods without a priority as victims (13.3.3), one run of the
	// filters (13.3.2), Never not looked at (13.2.4), waiting as in 13.2.5 and 13.3.7.
	Ascending, IgnoreStart, EvictUnprioritized, FilterOnce, ClearAlways, NominatedInTurn bool
	IgnoreNever, WaitForTerminating, WaitWhileNominated                                  bool
	// Of v1.13: the first victim is read as the highest (13.2.3), a node without a status is
	// tried (13.2.10), and one on which nobody has to leave is taken at once (13.2.11).
	ReadFirst, TryUnasked, TakeFree bool
}

// Charging has the changes of a configuration to how budgets are charged.
type Charging struct {
	// Of the variants: one violation for each budget (13.3.5), budgets as they stand
	// (13.2.2), empty selectors and pods without labels (13.3.6), a pod that counts twice
	// (13.3.11).
	PerBudget, Uncharged, EmptySelectors, CountTwice bool
	// Strict never violates a budget, and VictimsAlone charges budgets for the victims
	// alone (group 13.5).
	Strict, VictimsAlone bool
}

// Sample is an early end of the search: it begins at the node with the number
// Offset among those to be tried, and ends with Enough candidates.
type Sample struct {
	Offset, Enough func(nodes int) int
}

// neverFiltered is the status of a node that nobody asked.
var neverFiltered = unresolvable("", "the node was not filtered")

// inTurn are the nodes of a sample in the order in which they are tried.
func (s *Sample) inTurn(nodes []*outrank.Node) []*outrank.Node {
	if s == nil || len(nodes) == 0 {
		return nodes
	}
	first := s.Offset(len(nodes)) % len(nodes)
	return slices.Concat(nodes[first:], nodes[:first])
}

// violationsOf counts the violations of pods that leave in this order: each that
// violates any budget once, or once for each budget.
func (v *Variant) violationsOf(broken map[*outrank.Pod]int, victims []*outrank.Pod) int {
	count := 0
	for _, p := range victims {
		if v.PerBudget {
			count += broken[p]
		} else {
			count += min(1, broken[p])
		}
	}
	return count
}
