package quota

import (
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The names in quotas for the usage of pods.
const (
	// countPods counts pods, those that have ended too.
	countPods resource.Name = "count/pods"

	requestsPrefix = "requests."
	limitsPrefix   = "limits."
)

// Usage returns what a pod takes of quotas, by the names that quotas have for it
// (group 20.3; PodUsageFunc). Every pod counts as count/pods. A pod that has not ended also counts as pods,
// with its requests as NAME and requests.NAME, or for an extended resource as requests.NAME alone,
// and with its limits of cpu, memory and ephemeral storage as limits.NAME. The list is
// the caller's, and empty for a nil pod.
//
// The rules are those of a release: releases differ in how they count the requests of a pod that is
// being resized in place (rule 2.2.11). For zero, and for a release that is not known, those of
// [outrank.DefaultRelease] hold.
func Usage(r outrank.Release, pod *outrank.Pod) resource.List {
	if pod == nil {
		return resource.List{}
	}
	use := resource.List{countPods: resource.New(1)}
	if pod.Finished() {
		return use
	}

	// Unlike the scheduler, quotas look at the status of the containers alone, and not at
	// that of the pod as a whole (rule 20.3.9).
	plain := *pod
	plain.AllocatedResources, plain.Actual, plain.Reported = nil, nil, false
	addUsage(use, plain.RunningRequests(r), limitsOf(pod))
	return use
}

// addUsage adds the usage by requests and limits (podComputeUsageHelper).
func addUsage(use, requests, limits resource.List) {
	use[resource.Pods] = resource.New(1)
	for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage} {
		if q, ok := requests[name]; ok {
			use[name], use[requestsPrefix+name] = q, q
		}
		if q, ok := limits[name]; ok {
			use[limitsPrefix+name] = q
		}
	}
	for name, q := range requests {
		switch {
		case strings.HasPrefix(string(name), resource.HugePagesPrefix):
			use[name], use[requestsPrefix+name] = q, q
		case name.IsExtended():
			use[requestsPrefix+name] = q
		}
	}
}

// limitsOf sums the limits of a pod by the steps by which requests are summed,
// with the overhead on top of a limit that is not zero (PodLimits).
func limitsOf(pod *outrank.Pod) resource.List {
	p := outrank.Pod{Containers: asLimits(pod.Containers), InitContainers: asLimits(pod.InitContainers)}
	if pod.Resources != nil {
		p.Resources = &resource.Requirements{Requests: pod.Resources.Limits}
	}
	limits := p.Requests()
	for name, q := range pod.Overhead {
		if limit, ok := limits[name]; ok && !limit.IsZero() {
			limits[name] = limit.Add(q)
		}
	}
	return limits
}

// asLimits returns containers that request their limits.
func asLimits(cs []outrank.Container) []outrank.Container {
	out := make([]outrank.Container, len(cs))
	for i := range cs {
		out[i] = outrank.Container{Sidecar: cs[i].Sidecar, Requests: cs[i].Limits}
	}
	return out
}

// counted reports whether a quota's name is about pods (MatchingResources).
func counted(name resource.Name) bool {
	switch name {
	case countPods, resource.Pods:
		return true
	}

	base := name
	for _, prefix := range []resource.Name{requestsPrefix, limitsPrefix} {
		if rest, ok := strings.CutPrefix(string(name), string(prefix)); ok {
			base = resource.Name(rest)
			break
		}
	}
	switch base {
	case resource.CPU, resource.Memory, resource.EphemeralStorage:
		return true
	}

	// Huge pages and extended resources have no limits of their own. An extended resource counts as requests.NAME
	// alone.
	switch {
	case strings.HasPrefix(string(base), resource.HugePagesPrefix):
		return !strings.HasPrefix(string(name), limitsPrefix)
	case base != name && strings.HasPrefix(string(name), requestsPrefix):
		return base.IsExtended()
	}
	return false
}

// Measure returns the pods' usage of a quota: for everything in q.Hard that is
// about pods, the sum over the pods of its namespace that are in its scopes (rule 20.3.7;
// CalculateUsageStats). The quota controller writes it into status.used. The
// release's rules hold for requests, as in [Usage], and for QoS classes (rules
// 3.12 and 3.13). Time is linear in the pods.
func (q *Quota) Measure(r outrank.Release, pods []Pod) resource.List {
	used := resource.List{}
	for name := range q.Hard {
		if counted(name) {
			used[name] = resource.Quantity{}
		}
	}

	namespace := (&outrank.Pod{Namespace: q.Namespace}).NamespaceName()
	for i := range pods {
		p := &pods[i]
		if p.Pod == nil || p.NamespaceName() != namespace || len(matching(r, q.Scopes, p)) < len(q.Scopes) {
			continue
		}
		for name, amount := range Usage(r, p.Pod) {
			if sum, ok := used[name]; ok {
				used[name] = sum.Add(amount)
			}
		}
	}
	return used
}
