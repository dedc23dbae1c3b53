package preemption

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// counted counts answers that are no success by their statuses, the most frequent first. Of tells
// which status of an answer counts, and whether it does.
func counted(answers []answer, of func(one answer) (Status, bool)) []Count {
	var counts []Count
	for _, one := range answers {
		status, wanted := of(one)
		if !wanted || status.Code == Success {
			continue
		}
		at := slices.IndexFunc(counts, func(c Count) bool { return c.Status.equal(status) })
		if at < 0 {
			at = len(counts)
			counts = append(counts, Count{Status: status})
		}
		counts[at].Nodes++
	}
	slices.SortFunc(counts, compareCounts)
	return counts
}

// compareCounts orders by frequency, then by what people read, so that the order of the nodes decides
// nothing.
func compareCounts(a, b Count) int {
	return cmp.Or(
		cmp.Compare(b.Nodes, a.Nodes),
		slices.Compare(phrase.AppendStatus(nil, a.Filter, a.Reasons), phrase.AppendStatus(nil, b.Filter, b.Reasons)),
		cmp.Compare(severity(a.Code), severity(b.Code)),
		cmp.Compare(a.ExcludedBy, b.ExcludedBy),
	)
}

// severity orders the codes.
func severity(c Code) int {
	return slices.Index([]Code{Success, Unschedulable, UnschedulableAndUnresolvable, Contradiction}, c)
}

func (s Status) equal(t Status) bool {
	return s.Code == t.Code && s.Filter == t.Filter && s.ExcludedBy == t.ExcludedBy && slices.Equal(s.Reasons, t.Reasons)
}
