package filter

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// The hints of PodTopologySpread (rule 5.4.30).

// hard lists the constraints of a pod that keep it off nodes. byProfile says that the pod has no constraints of its
// own: those of the profile may keep it off, which are not known here.
func hard(p *outrank.Pod) (constraints []outrank.TopologySpreadConstraint, byProfile bool) {
	for _, c := range p.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			constraints = append(constraints, c)
		}
	}
	return constraints, len(p.TopologySpreadConstraints) == 0
}

// selects reports whether a constraint of the owner counts pods with these labels.
func selects(owner *outrank.Pod, c *outrank.TopologySpreadConstraint, labels map[string]string) bool {
	if len(c.MatchLabelKeys) == 0 {
		return c.LabelSelector.Matches(labels)
	}
	return fit.Narrowed(c.LabelSelector, owner.Labels, c.MatchLabelKeys, nil).Matches(labels)
}

// inDomains reports whether a node is in a domain of each constraint.
func inDomains(w *Waiting, n *outrank.Node) bool {
	constraints, byProfile := hard(w.Pod)
	return byProfile || hasKeys(constraints, n)
}

// hasKeys reports whether a node has the topology key of each constraint.
func hasKeys(constraints []outrank.TopologySpreadConstraint, n *outrank.Node) bool {
	return !slices.ContainsFunc(constraints, func(c outrank.TopologySpreadConstraint) bool {
		_, ok := n.Labels[c.TopologyKey]
		return !ok
	})
}

// movesDomain reports whether a node comes into all domains or leaves one, moves from one to another, or has other
// taints.
func movesDomain(w *Waiting, c *Change) bool {
	constraints, byProfile := hard(w.Pod)
	if byProfile {
		return true
	}
	before, after := hasKeys(constraints, c.NodeBefore), hasKeys(constraints, c.Node)
	if !before || !after {
		return before != after
	}

	moved := slices.ContainsFunc(constraints, func(s outrank.TopologySpreadConstraint) bool {
		return c.NodeBefore.Labels[s.TopologyKey] != c.Node.Labels[s.TopologyKey]
	})
	return moved || !slices.Equal(c.NodeBefore.Taints, c.Node.Taints)
}

// isCounted reports whether a pod on a node is counted by a constraint. Pods of other namespaces are not.
func isCounted(w *Waiting, c *Change) bool {
	if c.Pod.NamespaceName() != w.Pod.NamespaceName() {
		return false
	}
	constraints, byProfile := hard(w.Pod)
	return byProfile || slices.ContainsFunc(constraints, func(s outrank.TopologySpreadConstraint) bool {
		return selects(w.Pod, &s, c.Pod.Labels)
	})
}

// countsOther reports whether a pod on a node of the same namespace comes to be counted by a constraint, or no longer
// is.
func countsOther(w *Waiting, c *Change) bool {
	return c.Pod.NamespaceName() == w.Pod.NamespaceName() && countedAnew(w.Pod, c)
}

// countedAnew reports whether a constraint of the owner counts a pod by its labels now and did not before, or the other
// way round.
func countedAnew(owner *outrank.Pod, c *Change) bool {
	if maps.Equal(c.PodBefore.Labels, c.Pod.Labels) {
		return false
	}
	constraints, byProfile := hard(owner)
	return byProfile || slices.ContainsFunc(constraints, func(s outrank.TopologySpreadConstraint) bool {
		return selects(owner, &s, c.PodBefore.Labels) != selects(owner, &s, c.Pod.Labels)
	})
}

// spreadsOther reports whether an update of the waiting pod changes how it is spread: its own constraints count it
// anew, or a constraint that honors taints meets other tolerations.
func spreadsOther(w *Waiting, c *Change) bool {
	constraints, byProfile := hard(w.Pod)
	honors := byProfile || slices.ContainsFunc(constraints, func(s outrank.TopologySpreadConstraint) bool {
		return s.NodeTaintsPolicy == outrank.NodeHonor
	})
	if honors && !slices.Equal(c.PodBefore.Tolerations, c.Pod.Tolerations) {
		return true
	}
	return countedAnew(w.Pod, c) || changesSpread(w, c)
}

// changesSpread reports whether an update of the waiting pod changes its constraints, or the demands by which they
// choose nodes. The API server lets nobody change them.
var changesSpread = itself(func(p *outrank.Pod) []any { return append(nodeDemands(p), p.TopologySpreadConstraints) })
