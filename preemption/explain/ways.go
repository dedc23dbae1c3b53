package explain

import (
	"github.com/outrank-go/outrank/preemption"
)

// Way lists the obstacles that keep a pod out of a node, one behind the other. Each was found by removing the one
// before it on a copy, and asking the node again.
type Way struct {
	// Steps lists the obstacles in the order in which they were found. The last one has no changes if no change
	// is known that removes it.
	Steps []Step
	// Trial is the answer of the node after the changes of all steps. Its outcome may also be not-eligible, if
	// victims would have to leave and the pod may not preempt, or nothing-helps.
	Trial
	// Limited is set if the search ended at a limit: there may be more obstacles behind the last step.
	Limited bool
}

// Step is an obstacle with the changes that remove it. They are changes of the pod, of the node or of other pods, and
// the [Obstacle] says what is changed:
//
//	tolerate             the pod tolerates the taints, by the tolerations that stand with them
//	uncordon             the node is uncordoned
//	drop-node-name       the pod names no node
//	drop-node-selector   the pod's node selector is without the labels
//	drop-node-affinity   the pod has no required node affinity
//	drop-ports           the pod is without the host ports
//	ask-less             the pod asks for as much less as is short
//	enlarge-node         the node offers as much more as is short
//	drop-volumes         the pod is without the volumes
//	install-driver       the node has the driver
//	drop-spread          the pod is without its constraints on these topology keys
//	drop-affinity        the pod has no required pod affinity
//	drop-anti-affinity   the pod has no required pod anti-affinity
//	evict                the pods in Evicted leave
//	declare-features     the node declares the features
//	allow-resize         the node no longer asks resizes to spare its pods
type Step struct {
	Obstacle *Obstacle
	// Changes lists the changes that were made, sorted. It is empty if no change is known that would help.
	Changes []string
	// Evicted lists the pods that leave by the change "evict".
	Evicted List[Pod]
}

// The changes that the comment of [Step] describes.
const (
	tolerate         = "tolerate"
	uncordon         = "uncordon"
	dropNodeName     = "drop-node-name"
	dropNodeSelector = "drop-node-selector"
	dropNodeAffinity = "drop-node-affinity"
	dropPorts        = "drop-ports"
	askLess          = "ask-less"
	enlargeNode      = "enlarge-node"
	dropVolumes      = "drop-volumes"
	installDriver    = "install-driver"
	dropSpread       = "drop-spread"
	dropAffinity     = "drop-affinity"
	dropAntiAffinity = "drop-anti-affinity"
	evict            = "evict"
	declareFeatures  = "declare-features"
	allowResize      = "allow-resize"
)

// helps reports whether the node takes the pod after the changes of all steps.
func (w *Way) helps() bool {
	return w != nil && (w.Outcome == preemption.Fits || w.Outcome == preemption.Preempts)
}

// Eviction is a set of evictions by hand that make room. The preemptor would not preempt these pods itself.
type Eviction struct {
	// Pods lists the pods to evict by hand, each with its node.
	Pods List[Pod]
	// Trial is the answer of the node with these pods gone.
	Trial
}

// Leaving says which terminating pods a pod waits for.
type Leaving struct {
	// Node takes the preemptor once Pods are gone. Nodes is the number of nodes that take it once all terminating
	// pods are gone. Node is the one of them that the preemptor is nominated to, or else the first.
	Node  string
	Nodes int
	// Pods lists the pods that have to leave. All of them are terminating already.
	Pods List[Pod]
}
