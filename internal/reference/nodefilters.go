package reference

import "github.com/outrank-go/outrank"

// filterUnschedulable: a cordoned node takes only pods that tolerate it.
func (s *scene) filterUnschedulable() Status {
	cordon := outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}
	if s.node.Unschedulable && !s.a.pod.Tolerates(cordon) {
		return unresolvable(nodeUnschedulable, "node(s) were unschedulable")
	}
	return Status{}
}

// filterName: a pod that names a node goes nowhere else.
func (s *scene) filterName() Status {
	if want := s.a.pod.NodeName; want != "" && want != s.node.Name {
		return unresolvable(nodeName, "node(s) didn't match the requested node name")
	}
	return Status{}
}

// filterTaints: every taint that keeps pods away must be tolerated.
func (s *scene) filterTaints() Status {
	if !toleratesNode(s.a.pod, s.node) {
		return unresolvable(taintToleration, "node(s) had untolerated taint(s)")
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

// filterNodeAffinity: node selector and required node affinity must both hold.
func (s *scene) filterNodeAffinity() Status {
	if !wantsNode(s.a.pod, s.node) {
		return unresolvable(nodeAffinity, "node(s) didn't match Pod's node affinity/selector")
	}
	return Status{}
}
