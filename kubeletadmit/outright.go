package kubeletadmit

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// Reasons of an [Admission] that is rejected before anything else is checked,
// in this order (rules 17.2.2 to 17.2.4). Nothing is evicted then, and there are no
// Failures. The system is the kubelet's own; here it is what the node's label
// kubernetes.io/os names, and linux without that label.
const (
	// osLabelDiffers: the pod's label kubernetes.io/os names
	// another system.
	osLabelDiffers = "PodOSSelectorNodeLabelDoesNotMatch"
	// osNotSupported: the pod asks for another system.
	osNotSupported = "PodOSNotSupported"
	// groupsNotSupported: the pod wants strict supplemental
	// groups, which the node does not support.
	groupsNotSupported = "SupplementalGroupsPolicyNotSupported"
)

const (
	osLabel   = "kubernetes.io/os"
	defaultOS = "linux"
)

// refusedOutright returns why the pod is rejected whatever else there is, no
// reason where it is not.
func refusedOutright(node *outrank.Node, pod *outrank.Pod) (reason, message string) {
	system, ok := node.Labels[osLabel]
	if !ok {
		system = defaultOS
	}
	label, labelled := pod.Labels[osLabel]
	switch {
	case labelled && label != system:
		return osLabelDiffers, "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
	case pod.OS != "" && pod.OS != system:
		return osNotSupported, "Failed to admit pod as the OS field doesn't match node OS"
	case pod.StrictGroups && !node.StrictGroups:
		return groupsNotSupported, "SupplementalGroupsPolicy=Strict is not supported in this node"
	}
	return "", ""
}

// withSystem returns the node as the pod's demands on its labels see it: with the label
// of its system where it has labels but not that one (rule 17.2.6).
func withSystem(node *outrank.Node, pod *outrank.Pod) *outrank.Node {
	if _, ok := node.Labels[osLabel]; ok || len(node.Labels) == 0 || len(pod.NodeSelector) == 0 && pod.Affinity.NodeAffinity == nil {
		return node
	}
	labelled := *node
	labelled.Labels = maps.Clone(node.Labels)
	labelled.Labels[osLabel] = defaultOS
	return &labelled
}
