package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
)

func readTerms(owner *outrank.Pod, list []outrank.PodAffinityTerm) []term {
	var terms []term
	for _, t := range list {
		terms = append(terms, readTerm(owner, t))
	}
	return terms
}

// readTerm folds the owner's own labels into the selector and, where the term
// names no namespaces, takes the owner's (rules 7.13.12 and 7.13.17).
func readTerm(owner *outrank.Pod, t outrank.PodAffinityTerm) term {
	selector := narrow(t.LabelSelector, owner, t.MatchLabelKeys, outrank.In)
	selector = narrow(selector, owner, t.MismatchLabelKeys, outrank.NotIn)
	namespaces := t.Namespaces
	if len(namespaces) == 0 && t.NamespaceSelector == nil {
		namespaces = []string{owner.NamespaceName()}
	}
	return term{
		owner:             owner,
		key:               t.TopologyKey,
		selector:          selector,
		namespaces:        namespaces,
		namespaceSelector: t.NamespaceSelector,
	}
}

// matches reports whether the term means the pod.
func (a *attempt) matches(t term, p *outrank.Pod) bool {
	return a.inNamespace(t, p) && t.selector.Matches(p.Labels)
}

// inNamespace: the namespaces listed and those selected. For a term of another
// pod, a namespace that the cluster does not list has no labels; a term of the
// preemptor selects among those that are listed, or all.
func (a *attempt) inNamespace(t term, p *outrank.Pod) bool {
	name := p.NamespaceName()
	if slices.Contains(t.namespaces, name) {
		return true
	}
	if !a.rules.NamespacesReplaceSelector && t.owner == a.pod && t.namespaceSelector != nil && t.namespaceSelector.Matches(nil) {
		return true // v1.36 asks the selector of no labels at all, too
	}
	labels, listed := a.namespaces[name]
	if t.owner == a.pod && !listed && !t.namespaceSelector.Empty() {
		return false
	}
	return t.namespaceSelector.Matches(labels)
}

// matchesAll reports whether every term means the pod.
func (a *attempt) matchesAll(terms []term, p *outrank.Pod) bool {
	for _, t := range terms {
		if !a.matches(t, p) {
			return false
		}
	}
	return true
}

// narrow returns the selector with one more requirement for each of the keys
// that the pod has as a label, with the pod's own value, unless the API server
// has added it already. A nil selector matches nothing and stays so.
func narrow(s *outrank.LabelSelector, p *outrank.Pod, keys []string, op outrank.Operator) *outrank.LabelSelector {
	if s == nil {
		return nil
	}
	folded := &outrank.LabelSelector{MatchLabels: s.MatchLabels, MatchExpressions: slices.Clone(s.MatchExpressions)}
	for _, key := range keys {
		if value, ok := p.Labels[key]; ok && !added(s, key, op) {
			folded.MatchExpressions = append(folded.MatchExpressions,
				outrank.Requirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
	return folded
}

// added reports whether the selector has the requirement that the API server
// writes for a key when it creates the pod. It may hold a value that the pod
// has lost since, and then that value counts.
func added(s *outrank.LabelSelector, key string, op outrank.Operator) bool {
	return slices.ContainsFunc(s.MatchExpressions, func(r outrank.Requirement) bool {
		return r.Key == key && r.Operator == op && len(r.Values) == 1
	})
}
