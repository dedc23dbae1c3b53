package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// No victim violates a budget (rules 13.5.1 to 13.5.4).
func TestBudgetsThatAreNeverViolated(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	const forbidden = "a out: Unschedulable [making room would violate a disruption budget]"
	third := cpu("300m")
	three := func(more ...any) []any {
		return append([]any{node("a"), pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, web, third)}, more...)
	}
	both := selects("tier", "front")
	simplified := preemption.Config{Variant: outrank.VariantSimplified}
	rows := []row{
		{
			name:    "budgets are charged from the least important up, and the others are spared",
			cluster: three(budget("b", 1)),
			pod:     preemptor(cpu("400m")),
			want:    short + "a <- z (0)\nbest a",
		},
		{
			name:    "a node that would need one more is no candidate",
			cluster: three(budget("b", 1)),
			pod:     preemptor(cpu("700m")),
			want:    short + forbidden,
		},
		{
			name:    "the filters are the answer where all gone would not do",
			cluster: three(budget("b", 1), pod("w", "a", 100, cpu("100m"))),
			pod:     preemptor(cpu("1")),
			want:    short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name: "one that is spared takes nothing from any budget",
			why:  "z violates b and leaves the only disruption of c to y.",
			cluster: []any{
				node("a"), pod("y", "a", 2, cpu("500m"), labels("tier", "front")), pod("z", "a", 1, cpu("500m"), labels("tier", "front", "app", "web")),
				budget("c", 1, covering(both)), budget("b", 0),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- y (0)\nbest a",
		},
		{
			name:    "without budgets nothing changes",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			want:    short + "a <- z (0)\nbest a",
		},
		{
			name:    "a unit is spared whole",
			release: withGroups(t),
			cluster: []any{
				node("a"), group("g", 1, whole), budget("b", 1), pod("x", "a", 1, web, cpu("200m"), ofGroup("g")), pod("y", "a", 1, web, cpu("300m"), ofGroup("g")),
				pod("z", "a", 50, cpu("500m")),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- z (0)\nbest a",
		},
		{
			name:    "simplified: the least important of those that are not spared",
			cluster: append(three(budget("b", 0, covering(selects("tier", "front")))), pod("w", "a", 0, cpu("100m"), labels("tier", "front"))),
			pod:     preemptor(cpu("300m")),
			config:  simplified,
			want:    short + "a <- z (0)\nbest a",
		},
		{
			name:    "simplified: a node that would need one more",
			cluster: three(budget("b", 1)),
			pod:     preemptor(cpu("700m")),
			config:  simplified,
			want:    short + forbidden,
		},
		{
			name:    "simplified: the filters are the answer where all gone would not do",
			cluster: three(budget("b", 1), pod("w", "a", 100, cpu("100m"))),
			pod:     preemptor(cpu("1")),
			config:  simplified,
			want:    short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:    "a chooser's victims that violate one (rule 13.5.4)",
			cluster: three(budget("b", 0)),
			pod:     preemptor(cpu("400m")),
			config:  preemption.Config{Victims: choosing("x")},
			want:    short + forbidden,
		},
		{
			name:    "of exact victims no set counts that violates one, so that those are found whom charging spares (rule 13.5.3)",
			why:     "Either of x and y may leave. Charging spares x, and y is not enough.",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 2, web, cpu("600m")), pod("y", "a", 1, web, cpu("400m"))},
			pod:     preemptor(cpu("500m")),
			config:  preemption.Config{Victims: preemption.Exact{}},
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "exact victims where every set violates one",
			cluster: []any{node("a"), budget("b", 0), pod("x", "a", 2, web, cpu("600m")), pod("y", "a", 1, web, cpu("400m"))},
			pod:     preemptor(cpu("500m")),
			config:  preemption.Config{Victims: preemption.Exact{}},
			want:    short + forbidden,
		},
	}
	for i := range rows {
		rows[i].config.Budgets = preemption.NeverViolate
	}
	runRows(t, rows)
}

// Budgets are charged for the victims alone, and the victims stay the same (rule 13.5.5).
func TestBudgetsOfTheVictimsAlone(t *testing.T) {
	third := cpu("300m")
	c := clusterOf(node("a"), pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, web, third), budget("b", 1), budget("c", 1))
	need := preemptor(cpu("700m"))
	plan := explain(t, c, need, preemption.Config{})
	require.Equal(t, []string{"x", "z"}, victimNames(plan.Victims), "y comes back as the most important that violates")
	assert.Equal(t, 1, plan.Score.Violations, "z violates beside x and y")

	plan = explain(t, c, need, preemption.Config{Budgets: preemption.ChargeVictims})
	require.Equal(t, []string{"x", "z"}, victimNames(plan.Victims))
	assert.Equal(t, 1, plan.Score.Violations, "x and z share one disruption")
	assert.Empty(t, plan.Victims[0].Violated)
	c.Budgets[0].DisruptionsAllowed, c.Budgets[1].DisruptionsAllowed = 0, 2
	plan = explain(t, c, need, preemption.Config{Budgets: preemption.ChargeVictims})
	assert.Equal(t, 2, plan.Score.Violations, "each victim counts once")

	c.Budgets = []*outrank.PodDisruptionBudget{budget("b", 1)}
	one := preemptor(cpu("400m"))
	plan = explain(t, c, one, preemption.Config{})
	require.Equal(t, []string{"x"}, victimNames(plan.Victims))
	plan = explain(t, c, one, preemption.Config{Variant: outrank.VariantSimplified})
	require.Equal(t, []string{"z"}, victimNames(plan.Victims))
	c.Budgets = []*outrank.PodDisruptionBudget{budget("b", 0), budget("c", 0)}
	assert.Equal(t, 2, explain(t, c, one, preemption.Config{Variant: outrank.VariantSimplified}).Score.Violations)
	plan = explain(t, c, one, preemption.Config{Variant: outrank.VariantSimplified, Budgets: preemption.ChargeVictims})
	assert.Equal(t, 1, plan.Score.Violations, "a pod counts once, whatever it violates")
}
