package state

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The caller's filters and guards see the snapshot through these methods, which leave out the pods that a
// trial has set aside.

// PodsOn is engine.Snapshot.PodsOn.
func (s *Snapshot) PodsOn(node string) []*outrank.Pod {
	if n := s.NodeState(node); n != nil {
		return PodsOf(s.present(n))
	}
	return nil
}

// Used is engine.Snapshot.Used.
func (s *Snapshot) Used(node string, name resource.Name) int64 {
	n := s.NodeState(node)
	if n == nil {
		return 0
	}
	if name == resource.Pods {
		return int64(len(s.present(n)))
	}

	// The node's sum includes the pods that a trial has set aside. They are subtracted from a copy, which
	// must not share the node's list of other resources.
	taken := n.Taken
	if s.trial != nil && len(s.trial.away) > 0 {
		taken.Extra = slices.Clone(n.Taken.Extra)
		for _, p := range n.Pods {
			if s.trial.away[p] {
				taken.Sub(&p.Takes)
			}
		}
	}

	if i := s.Columns.Of(name); i >= 0 {
		return taken.Std[i].Saturated()
	}
	return taken.Of(name).Saturated()
}

// LeavesWith is engine.Snapshot.LeavesWith.
func (s *Snapshot) LeavesWith(p *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup) {
	if p == nil || p.Group == "" {
		return nil, nil
	}
	known, ok := s.Known(p)
	if !ok || !known.Running {
		return nil, nil
	}

	whole := s.Units.Of(known).Whole
	if whole == nil {
		return nil, nil
	}
	return whole.Group, whole.Composite
}
