package preemption

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
)

// The filters that look at the node and the pod alone: groups 7.2, 7.3, 7.4 and 7.14.

// askNodeName fails for a pod that names another node (group 7.3).
func (d *dryRun) askNodeName() Status {
	if want := d.pod.NodeName; want != "" && want != d.site.name() {
		return unresolvableBy(NodeName, "node(s) didn't match the requested node name")
	}
	return Status{}
}

// askUnschedulable fails for a cordoned node, unless the pod tolerates that (group 7.2). A cordon counts as a
// taint, whether or not the node has that taint.
func (d *dryRun) askUnschedulable() Status {
	cordon := outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}
	if d.node().Unschedulable && !tolerates(d.pod, cordon) {
		return unresolvableBy(NodeUnschedulable, "node(s) were unschedulable")
	}
	return Status{}
}

// askTaints fails if the pod does not tolerate all taints of the node that keep pods away (group 7.4).
func (d *dryRun) askTaints() Status {
	if !toleratesNode(d.pod, d.node()) {
		return unresolvableBy(TaintToleration, "node(s) had untolerated taint(s)")
	}
	return Status{}
}

// toleratesNode reports whether a pod tolerates every taint of a node that keeps pods away. PreferNoSchedule
// is only a wish (rule 7.4.1).
func toleratesNode(p *outrank.Pod, n *outrank.Node) bool {
	for _, t := range n.Taints {
		keepsAway := t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute
		if keepsAway && !tolerates(p, t) {
			return false
		}
	}
	return true
}

// tolerates reports whether one of the pod's tolerations covers a taint (rule 7.4.1).
func tolerates(p *outrank.Pod, taint outrank.Taint) bool {
	return slices.ContainsFunc(p.Tolerations, func(t outrank.Toleration) bool { return covers(t, taint) })
}

// covers reports whether a toleration covers a taint. No operator means Equal (rule 7.4.3).
func covers(t outrank.Toleration, taint outrank.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false // rule 7.4.4
	}

	// A toleration with an empty key covers every taint with Exists, and none with Equal (rule 7.4.5).
	switch t.Operator {
	case outrank.TolerationExists:
		return t.Key == "" || t.Key == taint.Key
	case outrank.TolerationEqual, "":
		return t.Key != "" && t.Key == taint.Key && t.Value == taint.Value
	}
	return false
}

// beginFeatures has nothing to say about a pod that needs no feature (rule 7.14.5).
func (a *attempt) beginFeatures() bool { return len(a.neededFeatures()) > 0 }

// askFeatures fails if the node does not declare every feature that the pod needs (group 7.14).
func (d *dryRun) askFeatures() Status {
	for _, feature := range d.attempt.neededFeatures() {
		if !slices.Contains(d.node().DeclaredFeatures, feature) {
			return unresolvableBy(NodeDeclaredFeatures, "node(s) didn't match Pod's required features")
		}
	}
	return Status{}
}

// neededFeatures lists the features that the pod needs (rules 7.14.3, 7.14.4 and 7.14.6).
func (a *attempt) neededFeatures() []string {
	var needed []string
	if p := a.pod; p.HostNetwork && p.HostUsers != nil && !*p.HostUsers {
		needed = append(needed, "UserNamespacesHostNetworkSupport")
	}
	if a.anyContainer(func(c *outrank.Container) bool { return c.RestartsAll }) {
		needed = append(needed, "RestartAllContainersOnContainerExits")
	}
	if a.rules.BindMountFeature && a.anyContainer(func(c *outrank.Container) bool { return c.BindMountOptions }) {
		needed = append(needed, "VolumeBindMountOptions")
	}
	return needed
}

// anyContainer reports whether something holds for a container or an init container of the pod.
func (a *attempt) anyContainer(holds func(c *outrank.Container) bool) bool {
	for _, containers := range [][]outrank.Container{a.pod.InitContainers, a.pod.Containers} {
		for i := range containers {
			if holds(&containers[i]) {
				return true
			}
		}
	}
	return false
}

// NodeAffinity (group 7.5).

// askNodeAffinity fails if the node does not meet the affinity that the profile adds. Otherwise it fails if the
// node does not meet the pod's own node selector and required node affinity (rules 7.5.1 and 7.18.3).
func (d *dryRun) askNodeAffinity() Status {
	if added := d.attempt.profile().AddedAffinity; added != nil && !meetsAny(added.NodeSelectorTerms, d.node()) {
		return unresolvableBy(NodeAffinity, "node(s) didn't match scheduler-enforced node affinity")
	}
	if !wantsNode(d.pod, d.node()) {
		return unresolvableBy(NodeAffinity, "node(s) didn't match Pod's node affinity/selector")
	}
	return Status{}
}

