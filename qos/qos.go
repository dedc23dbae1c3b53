// Package qos answers: which quality of service class does a pod belong to?
//
// The class says who goes first when a node runs short: BestEffort, then
// Burstable, then Guaranteed. The kubelet's side of preemption goes by it, the
// scheduler's side never looks at it (rules 3.10 and 3.11).
//
// Chapter 3 of RULES.md in this package's folder states what this package does,
// and comments cite it, as in "rule 3.4".
//
// [Of] is what the kubelet goes by, [Compute] what the pod's spec says. They
// differ where a class was recorded in the pod's status: that one stands, even
// where the spec has been changed since.
//
// All functions only read the pod, and may be called from any number of
// goroutines as long as nobody writes it.
package qos

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Of is the class that the kubelet's preemption takes the pod to be of
// (rule 3.8; GetPodQOS): the one recorded in its status, as it stands, and
// the one that [Compute] finds where none is recorded.
func Of(pod *outrank.Pod) outrank.QOSClass {
	if pod != nil && pod.QOSClass != "" {
		return pod.QOSClass
	}
	return Compute(pod)
}

// Compute works the class out from the spec alone (chapter 3; ComputePodQOS):
//
//  1. Only cpu and memory count, and of them only amounts above zero.
//  2. Pod-level resources, where there are any, stand for the whole pod, empty
//     ones too. Else the app and the init containers count, each by itself.
//  3. No requests and no limits: BestEffort.
//  4. Every container has a limit for both, and the sum of the requests equals
//     that of the limits for both: Guaranteed.
//  5. Anything else: Burstable.
//
// A limit without a request is not taken for a request: the API server has
// written the default into the pod long before. A nil pod is BestEffort. Time
// is linear in the number of containers.
func Compute(pod *outrank.Pod) outrank.QOSClass {
	var t totals
	switch {
	case pod == nil:
	case pod.Resources != nil:
		t.add(pod.Resources.Requests, pod.Resources.Limits)
	default:
		t.addContainers(pod.Containers)
		t.addContainers(pod.InitContainers)
	}
	return t.class()
}

// counted are the resources that a class depends on.
var counted = [...]resource.Name{resource.CPU, resource.Memory}

// totals are sums over the containers seen so far, in the order of counted.
type totals struct {
	requests, limits [len(counted)]resource.Quantity
	// unlimited is set once a container lacks a limit.
	unlimited bool
}

func (t *totals) addContainers(containers []outrank.Container) {
	for i := range containers {
		t.add(containers[i].Requests, containers[i].Limits)
	}
}

// add counts one container, or the pod as a whole.
func (t *totals) add(requests, limits resource.List) {
	for i, name := range counted {
		if q := requests[name]; q.Sign() > 0 {
			t.requests[i] = t.requests[i].Add(q)
		}
		if q := limits[name]; q.Sign() > 0 {
			t.limits[i] = t.limits[i].Add(q)
		} else {
			t.unlimited = true
		}
	}
}

// class reads the class off the sums. Only amounts above zero were added, so a
// sum of zero means that nobody asked.
func (t *totals) class() outrank.QOSClass {
	none, same := true, true
	for i := range counted {
		none = none && t.requests[i].IsZero() && t.limits[i].IsZero()
		same = same && t.requests[i].Equal(t.limits[i])
	}
	switch {
	case none:
		return outrank.BestEffort
	case same && !t.unlimited:
		return outrank.Guaranteed
	}
	return outrank.Burstable
}
