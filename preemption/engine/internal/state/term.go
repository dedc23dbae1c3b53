package state

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// Term is a pod affinity term, prepared for matching.
type Term struct {
	Key string // topology key
	// selector picks pods by their labels, which matcher does, too. It is nil if it is invalid or absent.
	selector *outrank.LabelSelector
	matcher  outrank.Matcher
	// namespaces has the names of the namespaces in which the term looks for pods, each once. spaces picks more
	// of them by their labels, and inSpaces matches like spaces. all stands for every namespace.
	namespaces []string
	spaces     *outrank.LabelSelector
	inSpaces   outrank.Matcher
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
			Key:      t.TopologyKey,
			selector: fit.NarrowedSelector(t.LabelSelector, p.Labels, t.MatchLabelKeys, t.MismatchLabelKeys),
			all:      t.NamespaceSelector.Empty(),
		}
		prepared.matcher, _ = prepared.selector.Matcher() // which is valid
		for _, name := range t.Namespaces {
			if !slices.Contains(prepared.namespaces, name) {
				prepared.namespaces = append(prepared.namespaces, name)
			}
		}

		// An invalid selector picks nothing.
		if m, err := t.NamespaceSelector.Matcher(); err == nil && t.NamespaceSelector != nil {
			prepared.spaces, prepared.inSpaces = t.NamespaceSelector, m
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
	return t.matcher.Matches(labels) && t.looksIn(namespace, namespaceLabels, known)
}

// looksIn reports whether the term looks for pods in a namespace; see matches.
func (t *Term) looksIn(namespace string, labels map[string]string, known bool) bool {
	return t.all || slices.Contains(t.namespaces, namespace) || known && t.inSpaces.Matches(labels)
}

// appendKey appends all that the term says. Terms with the same key pick the same pods.
func (t *Term) appendKey(key *KeyWriter) {
	key.Text(t.Key)
	key.Selector(t.selector)
	key.Flag(t.all)
	key.Texts(t.namespaces)
	key.Selector(t.spaces)
}
