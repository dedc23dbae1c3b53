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
	// namespaces are listed by name; selector picks namespaces by their labels;
	// all means every namespace.
	namespaces []string
	selector   *outrank.Matcher
	all        bool
}

// termsOf prepares a pod's terms.
func termsOf(p *outrank.Pod, terms []outrank.PodAffinityTerm) []Term {
	var out []Term
	for i := range terms {
		t := &terms[i]
		prepared := Term{
			Key:        t.TopologyKey,
			matcher:    fit.Narrowed(t.LabelSelector, p.Labels, t.MatchLabelKeys, t.MismatchLabelKeys),
			namespaces: t.Namespaces,
			all:        t.NamespaceSelector.Empty(),
		}
		if m, err := t.NamespaceSelector.Matcher(); err == nil && t.NamespaceSelector != nil {
			prepared.selector = &m
		}
		if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
			prepared.namespaces = []string{p.NamespaceName()}
		}
		out = append(out, prepared)
	}
	return out
}

// matches reports whether the term picks a pod by its namespace and labels. The
// namespace has the labels in of; known is whether it is there at all.
func (t *Term) matches(namespace string, labels, of map[string]string, known bool) bool {
	if !t.matcher.Matches(labels) {
		return false
	}
	return t.all || slices.Contains(t.namespaces, namespace) ||
		known && t.selector != nil && t.selector.Matches(of)
}
