// Package qos answers: which quality of service class does a pod belong to?
//
// The class says which pods are evicted first when a node runs short:
// BestEffort, then Burstable, then Guaranteed. The kubelet's side of preemption
// uses it. The scheduler's side never does (rules 3.10 and 3.11).
//
// Chapter 3 of RULES.md in this package's folder states what this package does,
// and comments cite it, as in "rule 3.4".
//
// [Of] returns the class that the kubelet uses, and [Compute] the class of the
// pod's spec. They may differ if the pod's status records a class: the recorded one
// stays, even if the spec has been changed since.
//
// All functions only read the pod. Any number of goroutines may call them as
// long as none writes the pod.
package qos

import (
	"cmp"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/resource"
)

// Of returns the class that the kubelet's preemption uses for the pod (rule
// 3.8; GetPodQOS): the one recorded in its status or, if none is recorded, the
// one that [Compute] returns.
func Of(r outrank.Release, pod *outrank.Pod) outrank.QOSClass {
	if pod != nil && pod.QOSClass != "" {
		return pod.QOSClass
	}
	return Compute(r, pod)
}

// Compute returns the class by the spec alone (chapter 3; ComputePodQOS):
//
//  1. Only cpu and memory count, and of them only amounts that are not zero.
//  2. Pod-level resources that name cpu, memory or huge pages stand for the whole
//     pod. Without them the app and the init containers count, each by itself.
//  3. No requests and no limits: BestEffort.
//  4. Every container has a request and a limit for both, and they are equal:
//     Guaranteed.
//  5. Anything else: Burstable.
//
// A limit does not stand in for a missing request, because the API server has already
// filled in requests from limits. A nil pod is BestEffort. Time is
// linear in the number of containers.
//
// That is how v1.37 and later releases decide, by the resources that pod-level
// requests and limits name (rule 3.12) and by the class of each container (rule 3.13).
// v1.36 differs in two points. Pod-level resources stand for the pod even if they are
// empty (rule 3.4). And the containers' requests and limits are summed before they are
// compared (rule 3.6), which makes no difference for pods that an API server lets in.
// An unknown release counts as the default.
func Compute(r outrank.Release, pod *outrank.Pod) outrank.QOSClass {
	if pod == nil {
		return outrank.BestEffort
	}

	// whole is set where pod-level resources stand for the whole pod (rules 3.4 and 3.12).
	rules := release.Of(release.Release(r))
	whole := pod.Resources != nil && (!rules.QOSNeedsPodLevelName || namesPodLevel(pod.Resources))

	// From v1.37 on each set of resources has a class of its own (rule 3.13).
	switch {
	case rules.QOSPerSet && whole:
		return classOf(pod.Resources.Requests, pod.Resources.Limits)
	case rules.QOSPerSet:
		return classOfContainers(pod)
	}

	// In v1.36 the sums over all containers are compared (rule 3.6).
	var t totals
	if whole {
		t.add(pod.Resources.Requests, pod.Resources.Limits)
	} else {
		t.addContainers(pod.Containers)
		t.addContainers(pod.InitContainers)
	}
	return t.class()
}

// namesPodLevel reports whether requests or limits name a resource that counts at pod
// level.
func namesPodLevel(r *resource.Requirements) bool {
	for _, list := range [...]resource.List{r.Requests, r.Limits} {
		for name := range list {
			if name == resource.CPU || name == resource.Memory || strings.HasPrefix(string(name), resource.HugePagesPrefix) {
				return true
			}
		}
	}
	return false
}

// classOfContainers returns the class that all containers share, or Burstable if they
// differ (rule 3.13).
func classOfContainers(pod *outrank.Pod) outrank.QOSClass {
	var class outrank.QOSClass
	for _, containers := range [...][]outrank.Container{pod.Containers, pod.InitContainers} {
		for i := range containers {
			one := classOf(containers[i].Requests, containers[i].Limits)
			if class != "" && class != one {
				return outrank.Burstable
			}
			class = one
		}
	}
	return cmp.Or(class, outrank.BestEffort)
}

// classOf returns the class of one set of requests and limits (rule 3.13). Cpu and memory
// have a class each, and the set is Burstable if the two differ.
func classOf(requests, limits resource.List) outrank.QOSClass {
	var class outrank.QOSClass
	for _, name := range counted {
		request, limit := requests[name], limits[name]
		one := outrank.Guaranteed
		switch {
		case !request.Equal(limit):
			return outrank.Burstable
		case request.IsZero():
			one = outrank.BestEffort
		}

		if class != "" && class != one {
			return outrank.Burstable
		}
		class = one
	}
	return class
}

// counted lists the resources that a class depends on (rule 3.1).
var counted = [...]resource.Name{resource.CPU, resource.Memory}

// totals are the sums over the containers seen so far, in the order of counted. Only
// amounts above zero are added (rule 3.2).
type totals struct {
	requests, limits [len(counted)]resource.Quantity
	// unlimited is set once a container lacks a limit.
	unlimited bool
}

// addContainers counts each of the containers.
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

// class returns the class by the sums (rules 3.5 to 3.7). Only amounts above zero were
// added, so a sum of zero means that no container has such an amount.
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
