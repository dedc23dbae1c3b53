package pdb

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// label stands for labels of pods: the key with the value or, if any is set, the key with
// any value.
type label struct {
	key, value string
	any        bool
}

// compile prepares the selector of a budget. ok is false for a budget that covers
// nothing (rules 6.2.2 and 6.2.3).
func compile(budget *outrank.PodDisruptionBudget) (m outrank.Matcher, ok bool) {
	if budget == nil || budget.Selector == nil || budget.Selector.Empty() {
		return outrank.Matcher{}, false
	}
	m, err := budget.Selector.Matcher()
	return m, err == nil
}

// anchorsOf lists the anchors of a budget. An anchor is a list of labels such that
// every pod covered by the budget has exactly one of them. So the labels of any one
// anchor are enough to find the budget. An anchor is a label of the selector, or the
// values that an expression allows for a key, or a key that must be there. The result
// is in a fixed order, although maps have none.
func anchorsOf(budget *outrank.PodDisruptionBudget) [][]label {
	var out [][]label
	for _, k := range slices.Sorted(maps.Keys(budget.Selector.MatchLabels)) {
		out = append(out, []label{{key: k, value: budget.Selector.MatchLabels[k]}})
	}
	for i := range budget.Selector.MatchExpressions {
		switch e := &budget.Selector.MatchExpressions[i]; e.Operator {
		case outrank.In:
			out = append(out, valuesOf(e))
		case outrank.Exists:
			out = append(out, []label{{key: e.Key, any: true}})
		}
	}
	return out
}

// valuesOf lists the labels that an expression allows, each once.
func valuesOf(e *outrank.Requirement) []label {
	values := slices.Sorted(slices.Values(e.Values))
	var out []label
	for _, v := range slices.Compact(values) {
		out = append(out, label{key: e.Key, value: v})
	}
	return out
}

// rarest returns the anchor whose most common label is the least common, the first
// of equals. common says how common a label is. There is at least one anchor.
func rarest(anchors [][]label, common func(label) int) []label {
	most := func(anchor []label) int {
		n := 0
		for _, l := range anchor {
			n = max(n, common(l))
		}
		return n
	}

	best, least := anchors[0], most(anchors[0])
	for _, a := range anchors[1:] {
		if n := most(a); n < least {
			best, least = a, n
		}
	}
	return best
}
