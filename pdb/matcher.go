package pdb

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// label is one label with its value.
type label struct{ key, value string }

// compile prepares the selector of a budget; ok is false for a budget that
// covers nothing.
func compile(budget *outrank.PodDisruptionBudget) (m outrank.Matcher, ok bool) {
	if budget == nil || budget.Selector == nil || budget.Selector.Empty() {
		return outrank.Matcher{}, false
	}
	m, err := budget.Selector.Matcher()
	return m, err == nil
}

// labelsOf lists the labels that a budget's pods must all carry, by key.
func labelsOf(budget *outrank.PodDisruptionBudget) []label {
	var out []label
	for _, k := range slices.Sorted(maps.Keys(budget.Selector.Labels)) {
		out = append(out, label{k, budget.Selector.Labels[k]})
	}
	return out
}
