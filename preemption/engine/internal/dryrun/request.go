package dryrun

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// StatusesOf is the type of [preemption.Request].Statuses, with which callers give the statuses of nodes.
type StatusesOf = func(position int, node *outrank.Node) (preemption.Status, bool)

// GivenStatus returns the status that the caller gave for the node at a position, or notFiltered if it gave
// none. The error is about an unknown code.
func (a *Attempt) GivenStatus(of StatusesOf, position int) (preemption.Status, error) {
	n := a.Snap.NodeStates[a.Snap.Order[position]]
	status, asked := of(position, n.Node)
	switch {
	case !asked:
		return a.Config.notFiltered(), nil
	case status.Code != preemption.Contradiction && filters.CodeOf(status.Code) == filters.Contradiction:
		// CodeOf turns every unknown code into Contradiction.
		return status, fmt.Errorf("status of node %s: %w: there is no code %q", n.Name, outrank.ErrInvalid, string(status.Code))
	}
	return status, nil
}

// GivenStatusOf is GivenStatus for a node. It takes time linear in the nodes.
func (a *Attempt) GivenStatusOf(of StatusesOf, n *state.NodeState) (preemption.Status, error) {
	return a.GivenStatus(of, slices.Index(a.Snap.Order, n.Slot))
}

// givenStatuses returns the caller's statuses by position.
func (a *Attempt) givenStatuses(of StatusesOf) ([]filters.Status, error) {
	out := make([]filters.Status, len(a.Snap.Order))
	for i := range out {
		s, err := a.GivenStatus(of, i)
		if err != nil {
			return nil, err
		}
		out[i] = FilterStatusOf(&s)
	}
	return out, nil
}

// notFiltered returns the status of a node for which the caller gave none. By v1.13 such a node is
// tried (rule 13.2.10).
func (c *Terms) notFiltered() preemption.Status {
	s := preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: noStatusText}
	if c.ByVariant().triesUnasked {
		s.Code = preemption.Unschedulable
	}
	return s
}

var noStatusText = []string{filters.ReasonNoStatus}

// FilterStatusOf converts a caller's status into the engine's. A contradiction becomes unresolvable, because
// only a dry run can find a contradiction.
func FilterStatusOf(s *preemption.Status) filters.Status {
	out := filters.Status{Code: min(filters.CodeOf(s.Code), filters.UnschedulableAndUnresolvable), By: filters.ByNone, Filter: s.Filter, Text: s.Reasons}
	if s.Filter == "" && s.ExcludedBy != "" {
		out.Filter, out.Excluded = s.ExcludedBy, true
	}
	return out
}
