package pdb

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// label is one label with its value.
type label struct{ key, value string }

// matcher is a valid, non-empty selector in a form that is quick to go
// through: it was checked once, and holds no map.
type matcher struct {
	labels []label
	// expressions belong to the budget.
	expressions []outrank.Requirement
}

// compile prepares the selector of a budget. The matcher of a budget that
// covers nothing is empty.
func compile(budget *outrank.PodDisruptionBudget) (m matcher) {
	if budget == nil || budget.Selector == nil || budget.Selector.Validate() != nil {
		return matcher{}
	}
	s := budget.Selector
	m.expressions = s.Expressions
	for _, k := range slices.Sorted(maps.Keys(s.Labels)) {
		m.labels = append(m.labels, label{k, s.Labels[k]})
	}
	return m
}

// coversNothing tells the empty matcher; its matches would say yes to all.
func (m *matcher) coversNothing() bool { return len(m.labels) == 0 && len(m.expressions) == 0 }

// matches reports whether all that the selector lists holds.
func (m *matcher) matches(labels map[string]string) bool {
	for _, l := range m.labels {
		if value, ok := labels[l.key]; !ok || value != l.value {
			return false
		}
	}
	for i := range m.expressions {
		if !holds(&m.expressions[i], labels) {
			return false
		}
	}
	return true
}

// holds assumes a valid requirement. A missing key satisfies the two operators
// that deny something.
func holds(r *outrank.Requirement, labels map[string]string) bool {
	value, there := labels[r.Key]
	switch r.Operator {
	case outrank.In:
		return there && slices.Contains(r.Values, value)
	case outrank.NotIn:
		return !there || !slices.Contains(r.Values, value)
	case outrank.Exists:
		return there
	default:
		return !there
	}
}
