package devices

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
)

// Failure is the error in which kube-scheduler ends an attempt because the plugin fails on a node. Then no other node
// takes the pod, and nobody is preempted for it; the pod is tried again after its backoff. The plugin fails where CEL
// cannot be evaluated, and where a device that a request for all devices has to include breaks a constraint.
type Failure struct {
	// Nodes are the nodes on which the plugin fails, in the order of the cluster, and Errors the error on each of
	// them. kube-scheduler reports that of the node which it asks first.
	Nodes, Errors []string
	// Certain says that kube-scheduler asks one of the nodes in any case. It may not where so many other nodes take
	// the pod that it looks no further. Nor is it certain where the search for devices was ended on all of the nodes
	// ([Ended]): kube-scheduler ends its own after a time, and may have found devices by then.
	Certain bool
}

// Failed returns the error in which kube-scheduler ends the attempt that ex explains, by its default percentage of
// nodes; nil if it ends in none. In the plan itself every node has an answer of its own. Time is linear in the nodes.
func Failed(ex *preemption.Plan) *Failure {
	if ex == nil {
		return nil
	}
	var f Failure
	asked, ended := 0, true
	for i := range ex.Nodes {
		n := &ex.Nodes[i]
		// If the node that the pod is nominated to takes it, no other node is asked.
		if n.Status.Code == preemption.Success && n.Node == ex.Pod.NominatedNodeName {
			return nil
		}
		if n.Status.ExcludedBy == "" {
			asked++
		}
		if n.Status.Code == preemption.Contradiction && n.Status.Filter == Name {
			f.Nodes, f.Errors = append(f.Nodes, n.Node), append(f.Errors, n.Status.Reasons[0])
			ended = ended && slices.ContainsFunc(n.Status.Reasons, Ended)
		}
	}
	if len(f.Nodes) == 0 {
		return nil
	}
	f.Certain = !ended && ex.Feasible <= enough(asked)
	return &f
}

// enough returns the number of nodes that take a pod above which kube-scheduler asks no more of them
// (numFeasibleNodesToFind in pkg/scheduler/schedule_one.go, where the percentage is not set).
func enough(nodes int) int {
	const few, lowest = 100, 5
	if nodes < few {
		return nodes
	}
	percent := max(lowest, 50-nodes/125)
	return max(few, nodes*percent/100)
}
