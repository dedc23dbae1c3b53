package search

// promising is a heap of nodes by their optimistic scores, the best first.
type promising struct {
	rules *searchRules
	nodes []NodeScore
}

// order turns nodes in any order into a heap.
func (q *promising) order() {
	for i := len(q.nodes)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

// sink restores the heap after the node at i has become worse.
func (q *promising) sink(i int) {
	for {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.nodes); child++ {
			if q.rules.Better(&q.nodes[child], &q.nodes[best]) {
				best = child
			}
		}
		if best == i {
			return
		}

		q.nodes[i], q.nodes[best] = q.nodes[best], q.nodes[i]
		i = best
	}
}

// dropFirst removes the best node.
func (q *promising) dropFirst() {
	last := len(q.nodes) - 1
	q.nodes[0] = q.nodes[last]
	q.nodes = q.nodes[:last]
	q.sink(0)
}

// push adds a node.
func (q *promising) push(o NodeScore) {
	q.nodes = append(q.nodes, o)
	for i := len(q.nodes) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.rules.Better(&q.nodes[i], &q.nodes[parent]) {
			return
		}
		q.nodes[i], q.nodes[parent] = q.nodes[parent], q.nodes[i]
		i = parent
	}
}
