package state

import "github.com/outrank-go/outrank"

// filterTraits is what the state asks about filters. The filter layer
// implements it.
type filterTraits interface {
	// Restricts reports whether a filter may turn away from the node a pod that
	// asks for nothing in particular. It is true for a node that does not
	// exist.
	Restricts(node *outrank.Node) bool
	// ConcernedBy returns the filters that a pod on a node has a part in.
	ConcernedBy(running *outrank.Pod) FilterSet
	// HeldOn returns what filters note of the node and its pods, and nobody writes; nil for
	// nothing. It is told how many of the pods concern each filter.
	HeldOn(n *NodeState, concerned *[MaxFilters]int32) any
}

// FilterSet has a bit for each filter.
type FilterSet uint16

// MaxFilters is how many filters a FilterSet can hold.
const MaxFilters = 16

// Has reports whether the filter of this index is in the set.
func (s FilterSet) Has(index int) bool { return s&(1<<index) != 0 }
