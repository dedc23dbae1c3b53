package outrank

import (
	"slices"

	"github.com/outrank-go/outrank/internal/apis"
)

// Validate lists every problem of the cluster in one *[InputError], or returns nil. A
// problem is something that no API server would have let in, such as:
//
//   - an object without a name, or two objects of one kind with the same name;
//   - a negative amount, except in a pod's status, and a port out of range;
//   - a word that its field does not allow;
//   - an invalid selector or requirement in an affinity term;
//   - a toleration without a key whose operator is not Exists;
//   - a pod-level amount of a resource that cannot be asked for at pod level;
//   - a budget with both figures, or with one that is negative or above 100 %;
//   - a list that is too long (rule 26.1.8).
//
// Values of a selector's expressions that no label can have, and invalid selectors of spread
// constraints, are not problems: old API servers let them in. Oddities that the real system
// lives with are left to [Cluster.Warnings]. Time is linear in the size of the cluster.
func (c *Cluster) Validate() error {
	if c == nil {
		return errNoCluster
	}
	var v validator
	if !c.Release.Known() {
		v.problems = append(v.problems, Problem{Object: "cluster", Field: "Release", Text: c.Release.String() + " is not known"})
	}

	// Names are unique within a kind. One map serves all kinds, and is cleared before each.
	seen := make(map[string]bool, len(c.Pods))
	for i, n := range c.Nodes {
		v.object(identity{"node", "", nameOf(n)}, i, seen)
		if !n.faultless() {
			v.node(n)
		}
	}

	clear(seen)
	for i, p := range c.Pods {
		v.object(identity{"pod", namespaceOf(p), nameOf(p)}, i, seen)
		if !p.faultless() {
			v.pod(p)
		}
	}

	v.dependencies(c, seen)
	v.grouping(c, seen)
	return newInputError(v.problems)
}

// dependencies checks the objects that pods depend on: budgets, priority classes, namespaces
// and volume claims.
func (v *validator) dependencies(c *Cluster, seen map[string]bool) {
	clear(seen)
	for i, b := range c.Budgets {
		v.object(identity{"poddisruptionbudget", namespaceOf(b), nameOf(b)}, i, seen)
		v.budget(b)
	}

	clear(seen)
	for i, pc := range c.Classes {
		v.object(identity{"priorityclass", "", nameOf(pc)}, i, seen)
		v.class(pc)
	}

	clear(seen)
	for i, ns := range c.Namespaces {
		v.object(identity{"namespace", "", nameOf(ns)}, i, seen)
	}

	clear(seen)
	for i, vc := range c.Claims {
		v.object(identity{"persistentvolumeclaim", namespaceOf(vc), nameOf(vc)}, i, seen)
		v.claim(vc)
	}
}

// grouping checks the groups of pods, the groups of groups and the workloads.
func (v *validator) grouping(c *Cluster, seen map[string]bool) {
	clear(seen)
	for i, g := range c.Groups {
		v.object(identity{"podgroup", namespaceOf(g), nameOf(g)}, i, seen)
		v.group(g)
	}

	clear(seen)
	for i, g := range c.Composites {
		v.object(identity{"compositepodgroup", namespaceOf(g), nameOf(g)}, i, seen)
		v.composite(g)
	}

	clear(seen)
	for i, w := range c.Workloads {
		v.object(identity{"workload", namespaceOf(w), nameOf(w)}, i, seen)
		v.workload(w)
	}
}

// Validate lists every problem of the pod in one *[InputError], or returns nil. A nil pod
// is a problem.
func (p *Pod) Validate() error {
	if p.faultless() {
		return nil
	}
	if p == nil {
		return isNil("pod")
	}
	var v validator
	v.object(identity{"pod", namespaceOf(p), nameOf(p)}, -1, nil)
	v.pod(p)
	return newInputError(v.problems)
}

// Validate lists every problem of the node in one *[InputError], or returns nil. A nil
// node is a problem.
func (n *Node) Validate() error {
	if n.faultless() {
		return nil
	}
	if n == nil {
		return isNil("node")
	}
	var v validator
	v.object(identity{"node", "", nameOf(n)}, -1, nil)
	v.node(n)
	return newInputError(v.problems)
}

