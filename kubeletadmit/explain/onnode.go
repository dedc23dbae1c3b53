package explain

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// OnNode asks what [Ask] asks, about a node of a cluster: may the pod start there, beside the
// pods of the cluster that are on it, and who is evicted for it? The pod itself need not be
// in the cluster. Its priority stands as it has it, so that a class has to be resolved
// before. The rules are those of the admitter's release or, where it names none, of the
// cluster's.
//
// The error is an *[outrank.InputError]: there is no such node, a nil cluster, and those of
// Ask. Nothing of the caller's is changed, and any number of calls may run at once. Time is
// linear in the nodes and pods of the cluster, besides that of Ask.
func OnNode(a kubeletadmit.Admitter, cluster *outrank.Cluster, node string, pod *outrank.Pod, options Options) (*Report, error) {
	if cluster == nil {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{Object: "cluster", Text: "is nil"}}}
	}
	at := slices.IndexFunc(cluster.Nodes, func(n *outrank.Node) bool { return n != nil && n.Name == node })
	if at < 0 {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{Object: "node " + node, Text: "is not in the cluster"}}}
	}
	var active []*outrank.Pod
	for _, p := range cluster.Pods {
		if p != nil && p.NodeName == node {
			active = append(active, p)
		}
	}
	a.Release = cmp.Or(a.Release, cluster.Release)
	return Ask(a, cluster.Nodes[at], active, pod, options)
}
