package explain

import (
	"github.com/outrank-go/outrank/preemption"
)

// Way is all that is in the way of a pod on a node, each thing found by changing the one
// before it on a copy and asking the node again.
type Way struct {
	// Steps are the things in the way, the first one first. The last has no change where
	// nothing was found to change about it.
	Steps []Step `json:"steps"`
	// Outcome is what becomes of the pod with all changes of the steps made: fits, preempt where
	// Victims have to leave the node besides, not-eligible where they would have to and the pod
	// may not push them out, or nothing-helps.
	Outcome     preemption.Outcome `json:"outcome"`
	Victims     []Pod              `json:"victims,omitempty"`
	MoreVictims int                `json:"moreVictims,omitempty"`
	// Limited is set where the search ended before it knew: more may stand behind the last
	// step.
	Limited bool `json:"limited,omitempty"`
}

// Step is a thing in the way with the changes that take it out of the way.
type Step struct {
	Obstacle *Obstacle `json:"obstacle"`
	// Changes are what was changed to see behind the obstacle; empty where nothing was.
	Changes []Change `json:"changes,omitempty"`
	// Evicted are the pods that leave by [Evict].
	Evicted     []Pod `json:"evicted,omitempty"`
	MoreEvicted int   `json:"moreEvicted,omitempty"`
}

// Change is a change of the pod or of the node. The [Obstacle] of its step says of what.
type Change string

// The changes.
const (
	// Tolerate: the pod tolerates the taints, by the tolerations that stand with them.
	Tolerate Change = "tolerate"
	// Uncordon: the node is uncordoned.
	Uncordon Change = "uncordon"
	// DropNodeName: the pod names no node.
	DropNodeName Change = "drop-node-name"
	// DropNodeSelector: the pod's node selector is without the labels.
	DropNodeSelector Change = "drop-node-selector"
	// DropNodeAffinity: the pod has no required node affinity.
	DropNodeAffinity Change = "drop-node-affinity"
	// DropPorts: the pod is without the host ports.
	DropPorts Change = "drop-ports"
	// AskLess: the pod asks for as much less as is short.
	AskLess Change = "ask-less"
	// EnlargeNode: the node offers as much more as is short.
	EnlargeNode Change = "enlarge-node"
	// DropVolumes: the pod is without the volumes.
	DropVolumes Change = "drop-volumes"
	// InstallDriver: the node has the driver.
	InstallDriver Change = "install-driver"
	// DropSpread: the pod is without its constraints on these topology keys.
	DropSpread Change = "drop-spread"
	// DropAffinity: the pod has no required pod affinity.
	DropAffinity Change = "drop-affinity"
	// DropAntiAffinity: the pod has no required pod anti-affinity.
	DropAntiAffinity Change = "drop-anti-affinity"
	// Evict: the pods in [Step.Evicted] leave.
	Evict Change = "evict"
	// DeclareFeatures: the node declares the features.
	DeclareFeatures Change = "declare-features"
	// AllowResize: nobody asks any more that pods of the node be spared by resizes.
	AllowResize Change = "allow-resize"
)

// Helps reports whether the pod finds room on the node with the changes of the steps.
func (w *Way) Helps() bool {
	return w != nil && (w.Outcome == preemption.Fits || w.Outcome == preemption.Preempts)
}

// Eviction is evictions by hand that make room, of pods that the preemptor does not push
// out itself.
type Eviction struct {
	// Pods are those that are evicted, of which each says on which node.
	Pods     []Pod `json:"pods"`
	MorePods int   `json:"morePods,omitempty"`
	// Node then takes the preemptor: Outcome is fits, or preempt where Victims have to leave
	// besides.
	Node        string             `json:"node"`
	Outcome     preemption.Outcome `json:"outcome"`
	Victims     []Pod              `json:"victims,omitempty"`
	MoreVictims int                `json:"moreVictims,omitempty"`
}

// Leaving is room that terminating pods leave behind.
type Leaving struct {
	// Node takes the preemptor once Pods have left, all of which are being deleted already.
	// It is one of Nodes such nodes: the one that the preemptor is nominated to, or the first.
	Node     string `json:"node"`
	Nodes    int    `json:"nodes"`
	Pods     []Pod  `json:"pods"`
	MorePods int    `json:"morePods,omitempty"`
}
