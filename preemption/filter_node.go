package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// The filters that look at the node and the pod alone: groups 7.2, 7.3, 7.4 and 7.14.

// askNodeName: a pod that names a node fits on no other (group 7.3).
func (d *dryRun) askNodeName() Status {
	if want := d.pod.NodeName; want != "" && want != d.site.node.Name {
		return unresolvableBy(NodeName, "node(s) didn't match the requested node name")
	}
	return Status{}
}

// askUnschedulable: a cordoned node takes only pods that tolerate that (group 7.2).
func (d *dryRun) askUnschedulable() Status {
	cordon := outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}
	if d.site.node.Unschedulable && !tolerates(d.pod, cordon) {
		return unresolvableBy(NodeUnschedulable, "node(s) were unschedulable")
	}
	return Status{}
}

// askTaints: every taint that keeps pods away has to be tolerated (group 7.4).
func (d *dryRun) askTaints() Status {
	if !toleratesNode(d.pod, d.site.node) {
		return unresolvableBy(TaintToleration, "node(s) had untolerated taint(s)")
	}
	return Status{}
}

// toleratesNode leaves PreferNoSchedule out, which is only a wish (rule 7.4.1).
func toleratesNode(p *outrank.Pod, n *outrank.Node) bool {
	for _, t := range n.Taints {
		keepsAway := t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute
		if keepsAway && !tolerates(p, t) {
			return false
		}
	}
	return true
}

// tolerates reports whether one of the pod's tolerations covers a taint.
func tolerates(p *outrank.Pod, taint outrank.Taint) bool {
	return slices.ContainsFunc(p.Tolerations, func(t outrank.Toleration) bool { return covers(t, taint) })
}

// covers: without an effect a toleration covers all of them (rule 7.4.4). Exists asks for the key
// alone, and without a key for nothing; Equal, which is also what no operator means, asks for key and
// value, and without a key covers nothing (rules 7.4.3 and 7.4.5).
func covers(t outrank.Toleration, taint outrank.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false
	}
	switch t.Operator {
	case outrank.TolerationExists:
		return t.Key == "" || t.Key == taint.Key
	case outrank.TolerationEqual, "":
		return t.Key != "" && t.Key == taint.Key && t.Value == taint.Value
	}
	return false
}

// beginFeatures: a pod that needs no feature is not asked about any (rule 7.14.5).
func (a *attempt) beginFeatures() bool { return len(a.neededFeatures()) > 0 }

// askFeatures: the node has to declare every feature that the pod needs (group 7.14).
func (d *dryRun) askFeatures() Status {
	for _, feature := range d.neededFeatures() {
		if !slices.Contains(d.site.node.DeclaredFeatures, feature) {
			return unresolvableBy(NodeDeclaredFeatures, "node(s) didn't match Pod's required features")
		}
	}
	return Status{}
}

// neededFeatures are the features of rules 7.14.3, 7.14.4 and 7.14.6.
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
