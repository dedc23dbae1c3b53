package quota

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
)

// holds reports whether the pod meets the requirement (group 20.1; podMatchesScopeFunc).
func (r *Requirement) holds(release outrank.Release, pod *Pod) bool {
	switch r.Scope {
	case Terminating:
		return pod.Deadline
	case NotTerminating:
		return !pod.Deadline
	case BestEffort:
		return qos.Of(release, pod.Pod) == outrank.BestEffort
	case NotBestEffort:
		return qos.Of(release, pod.Pod) != outrank.BestEffort
	case PriorityClass:
		var labels map[string]string
		if pod.PriorityClassName != "" {
			labels = map[string]string{string(PriorityClass): pod.PriorityClassName}
		}
		return r.selector().Matches(labels)
	case CrossNamespacePodAffinity:
		return pod.PrefersAcross || slices.ContainsFunc(pod.Affinity.PodAffinity, across) || slices.ContainsFunc(pod.Affinity.PodAntiAffinity, across)
	}
	return false
}

// across reports whether a term of pod affinity names or selects namespaces.
func across(t outrank.PodAffinityTerm) bool {
	return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
}

// matching returns the requirements that hold for a pod.
func matching(release outrank.Release, rs []Requirement, pod *Pod) []Requirement {
	var out []Requirement
	for i := range rs {
		if rs[i].holds(release, pod) {
			out = append(out, rs[i])
		}
	}
	return out
}
