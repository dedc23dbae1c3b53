package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// filterUnschedulable: a cordoned node takes only pods that tolerate it.
func (s *scene) filterUnschedulable() Status {
	cordon := outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}
	if s.node.Unschedulable && !s.a.pod.Tolerates(cordon) {
		return unresolvable(filter.NodeUnschedulable, "node(s) were unschedulable")
	}
	return Status{}
}

// filterName: a pod that names a node fits on no other.
func (s *scene) filterName() Status {
	if want := s.a.pod.NodeName; want != "" && want != s.node.Name {
		return unresolvable(filter.NodeName, "node(s) didn't match the requested node name")
	}
	return Status{}
}

// filterTaints: every taint that keeps pods away must be tolerated.
func (s *scene) filterTaints() Status {
	if !toleratesNode(s.a.pod, s.node) {
		return unresolvable(filter.TaintToleration, "node(s) had untolerated taint(s)")
	}
	return Status{}
}

// toleratesNode leaves PreferNoSchedule out: it is only a wish.
func toleratesNode(p *outrank.Pod, n *outrank.Node) bool {
	for _, t := range n.Taints {
		keepsAway := t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute
		if keepsAway && !p.Tolerates(t) {
			return false
		}
	}
	return true
}

// filterNodeAffinity: the scheduler's added affinity, the node selector and the
// required node affinity must all hold.
func (s *scene) filterNodeAffinity() Status {
	if !s.a.setup.allows(s.node) {
		return unresolvable(filter.NodeAffinity, "node(s) didn't match scheduler-enforced node affinity")
	}
	if !wantsNode(s.a.pod, s.node) {
		return unresolvable(filter.NodeAffinity, "node(s) didn't match Pod's node affinity/selector")
	}
	return Status{}
}

// filterDeclaredFeatures: the node must declare every feature that the pod needs.
func (s *scene) filterDeclaredFeatures() Status {
	p := s.a.pod
	lacks := func(feature string) bool { return !slices.Contains(s.node.DeclaredFeatures, feature) }
	restarts, mounts := false, false
	for _, c := range append(slices.Clone(p.InitContainers), p.Containers...) {
		restarts = restarts || c.RestartsAll
		mounts = mounts || c.BindMountOptions && s.a.rules.BindMountFeature
	}
	ownUsers := p.HostUsers != nil && !*p.HostUsers
	if p.HostNetwork && ownUsers && lacks("UserNamespacesHostNetworkSupport") ||
		mounts && lacks("VolumeBindMountOptions") ||
		restarts && lacks("RestartAllContainersOnContainerExits") {
		return unresolvable(filter.NodeDeclaredFeatures, "node(s) didn't match Pod's required features")
	}
	return Status{}
}
