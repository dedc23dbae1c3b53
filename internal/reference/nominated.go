package reference

import (
	"slices"
	"strings"
)

// fitsBesideNominated runs the filters twice (rules 7.16.1 and 7.16.2): with
// the pods that were promised this node and are at least as important as the
// preemptor, and again without them, because they may never arrive and another
// pod's affinity must not rest on them. Both must pass.
func (s *scene) fitsBesideNominated() Status {
	with, added := s, false
	for _, p := range s.a.nominated[s.node.Name] {
		if p.PriorityValue() >= s.a.pod.PriorityValue() {
			with, added = with.add(occupant{pod: p, nominated: true}, s.node), true
		}
	}
	status := with.runFilters()
	if status.Code != Success || !added || s.a.variant.FilterOnce {
		return status
	}
	return s.runFilters()
}

// askedFirst is the node that the pod is nominated to, if there is such a node (rules
// 7.15.5 and 7.15.9).
func (a *attempt) askedFirst() string {
	if name := a.nomination(); a.alone && a.position(name) >= 0 {
		return name
	}
	return ""
}

// withAskedFirst adds to the filters that left a node out the one that the node asked
// first has failed (rule 7.15.9).
func (a *attempt) withAskedFirst(status Status) Status {
	first := a.askedFirst()
	if first == "" {
		return status
	}
	failed := a.scene(a.cluster.Nodes[a.position(first)]).fitsBesideNominated().Plugin
	if failed == "" {
		return status
	}
	text, list, _ := strings.Cut(status.Reasons[0], "[")
	list, _, _ = strings.Cut(list, "]")
	names := append(strings.Split(list, " "), failed)
	slices.Sort(names)
	status.Reasons = []string{text + "[" + strings.Join(slices.Compact(names), " ") + "]"}
	return status
}
