package preemption

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// Request is a question to an [Evaluator].
type Request struct {
	// Pod is the preemptor.
	Pod *outrank.Pod
	// Now stands in for missing start times.
	Now time.Time
	// Statuses, if not nil, are the answers of the nodes as things are, found
	// by a scheduler of the caller. The filters are then asked in dry runs
	// only. A node without a status counts as never filtered, and removing pods
	// cannot help there; the variant v1.13 tries it (rule 13.2.10). A status for a node that
	// does not exist is an error, and so is a code that does not.
	Statuses map[string]decision.Status
	// StatusesInOrder is Statuses for all nodes in the order of [Snapshot.Nodes],
	// which saves the search for names. Its length has to be the number of nodes.
	// Only one of the two may be set.
	StatusesInOrder []decision.Status
}

// hasStatuses reports whether the caller gave statuses.
func (r *Request) hasStatuses() bool { return r.Statuses != nil || r.StatusesInOrder != nil }

// checkStatuses returns what is wrong with how the statuses are given.
func (r *Request) checkStatuses(snap *state.Snapshot) error {
	switch n := len(r.StatusesInOrder); {
	case r.StatusesInOrder == nil:
		return nil
	case r.Statuses != nil:
		return fmt.Errorf("statuses: %w: they are given twice, by name and in order", outrank.ErrInvalid)
	case n != len(snap.Order):
		return fmt.Errorf("statuses in order: %w: %d for %d nodes", outrank.ErrInvalid, n, len(snap.Order))
	}
	for i := range r.StatusesInOrder {
		if s := &r.StatusesInOrder[i]; !known(s.Code) {
			return unknownStatus(s, snap.NodeStates[snap.Order[i]].Name)
		}
	}
	return nil
}

// known reports whether there is such a code.
func known(c decision.Code) bool { return c <= decision.Contradiction }

// unknownStatus returns the error about a status whose code is none.
func unknownStatus(s *decision.Status, node string) error {
	return fmt.Errorf("status of node %s: %w: there is no code %d", node, outrank.ErrInvalid, uint8(s.Code))
}

// givenStatuses returns the caller's statuses by position.
func (r *Request) givenStatuses(config *Config, snap *state.Snapshot) ([]filters.Status, error) {
	if err := checkNamed(snap, r.Statuses); err != nil {
		return nil, err
	}
	out := make([]filters.Status, len(snap.Order))
	for i, slot := range snap.Order {
		s, ok := r.Statuses[snap.NodeStates[slot].Name]
		if r.StatusesInOrder != nil {
			s, ok = r.StatusesInOrder[i], true
		}
		if !ok {
			s = config.notFiltered()
		}
		out[i] = filterStatusOf(&s)
	}
	return out, nil
}

// checkNamed returns the error of the first status, by name, for a node that does not exist
// or with a code that does not.
func checkNamed(snap *state.Snapshot, statuses map[string]decision.Status) error {
	for _, name := range slices.Sorted(maps.Keys(statuses)) {
		if _, ok := snap.Node(name); !ok {
			return fmt.Errorf("status of %s: %w", phrase.Object("node", name), decision.ErrNotFound)
		}
		if s := statuses[name]; !known(s.Code) {
			return unknownStatus(&s, name)
		}
	}
	return nil
}

// notFiltered is the status of a node that the caller gave none for.
func (c *Config) notFiltered() decision.Status {
	s := decision.Status{Code: decision.UnschedulableAndUnresolvable, Reasons: noStatusText}
	if c.variant().triesUnasked {
		s.Code = decision.Unschedulable
	}
	return s
}

var noStatusText = []string{filters.ReasonNoStatus}

// filterStatusOf returns a status of the caller's as filters give it.
func filterStatusOf(s *decision.Status) filters.Status {
	out := filters.Status{Code: min(s.Code, decision.UnschedulableAndUnresolvable), By: filters.ByNone, Filter: s.Filter, Text: s.Reasons}
	if s.Filter == "" && s.ExcludedBy != "" {
		out.Filter, out.Excluded = s.ExcludedBy, true
	}
	return out
}
