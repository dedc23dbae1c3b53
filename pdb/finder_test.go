package pdb

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Pods of the same budgets share one list, and labels that no selector looks at
// are not looked at.
func TestFinderShares(t *testing.T) {
	var input []*outrank.PodDisruptionBudget
	for i := range 100 {
		input = append(input, budget(fmt.Sprint("b", i), &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{
			{Key: "app", Operator: outrank.NotIn, Values: []string{"none"}},
		}}))
	}
	f := New(input).Finder()
	var first []int32
	for i := range 1000 {
		for _, app := range []string{"a", "b", "none"} {
			list := f.Covering(&outrank.Pod{Labels: labels{"app": app, "pod": fmt.Sprint(i)}})
			if app == "none" {
				require.Empty(t, list)
				continue
			}
			require.Len(t, list, 100)
			if first == nil {
				first = list
			}
			require.Same(t, &first[0], &list[0])
		}
	}
	require.Len(t, f.known, 3)
	require.Len(t, f.shared, 1)
	require.Nil(t, f.Covering(nil))
	require.Nil(t, f.Covering(&outrank.Pod{Namespace: "elsewhere", Labels: labels{"app": "a"}}))
	var none *Budgets
	require.Nil(t, none.Finder().Covering(&outrank.Pod{Labels: labels{"app": "a"}}))
}

// Lists that differ and have the same hash are never taken for each other: the later one is shared from then
// on.
func TestFinderHashesMayCollide(t *testing.T) {
	selector := func(k, v string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: labels{k: v}} }
	f := New([]*outrank.PodDisruptionBudget{budget("a", selector("app", "x")), budget("b", selector("tier", "y"))}).Finder()
	require.Equal(t, []int32{0}, f.Covering(&outrank.Pod{Labels: labels{"app": "x"}}))

	// No two short lists collide by themselves, so the test puts another list in the place of the first.
	other := []int32{1}
	for hash := range f.shared {
		f.shared[hash] = other
	}
	require.Equal(t, []int32{0}, f.Covering(&outrank.Pod{Labels: labels{"app": "x", "tier": "z"}}))
	require.Equal(t, []int32{1}, other, "a list that was given out stays as it is")
}

// A map yields its labels in another order each time, and pods with the same labels are known by one key all the same.
func TestFinderKnowsPodsByTheirLabels(t *testing.T) {
	f := New([]*outrank.PodDisruptionBudget{budget("b", &outrank.LabelSelector{MatchLabels: labels{"a": "1", "b": "2", "c": "3", "d": "4"}})}).Finder()
	for range 100 {
		require.Equal(t, []int32{0}, f.Covering(&outrank.Pod{Labels: labels{"a": "1", "b": "2", "c": "3", "d": "4"}}))
	}
	require.Len(t, f.known, 1)
}

// Namespaces and labels that look alike when they are written one after the other
// are told apart.
func TestFinderKeys(t *testing.T) {
	selector := func(k, v string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: labels{k: v}} }
	input := []*outrank.PodDisruptionBudget{
		budget("a", selector("a", "bc")), budget("b", selector("ab", "c")),
		{Name: "c", Namespace: "defaulta", Selector: selector("b", "c")},
	}
	f := New(input).Finder()
	require.Equal(t, []int32{0}, f.Covering(&outrank.Pod{Labels: labels{"a": "bc"}}))
	require.Equal(t, []int32{1}, f.Covering(&outrank.Pod{Labels: labels{"ab": "c"}}))
	require.Equal(t, []int32{2}, f.Covering(&outrank.Pod{Namespace: "defaulta", Labels: labels{"b": "c"}}))
}
