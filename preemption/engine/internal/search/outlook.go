package search

// outlook is what a worker expects of the nodes that it has not evaluated, where nodes are compared by their
// optimistic scores (see consider.go).
type outlook struct {
	// least is the best optimistic score of a node that the worker has evaluated, and leastLeading are its
	// leading figures. tries counts the nodes that were evaluated for their optimistic scores.
	least        NodeScore
	leastLeading leading
	tries        int
	// promising are the optimistic scores of the nodes that are kept in mind.
	promising []NodeScore
	// leastDeferred is not worse than the leading figures of any node that was put off. deferred lists the
	// positions of these nodes where a sample is asked for, and is empty elsewhere.
	deferred      []int32
	leastDeferred leading
	// bestLeading are the leading figures of a candidate that the worker has found. Nodes with worse ones lose.
	bestLeading leading
	// low and high are the memory for the scores of the node that is looked at: of low victims and of high ones.
	low, high NodeScore
}
