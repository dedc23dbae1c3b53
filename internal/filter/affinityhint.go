package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// The hints of InterPodAffinity (rules 5.4.12, 5.4.13 and 5.4.31).

// matches reports whether a term of the owner is about a pod. The labels of namespaces are not looked at: a term that
// selects namespaces by labels is about those that it names and, if it selects what has no labels, all others.
func matches(owner *outrank.Pod, t *outrank.PodAffinityTerm, pod *outrank.Pod) bool {
	if !covers(owner, t, pod.NamespaceName()) {
		return false
	}
	if len(t.MatchLabelKeys)+len(t.MismatchLabelKeys) == 0 {
		return t.LabelSelector.Matches(pod.Labels)
	}
	return fit.Narrowed(t.LabelSelector, owner.Labels, t.MatchLabelKeys, t.MismatchLabelKeys).Matches(pod.Labels)
}

// covers reports whether a term of the owner is about pods of a namespace. A term that says nothing about namespaces
// is about the owner's own.
func covers(owner *outrank.Pod, t *outrank.PodAffinityTerm, namespace string) bool {
	if slices.Contains(t.Namespaces, namespace) || t.NamespaceSelector.Matches(nil) {
		return true
	}
	return len(t.Namespaces) == 0 && t.NamespaceSelector == nil && owner.NamespaceName() == namespace
}

// matchesAny reports whether one of the owner's terms is about the pod.
func matchesAny(owner *outrank.Pod, terms []outrank.PodAffinityTerm, pod *outrank.Pod) bool {
	return slices.ContainsFunc(terms, func(t outrank.PodAffinityTerm) bool { return matches(owner, &t, pod) })
}

// matchesAll reports whether the owner has terms, and all of them are about the pod.
func matchesAll(owner *outrank.Pod, terms []outrank.PodAffinityTerm, pod *outrank.Pod) bool {
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t outrank.PodAffinityTerm) bool { return !matches(owner, &t, pod) })
}

// attracts reports whether a pod meets the affinity of the waiting one. It has to match all terms.
func attracts(waiting, pod *outrank.Pod) bool {
	return matchesAll(waiting, waiting.Affinity.PodAffinity, pod)
}

// repels reports whether a pod is one that the owner's anti-affinity is about. In releases where one term is not
// enough it has to match all of them.
func repels(w *Waiting, owner, pod *outrank.Pod) bool {
	if w.Rules.AnyAntiAffinityTerm {
		return matchesAny(owner, owner.Affinity.PodAntiAffinity, pod)
	}
	return matchesAll(owner, owner.Affinity.PodAntiAffinity, pod)
}

// neighbourChanged reports whether a pod on a node comes to meet the affinity of the waiting one, or is no longer one
// that its anti-affinity is about.
func neighbourChanged(w *Waiting, c *Change) bool {
	return !attracts(w.Pod, c.PodBefore) && attracts(w.Pod, c.Pod) ||
		repels(w, w.Pod, c.PodBefore) && !repels(w, w.Pod, c.Pod)
}

// joinsDomain reports whether a node that is added may help: it is in a domain of one of the affinity terms, or the
// pod has terms of anti-affinity, whatever the node's domains are.
func joinsDomain(w *Waiting, c *Change) bool {
	if len(w.Pod.Affinity.PodAntiAffinity) > 0 {
		return true
	}
	return slices.ContainsFunc(w.Pod.Affinity.PodAffinity, func(t outrank.PodAffinityTerm) bool {
		_, in := c.Node.Labels[t.TopologyKey]
		return in
	})
}

// changesDomain reports whether a node comes into another domain of an affinity term, or out of one of a term of
// anti-affinity.
func changesDomain(w *Waiting, c *Change) bool {
	enters := func(t outrank.PodAffinityTerm) bool {
		before, was := c.NodeBefore.Labels[t.TopologyKey]
		after, is := c.Node.Labels[t.TopologyKey]
		return is && (!was || before != after)
	}
	leaves := func(t outrank.PodAffinityTerm) bool {
		before, was := c.NodeBefore.Labels[t.TopologyKey]
		after, is := c.Node.Labels[t.TopologyKey]
		return was && (!is || before != after)
	}
	return slices.ContainsFunc(w.Pod.Affinity.PodAffinity, enters) || slices.ContainsFunc(w.Pod.Affinity.PodAntiAffinity, leaves)
}
