package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
)

// Helps reports whether an event may help a pod by the rules of a release. It may if it changes something that
// one of the pod's failed filters looks at. The test is coarse: a pod may be tried in vain, but no pod that
// could be helped is left out. An unknown event may help any pod. Any event may help a pod that failed with an
// unknown filter or with none. The filters' names are those of package preemption.
//
// A neighbour is a pod on a node that the waiting pod's terms of affinity may match. In v1.36 a change of a
// neighbour helps only if it concerns all terms of anti-affinity, from v1.37 on if it concerns any of them
// (rules 5.4.12 and 5.4.13). With the feature gate for it, a pod that waits for its resize is helped only
// by what happens on its own node (rule 5.4.17).
//
// A nil [Config.Helps] means this function with [Config.Release]. Time is linear in the pod's filters
// and, if the event has a pod on a node, in the terms of both pods.
func Helps(r outrank.Release, e *Entry, event ClusterEvent) bool {
	rules := release.Of(release.Release(r))
	return helpsBy(&rules, e, event)
}

// helpsBy is Helps, with the rules of the release instead of its name.
func helpsBy(rules *release.Rules, e *Entry, event ClusterEvent) bool {
	if e == nil || len(e.FailedFilters) == 0 {
		return true
	}

	resize := e.Pod != nil && wantsResize(rules, e.Pod)
	switch {
	case event.Kind == EventPodUpdated && resize:
		return ownResizeHelps(e.FailedFilters, event.Before, event.Pod)
	case event.Kind == EventPodUpdated:
		return ownChangeHelps(e.FailedFilters, event.Before, event.Pod)
	case !slices.Contains(eventKinds, event.Kind):
		return true
	case resize:
		return resizeHelps(e, &event)
	}

	// One filter that may be helped is enough. For affinity the pods of the event tell more than its kind.
	kind := event.kind()
	return slices.ContainsFunc(e.FailedFilters, func(name string) bool {
		if name == filter.InterPodAffinity && e.Pod != nil && event.tellsNeighbour() {
			return neighbourHelps(rules, e.Pod, &event)
		}
		kinds, known := helpers[name]
		return !known || slices.Contains(kinds, kind)
	})
}

// neighbourHelps reports whether an event may help a pod that InterPodAffinity kept off a node. The event
// tells of a pod on a node that was deleted or has changed (rules 5.4.12 and 5.4.13).
func neighbourHelps(rules *release.Rules, waiting *outrank.Pod, event *ClusterEvent) bool {
	matches := func(owner, pod *outrank.Pod) bool { return antiMatches(rules, owner, pod) }
	if event.Kind == EventAssignedPodDeleted {
		return matches(waiting, event.Pod) || matches(event.Pod, waiting)
	}
	return mayNeighbour(waiting, event.Pod) || antiLeft(rules, waiting, event.Before, event.Pod)
}

// antiMatches reports whether a pod may match the owner's required anti-affinity: one of its terms in
// releases where one is enough, all of them in others. Without terms nothing matches.
func antiMatches(rules *release.Rules, owner, pod *outrank.Pod) bool {
	match := func(t outrank.PodAffinityTerm) bool { return mayMatch(&t, owner, pod) }
	terms := owner.Affinity.PodAntiAffinity
	if rules.AnyAntiAffinityTerm {
		return slices.ContainsFunc(terms, match)
	}
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t outrank.PodAffinityTerm) bool { return !match(t) })
}

// antiLeft reports whether a pod may have matched the owner's required anti-affinity before
// a change and may not match it after. In releases where one term is enough, the pod must have ceased to
// match a term, and must not certainly match any term still. A term that selects namespaces by their labels
// is never certain, since the labels are not known (rule 5.4.13).
func antiLeft(rules *release.Rules, owner, before, after *outrank.Pod) bool {
	if !rules.AnyAntiAffinityTerm {
		return antiMatches(rules, owner, before) && !antiMatches(rules, owner, after)
	}

	left := false
	for _, t := range owner.Affinity.PodAntiAffinity {
		matches := mayMatch(&t, owner, after)
		if matches && surelyCovers(&t, after.NamespaceName()) {
			return false
		}
		left = left || !matches && mayMatch(&t, owner, before)
	}
	return left
}

// mayNeighbour reports whether the assigned pod may satisfy a required pod affinity term of the waiting pod.
func mayNeighbour(waiting, assigned *outrank.Pod) bool {
	return slices.ContainsFunc(waiting.Affinity.PodAffinity, func(t outrank.PodAffinityTerm) bool {
		return mayMatch(&t, waiting, assigned)
	})
}

// mayMatch reports whether a pod may match a term of the owner.
func mayMatch(t *outrank.PodAffinityTerm, owner, pod *outrank.Pod) bool {
	return mayCover(t, owner, pod.NamespaceName()) && t.LabelSelector.Matches(pod.Labels)
}

// mayCover reports whether a term of the owner may look at pods in the namespace. A term without namespaces
// looks at the owner's own. A term that selects namespaces by their labels may look at any.
func mayCover(t *outrank.PodAffinityTerm, owner *outrank.Pod, namespace string) bool {
	if t.NamespaceSelector != nil || slices.Contains(t.Namespaces, namespace) {
		return true
	}
	return len(t.Namespaces) == 0 && owner.NamespaceName() == namespace
}

// surelyCovers reports whether a term for which mayCover is true looks at the namespace for certain,
// whatever the labels of the namespace are.
func surelyCovers(t *outrank.PodAffinityTerm, namespace string) bool {
	return t.NamespaceSelector == nil || t.NamespaceSelector.Empty() || slices.Contains(t.Namespaces, namespace)
}
