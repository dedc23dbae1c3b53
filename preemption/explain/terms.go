package explain

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// narrowed returns a selector with a requirement added for each of the keys, with the owner's value of that label
// (rules 7.12.8 and 7.13.17). The API server may have written a requirement into the selector already; it is not added
// twice.
func narrowed(s *outrank.LabelSelector, owner *outrank.Pod, keys []string, op outrank.Operator) *outrank.LabelSelector {
	if s == nil {
		return nil
	}
	out := &outrank.LabelSelector{MatchLabels: s.MatchLabels, MatchExpressions: slices.Clone(s.MatchExpressions)}
	for _, key := range keys {
		written := slices.ContainsFunc(s.MatchExpressions, func(r outrank.Requirement) bool {
			return r.Key == key && r.Operator == op && len(r.Values) == 1
		})
		if value, ok := owner.Labels[key]; ok && !written {
			out.MatchExpressions = append(out.MatchExpressions, outrank.Requirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
	return out
}

// selectorText writes a selector as kubectl does, the labels before the expressions.
func selectorText(s *outrank.LabelSelector) string {
	switch {
	case s == nil:
		return "no pods"
	case s.Empty():
		return "all pods"
	}
	var parts []string
	for k, v := range s.MatchLabels {
		parts = append(parts, k+"="+v)
	}
	slices.Sort(parts)
	for _, r := range s.MatchExpressions {
		parts = append(parts, requirementText(r.Key, r.Operator, r.Values))
	}
	return strings.Join(parts, ",")
}

// requirementText writes one requirement on a label, as kubectl does.
func requirementText(key string, op outrank.Operator, values []string) string {
	list := strings.Join(values, ",")
	switch op {
	case outrank.In:
		if len(values) == 1 {
			return key + "=" + list
		}
		return key + " in (" + list + ")"
	case outrank.NotIn:
		if len(values) == 1 {
			return key + "!=" + list
		}
		return key + " notin (" + list + ")"
	case outrank.Exists:
		return key
	case outrank.DoesNotExist:
		return "!" + key
	case outrank.Gt:
		return key + ">" + list
	case outrank.Lt:
		return key + "<" + list
	}
	return key + " " + string(op) + " (" + list + ")"
}

// termOf prepares a pod affinity term of the owner for matching.
func termOf(owner *outrank.Pod, t *outrank.PodAffinityTerm) podTerm {
	s := narrowed(t.LabelSelector, owner, t.MatchLabelKeys, outrank.In)
	s = narrowed(s, owner, t.MismatchLabelKeys, outrank.NotIn)
	out := podTerm{owner: owner, key: t.TopologyKey, selector: s, namespaces: t.Namespaces, inLabels: t.NamespaceSelector}
	if len(out.namespaces) == 0 && out.inLabels == nil {
		out.namespaces = []string{owner.NamespaceName()} // the default (rule 7.13.12)
	}
	out.matcher, _ = s.Matcher() // an invalid selector matches nothing
	return out
}

// termsOf prepares a list of terms of the owner for matching.
func termsOf(owner *outrank.Pod, list []outrank.PodAffinityTerm) []podTerm {
	out := make([]podTerm, len(list))
	for i := range list {
		out[i] = termOf(owner, &list[i])
	}
	return out
}
