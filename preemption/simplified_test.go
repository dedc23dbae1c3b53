package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Preemption as tutorials tell it (group 13.3).
func TestSimplified(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	third := cpu("300m")
	rows := []row{
		{
			name:    "pods leave by ascending priority until the preemptor fits, and none comes back (rule 13.3.1)",
			why:     "Of y and z only y is in the way, and z has left by then.",
			cluster: []any{node("a"), pod("x", "a", 3, cpu("200m")), pod("y", "a", 2, cpu("700m")), pod("z", "a", 1, cpu("100m"))},
			pod:     preemptor(cpu("800m")),
			want:    short + "a <- y, z (0)\nbest a",
		},
		{
			name:    "of the same priority the least important first (rule 13.3.1)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("500m"), started(1)), pod("y", "a", 1, cpu("500m"), started(9))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "the status is that with all gone",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("500m")), pod("y", "a", 100, cpu("500m"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:    "the filters run once, with those that are nominated (rule 13.3.2)",
			why:     "By rule 7.16.2 nothing might rest on the nominated pod.",
			cluster: []any{node("a"), pod("n", "", 200, web, nominatedTo("a"))},
			pod:     preemptor(near("host", selects("app", "web"))),
			want:    "a: fits",
		},
		{
			name:    "lower nominations do not count (rule 13.3.2)",
			cluster: []any{node("a"), pod("n", "", 99, cpu("1"), nominatedTo("a"))},
			pod:     preemptor(cpu("1")),
			want:    "a: fits",
		},
		{
			name:    "a pod without a priority can always be removed (rule 13.3.3)",
			cluster: []any{node("a"), pod("x", "a", 0, cpu("1"), noPriority)},
			pod:     pod("p", "", -5, cpu("1")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "and may not preempt (rule 13.3.15)",
			cluster: []any{node("a"), pod("x", "a", -1, cpu("1"))},
			pod:     preemptor(cpu("1"), noPriority),
			want:    short + "a <- x (0)\nnot eligible: not eligible without a priority.\nbest a",
		},
		{
			name:    "one of the priority 0 not (rule 13.3.3)",
			cluster: []any{node("a"), pod("x", "a", 0, cpu("1"))},
			pod:     pod("p", "", -5, cpu("1")),
			want:    short + "a out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name:    "budgets are charged for the victims in the order of their removal (rule 13.3.5)",
			why:     "z goes first and has the allowance.",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, web, third)},
			pod:     preemptor(cpu("700m")),
			want:    short + "a <- y!, z (1)\nbest a",
		},
		{
			name:    "one pod can add several violations (rule 13.3.5)",
			cluster: []any{node("a"), budget("b", 0), budget("c", 0), budget("d", 1), pod("x", "a", 1, web, cpu("1"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x! (2)\nbest a",
		},
		{
			name:    "an empty selector covers every pod of its namespace, also without labels (rule 13.3.6)",
			cluster: []any{node("a"), budget("b", 0, covering(selects())), pod("x", "a", 1, cpu("500m")), pod("y", "a", 1, cpu("500m"), inNamespace("z"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x!, z/y (1)\nbest a",
		},
		{
			name:    "a pod that the budget has counted is charged again (rule 13.3.11)",
			cluster: []any{node("a"), budget("b", 0, disrupted("x")), pod("x", "a", 1, web, cpu("1"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x! (1)\nbest a",
		},
		{
			name:    "the policy Never (rule 13.3.7)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }),
			want:    short + "a <- x (0)\nnot eligible: not eligible due to preemptionPolicy=Never.\nbest a",
		},
		{
			name:    "a nomination keeps it from preempting (rule 13.3.7)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    short + "a <- x (0)\nnot eligible: not eligible due to the nominated node.\nbest a",
		},
		{
			name:    "also one to a node that is gone (rule 13.3.7)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("gone")),
			want:    short + "a <- x (0)\nnot eligible: not eligible due to the nominated node.\nbest a",
		},
		{
			name:    "unless the node is unresolvable (rule 13.3.7)",
			cluster: []any{node("a"), node("b", cordoned), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("b")),
			want:    short + "a <- x (0)\nb: Unresolvable NodeUnschedulable [node(s) were unschedulable]\nbest a",
		},
		{
			name:    "nominations are cleared where every victim is leaving already (rule 13.3.12)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), terminating), pod("n", "", 1, nominatedTo("a"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x (0)\nbest a\ncleared n",
		},
	}
	for i := range rows {
		rows[i].config.Variant = outrank.VariantSimplified
	}
	runRows(t, rows)
}

// The number of victims comes before the sum of their priorities, which is the last rank (rule 13.3.4).
func TestSimplifiedRanks(t *testing.T) {
	config := preemption.Config{Variant: outrank.VariantSimplified}
	lowSum := full("a", victim("x", 50), victim("y", -1<<31), victim("z", -1<<31))
	few := full("b", victim("v", 50), victim("w", 40))
	c := clusterOf(append(lowSum, few...)...)
	plan := explain(t, c, preemptor(cpu("1")), config)
	assert.Equal(t, "b", plan.Node)
	assert.Equal(t, preemption.ByVictims.Name, plan.DecidedBy)
	assert.Equal(t, "a", explain(t, c, preemptor(cpu("1")), preemption.Config{}).Node)

	c = clusterOf(append(full("b", victim("x", 1, started(99))), full("a", victim("y", 1, started(1)))...)...)
	assert.Equal(t, "b", explain(t, c, preemptor(cpu("1")), config).Node, "starts do not count")
}

// A victim says what the preemptor failed with before the victim left.
func TestSimplifiedVictimsSayWhatTheyBlock(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 2, cpu("500m")), pod("y", "a", 1, cpu("500m"), binds(80, "", "")))
	plan := explain(t, c, preemptor(cpu("1"), binds(80, "", "")), preemption.Config{Variant: outrank.VariantSimplified})
	require.Equal(t, []string{"x", "y"}, victimNames(plan.Victims))
	assert.Equal(t, preemption.NodeResourcesFit, plan.Victims[0].Blocks.Filter)
	assert.Equal(t, preemption.NodePorts, plan.Victims[1].Blocks.Filter)
}

// Units are taken whole. A pod without a priority can always be taken, but not if it names a group (rule
// 12.8.10).
func TestSimplifiedTakesUnitsWhole(t *testing.T) {
	c := clusterOf(
		node("a"), group("g", 1, whole), pod("x", "a", 1, cpu("500m"), ofGroup("g")), pod("y", "a", 1, cpu("500m"), ofGroup("g")),
		pod("n", "a", 0, noPriority, ofGroup("h")), group("h", 200),
	)
	c.Release = withGroups(t)
	plan := explain(t, c, preemptor(cpu("500m")), preemption.Config{Variant: outrank.VariantSimplified})
	assert.Equal(t, []string{"x", "y"}, victimNames(plan.Victims))
	plan = explain(t, c, preemptor(cpu("500m"), func(p *outrank.Pod) { p.Priority = outrank.Priority(-1) }), preemption.Config{Variant: outrank.VariantSimplified})
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
}
