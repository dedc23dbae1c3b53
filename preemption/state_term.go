package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// term is a pod affinity term, ready for matching.
type term struct {
	key     string // topology key
	matcher outrank.Matcher
	// namespaces are named one by one, selected by their labels, or all.
	namespaces []string
	selector   *outrank.Matcher
	all        bool
}

// termsOf prepares a pod's terms.
func termsOf(p *outrank.Pod, terms []outrank.PodAffinityTerm) []term {
	var out []term
	for i := range terms {
		t := &terms[i]
		prepared := term{
			key:        t.TopologyKey,
			matcher:    narrowed(t.Selector, p.Labels, t.MatchLabelKeys, t.MismatchLabelKeys),
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
func (t *term) matches(namespace string, labels, of map[string]string, known bool) bool {
	if !t.matcher.Matches(labels) {
		return false
	}
	return t.all || slices.Contains(t.namespaces, namespace) ||
		known && t.selector != nil && t.selector.Matches(of)
}

// folded is a selector narrowed by the values that the pod itself has for some
// labels: a match must share those of keys and not share those of unlike. Keys
// that the pod does not have are ignored, and so are those that the API server
// folded in when it created the pod: the value it found then is what counts.
func narrowed(s *outrank.LabelSelector, labels map[string]string, keys, unlike []string) outrank.Matcher {
	if s == nil {
		return outrank.Matcher{}
	}
	narrowed := *s
	narrowed.Expressions = narrowed.Expressions[:len(s.Expressions):len(s.Expressions)]
	fold := func(keys []string, op outrank.Operator) {
		for _, k := range keys {
			if v, ok := labels[k]; ok && !isNarrowedBy(s, k, op) {
				narrowed.Expressions = append(narrowed.Expressions, outrank.Requirement{Key: k, Operator: op, Values: []string{v}})
			}
		}
	}
	fold(keys, outrank.In)
	fold(unlike, outrank.NotIn)
	m, err := narrowed.Matcher()
	if err != nil {
		return outrank.Matcher{}
	}
	return m
}

// foldedIn recognises what the API server makes of a key: one value. A user
// cannot have written it, for a selector must not name such a key.
func isNarrowedBy(s *outrank.LabelSelector, key string, op outrank.Operator) bool {
	for i := range s.Expressions {
		if e := &s.Expressions[i]; e.Key == key && e.Operator == op && len(e.Values) == 1 {
			return true
		}
	}
	return false
}
