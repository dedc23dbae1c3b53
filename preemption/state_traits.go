package preemption

import "github.com/outrank-go/outrank"

// filterTraits is what the state has to know about the filters, which come
// after it.
type filterTraits interface {
	// restricts reports whether a filter may turn a pod away from the node that
	// asks for nothing in particular; so does a node that is not there.
	restricts(node *outrank.Node) bool
	// concernedBy returns the filters that a pod on a node has a part in.
	concernedBy(running *outrank.Pod) filterSet
}

// filterSet has a bit for each filter.
type filterSet uint16

// maxFilters is how many filters a filterSet can hold.
const maxFilters = 16
