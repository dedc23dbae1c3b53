package kubeletadmit

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// The reasons of an [Admission] that is rejected before anything else is checked,
// in the order of the checks (rules 17.2.2 to 17.2.4). Nothing is evicted then, and
// there are no Failures.
const (
	// osLabelDiffers means that the pod's label kubernetes.io/os names another system
	// than the node's.
	osLabelDiffers = "PodOSSelectorNodeLabelDoesNotMatch"
	// osNotSupported means that the pod's spec asks for another system.
	osNotSupported = "PodOSNotSupported"
	// groupsNotSupported means that the pod wants strict supplemental groups, which the
	// node does not support.
	groupsNotSupported = "SupplementalGroupsPolicyNotSupported"
)

// osLabel names the system of a node, and defaultOS is the system of a node without
// that label (rule 17.2.5).
const (
	osLabel   = "kubernetes.io/os"
	defaultOS = "linux"
)

// refusedOutright returns the reason for which the pod is rejected whatever else is
// found, or an empty one.
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

// withSystem returns the node with osLabel added, if it has labels but not that one (rule
// 17.2.6). It returns the node itself for a pod that looks at no label of its node.
func withSystem(node *outrank.Node, pod *outrank.Pod) *outrank.Node {
	if _, ok := node.Labels[osLabel]; ok || len(node.Labels) == 0 || len(pod.NodeSelector) == 0 && pod.Affinity.NodeAffinity == nil {
		return node
	}

	labelled := *node
	labelled.Labels = maps.Clone(node.Labels)
	labelled.Labels[osLabel] = defaultOS
	return &labelled
}
