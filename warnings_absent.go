package outrank

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/resource"
)

// absenceWarnings names what objects lack and what every cluster gives them: clusters that are written by
// hand, and manifests, lack it. Time is linear in the size of the cluster.
func (c *Cluster) absenceWarnings() []Problem {
	var ws []Problem
	for _, n := range c.Nodes {
		ws = append(ws, n.absences()...)
	}
	for _, p := range c.Pods {
		ws = append(ws, p.absences()...)
	}
	for _, b := range c.Budgets {
		ws = append(ws, b.absences()...)
	}

	ws = append(ws, c.groupPriorities()...)
	ws = append(ws, c.claimWarnings()...)
	return append(ws, c.namespaceWarnings()...)
}

// absences warns of a node that says nothing of the number of its pods. A kubelet always says it.
func (n *Node) absences() []Problem {
	if n == nil {
		return nil
	}
	if _, there := n.Allocatable[resource.Pods]; there {
		return nil
	}
	return []Problem{{"node " + n.Name, "status.allocatable.pods", "missing; the node takes no pod"}}
}

// phases are the phases that a kubelet reports. The last one is out of use since v1.0, and is a word all the same.
var phases = []Phase{PhasePending, PhaseRunning, PhaseSucceeded, PhaseFailed, "Unknown"}

// absences warns of a phase that does not exist, and of a priority class that has not become a priority.
func (p *Pod) absences() (ws []Problem) {
	if p == nil {
		return nil
	}
	if !apis.IsWord(p.Phase, phases) {
		ws = append(ws, Problem{"pod " + string(p.Key()), "status.phase", apis.NoWord(p.Phase, phases) + "; the pod counts as one that has not ended"})
	}
	if p.Priority == nil && p.PriorityClassName != "" {
		ws = append(ws, Problem{"pod " + string(p.Key()), "spec.priority", noPriority(p.PriorityClassName)})
	}
	return ws
}

// noPriority is the text about an object that has a class and no priority.
func noPriority(class string) string {
	return "missing, though there is the class " + apis.Quote(class) + "; it counts as 0 (package priority resolves it)"
}

// absences warns of a budget with a spec and without a status. It allows nothing, where a cluster would allow
// what the spec leaves. ObservedGeneration tells it from a budget of which the controller has counted nothing.
func (b *PodDisruptionBudget) absences() []Problem {
	if b == nil || b.MinAvailable == nil && b.MaxUnavailable == nil || b.hasStatus() {
		return nil
	}
	return []Problem{{"poddisruptionbudget " + string(b.Key()), "status", "missing; the budget allows 0 evictions (pdb.Fill computes it from the spec)"}}
}

// hasStatus reports whether a controller, or the caller, has written any part of the status.
func (b *PodDisruptionBudget) hasStatus() bool {
	return b.ObservedGeneration != 0 || b.DisruptionsAllowed != 0 || b.CurrentHealthy != 0 || b.DesiredHealthy != 0 || len(b.DisruptedPods) > 0
}

// groupPriorities names the groups that have a class and no priority, where the priority of a group counts.
func (c *Cluster) groupPriorities() (ws []Problem) {
	rules := c.Release.rules()
	if !rules.GroupsPreempt {
		return nil
	}

	for _, g := range c.Groups {
		if g != nil && g.Priority == nil && g.PriorityClassName != "" {
			ws = append(ws, Problem{"podgroup " + string(g.Key()), "spec.priority", noPriority(g.PriorityClassName)})
		}
	}
	for _, g := range c.Composites {
		if rules.CompositeUnits && g != nil && g.Priority == nil && g.PriorityClassName != "" {
			ws = append(ws, Problem{"compositepodgroup " + string(g.Key()), "spec.priority", noPriority(g.PriorityClassName)})
		}
	}
	return ws
}

// claimWarnings names the claims of pods that are not in the cluster: kube-scheduler schedules no pod whose
// claim does not exist, and here only a name is known of it. A cluster without any claim gets one warning for
// all its pods. The claims of ephemeral volumes are left out, because they are made along with their pods.
func (c *Cluster) claimWarnings() (ws []Problem) {
	known := make(map[Key]bool, len(c.Claims))
	for _, vc := range c.Claims {
		if vc != nil {
			known[vc.Key()] = true
		}
	}

	naming, first := 0, Key("")
	for _, p := range c.Pods {
		if p == nil || p.Finished() {
			continue
		}
		v := slices.IndexFunc(p.Volumes, func(v Volume) bool { return v.Unresolved() && !known[NewKey(p.Namespace, v.Claim)] })
		if v < 0 {
			continue
		}
		if naming++; naming == 1 {
			first = p.Key()
		}
		if len(c.Claims) > 0 {
			ws = append(ws, Problem{"pod " + string(p.Key()), "spec.volumes", "no claim " + apis.Quote(p.Volumes[v].Claim) + "; it keeps the pod from no node, and a cluster without it schedules no such pod"})
		}
	}

	if len(c.Claims) == 0 && naming > 0 {
		ws = append(ws, Problem{"cluster", "Claims", fmt.Sprintf("there are none, and the claims of %d pods, such as %s, keep them from no node", naming, first)})
	}
	return ws
}

// namespaceWarnings names the namespaces of pods that are not in the cluster, where a term of a pod selects
// namespaces by their labels. Each namespace is named once, in the order of the pods.
func (c *Cluster) namespaceWarnings() (ws []Problem) {
	if !slices.ContainsFunc(c.Pods, (*Pod).selectsNamespaces) {
		return nil
	}

	seen := make(map[string]bool, len(c.Namespaces))
	for _, ns := range c.Namespaces {
		if ns != nil {
			seen[ns.Name] = true
		}
	}
	for _, p := range c.Pods {
		if p != nil && !seen[p.NamespaceName()] {
			seen[p.NamespaceName()] = true
			ws = append(ws, Problem{"namespace " + p.NamespaceName(), "metadata.labels", "the namespace is not in the cluster; it counts as having no labels, and pods select namespaces by them"})
		}
	}
	return ws
}

// selectsNamespaces reports whether the labels of namespaces matter to the pod's affinity.
func (p *Pod) selectsNamespaces() bool {
	by := func(t PodAffinityTerm) bool { return t.NamespaceSelector != nil && !t.NamespaceSelector.Empty() }
	if p == nil {
		return false
	}
	if slices.ContainsFunc(p.Affinity.PodAffinity, by) || slices.ContainsFunc(p.Affinity.PodAntiAffinity, by) {
		return true
	}

	weighted := func(t WeightedPodAffinityTerm) bool { return by(t.PodAffinityTerm) }
	return p.Preferences != nil && (slices.ContainsFunc(p.Preferences.PodAffinity, weighted) || slices.ContainsFunc(p.Preferences.PodAntiAffinity, weighted))
}
