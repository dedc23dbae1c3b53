package fit

import (
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
)

// NodeName reports whether the pod names this node or none.
func NodeName(pod *outrank.Pod, node *outrank.Node) bool {
	return pod.NodeName == "" || pod.NodeName == node.Name
}

// UntoleratedTaint returns the first of the node's taints that has one of the effects and is not tolerated by
// the pod. It is for a single node. Callers that ask many nodes keep a [Tolerations].
func UntoleratedTaint(pod *outrank.Pod, node *outrank.Node, effects ...outrank.TaintEffect) (outrank.Taint, bool) {
	if len(node.Taints) == 0 {
		return outrank.Taint{}, false
	}
	t := NewTolerations(pod.Tolerations)
	return t.Untolerated(node, effects...)
}

// Unschedulable reports whether the node is cordoned and the pod does not tolerate that.
func Unschedulable(pod *outrank.Pod, node *outrank.Node) bool {
	return node.Unschedulable && !pod.Tolerates(cordon)
}

// cordon is the taint that a cordoned node stands for.
var cordon = outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}

// NodeAffinity reports whether the node meets the pod's node selector and its required node affinity
// (component-helpers GetRequiredNodeAffinity).
func NodeAffinity(pod *outrank.Pod, node *outrank.Node) bool {
	for k, v := range pod.NodeSelector {
		if got, ok := node.Labels[k]; !ok || got != v {
			return false
		}
	}
	s := pod.Affinity.NodeAffinity
	return s == nil || slices.ContainsFunc(s.NodeSelectorTerms, func(t outrank.NodeSelectorTerm) bool {
		return MatchesTerm(t, node)
	})
}

// MatchesTerm reports whether everything that a term lists holds for the node. An empty term matches nothing
// (rule 7.5.4).
func MatchesTerm(t outrank.NodeSelectorTerm, node *outrank.Node) bool {
	if !termMatchesLabels(&t, node.Labels) {
		return false
	}
	for i := range t.MatchFields {
		if !meetsField(&t.MatchFields[i], node) {
			return false
		}
	}
	return true
}

// MatchesLabels reports whether any of the terms holds for a node with these labels. It ignores fields. A
// volume selects its nodes in this way (rule 7.10.3; component-helpers CheckNodeAffinity).
func MatchesLabels(s *outrank.NodeSelector, labels map[string]string) bool {
	for i := range s.NodeSelectorTerms {
		if termMatchesLabels(&s.NodeSelectorTerms[i], labels) {
			return true
		}
	}
	return false
}

// termMatchesLabels reports whether the labels meet a term, apart from its fields. An empty term matches nothing.
func termMatchesLabels(t *outrank.NodeSelectorTerm, labels map[string]string) bool {
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
		return false
	}
	for i := range t.MatchExpressions {
		value, ok := labels[t.MatchExpressions[i].Key]
		if !meets(&t.MatchExpressions[i], value, ok) {
			return false
		}
	}
	return true
}

// meetsField reports whether the node's name meets a requirement, which is In or NotIn with one value. No node
// meets any other requirement (rule 7.5.7).
func meetsField(r *outrank.NodeRequirement, node *outrank.Node) bool {
	if r.Key != outrank.FieldName || len(r.Values) != 1 {
		return false
	}
	switch r.Operator {
	case outrank.In:
		return r.Values[0] == node.Name
	case outrank.NotIn:
		return r.Values[0] != node.Name
	}
	return false
}

// meets reports whether a label with this value meets the requirement or, if there is false, the label's
// absence. Nothing meets an invalid requirement.
func meets(r *outrank.NodeRequirement, value string, there bool) bool {
	switch r.Operator {
	case outrank.In:
		return there && slices.Contains(r.Values, value) && labelValues(r.Values)
	case outrank.NotIn:
		return len(r.Values) > 0 && (!there || !slices.Contains(r.Values, value)) && labelValues(r.Values)
	case outrank.Exists:
		return there && len(r.Values) == 0
	case outrank.DoesNotExist:
		return !there && len(r.Values) == 0
	case outrank.Gt, outrank.Lt:
		return there && compares(r, value)
	}
	return false
}

// labelValues reports whether every text is a valid label value. If one is not, the reference takes the whole
// term for a mistake, whatever the operator (rule 7.5.8).
func labelValues(values []string) bool {
	for _, v := range values {
		if !labelValue(v) {
			return false
		}
	}
	return true
}

// labelValue reports whether a text is a valid label value: at most 63 letters, digits, '-', '_' and '.', with
// a letter or digit at both ends. It may be empty.
func labelValue(v string) bool {
	const most = 63
	if len(v) > most {
		return false
	}

	for i := range len(v) {
		c := v[i]
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		inner := i > 0 && i < len(v)-1 && (c == '-' || c == '_' || c == '.')
		if !alphanumeric && !inner {
			return false
		}
	}
	return true
}

// compares reports whether a label meets Gt or Lt, which compare integers strictly (rule 7.5.6).
func compares(r *outrank.NodeRequirement, value string) bool {
	// ParseInt accepts a sign, but no label value can begin with one, so a limit with a sign is a mistake (rule
	// 7.5.8).
	if len(r.Values) != 1 || !labelValue(r.Values[0]) {
		return false
	}

	have, err1 := strconv.ParseInt(value, 10, 64)
	limit, err2 := strconv.ParseInt(r.Values[0], 10, 64)
	if err1 != nil || err2 != nil {
		return false
	}

	if r.Operator == outrank.Gt {
		return have > limit
	}
	return have < limit
}

// NamedNodes returns the names of the only nodes that can meet the pod's required node affinity. ok says that
// each term names nodes by metadata.name (rules 7.15.1 and 7.15.3; NodeAffinity PreFilter). The names of
// several requirements in one term are intersected, the names of several terms united. The result may be empty.
func NamedNodes(pod *outrank.Pod) (names map[string]bool, ok bool) {
	s := pod.Affinity.NodeAffinity
	if s == nil || len(s.NodeSelectorTerms) == 0 {
		return nil, false
	}

	names = map[string]bool{}
	for _, t := range s.NodeSelectorTerms {
		named, any := namesOf(t)
		if !any {
			return nil, false
		}
		for _, n := range named {
			names[n] = true
		}
	}
	return names, true
}

// namesOf returns the names that all requirements metadata.name In of the term have in common. any says that
// the term has such a requirement.
func namesOf(t outrank.NodeSelectorTerm) (names []string, any bool) {
	for _, r := range t.MatchFields {
		if r.Key != outrank.FieldName || r.Operator != outrank.In {
			continue
		}
		if !any {
			names, any = slices.Clone(r.Values), true
			continue
		}

		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(r.Values, n) })
	}
	return names, any
}
