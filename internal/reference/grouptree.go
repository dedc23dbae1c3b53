package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// outcome is where the pods of the preemptor got their places, and whether that is
// enough.
type outcome struct {
	seats   []seat
	status  Status
	refusal Refusal
}

// nodes are the nodes of the pods that have a place.
func (o *outcome) nodes() map[string]string {
	nodes := map[string]string{}
	for _, s := range o.seats {
		nodes[string(s.pod.Key())] = s.node.Name
	}
	return nodes
}

// place looks for places in the cluster.
func (w *workload) place(c *outrank.Cluster) outcome {
	l := &placing{in: w.in, cluster: c}
	status := l.placeGroup(w.root.key, slices.Clone(w.in.Pods))
	return outcome{l.seats, status, l.refusal}
}
