// Package fit answers what both the scheduler and the kubelet ask about one pod and one node: do the node's
// name, labels, taints and host ports let the pod in? Nothing in it looks at priorities or at other nodes.
package fit

// The reasons that are given for a node that does not take a pod (groups 7.2 to 7.7, rule 17.3.12).
const (
	ReasonUnschedulable = "node(s) were unschedulable"
	ReasonNodeName      = "node(s) didn't match the requested node name"
	ReasonTaint         = "node(s) had untolerated taint(s)"
	ReasonTaintKubelet  = "node(s) had taints that the pod didn't tolerate"
	ReasonNodeAffinity  = "node(s) didn't match Pod's node affinity/selector"
	ReasonNodePorts     = "node(s) didn't have free ports for the requested pod ports"
	ReasonTooManyPods   = "Too many pods"
)

// Insufficient returns the reason for a node that has too little of a resource.
func Insufficient(resource string) string { return "Insufficient " + resource }
