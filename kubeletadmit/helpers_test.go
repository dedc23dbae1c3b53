package kubeletadmit_test

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

const gpu resource.Name = "example.com/gpu"

// short is a shortage with all its figures.
func short(name resource.Name, requested, used, capacity int64) kubeletadmit.CheckFailure {
	return kubeletadmit.CheckFailure{Resource: name, Requested: requested, Used: used, Capacity: capacity}
}

// option changes a pod that a test builds.
type option func(*outrank.Pod)

// newPod makes a running pod in namespace default without a priority. Its
// requests are pairs of names and quantities.
func newPod(name string, requests []string, options ...option) *outrank.Pod {
	p := &outrank.Pod{
		Name:       name,
		Phase:      outrank.PhaseRunning,
		Containers: []outrank.Container{{Name: "main", Requests: resource.MustList(requests...)}},
	}
	for _, o := range options {
		o(p)
	}
	return p
}

func req(pairs ...string) []string { return pairs }

func withPriority(n int32) option {
	return func(p *outrank.Pod) { p.Priority = outrank.Priority(n) }
}

func withClass(c outrank.QOSClass) option { return func(p *outrank.Pod) { p.QOSClass = c } }

func withPorts(ports ...outrank.Port) option {
	return func(p *outrank.Pod) { p.Containers[0].Ports = ports }
}

func withNode(name string) option { return func(p *outrank.Pod) { p.NodeName = name } }

func static(p *outrank.Pod) { p.Static = true }

func mirror(p *outrank.Pod) { p.Mirror = true }

// newCritical makes a pod with the priority of system-node-critical.
func newCritical(requests []string, options ...option) *outrank.Pod {
	return newPod("critical", requests, append([]option{withPriority(2_000_001_000)}, options...)...)
}

// newNode makes a node with room for pods unless its amounts say otherwise.
func newNode(allocatable ...string) *outrank.Node {
	list := resource.MustList("pods", "110")
	for name, q := range resource.MustList(allocatable...) {
		list[name] = q
	}
	return &outrank.Node{Name: "n1", Allocatable: list}
}

// lacks makes the failure of a resource that is short by the amount.
func lacks(name resource.Name, amount int64) kubeletadmit.CheckFailure {
	return kubeletadmit.CheckFailure{Resource: name, Requested: amount}
}

// evicted lists the names of the evicted pods, in order.
func evicted(a kubeletadmit.Admission) []string {
	names := []string{}
	for _, e := range a.Evictions {
		names = append(names, e.Pod.Name)
	}
	return names
}
