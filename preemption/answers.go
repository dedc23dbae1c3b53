package preemption

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// readGiven reads the answers that the caller has from the nodes as things are ([Request].Statuses).
// What the filters say before the first node has no part in them any more (rule 13.2.10).
func (a *attempt) readGiven(given func(position int, node *outrank.Node) (Status, bool), answers []answer) error {
	a.refused, a.before = Status{}, narrowing{}
	for i, s := range a.sites {
		status, asked := given(i, s.node)
		switch {
		case !asked:
			status = a.steps.unasked
		case severity(status.Code) < 0:
			return fmt.Errorf("status of node %s: %w: there is no code %q", s.node.Name, outrank.ErrInvalid, string(status.Code))
		}
		answers[i] = answer{site: s, before: status.asAnswer()}
	}
	return nil
}

// neverFiltered is the answer of a node that nobody asked.
var neverFiltered = unresolvableBy("", "the node was not filtered")

// asAnswer returns a status of the caller's in the form of a filter's: a success has no reasons, a
// filter is named or excludes the node, and a node where something contradicts itself is no hope.
func (s Status) asAnswer() Status {
	switch {
	case s.Code == Success:
		return Status{}
	case s.Code == Contradiction:
		s.Code = UnschedulableAndUnresolvable
	}
	if s.Filter != "" {
		s.ExcludedBy = ""
	}
	s.Reasons = slices.Clone(s.Reasons)
	return s
}

// counted counts answers by their statuses, the most frequent first. Successes are left out. of returns the
// status of an answer, and whether it counts.
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
// nothing of a plan's text.
func compareCounts(a, b Count) int {
	return cmp.Or(
		cmp.Compare(b.Nodes, a.Nodes),
		slices.Compare(prose.AppendStatus(nil, a.Filter, a.Reasons), prose.AppendStatus(nil, b.Filter, b.Reasons)),
		cmp.Compare(severity(a.Code), severity(b.Code)),
		cmp.Compare(a.ExcludedBy, b.ExcludedBy),
	)
}

// severity orders the codes, from the one that hinders nothing. It is below 0 for a code that there is not.
func severity(c Code) int {
	return slices.Index([]Code{Success, Unschedulable, UnschedulableAndUnresolvable, Contradiction}, c)
}

// equal reports whether two statuses say the same.
func (s Status) equal(t Status) bool {
	return s.Code == t.Code && s.Filter == t.Filter && s.ExcludedBy == t.ExcludedBy && slices.Equal(s.Reasons, t.Reasons)
}
