package search

// outlook is a worker's record of the nodes that it has not evaluated yet, in a search that compares
// optimistic scores (see consider.go).
type outlook struct {
	// least is the best optimistic score among the nodes that the worker has evaluated, and leastLeading its
	// leading figures. tries is the number of nodes that were evaluated because of their optimistic scores.
	least        NodeScore
	leastLeading leading
	tries        int
	// promising has the optimistic scores of the nodes that are kept in mind.
	promising []NodeScore
	// leastDeferred has the best leading figures of all nodes that were put off. deferred lists the positions
	// of these nodes in a search with a sample, and is empty otherwise.
	deferred      []int32
	leastDeferred leading
	// bestLeading has the leading figures of a candidate that the worker has found. Nodes with worse ones
	// lose.
	bestLeading leading
	// low and high are memory for the scores of the current node: of low victims and of high victims.
	low, high NodeScore
}
