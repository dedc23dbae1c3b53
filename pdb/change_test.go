package pdb

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// changing draws a budget, or none.
func changing(t *rapid.T) *outrank.PodDisruptionBudget {
	value := rapid.SampledFrom([]string{"", "x", "y"})
	if rapid.IntRange(0, 5).Draw(t, "none") == 0 {
		return nil
	}
	b := &outrank.PodDisruptionBudget{Namespace: rapid.SampledFrom([]string{"", "other"}).Draw(t, "namespace"), DisruptionsAllowed: rapid.Int32Range(0, 3).Draw(t, "allowed")}
	b.Selector = &outrank.LabelSelector{MatchLabels: labels{}}
	for _, key := range []string{"a", "b"} {
		if v := value.Draw(t, key); v != "" {
			b.Selector.MatchLabels[key] = v
		}
	}
	if v := value.Draw(t, "expression"); v != "" {
		b.Selector.MatchExpressions = []outrank.Requirement{{Key: "c", Operator: outrank.In, Values: []string{v}}}
	}
	return b
}

// Budgets made by changes equal those made at once, and changes leave their
// origin as it was.
func TestWithIsAsMadeAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budgets := New(nil)
		var list []*outrank.PodDisruptionBudget
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			i, b := rapid.IntRange(0, len(list)).Draw(t, "i"), changing(t)
			if i < len(list) && list[i] != nil && b != nil && rapid.Bool().Draw(t, "status") {
				b.Namespace, b.Selector = list[i].Namespace, list[i].Selector
			}
			before, was := budgets, texts(budgets)
			budgets = budgets.With(i, b)
			require.Equal(t, was, texts(before), "the budgets before a change")
			if i == len(list) {
				list = append(list, nil)
			}
			list[i] = b
			require.Equal(t, texts(New(list)), texts(budgets))
			for at := range list {
				require.Same(t, list[at], budgets.At(at))
			}
		}
	})
}

// texts lists the budgets that cover each of all pods.
func texts(b *Budgets) (out []string) {
	for _, namespace := range []string{"default", "other"} {
		for _, x := range []string{"", "x", "y"} {
			for _, y := range []string{"", "x", "y"} {
				for _, z := range []string{"x", "y"} {
					pod := &outrank.Pod{Namespace: namespace, Labels: labels{"a": x, "b": y, "c": z}}
					out = append(out, fmt.Sprint(namespace, x, y, z, b.Covering(pod)))
				}
			}
		}
	}
	return out
}

func TestWithOfNothing(t *testing.T) {
	app := &outrank.LabelSelector{MatchLabels: labels{"app": "web"}}
	pod := &outrank.Pod{Labels: labels{"app": "web"}}
	var none *Budgets
	assert.Equal(t, []int{0}, none.With(0, budget("b", app)).Covering(pod))
	assert.Equal(t, []int{0}, new(Budgets).With(0, budget("b", app)).Covering(pod))
	b := New([]*outrank.PodDisruptionBudget{budget("b", app)})
	assert.Same(t, b, b.With(2, budget("c", app)), "no index is left out")
	assert.Same(t, b, b.With(-1, budget("c", app)))
	assert.Empty(t, b.With(0, nil).Covering(pod))
}

func TestSameCoverage(t *testing.T) {
	app := func() *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: labels{"app": "web"}, MatchExpressions: []outrank.Requirement{{Key: "a", Operator: outrank.In, Values: []string{"b"}}}}
	}
	base := budget("b", app())
	for name, other := range map[string]func(b *outrank.PodDisruptionBudget){
		"namespace": func(b *outrank.PodDisruptionBudget) { b.Namespace = "other" },
		"selector":  func(b *outrank.PodDisruptionBudget) { b.Selector = nil },
		"label":     func(b *outrank.PodDisruptionBudget) { b.Selector.MatchLabels["app"] = "db" },
		"key":       func(b *outrank.PodDisruptionBudget) { b.Selector.MatchExpressions[0].Key = "x" },
		"operator":  func(b *outrank.PodDisruptionBudget) { b.Selector.MatchExpressions[0].Operator = outrank.NotIn },
		"values":    func(b *outrank.PodDisruptionBudget) { b.Selector.MatchExpressions[0].Values = []string{"c"} },
	} {
		b := budget("b", app())
		assert.True(t, SameCoverage(base, b))
		other(b)
		assert.False(t, SameCoverage(base, b), name)
		assert.False(t, SameCoverage(b, base), name)
	}
	b := budget("b", app())
	b.Namespace, b.DisruptionsAllowed = "default", 7
	assert.True(t, SameCoverage(base, b), "no namespace is the default one, and the status does not matter")
	assert.True(t, SameCoverage(budget("b", nil), budget("b", nil)))
	assert.False(t, SameCoverage(nil, base))
	assert.True(t, SameCoverage(nil, nil))
}

func BenchmarkWithStatus(b *testing.B) {
	var list []*outrank.PodDisruptionBudget
	for i := range 1000 {
		list = append(list, budget(fmt.Sprint(i), &outrank.LabelSelector{MatchLabels: labels{"app": fmt.Sprint(i)}}))
	}
	budgets, other := New(list), *list[500]
	other.DisruptionsAllowed = 3
	b.ReportAllocs()
	for b.Loop() {
		budgets = budgets.With(500, &other)
	}
	if !slices.Equal([]int{500}, budgets.Covering(&outrank.Pod{Labels: labels{"app": "500"}})) {
		b.Fatal("not covered")
	}
}
