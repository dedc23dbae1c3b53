package dryrun

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// HasStatuses reports whether the caller gave statuses.
func HasStatuses(r *preemption.Request) bool { return r.Statuses != nil || r.StatusesInOrder != nil }

// CheckStatuses returns what is wrong with how the statuses are given.
func CheckStatuses(r *preemption.Request, snap *state.Snapshot) error {
	switch n := len(r.StatusesInOrder); {
	case r.StatusesInOrder == nil:
		return nil
	case r.Statuses != nil:
		return fmt.Errorf("statuses: %w: they are given twice, by name and in order", outrank.ErrInvalid)
	case n != len(snap.Order):
		return fmt.Errorf("statuses in order: %w: %d for %d nodes", outrank.ErrInvalid, n, len(snap.Order))
	}
	for i := range r.StatusesInOrder {
		if s := &r.StatusesInOrder[i]; !Known(s.Code) {
			return unknownStatus(s, snap.NodeStates[snap.Order[i]].Name)
		}
	}
	return nil
}

// Known reports whether there is such a code.
func Known(c preemption.Code) bool {
	return c == preemption.Contradiction || filters.CodeOf(c) != filters.Contradiction
}

// unknownStatus returns the error about a status whose code is none.
func unknownStatus(s *preemption.Status, node string) error {
	return fmt.Errorf("status of node %s: %w: there is no code %q", node, outrank.ErrInvalid, string(s.Code))
}

// givenStatuses returns the caller's statuses by position.
func givenStatuses(r *preemption.Request, config *Terms, snap *state.Snapshot) ([]filters.Status, error) {
	if err := CheckNamed(snap, r.Statuses); err != nil {
		return nil, err
	}
	out := make([]filters.Status, len(snap.Order))
	for i, slot := range snap.Order {
		s, ok := r.Statuses[snap.NodeStates[slot].Name]
		if r.StatusesInOrder != nil {
			s, ok = r.StatusesInOrder[i], true
		}
		if !ok {
			s = config.NotFiltered()
		}
		out[i] = FilterStatusOf(&s)
	}
	return out, nil
}

// CheckNamed returns the error of the first status, by name, for a node that does not exist
// or with a code that does not.
func CheckNamed(snap *state.Snapshot, statuses map[string]preemption.Status) error {
	for _, name := range slices.Sorted(maps.Keys(statuses)) {
		if _, ok := snap.Node(name); !ok {
			return fmt.Errorf("status of %s: %w", phrase.Object("node", name), preemption.ErrNotFound)
		}
		if s := statuses[name]; !Known(s.Code) {
			return unknownStatus(&s, name)
		}
	}
	return nil
}

// NotFiltered is the status of a node that the caller gave none for.
func (c *Terms) NotFiltered() preemption.Status {
	s := preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: noStatusText}
	if c.ByVariant().triesUnasked {
		s.Code = preemption.Unschedulable
	}
	return s
}

var noStatusText = []string{filters.ReasonNoStatus}

// FilterStatusOf returns a status of the caller's as filters give it.
func FilterStatusOf(s *preemption.Status) filters.Status {
	out := filters.Status{Code: min(filters.CodeOf(s.Code), filters.UnschedulableAndUnresolvable), By: filters.ByNone, Filter: s.Filter, Text: s.Reasons}
	if s.Filter == "" && s.ExcludedBy != "" {
		out.Filter, out.Excluded = s.ExcludedBy, true
	}
	return out
}
