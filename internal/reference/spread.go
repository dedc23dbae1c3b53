package reference

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// readConstraints leaves ScheduleAnyway out: it never fails.
func readConstraints(p *outrank.Pod, setup *Setup) []constraint {
	var list []constraint
	for _, c := range setup.spreadOf(p) {
		if c.WhenUnsatisfiable == outrank.ScheduleAnyway {
			continue
		}
		list = append(list, constraint{
			key:           c.TopologyKey,
			maxSkew:       int(c.MaxSkew),
			minDomains:    max(1, int(c.MinDomains)),
			selector:      narrow(c.LabelSelector, p, c.MatchLabelKeys, outrank.In),
			honorAffinity: c.NodeAffinityPolicy != outrank.NodeIgnore,
			honorTaints:   c.NodeTaintsPolicy == outrank.NodeHonor,
		})
	}
	return list
}

// countSpread counts over the whole cluster, once at the start.
func (a *attempt) countSpread() spreadState {
	state := make(spreadState, len(a.constraints))
	for i, c := range a.constraints {
		state[i] = map[string]int{}
		for _, n := range a.cluster.Nodes {
			if a.nodeCounts(c, n) {
				state[i][n.Labels[c.key]] += a.countPods(c, n)
			}
		}
	}
	return state
}

// nodeCounts: a node counts if it has the keys of all constraints and the
// constraint's inclusion policies do not leave it out.
func (a *attempt) nodeCounts(c constraint, n *outrank.Node) bool {
	for _, each := range a.constraints {
		if _, ok := n.Labels[each.key]; !ok {
			return false
		}
	}
	if c.honorAffinity && !wantsNode(a.pod, n) {
		return false
	}
	return !c.honorTaints || toleratesNode(a.pod, n)
}

// countPods: pods of the preemptor's namespace that the selector matches and
// that are not terminating. An empty selector counts none of them.
func (a *attempt) countPods(c constraint, n *outrank.Node) int {
	count := 0
	for _, p := range a.running[n.Name] {
		if !c.selector.Empty() && !p.Terminating() && a.concerns(c, p) {
			count++
		}
	}
	return count
}

func (a *attempt) concerns(c constraint, p *outrank.Pod) bool {
	return p.NamespaceName() == a.pod.NamespaceName() && c.selector.Matches(p.Labels)
}

// changeSpread follows a pod that is put on the node or taken away. Unlike
// countPods it does not ask whether the pod is terminating or the selector
// empty, so a pod that was never counted is subtracted all the same.
func (s *scene) changeSpread(p *outrank.Pod, n *outrank.Node, by int) {
	for i, c := range s.a.constraints {
		if s.a.nodeCounts(c, n) && s.a.concerns(c, p) {
			s.spread[i][n.Labels[c.key]] += by
		}
	}
}

// filterSpread: with the pod placed here, the node's domain must not be more
// than maxSkew ahead of the emptiest domain.
func (s *scene) filterSpread() Status {
	const reason = "node(s) didn't match pod topology spread constraints"
	for i, c := range s.a.constraints {
		domain, ok := s.node.Labels[c.key]
		if !ok {
			return unresolvable(filter.PodTopologySpread, reason+" (missing required label)")
		}
		self := 0
		if c.selector.Matches(s.a.pod.Labels) {
			self = 1
		}
		if s.spread[i][domain]+self-globalMinimum(c, s.spread[i]) > c.maxSkew {
			return unschedulableBy(filter.PodTopologySpread, reason)
		}
	}
	return Status{}
}

// globalMinimum is the count of the emptiest domain, and 0 where there are
// fewer domains than minDomains.
func globalMinimum(c constraint, domains map[string]int) int {
	if len(domains) < c.minDomains {
		return 0
	}
	return slices.Min(slices.Collect(maps.Values(domains)))
}
