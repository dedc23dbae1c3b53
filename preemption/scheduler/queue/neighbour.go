package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// mayNeighbour reports whether the assigned pod may satisfy a required pod affinity term of the waiting pod (rule
// 5.4.6).
func mayNeighbour(waiting, assigned *outrank.Pod) bool {
	return slices.ContainsFunc(waiting.Affinity.PodAffinity, func(t outrank.PodAffinityTerm) bool {
		return mayCover(&t, waiting, assigned.NamespaceName()) && t.LabelSelector.Matches(assigned.Labels)
	})
}

// mayCover reports whether a term of the owner may look at pods in the namespace. A term without namespaces
// looks at the owner's own. A term that selects namespaces by their labels may look at any.
func mayCover(t *outrank.PodAffinityTerm, owner *outrank.Pod, namespace string) bool {
	if t.NamespaceSelector != nil || slices.Contains(t.Namespaces, namespace) {
		return true
	}
	return len(t.Namespaces) == 0 && owner.NamespaceName() == namespace
}
