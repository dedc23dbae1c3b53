package state

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// Term is a pod affinity term, prepared for matching.
type Term struct {
	Key     string // topology key
	matcher outrank.Matcher
	// namespaces has the names of the namespaces in which the term looks for pods. selector, if set, picks
	// more of them by their labels. all stands for every namespace.
	namespaces []string
	selector   *outrank.Matcher
	all        bool
}

// termsOf prepares the terms of a pod.
func termsOf(p *outrank.Pod, terms []outrank.PodAffinityTerm) []Term {
	var out []Term
	for i := range terms {
		t := &terms[i]

		// The pod's own labels narrow the term (rule 7.13.17). An empty namespace selector means
		// all namespaces (rule 7.13.13).
		prepared := Term{
			Key:        t.TopologyKey,
			matcher:    fit.Narrowed(t.LabelSelector, p.Labels, t.MatchLabelKeys, t.MismatchLabelKeys),
			namespaces: t.Namespaces,
			all:        t.NamespaceSelector.Empty(),
		}

		// An invalid selector picks nothing.
		if m, err := t.NamespaceSelector.Matcher(); err == nil && t.NamespaceSelector != nil {
			prepared.selector = &m
		}

		// A term that says nothing about namespaces looks at that of its pod (rule 7.13.12).
		if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
			prepared.namespaces = []string{p.NamespaceName()}
		}
		out = append(out, prepared)
	}
	return out
}

// matches reports whether the term picks a pod with these labels in a namespace. namespaceLabels are the
// labels of the namespace; if they are not known, the namespace selector picks nothing.
func (t *Term) matches(namespace string, labels, namespaceLabels map[string]string, known bool) bool {
	if !t.matcher.Matches(labels) {
		return false
	}
	return t.all || slices.Contains(t.namespaces, namespace) ||
		known && t.selector != nil && t.selector.Matches(namespaceLabels)
}