// wantsNode reports whether the pod's node selector and its required node affinity both hold (rule 7.5.1).
func wantsNode(p *outrank.Pod, n *outrank.Node) bool {
	for key, value := range p.NodeSelector {
		if got, ok := n.Labels[key]; !ok || got != value {
			return false
		}
	}

	required, given := requiredTerms(p)
	return !given || meetsAny(required, n)
}

// requiredTerms returns the terms of a pod's required node affinity, and whether it has one.
func requiredTerms(p *outrank.Pod) (terms []outrank.NodeSelectorTerm, given bool) {
	if p.Affinity.NodeAffinity == nil {
		return nil, false
	}
	return p.Affinity.NodeAffinity.NodeSelectorTerms, true
}

// meetsAny reports whether the node meets one of the terms (rule 7.5.3). No node does where there are none.
func meetsAny(terms []outrank.NodeSelectorTerm, n *outrank.Node) bool {
	return slices.ContainsFunc(terms, func(t outrank.NodeSelectorTerm) bool { return meets(t, n) })
}

// meets reports whether a node meets all that a term lists. No node meets a term that lists nothing (rules
// 7.5.3 and 7.5.4).
func meets(t outrank.NodeSelectorTerm, n *outrank.Node) bool {
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
		return false
	}
	for _, r := range t.MatchExpressions {
		if !labelHolds(r, n.Labels) {
			return false
		}
	}
	for _, r := range t.MatchFields {
		if !nameHolds(r, n.Name) {
			return false
		}
	}
	return true
}

// labelHolds reports whether the labels of a node meet a requirement (rule 7.5.5). Gt and Lt exist only for
// nodes; the other operators mean what they mean in label selectors.
func labelHolds(r outrank.NodeRequirement, labels map[string]string) bool {
	// Values that no label could have are met by no node, whatever the operator: NotIn, too (rule 7.5.8).
	for _, v := range r.Values {
		if !labelValue.MatchString(v) {
			return false
		}
	}

	if r.Operator == outrank.Gt || r.Operator == outrank.Lt {
		return comparisonHolds(r, labels)
	}
	selector := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: r.Key, Operator: r.Operator, Values: r.Values}}}
	return selector.Matches(labels)
}

// labelValue matches the values that a label can have.
var labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)

// comparisonHolds reports whether a label meets a requirement of Gt or Lt. These take one value and compare
// integers, strictly. A text that is no integer, on either side, does not meet them (rules 7.5.6 and 7.5.8).
func comparisonHolds(r outrank.NodeRequirement, labels map[string]string) bool {
	text, ok := labels[r.Key]
	if !ok || len(r.Values) != 1 {
		return false
	}

	got, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	bound, err := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil {
		return false
	}

	if r.Operator == outrank.Gt {
		return got > bound
	}
	return got < bound
}

// nameHolds reports whether a node's name meets a requirement. The name is the only field that there is, and
// In and NotIn with one value are the only ways to ask for it (rule 7.5.7).
func nameHolds(r outrank.NodeRequirement, name string) bool {
	if r.Key != outrank.FieldName || len(r.Values) != 1 {
		return false
	}
	switch r.Operator {
	case outrank.In:
		return r.Values[0] == name
	case outrank.NotIn:
		return r.Values[0] != name
	}
	return false
}

// namesItsNode reports whether the pod asks for a node by name in a release in which that alone leaves all
// others out (rule 7.15.8).
func (a *attempt) namesItsNode() bool {
	return a.rules.NodeNameFirst && a.pod.NodeName != "" && !a.off(NodeName)
}

// namedByAffinity returns the union of the nodes that the terms of the node affinity name. It narrows the
// search only if every term names nodes, because a term without names leaves every node open (rules 7.15.1
// and 7.15.3).
func (a *attempt) namedByAffinity() (names map[string]bool, narrows bool) {
	required, _ := requiredTerms(a.pod)
	if a.off(NodeAffinity) || len(required) == 0 {
		return nil, false
	}

	names = map[string]bool{}
	for _, t := range required {
		named, narrows := namedByTerm(t)
		if !narrows {
			return nil, false
		}
		maps.Copy(names, named)
	}
	return names, true
}

// namedByTerm returns the nodes that a term names by its fields: names within a term are intersected (rule
// 7.15.3). Only In names nodes; where no field does, the term does not narrow.
func namedByTerm(t outrank.NodeSelectorTerm) (names map[string]bool, narrows bool) {
	for _, r := range t.MatchFields {
		if r.Key != outrank.FieldName || r.Operator != outrank.In {
			continue
		}

		// The first field that names nodes has nothing to intersect with.
		both := map[string]bool{}
		for _, v := range r.Values {
			if !narrows || names[v] {
				both[v] = true
			}
		}
		names, narrows = both, true
	}
	return names, narrows
}
