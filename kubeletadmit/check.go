package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// Check finds everything that keeps the pod from starting on the node beside
// the active pods, in this order (section 12; the kubelet's generalFilter and
// scheduler's AdmissionCheck, with the deviations that the package comment
// lists):
//
//  1. Amounts: pods, cpu, memory, ephemeral-storage, then other resources by
//     name. The pod counts with [outrank.Pod.Requests], an active pod with
//     [outrank.Pod.RunningRequests], the node with Allocatable. What the pod
//     does not ask for is not checked.
//  2. An extended resource that Allocatable does not name at all is none of
//     this node's business and left out. One that it names with 0, or a size
//     of huge pages that it does not name, is short.
//  3. The predicates: [NodeName], [NodeAffinity], [NodePorts], [TaintToleration].
//     Only NoExecute taints count, and not for a static pod.
//
// No failures means that the pod may start. The error is an
// *[outrank.InputError] with every problem found: a nil argument or active pod,
// a pod or node that is not valid, an active pod that counts with less than
// nothing. The slice is the caller's. Time is linear in the number of active
// pods.
func Check(node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod) ([]Failure, error) {
	problems := slices.Concat(nodeProblems(node), nilPods("active", active), podProblems(pod))
	if len(problems) > 0 {
		return nil, inputError(problems)
	}
	beside := others(active, pod)
	wanted := wants(node, pod)
	used, problems := usedOf(wanted, beside)
	if len(problems) > 0 {
		return nil, inputError(problems)
	}
	failures := countPods(nil, node, len(beside))
	for i, w := range wanted {
		f := Failure{Resource: w.Resource, Requested: w.Amount, Used: used[i], Capacity: node.Allocatable.Amount(w.Resource)}
		failures = appendShort(failures, f)
	}
	return appendPredicates(failures, node, beside, pod), nil
}

// wellKnown are the resources that are reported before all others.
var wellKnown = [...]resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}

// wants lists what the pod asks of the node, in the order of the report.
func wants(node *outrank.Node, pod *outrank.Pod) []Need {
	requests := pod.Requests()
	list := make([]Need, 0, len(requests))
	for _, name := range wellKnown {
		if amount := requests.Amount(name); amount > 0 {
			list = append(list, Need{name, amount})
		}
	}
	for _, name := range requests.Names() {
		if slices.Contains(wellKnown[:], name) || !name.Counted() {
			continue
		}
		if _, offered := node.Allocatable[name]; !offered && name.IsExtended() {
			continue
		}
		if amount := requests.Amount(name); amount > 0 {
			list = append(list, Need{name, amount})
		}
	}
	return list
}

// usedOf sums what the pods hold of each wanted resource.
func usedOf(wanted []Need, pods []*outrank.Pod) (used []int64, problems []outrank.Problem) {
	used = make([]int64, len(wanted))
	if len(wanted) == 0 {
		return used, nil
	}
	for _, p := range pods {
		negative := false
		for i, w := range wanted {
			amount := resource.Amount(w.Resource, p.RunningRequestOf(w.Resource))
			negative = negative || amount < 0
			used[i] = resource.AddSat(used[i], amount)
		}
		if negative {
			problems = append(problems, problemsIn(p.Validate())...)
		}
	}
	return used, problems
}

// countPods checks that the node takes one more pod.
func countPods(failures []Failure, node *outrank.Node, running int) []Failure {
	f := Failure{Resource: resource.Pods, Requested: 1, Used: int64(running), Capacity: node.Allocatable.Amount(resource.Pods)}
	return appendShort(failures, f)
}

// appendShort appends the failure if it is one.
func appendShort(failures []Failure, f Failure) []Failure {
	if f.Shortage() > 0 {
		return append(failures, f)
	}
	return failures
}

// appendPredicates appends the failures that have nothing to do with amounts.
func appendPredicates(failures []Failure, node *outrank.Node, beside []*outrank.Pod, pod *outrank.Pod) []Failure {
	fail := func(name Predicate, text string) {
		failures = append(failures, Failure{Predicate: name, Text: text})
	}
	if !fit.NodeName(pod, node) {
		fail(NodeName, fit.ReasonNodeName)
	}
	if !fit.NodeAffinity(pod, node) {
		fail(NodeAffinity, fit.ReasonNodeAffinity)
	}
	if !portsFree(beside, pod) {
		fail(NodePorts, fit.ReasonNodePorts)
	}
	if _, found := fit.UntoleratedTaint(pod, node, outrank.NoExecute); found && !pod.Static {
		fail(TaintToleration, fit.ReasonTaintKubelet)
	}
	return failures
}

// portsFree reports whether none of the host ports of the pod is taken.
func portsFree(beside []*outrank.Pod, pod *outrank.Pod) bool {
	wanted := fit.HostPorts(pod)
	if len(wanted) == 0 {
		return true
	}
	for _, p := range beside {
		for _, taken := range fit.HostPorts(p) {
			if slices.ContainsFunc(wanted, taken.Overlaps) {
				return false
			}
		}
	}
	return true
}
