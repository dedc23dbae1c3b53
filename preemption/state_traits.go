package preemption

import "github.com/outrank-go/outrank"

// filterTraits is what the state asks about filters. The filter layer
// implements it.
type filterTraits interface {
	// restricts reports whether a filter may turn away from the node a pod that
	// asks for nothing in particular. It is true for a node that does not
	// exist.
	restricts(node *outrank.Node) bool
	// concernedBy returns the filters that a pod on a node has a part in.
	concernedBy(running *outrank.Pod) filterSet
}

// filterSet has a bit for each filter.
type filterSet uint16

// maxFilters is how many filters a filterSet can hold.
const maxFilters = 16
