package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/preemption"
)

// InVain returns what keeps the pod off a node once every possible victim is gone. It is not ok if preemption
// was not tried there, or helps.
func InVain(n *preemption.NodeReport) (status preemption.Status, ok bool) {
	if n.AfterRemoval == nil || n.AfterRemoval.Code == preemption.Success {
		return preemption.Status{}, false
	}
	return *n.AfterRemoval, true
}

// Unhelpful counts the nodes on which preemption was tried and does not help, by the obstacle that remains, the
// most frequent first. A plan has these counts only if nothing helps.
func Unhelpful(e *preemption.Plan) []preemption.Count {
	if e.Unhelpful != nil {
		return e.Unhelpful
	}

	var counts []preemption.Count
	at := map[string]int{}
	for i := range e.Nodes {
		status, ok := InVain(&e.Nodes[i])
		if !ok {
			continue
		}

		// Statuses with the same code, filter and reasons are counted together.
		key := fmt.Sprintf("%q %q %q %q", status.Code, status.Filter, status.ExcludedBy, status.Reasons)
		known, counted := at[key]
		if !counted {
			known = len(counts)
			at[key], counts = known, append(counts, preemption.Count{Status: status})
		}
		counts[known].Nodes++
	}

	// The most frequent comes first. Texts decide among equals, so that the order is total.
	slices.SortStableFunc(counts, func(a, b preemption.Count) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), strings.Compare(a.Status.String(), b.Status.String()), cmp.Compare(a.ExcludedBy, b.ExcludedBy))
	})
	return counts
}
