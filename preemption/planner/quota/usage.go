package quota

import (
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The names of a pod's usage in quotas.
const (
	// countPods counts all pods, including those that have finished.
	countPods resource.Name = "count/pods"

	requestsPrefix = "requests."
	limitsPrefix   = "limits."
)

// Usage returns the amounts that a pod uses of quotas, by the names in quotas (group 20.3; PodUsageFunc).
// Every pod uses 1 of count/pods. A pod that has not finished also uses 1 of pods; its requests as NAME and
// requests.NAME, or only as requests.NAME for extended resources; and its limits of cpu, memory and ephemeral
// storage as limits.NAME. The list belongs to the caller, and is empty for a nil pod.
//
// Releases differ in how they count the requests of a pod that is resized in place (rule 2.2.11). A zero or
// unknown release counts as [outrank.DefaultRelease].
func Usage(r outrank.Release, pod *outrank.Pod) resource.List {
	if pod == nil {
		return resource.List{}
	}
	use := resource.List{countPods: resource.New(1)}
	if pod.Finished() {
		return use
	}

	// Unlike the scheduler, quotas only look at the status of the containers, and not at the pod-level status
	// (rule 20.3.9).
	plain := *pod
	plain.AllocatedResources, plain.Actual, plain.Reported = nil, nil, false
	addUsage(use, plain.RunningRequests(r), limitsOf(pod))
	return use
}

// addUsage sets in use the amounts that follow from requests and limits (podComputeUsageHelper).
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

// limitsOf sums the limits of a pod in the same way as requests are summed. The overhead is added to each limit that is
// not zero (PodLimits).
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

// asLimits returns containers whose requests are the limits of the given ones.
func asLimits(cs []outrank.Container) []outrank.Container {
	out := make([]outrank.Container, len(cs))
	for i := range cs {
		out[i] = outrank.Container{Sidecar: cs[i].Sidecar, Requests: cs[i].Limits}
	}
	return out
}

// counted reports whether a name in a quota limits something about pods (MatchingResources).
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

	// There is no limits.NAME for huge pages and extended resources. Extended resources only count as requests.NAME.
	switch {
	case strings.HasPrefix(string(base), resource.HugePagesPrefix):
		return !strings.HasPrefix(string(name), limitsPrefix)
	case base != name && strings.HasPrefix(string(name), requestsPrefix):
		return base.IsExtended()
	}
	return false
}

// Measure returns the usage of a quota: for each name in q.Hard that is about pods, the sum over the pods of its
// namespace for which all of its scopes hold (rule 20.3.7; CalculateUsageStats). The quota controller writes this into
// status.used. The release decides how requests are counted, as in [Usage], and QoS classes (rules 3.12 and 3.13). Time
// is linear in the pods.
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
