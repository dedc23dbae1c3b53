package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// NodeName turns a pod away that asks for another node by name (group 7.3).
const NodeName = "NodeName"

var nodeNameText = []string{fit.ReasonNodeName}

var nodeNameFilter = descriptor{
	name:        NodeName,
	concernsPod: func(pod *outrank.Pod) bool { return pod.NodeName != "" },
	check: func(pod *outrank.Pod, node *outrank.Node) []string {
		if !fit.NodeName(pod, node) {
			return nodeNameText
		}
		return nil
	},
	appendSignature: func(key *keyWriter, pod *outrank.Pod) { key.text(pod.NodeName) },
}
