package search

// outlook is what a worker expects of the nodes that it has not evaluated, where they are
// compared by their optimistic scores.
type outlook struct {
	// least is the best optimistic score of a node that the worker has evaluated, and
	// leastFirst are its first figures. tries counts the nodes evaluated for theirs.
	least      NodeScore
	leastFirst leading
	tries      int
	// promising are the optimistic scores of nodes that are still to be evaluated.
	promising []NodeScore
	// leastDeferred is not worse than the first figures of any node that is to be looked at
	// again. deferred lists the positions of these nodes where a sample is asked for; all
	// nodes are gone over otherwise.
	deferred      []int32
	leastDeferred leading
	// bestFirst are the first figures of a candidate that the worker has found.
	bestFirst leading
	// low and high are the memory for the two scores of the node that is looked at.
	low, high NodeScore
}
