package pdb

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// With returns the budgets with another one at index i, where i = [Budgets.Len]
// adds one at the end. A nil budget covers nothing, so that it takes the i-th
// budget away and leaves every other index as it is. b stays as it is. An index
// below 0 or beyond the end returns b.
//
// If namespace and selector are those of the budget before, time is that of copying
// the list of pointers. Otherwise it is that of preparing one selector, and of
// copying the list and the scopes of the namespaces concerned.
func (b *Budgets) With(i int, budget *outrank.PodDisruptionBudget) *Budgets {
	if i < 0 || i > b.Len() {
		return b
	}
	if b == nil {
		return New([]*outrank.PodDisruptionBudget{budget})
	}

	// Where the budget covers the same pods, all that was prepared can be shared:
	// nobody writes it.
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

// copyFor returns a copy with room for n budgets. It shares the scopes with b, so
// that a scope has to be cloned before it is written.
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

	// Which of its anchors the budget is listed under depends on the budgets that were
	// there before it, and is not recorded: all are looked at.
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
		// The list is the original's as well: appending has to copy it.
		s.byLabel[l] = append(slices.Clip(s.byLabel[l]), i)
	}
}

// clone returns a copy that shares the lists under the labels with s, which must not be
// written. Of a nil scope it returns an empty one.
func (s *scope) clone() *scope {
	if s == nil {
		return &scope{byLabel: map[label][]int32{}}
	}
	return &scope{byLabel: maps.Clone(s.byLabel), rest: slices.Clone(s.rest)}
}
