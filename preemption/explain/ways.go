package explain

import (
	"github.com/outrank-go/outrank/preemption"
)

// Way has the obstacles that keep a pod out of a node, one behind the other. Each was found by taking the
// one before it out of the way on a copy and asking the node again.
type Way struct {
	// Steps are the obstacles in the order in which they were met. The last has no change where none is
	// known that takes it out of the way.
	Steps []Step
	// Trial is the answer of the node with all changes of the steps made. Its outcome may also be
	// not-eligible, where victims would have to leave and the pod may not push them out, or nothing-helps.
	Trial
	// Limited is set where the search ended at a limit: more obstacles may stand behind the last step.
	Limited bool
}

// Step is an obstacle with the changes that take it out of the way. They are changes of the pod, of the
// node or of other pods, and the [Obstacle] says what is changed:
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
	// Changes are the changes that were made, in the order of their names; empty where none is known.
	Changes []string
	// Evicted are the pods that leave by the change "evict".
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

// helps reports whether the node takes the pod once the changes of all steps are made.
func (w *Way) helps() bool {
	return w != nil && (w.Outcome == preemption.Fits || w.Outcome == preemption.Preempts)
}

// Eviction is a set of evictions by hand that make room. The preemptor would not push these pods out.
type Eviction struct {
	// Pods are the pods that are evicted by hand, each with its node.
	Pods List[Pod]
	// Trial is the answer of the node with these pods gone.
	Trial
}

// Leaving is room that terminating pods leave behind.
type Leaving struct {
	// Node takes the preemptor once Pods have left. It is the node that the preemptor is nominated to if that
	// is one of Nodes such nodes, otherwise the first of them.
	Node  string
	Nodes int
	// Pods are the pods that have to leave. All of them are being deleted already.
	Pods List[Pod]
}
