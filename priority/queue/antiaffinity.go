package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
)

// tellsNeighbour reports whether an event says so much about a pod on a node that
// what it means for anti-affinity is known.
func (event *ClusterEvent) tellsNeighbour() bool {
	switch {
	case event.Pod == nil || event.Pod.NodeName == "":
		return false
	case event.Kind == EventAssignedPodDeleted:
		return true
	}
	return event.Kind == EventAssignedPodUpdated && event.Before != nil
}

// neighbourHelps reports whether a pod on a node that has gone or has changed may help
// a pod that InterPodAffinity kept off (rules 5.4.12 and 5.4.13). The event tells it.
func neighbourHelps(rules *release.Rules, waiting *outrank.Pod, event *ClusterEvent) bool {
	matches := func(of, pod *outrank.Pod) bool { return antiMatches(rules, of, pod) }
	if event.Kind == EventAssignedPodDeleted {
		return matches(waiting, event.Pod) || matches(event.Pod, waiting)
	}
	return mayNeighbour(waiting, event.Pod) || matches(waiting, event.Before) && !matches(waiting, event.Pod)
}

// antiMatches reports whether a pod matches a term of another's required
// anti-affinity, or all of them before that is enough. No terms match nothing.
func antiMatches(rules *release.Rules, of, pod *outrank.Pod) bool {
	match := func(t outrank.PodAffinityTerm) bool {
		return mayCover(&t, of, pod.NamespaceName()) && t.Selector.Matches(pod.Labels)
	}
	terms := of.Affinity.AntiPods
	if rules.AnyAntiAffinityTerm {
		return slices.ContainsFunc(terms, match)
	}
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t outrank.PodAffinityTerm) bool { return !match(t) })
}

// scatter takes the crowds apart whose pods an event means different things for:
// what a neighbour means depends on labels and terms, which a crowd need not share.
func (q *Queue) scatter(event *ClusterEvent) {
	if !q.crowded || !event.tellsNeighbour() {
		return
	}
	var apart []*item
	for _, it := range q.pools[unschedulable].items {
		if it.members != nil && slices.Contains(it.FailedFilters, filter.InterPodAffinity) && !q.agree(it, event) {
			it.members.each(func(m *item, _ int) { apart = append(apart, m) })
		}
	}
	for _, m := range apart {
		q.alone(m)
	}
}

// agree reports whether an event means the same for all pods of a crowd.
func (q *Queue) agree(crowd *item, event *ClusterEvent) bool {
	first, same := neighbourHelps(&q.rules, crowd.Pod, event), true
	crowd.members.each(func(m *item, _ int) {
		same = same && neighbourHelps(&q.rules, m.Pod, event) == first
	})
	return same
}
