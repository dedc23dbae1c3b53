package kubeletadmit

import (
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// scratch is the memory that one call works in. Later calls reuse it, so that a
// call allocates only its answer. One call uses it at a time.
type scratch struct {
	tally    tally
	pool     pool
	failures []CheckFailure
	names    []resource.Name
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Check finds everything that keeps the pod from starting on the node beside
// the active pods, in this order (group 17.3; the kubelet's generalFilter and
// scheduler's AdmissionCheck, with the deviations that RULES.md lists):
//
//  1. Amounts: pods, cpu, memory, ephemeral-storage, then other resources by
//     name. The pod counts with [outrank.Pod.Requests], an active pod with
//     [outrank.Pod.RunningRequests], the node with Allocatable. Resources that
//     the pod does not request are not checked.
//  2. An extended resource that Allocatable does not name is left out. One that
//     it names with 0, or a size of huge pages that it does not name, is short.
//  3. The predicates: [NodeAffinity], [NodeName], [NodePorts],
//     [TaintToleration]. Only NoExecute taints count, and not for a static pod.
//
// No failures means that the pod may start. The error is an
// *[outrank.InputError] with every problem found: a nil argument or active pod,
// an invalid pod or node, an active pod that counts with a negative amount. The
// slice is the caller's. Time is linear in the number of active pods.
func Check(node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod, config Config) ([]CheckFailure, error) {
	s := newScratch(config, pod)
	defer s.release()
	if err := s.check(node, active); err != nil {
		return nil, err
	}
	return append([]CheckFailure(nil), s.failures...), nil
}

// check is Check for the pod of the tally, and fills the tally on the way. It leaves
// the failures in s.failures.
func (s *scratch) check(node *outrank.Node, active []*outrank.Pod) error {
	t := &s.tally
	problems := slices.Concat(t.config.problems(), nodeProblems(node), nilPods("active", active), podProblems(t.pod))
	if len(problems) > 0 {
		return inputError(problems)
	}

	s.want(node)
	if problems := t.count(active); len(problems) > 0 {
		return inputError(problems)
	}

	s.addShort(node, ResourceNeed{resource.Pods, 1}, int64(t.beside))
	for i, w := range t.wanted {
		s.addShort(node, w, t.used[i])
	}
	s.addPredicates(node, active)
	return nil
}

// wellKnown are the resources that are reported before all others.
var wellKnown = [...]resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}

// want tells the tally which resources the pod requests of the node, in the order of
// rules 17.3.1 and 17.3.2.
func (s *scratch) want(node *outrank.Node) {
	for _, name := range wellKnown {
		s.tally.want(name)
	}

	s.names = appendNames(s.names, s.tally.pod)
	slices.Sort(s.names)
	for _, name := range slices.Compact(s.names) {
		switch {
		case slices.Contains(wellKnown[:], name) || !name.Counted():
			// It was wanted above, or no node keeps count of it (rule 1.4.5).
		case unknown(name, node):
			s.tally.wantOverhead(name) // rule 17.3.7
		default:
			s.tally.want(name)
		}
	}
}

// appendNames appends every resource that the pod names, in any order and
// possibly more than once.
func appendNames(names []resource.Name, pod *outrank.Pod) []resource.Name {
	for _, containers := range [...][]outrank.Container{pod.Containers, pod.InitContainers} {
		for i := range containers {
			names = appendKeys(names, containers[i].Requests)
		}
	}
	if pod.Resources != nil {
		names = appendKeys(names, pod.Resources.Requests)
	}
	return appendKeys(names, pod.Overhead)
}

func appendKeys(names []resource.Name, list resource.List) []resource.Name {
	for name := range list {
		names = append(names, name)
	}
	return names
}

// unknown reports whether a resource is extended and missing from the node's
// Allocatable (step 2 of Check).
func unknown(name resource.Name, node *outrank.Node) bool {
	_, offered := node.Allocatable[name]
	return !offered && name.IsExtended()
}

// addShort adds the shortage if there is one.
func (s *scratch) addShort(node *outrank.Node, wanted ResourceNeed, used int64) {
	f := CheckFailure{Resource: wanted.Resource, Requested: wanted.Amount, Used: used, Capacity: node.Allocatable.Amount(wanted.Resource)}
	if f.Shortage() > 0 {
		s.failures = append(s.failures, f)
	}
}

// addPredicates adds the failures that are not about amounts, in the order of rule 17.3.9.
func (s *scratch) addPredicates(node *outrank.Node, active []*outrank.Pod) {
	pod := s.tally.pod
	if !fit.NodeAffinity(pod, withSystem(node, pod)) {
		s.fail(NodeAffinity, fit.ReasonNodeAffinity)
	}
	if !fit.NodeName(pod, node) {
		s.fail(NodeName, fit.ReasonNodeName)
	}
	if !portsFree(active, pod) {
		s.fail(NodePorts, fit.ReasonNodePorts)
	}
	if _, found := fit.UntoleratedTaint(pod, node, outrank.NoExecute); found && !pod.Static {
		s.fail(TaintToleration, fit.ReasonTaintKubelet)
	}
}

func (s *scratch) fail(name Predicate, text string) {
	s.failures = append(s.failures, CheckFailure{Predicate: name, Text: text})
}

// portsFree reports whether none of the host ports of the pod is taken.
func portsFree(active []*outrank.Pod, pod *outrank.Pod) bool {
	if !fit.TakesHostPorts(pod) {
		return true
	}
	for _, p := range active {
		if besides(p, pod) && fit.PortsClash(p, pod) {
			return false
		}
	}
	return true
}

// newScratch returns memory for one call about the pod. The caller releases it.
func newScratch(config Config, pod *outrank.Pod) *scratch {
	s := scratches.Get().(*scratch)
	s.tally.config, s.tally.pod = config, pod
	return s
}

// release lets later calls use the memory. Nothing but numbers stays in it, so that
// no pod and no text of the caller is kept alive.
func (s *scratch) release() {
	s.failures, s.names = wiped(s.failures), wiped(s.names)
	s.tally.reset()
	s.pool.reset()
	scratches.Put(s)
}
