package pdb

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// With returns the budgets with budget at index i, in place of the one there; i =
// [Budgets.Len] appends it. A nil budget covers nothing: it takes the i-th budget away
// without moving the others. b does not change. For an index below 0 or beyond the end
// the result is b.
//
// If the new budget has the namespace and selector of the old one, With only copies the
// list of pointers. Otherwise it also prepares one selector, and copies the scopes of
// both namespaces.
func (b *Budgets) With(i int, budget *outrank.PodDisruptionBudget) *Budgets {
	if i < 0 || i > b.Len() {
		return b
	}
	if b == nil {
		return New([]*outrank.PodDisruptionBudget{budget})
	}

	// If the budget covers the same pods, the copy can share all that was prepared, because
	// it is never written.
	if i < b.Len() && SameCoverage(b.budgets[i], budget) {
		other := *b
		other.budgets = slices.Clone(b.budgets)
		other.budgets[i] = budget
		return &other
	}

	other := b.copyFor(max(i+1, b.Len()))
	if i < b.Len() {
		other.takeOut(int32(i))
	}
	other.budgets[i], other.matchers[i] = budget, outrank.Matcher{}
	if m, ok := compile(budget); ok {
		other.matchers[i] = m
		other.putIn(int32(i))
	}
	return other
}

// copyFor returns a copy with room for n budgets. The copy shares its scopes with b, so a
// scope must be cloned before it is written.
func (b *Budgets) copyFor(n int) *Budgets {
	other := &Budgets{
		budgets:  make([]*outrank.PodDisruptionBudget, n),
		matchers: make([]outrank.Matcher, n),
		scopes:   maps.Clone(b.scopes),
	}
	copy(other.budgets, b.budgets)
	copy(other.matchers, b.matchers)
	if other.scopes == nil {
		other.scopes = map[string]*scope{}
	}
	return other
}

// SameCoverage reports whether two versions of a budget cover the same pods
// because they have the same namespace and selector. Versions that write the
// same selector in different words count as different.
func SameCoverage(a, b *outrank.PodDisruptionBudget) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.NamespaceName() != b.NamespaceName() || (a.Selector == nil) != (b.Selector == nil) {
		return false
	}
	if a.Selector == nil || a.Selector == b.Selector {
		return true
	}

	return maps.Equal(a.Selector.MatchLabels, b.Selector.MatchLabels) &&
		slices.EqualFunc(a.Selector.MatchExpressions, b.Selector.MatchExpressions, func(x, y outrank.Requirement) bool {
			return x.Key == y.Key && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
		})
}

// takeOut removes a budget from a copy of its scope, and puts the copy in the scope's
// place.
func (b *Budgets) takeOut(i int32) {
	if _, ok := compile(b.budgets[i]); !ok {
		return // it is in no scope
	}

	ns := b.budgets[i].NamespaceName()
	s := b.scopes[ns].clone()
	isIt := func(other int32) bool { return other == i }
	s.rest = slices.DeleteFunc(s.rest, isIt)

	// The anchor under which the budget is listed depended on the budgets that were there at
	// the time, and is not recorded. So it is removed from the labels of all its anchors.
	for _, l := range slices.Concat(anchorsOf(b.budgets[i])...) {
		if rest := slices.DeleteFunc(slices.Clone(s.byLabel[l]), isIt); len(rest) > 0 {
			s.byLabel[l] = rest
		} else {
			delete(s.byLabel, l)
		}
	}
	b.scopes[ns] = s
}

// putIn adds a budget to a copy of its scope, and puts the copy in the scope's place.
// Of the budget's anchors it chooses the one that the fewest budgets are listed under.
func (b *Budgets) putIn(i int32) {
	ns, anchors := b.budgets[i].NamespaceName(), anchorsOf(b.budgets[i])
	s := b.scopes[ns].clone()
	b.scopes[ns] = s
	if len(anchors) == 0 {
		s.rest = append(s.rest, i)
		return
	}

	for _, l := range rarest(anchors, func(l label) int { return len(s.byLabel[l]) }) {
		// The original shares this list, so append has to copy it.
		s.byLabel[l] = append(slices.Clip(s.byLabel[l]), i)
	}
}

// clone returns a copy of the scope, an empty one for nil. The copy shares the lists in
// byLabel with s, so they must not be written.
func (s *scope) clone() *scope {
	if s == nil {
		return &scope{byLabel: map[label][]int32{}}
	}
	return &scope{byLabel: maps.Clone(s.byLabel), rest: slices.Clone(s.rest)}
}
