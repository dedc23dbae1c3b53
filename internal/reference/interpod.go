package reference

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// countInterpod counts over the whole cluster, once at the start. Terminating
// pods count.
func (a *attempt) countInterpod() interpodState {
	state := interpodState{affinity: counts{}, anti: counts{}, existing: counts{}}
	for _, n := range a.cluster.Nodes {
		for _, p := range a.running[n.Name] {
			a.count(&state, p, n, +1)
		}
	}
	state.skipped = len(a.affinity) == 0 && len(a.antiAffinity) == 0 && len(state.existing) == 0
	return state
}

// count follows a pod put on the node (by is 1) or taken away (-1).
func (a *attempt) count(state *interpodState, p *outrank.Pod, n *outrank.Node, by int) {
	if a.matchesAll(a.affinity, p) {
		for _, t := range a.affinity {
			state.affinity.add(n, t.key, by)
		}
	}
	for _, t := range a.antiAffinity {
		if a.matches(t, p) {
			state.anti.add(n, t.key, by)
		}
	}
	for _, t := range readTerms(p, p.Affinity.PodAntiAffinity) {
		if a.matches(t, a.pod) {
			state.existing.add(n, t.key, by)
		}
	}
}

// filterInterpod asks for the pod's affinity, then its anti-affinity, then that
// of the pods there. Only the last two can be cured by taking pods away.
func (s *scene) filterInterpod() Status {
	switch {
	case s.interpod.skipped:
		return Status{}
	case !s.affinityMet():
		return unresolvable(filter.InterPodAffinity, "node(s) didn't match pod affinity rules")
	case s.antiAffinityBroken():
		return unschedulableBy(filter.InterPodAffinity, "node(s) didn't match pod anti-affinity rules")
	case s.existingAntiAffinityBroken():
		return unschedulableBy(filter.InterPodAffinity, "node(s) didn't satisfy existing pods anti-affinity rules")
	}
	return Status{}
}

// affinityMet: the node has every term's key, and each of these domains holds a
// pod that matches all terms. The first pod of a group that wants to be with
// itself is let through.
func (s *scene) affinityMet() bool {
	allThere := true
	for _, t := range s.a.affinity {
		value, ok := s.node.Labels[t.key]
		if !ok {
			return false
		}
		if s.interpod.affinity[domain{t.key, value}] == 0 {
			allThere = false
		}
	}
	return allThere || s.firstOfItsGroup()
}

// firstOfItsGroup: no pod in any domain matches, as the state now stands, and
// the pod matches its own terms.
func (s *scene) firstOfItsGroup() bool {
	return len(s.interpod.affinity) == 0 && s.a.matchesAll(s.a.affinity, s.a.pod)
}

// antiAffinityBroken: a pod that the preemptor keeps away from is in one of the
// node's domains. A term whose key the node lacks is ignored.
func (s *scene) antiAffinityBroken() bool {
	for _, t := range s.a.antiAffinity {
		value, ok := s.node.Labels[t.key]
		if ok && s.interpod.anti[domain{t.key, value}] > 0 {
			return true
		}
	}
	return false
}

// existingAntiAffinityBroken: a pod in one of the node's domains keeps away
// from the preemptor.
func (s *scene) existingAntiAffinityBroken() bool {
	for key, value := range s.node.Labels {
		if s.interpod.existing[domain{key, value}] > 0 {
			return true
		}
	}
	return false
}
