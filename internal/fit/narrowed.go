package fit

import "github.com/outrank-go/outrank"

// Narrowed returns a matcher for what NarrowedSelector returns.
func Narrowed(s *outrank.LabelSelector, labels map[string]string, keys, unlike []string) outrank.Matcher {
	m, _ := NarrowedSelector(s, labels, keys, unlike).Matcher() // which is valid
	return m
}

// NarrowedSelector returns a selector narrowed by a pod's labels: a match must have the pod's values for
// keys, and must not have its values for unlike (rules 7.12.8 and 7.13.17). Keys that the pod does not have are
// ignored. So are keys for which the API server wrote a requirement into the selector when it created the pod:
// the value at that time counts. For a nil or invalid selector, which matches nothing, it returns nil.
func NarrowedSelector(s *outrank.LabelSelector, labels map[string]string, keys, unlike []string) *outrank.LabelSelector {
	if s == nil {
		return nil
	}

	// The capacity is cut, so that appending does not write into the pod's own selector.
	narrowed := *s
	narrowed.MatchExpressions = narrowed.MatchExpressions[:len(s.MatchExpressions):len(s.MatchExpressions)]
	fold := func(keys []string, op outrank.Operator) {
		for _, k := range keys {
			if v, ok := labels[k]; ok && !isNarrowedBy(s, k, op) {
				narrowed.MatchExpressions = append(narrowed.MatchExpressions, outrank.Requirement{Key: k, Operator: op, Values: []string{v}})
			}
		}
	}
	fold(keys, outrank.In)
	fold(unlike, outrank.NotIn)

	if _, err := narrowed.Matcher(); err != nil {
		return nil
	}
	return &narrowed
}

// isNarrowedBy reports whether the selector has a requirement with one value such as the API server writes for
// a key. No user can have written it: the API server rejects a pod whose selector names such a key.
func isNarrowedBy(s *outrank.LabelSelector, key string, op outrank.Operator) bool {
	for i := range s.MatchExpressions {
		if e := &s.MatchExpressions[i]; e.Key == key && e.Operator == op && len(e.Values) == 1 {
			return true
		}
	}
	return false
}
