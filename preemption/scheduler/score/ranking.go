package score

import "github.com/outrank-go/outrank"

// Ranking has the scores of nodes for one pod. Its slices belong to the caller.
type Ranking struct {
	// Nodes are the nodes that were scored.
	Nodes []*outrank.Node
	// Totals has the score of each node of Nodes: the sum over all plugins of the
	// normalized score times the weight.
	Totals []int64
	// Plugins has a column for each plugin that gave scores, in the order of the default
	// profile. A plugin that skips the pod has no column (rule 27.1.4).
	Plugins []Column
}

// Column has the scores of one plugin for each node of [Ranking.Nodes].
type Column struct {
	Plugin string
	Weight int64
	// Raw are the plugin's scores before normalization. Normalized are the scores from 0 to 100.
	Raw, Normalized []int64
}

// total returns the total of node i. It is 0 if Totals, in a ranking made by hand, is too short.
func (r *Ranking) total(i int) int64 {
	if i < len(r.Totals) {
		return r.Totals[i]
	}
	return 0
}

// Best returns the nodes with the highest total, in the order of Nodes. Time is linear.
func (r *Ranking) Best() []*outrank.Node {
	var best []*outrank.Node
	var most int64
	for i, n := range r.Nodes {
		switch {
		case len(best) == 0 || r.total(i) > most:
			best, most = append(best[:0], n), r.total(i)
		case r.total(i) == most:
			best = append(best, n)
		}
	}
	return best
}

// Choose returns a node with the highest total, nil if there are no nodes. Of n such nodes it returns
// [Ranking.Best][ties(n)]; an index out of range counts as the nearest one in range. If ties is nil it returns
// the node that kube-scheduler takes if its filters pass the nodes in the order of Nodes (rule 27.1.6), which
// need not be the first one. Time is linear.
func (r *Ranking) Choose(ties func(n int) int) *outrank.Node {
	if len(r.Nodes) == 0 {
		return nil
	}
	if ties == nil {
		return r.Nodes[r.top()]
	}
	best := r.Best()
	return best[max(0, min(ties(len(best)), len(best)-1))]
}

// top returns the index of the node at the top of the heap that kube-scheduler builds from the nodes
// (container/heap.Init). From the last parent to the root, each parent sinks: it is swapped with its better
// child while that child is better than the parent. Of two equal children the left one counts.
func (r *Ranking) top() int {
	heap := make([]int, len(r.Nodes))
	for i := range heap {
		heap[i] = i
	}
	better := func(a, b int) bool { return r.total(heap[a]) > r.total(heap[b]) }
	for root := len(heap)/2 - 1; root >= 0; root-- {
		for i := root; 2*i+1 < len(heap); {
			child := 2*i + 1
			if child+1 < len(heap) && better(child+1, child) {
				child++
			}
			if !better(child, i) {
				break
			}
			heap[i], heap[child] = heap[child], heap[i]
			i = child
		}
	}
	return heap[0]
}