// node checks all of a node except its name. A nil node has nothing to check.
func (v *validator) node(n *Node) {
	if n == nil {
		return
	}
	v.list(n.Allocatable, &apis.Path{Name: "status.allocatable", Index: -1})
	v.length(len(n.Allocatable), &apis.Path{Name: "status.allocatable", Index: -1})
	v.taints(n.Taints, &apis.Path{Name: "spec", Index: -1})
	v.attachLimits(n.AttachLimits)
	if slices.Contains(n.MissingDrivers, "") {
		v.add(&apis.Path{Name: "missing drivers", Index: -1}, "a driver without a name")
	}
}

// budget checks all of a budget except its name, and its selector, which may be invalid (rule
// 6.2.3).
func (v *validator) budget(b *PodDisruptionBudget) {
	if b == nil {
		return
	}
	v.figures(b)
	if b.DisruptionsAllowed < 0 {
		v.add(&apis.Path{Name: "status.disruptionsAllowed", Index: -1}, "%d is negative", b.DisruptionsAllowed)
	}
	checkWord(v, b.UnhealthyPodEvictionPolicy, unhealthyPolicies, place{&apis.Path{Name: "spec", Index: -1}, "unhealthyPodEvictionPolicy"})
}

// figures checks the spec of a budget (rule 6.4.12).
func (v *validator) figures(b *PodDisruptionBudget) {
	spec := apis.Path{Name: "spec", Index: -1}
	if b.MinAvailable != nil && b.MaxUnavailable != nil {
		v.add(&spec, "minAvailable and maxUnavailable are both set")
	}

	for i, f := range [...]*IntOrPercent{b.MinAvailable, b.MaxUnavailable} {
		if f == nil || f.Value >= 0 && !(f.Percent && f.Value > 100) {
			continue
		}
		at := spec.Field([...]string{"minAvailable", "maxUnavailable"}[i])
		if f.Value < 0 {
			v.add(&at, "%d is negative", f.Value)
		} else {
			v.add(&at, "%d%% is more than 100%%", f.Value)
		}
	}
}

// class checks the policy of a priority class. Package priority checks the rest.
func (v *validator) class(pc *PriorityClass) {
	if pc != nil {
		checkWord(v, pc.PreemptionPolicy, preemptionPolicies, place{nil, "preemptionPolicy"})
	}
}

// pod checks all of a pod except its name, in the order in which problems are listed.
func (v *validator) pod(p *Pod) {
	if p == nil {
		return
	}

	// Amounts first: of the pod as a whole, then container by container.
	spec := apis.Path{Name: "spec", Index: -1}
	if p.Resources != nil {
		at := spec.Field("resources")
		v.requirements(p.Resources.Requests, p.Resources.Limits, &at)
		v.levels(p.Resources, &at)
	}
	overhead := spec.Field("overhead")
	v.list(p.Overhead, &overhead)
	v.containers(p.Containers, "containers", &spec)
	v.containers(p.InitContainers, "initContainers", &spec)

	checkWord(v, p.PreemptionPolicy, preemptionPolicies, place{&spec, "preemptionPolicy"})
	checkWord(v, p.QOSClass, qosClasses, place{&apis.Path{Name: "status", Index: -1}, "qosClass"})
	checkWord(v, p.OS, systems, place{&apis.Path{Name: "spec.os", Index: -1}, "name"})

	v.tolerations(p.Tolerations, &spec)
	v.affinity(&p.Affinity, &spec)
	v.preferences(p.Preferences, &spec)
	v.lengths(p, &spec)

	for i := range p.TopologySpreadConstraints {
		list := spec.Field("topologySpreadConstraints")
		at := list.At(i)
		v.spread(&p.TopologySpreadConstraints[i], &at)
	}
	for i := range p.Volumes {
		list := spec.Field("volumes")
		at := list.At(i)
		v.volume(&p.Volumes[i], &at)
	}
}

// containers checks the resources and ports of the containers in a field of the parent.
func (v *validator) containers(cs []Container, field string, parent *apis.Path) {
	list := parent.Field(field)
	for i := range cs {
		c, at := &cs[i], list.At(i)
		res := at.Field("resources")
		v.requirements(c.Requests, c.Limits, &res)

		for j, port := range c.Ports {
			if port.HostPort < 0 || port.HostPort > 65535 {
				ports := at.Field("ports")
				one := ports.At(j)
				host := one.Field("hostPort")
				v.add(&host, "%d is not between 0 and 65535", port.HostPort)
			}
			if !apis.IsWord(port.Protocol, protocols) {
				ports := at.Field("ports")
				one := ports.At(j)
				checkWord(v, port.Protocol, protocols, place{&one, "protocol"})
			}
		}
	}
}
