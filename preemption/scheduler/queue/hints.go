package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
)

// Helps reports whether an event may help a pod by the rules of a release: whether it changes
// something that one of the filters reads with which the pod failed. The test is coarse: a
// pod may be tried in vain, but no pod that could be helped is left out. An unknown event
// may help any pod. Any event may help a pod that failed with an unknown filter or with
// none. The filters' names are those of package preemption. Of terms of anti-affinity, all
// count in v1.36, and any from v1.37 on (rules 5.4.12 and 5.4.13); with the gate for it, a
// pod that waits for its resize is helped by what happens on its own node alone (rule
// 5.4.17). [Config.Helps] is this with [Config.Release] if nothing else is set. Time is
// linear in the pod's filters, and where the event gives a pod on a node, in the terms of
// both pods.
func Helps(r outrank.Release, e *Entry, event ClusterEvent) bool {
	rules := release.Of(release.Release(r))
	return helpsBy(&rules, e, event)
}

func helpsBy(rules *release.Rules, e *Entry, event ClusterEvent) bool {
	if e == nil || len(e.FailedFilters) == 0 {
		return true
	}
	resize := e.Pod != nil && wantsResize(rules, e.Pod)
	if event.Kind == EventPodUpdated && resize {
		return ownResizeHelps(e.FailedFilters, event.Before, event.Pod)
	}
	if event.Kind == EventPodUpdated {
		return ownChangeHelps(e.FailedFilters, event.Before, event.Pod)
	}
	if !slices.Contains(eventKinds, event.Kind) {
		return true
	}
	if resize {
		return resizeHelps(e, &event)
	}
	kind := event.kind()
	return slices.ContainsFunc(e.FailedFilters, func(name string) bool {
		if name == filter.InterPodAffinity && e.Pod != nil && event.tellsNeighbour() {
			return neighbourHelps(rules, e.Pod, &event)
		}
		kinds, known := helpers[name]
		return !known || slices.Contains(kinds, kind)
	})
}

// neighbourHelps reports whether a pod on a node that has gone or has changed may help
// a pod that InterPodAffinity kept off (rules 5.4.12 and 5.4.13). The event tells it.
func neighbourHelps(rules *release.Rules, waiting *outrank.Pod, event *ClusterEvent) bool {
	matches := func(of, pod *outrank.Pod) bool { return antiMatches(rules, of, pod) }
	if event.Kind == EventAssignedPodDeleted {
		return matches(waiting, event.Pod) || matches(event.Pod, waiting)
	}
	return mayNeighbour(waiting, event.Pod) || antiLeft(rules, waiting, event.Before, event.Pod)
}

// antiMatches reports whether a pod matches a term of another's required
// anti-affinity, or all of them before that is enough. No terms match nothing.
func antiMatches(rules *release.Rules, of, pod *outrank.Pod) bool {
	match := func(t outrank.PodAffinityTerm) bool { return mayMatch(&t, of, pod) }
	terms := of.Affinity.PodAntiAffinity
	if rules.AnyAntiAffinityTerm {
		return slices.ContainsFunc(terms, match)
	}
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t outrank.PodAffinityTerm) bool { return !match(t) })
}

// antiLeft reports whether a pod may have matched another's required anti-affinity before
// a change and not after it. What a term selects by the labels of namespaces is not known, but
// is the same before and after: such a term may be left, and is none that matches still.
func antiLeft(rules *release.Rules, of, before, after *outrank.Pod) bool {
	if !rules.AnyAntiAffinityTerm {
		return antiMatches(rules, of, before) && !antiMatches(rules, of, after)
	}
	left := false
	for _, t := range of.Affinity.PodAntiAffinity {
		is := mayMatch(&t, of, after)
		if is && surelyCovers(&t, after.NamespaceName()) {
			return false
		}
		left = left || !is && mayMatch(&t, of, before)
	}
	return left
}

// mayNeighbour reports whether the assigned pod may satisfy a required pod
// affinity term of the waiting pod.
func mayNeighbour(waiting, assigned *outrank.Pod) bool {
	return slices.ContainsFunc(waiting.Affinity.PodAffinity, func(t outrank.PodAffinityTerm) bool {
		return mayMatch(&t, waiting, assigned)
	})
}

// mayMatch reports whether another pod may match a term of the pod.
func mayMatch(t *outrank.PodAffinityTerm, of, pod *outrank.Pod) bool {
	return mayCover(t, of, pod.NamespaceName()) && t.LabelSelector.Matches(pod.Labels)
}

// mayCover reports whether a term of the pod may look at the namespace.
func mayCover(t *outrank.PodAffinityTerm, of *outrank.Pod, namespace string) bool {
	if t.NamespaceSelector != nil || slices.Contains(t.Namespaces, namespace) {
		return true
	}
	return len(t.Namespaces) == 0 && of.NamespaceName() == namespace
}

// surelyCovers reports whether a term that may look at the namespace does, whatever the
// labels of the namespace are.
func surelyCovers(t *outrank.PodAffinityTerm, namespace string) bool {
	return t.NamespaceSelector == nil || t.NamespaceSelector.Empty() || slices.Contains(t.Namespaces, namespace)
}
