package preemption

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// readGiven reads the answers that the caller has from the nodes as things are ([Request].Statuses).
// What the filters say before the first node has no part in them any more.
func (a *attempt) readGiven(given func(position int, node *outrank.Node) (Status, bool), answers []answer) error {
	a.elsewhere, a.refused, a.before = true, Status{}, narrowing{}
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
