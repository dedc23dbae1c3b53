package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// budgetsOverAll is a dump of 10 full nodes on which n budgets cover each of n pods.
func budgetsOverAll(n int) string {
	var b strings.Builder
	b.WriteString(`{"kind":"List","items":[`)
	for i := range 10 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d"},"status":{"allocatable":{"cpu":"%d","pods":"999"}}},`, i, n/10)
	}
	for i := range n {
		fmt.Fprintf(&b, `{"kind":"PodDisruptionBudget","metadata":{"name":"a-budget-of-many-that-are-all-alike-%d"},"spec":{"selector":{"matchLabels":{"app":"x"}}}},`, i)
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d","labels":{"app":"x"}},"spec":{"nodeName":"n%d","priority":0,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}},`, i, i%10)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

// An answer is not much longer than the question, and finding it takes no more than its
// parts do, however many budgets a pod violates: in v1.36 all that cover it.
func TestManyBudgets(t *testing.T) {
	const n = 600
	dump := budgetsOverAll(n)
	args := []string{"-release", "v1.36", "-cluster", "-", "-cpu", fmt.Sprint(n / 10), "-priority", "1"}
	var text, json string
	allocated := testing.AllocsPerRun(1, func() {
		status, out, complaint := whatif(dump, args...)
		require.Zero(t, status, complaint)
		text = out
	})
	status, json, complaint := whatif(dump, append(args, "-o", "json", "-list", "0")...)
	require.Zero(t, status, complaint)
	require.Less(t, len(text), len(dump))
	require.Less(t, len(json), 10*len(dump))
	require.Less(t, allocated, 200.0*n)
	require.Equal(t, n, strings.Count(text, "breaks budget default/a-budget-of-many-that-are-all-alike-"), "10 each for a tenth of the pods")
	require.Equal(t, n/10, strings.Count(text, "breaks 590 budgets more"))
	require.Equal(t, 2*n/10+9*n/10, strings.Count(json, `"moreViolated": 590`), "of the victims, and of those of every candidate")
}
