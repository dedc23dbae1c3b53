package dryrun

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// SortCounts sorts by frequency, the most frequent first. Ties are settled by the text that a message shows,
// so that the order does not depend on the order of the nodes.
func SortCounts(cs []preemption.Count) {
	slices.SortStableFunc(cs, func(a, b preemption.Count) int {
		if c := cmp.Compare(b.Nodes, a.Nodes); c != 0 {
			return c
		}

		// Most texts fit into these arrays on the stack, so that comparing allocates nothing.
		var space [2][256]byte
		if c := bytes.Compare(prose.AppendStatus(space[0][:0], a.Filter, a.Reasons), prose.AppendStatus(space[1][:0], b.Filter, b.Reasons)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(filters.CodeOf(a.Code), filters.CodeOf(b.Code)), cmp.Compare(a.Status.ExcludedBy, b.Status.ExcludedBy))
	})
}
