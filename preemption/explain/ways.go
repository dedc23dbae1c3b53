package explain

import (
	"github.com/outrank-go/outrank/preemption"
)

// Way is all that is in the way of a pod on a node, each thing found by changing the one
// before it on a copy and asking the node again.
type Way struct {
	// Steps are the things in the way, the first one first. The last has no change where
	// nothing was found to change about it.
	Steps []Step
	// The trial is of the node with all changes of the steps made. Its outcome may also be not-eligible, where victims
	// would have to leave and the pod may not push them out, or nothing-helps.
	Trial
	// Limited is set where the search ended before it knew: more may stand behind the last
	// step.
	Limited bool
}

// Step is a thing in the way with the changes that take it out of the way. They are changes of the
// pod or of the node, and the [Obstacle] says of what:
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
//	allow-resize         nobody asks any more that pods of the node be spared by resizes
type Step struct {
	Obstacle *Obstacle
	// Changes are what was changed to see behind the obstacle; empty where nothing was.
	Changes []string
	// Evicted are the pods that leave by the change "evict".
	Evicted List[Pod]
}

// The changes, as the comment of [Step] has them.
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

// helps reports whether the pod finds room on the node with the changes of the steps.
func (w *Way) helps() bool {
	return w != nil && (w.Outcome == preemption.Fits || w.Outcome == preemption.Preempts)
}

// Eviction is evictions by hand that make room, of pods that the preemptor does not push
// out itself.
type Eviction struct {
	// Pods are those that are evicted, of which each says on which node.
	Pods List[Pod]
	Trial
}

// Leaving is room that terminating pods leave behind.
type Leaving struct {
	// Node takes the preemptor once Pods have left, all of which are being deleted already.
	// It is one of Nodes such nodes: the one that the preemptor is nominated to, or the first.
	Node  string
	Nodes int
	Pods  List[Pod]
}
