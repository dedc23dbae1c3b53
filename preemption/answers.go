package preemption

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// readGiven reads the answers that the caller's scheduler has found before any pod leaves
// ([Request].Statuses). A node that it did not ask gets the answer of the variant (rule 13.2.10).
func (a *attempt) readGiven(given func(position int, node *outrank.Node) (Status, bool), answers []answer) error {
	// These answers replace everything that the filters say before any pod leaves (group 7.15).
	a.refused = Status{}
	a.before = narrowing{}

	for i, s := range a.sites {
		status, asked := given(i, s.node)
		switch {
		case !asked:
			status = a.steps.unasked
		case severity(status.Code) < 0:
			return fmt.Errorf("status of node %s: %w: there is no code %q", s.name(), outrank.ErrInvalid, string(status.Code))
		}
		answers[i] = answer{site: s, before: status.asAnswer()}
	}
	return nil
}

// neverFiltered is the answer of a node that the caller's scheduler did not ask.
var neverFiltered = unresolvableBy("", "the node was not filtered")

// asAnswer returns a status of the caller in the form of a filter's. A success has no other fields. If a filter
// turned the node down, no other excluded it. A contradiction comes from a dry run (rule 9.9), and none has
// begun: here it only means that nothing helps on the node.
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

// counted counts answers by their statuses, the most frequent first. It leaves successes out. statusOf
// returns the status of an answer, and whether the answer counts.
func counted(answers []answer, statusOf func(one answer) (Status, bool)) []Count {
	var counts []Count
	for _, one := range answers {
		status, wanted := statusOf(one)
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

// compareCounts puts the more frequent status first, then compares what people read, and then the rest. So a
// plan's text does not depend on the order of the nodes.
func compareCounts(a, b Count) int {
	return cmp.Or(
		cmp.Compare(b.Nodes, a.Nodes),
		slices.Compare(prose.AppendStatus(nil, a.Filter, a.Reasons), prose.AppendStatus(nil, b.Filter, b.Reasons)),
		cmp.Compare(severity(a.Code), severity(b.Code)),
		cmp.Compare(a.ExcludedBy, b.ExcludedBy),
	)
}

// severity returns 0 for Success, more for a worse code, and -1 if there is no such code.
func severity(c Code) int {
	return slices.Index([]Code{Success, Unschedulable, UnschedulableAndUnresolvable, Contradiction}, c)
}

// equal reports whether two statuses say the same.
func (s Status) equal(t Status) bool {
	return s.Code == t.Code && s.Filter == t.Filter && s.ExcludedBy == t.ExcludedBy && slices.Equal(s.Reasons, t.Reasons)
}
