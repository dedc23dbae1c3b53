package preemption_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The best set of possible victims by the ranks leaves (group 13.4).
func TestExactVictims(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	isWeb := selects("app", "web")
	rows := []row{
		{
			name:    "one victim in place of the two that are left once the most important is back (rule 13.4.1)",
			why:     "All of them have the same priority. Chapter 9 puts x back and takes y and z.",
			cluster: []any{node("a"), pod("x", "a", 2, cpu("300m")), pod("y", "a", 2, cpu("200m")), pod("z", "a", 2, cpu("100m"))},
			pod:     preemptor(cpu("700m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "by the ranks of the policy (rule 13.4.1)",
			why:     "The fewest victims, whatever their priority.",
			cluster: []any{node("a"), pod("x", "a", 9, cpu("500m")), pod("y", "a", 2, cpu("300m")), pod("z", "a", 2, cpu("200m"))},
			pod:     preemptor(cpu("500m")),
			config:  preemption.Config{Ranks: []preemption.Rank{preemption.ByVictims}},
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "only possible victims (rule 13.4.1)",
			cluster: []any{node("a"), pod("x", "a", 100, cpu("300m")), pod("y", "a", 2, cpu("200m")), pod("z", "a", 2, cpu("100m"))},
			pod:     preemptor(cpu("700m")),
			want:    short + "a <- y, z (0)\nbest a",
		},
		{
			name:    "units leave whole (rule 13.4.1)",
			release: withGroups(t),
			cluster: []any{
				node("a"), group("g", 1, whole), pod("x", "a", 1, cpu("300m"), ofGroup("g")), pod("y", "a", 1, cpu("100m"), ofGroup("g")), pod("z", "a", 2, cpu("600m")),
			},
			pod:    preemptor(cpu("300m")),
			config: preemption.Config{Ranks: []preemption.Rank{preemption.ByTopPriority}},
			want:   short + "a <- x, y (0)\nbest a",
		},
		{
			name:    "budgets are charged for the victims alone (rule 13.4.2)",
			why:     "By chapter 9 y is spared, because x has the allowance.",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 2, web, cpu("500m")), pod("y", "a", 1, web, cpu("500m"))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- y (0)\nbest a",
		},
		{
			name:    "k victims under a budget that allows a violate it max(0, k - a) times (rule 13.4.2)",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 2, web, cpu("500m")), pod("y", "a", 1, web, cpu("500m"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x, y! (1)\nbest a",
		},
		{
			name:    "a tie goes to the victims that chapter 9 finds (rule 13.4.3)",
			why:     "x and y tie in all ranks. As y violates the budget beside x, chapter 9 puts it back first.",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 1, web, cpu("500m")), pod("y", "a", 1, web, cpu("500m"))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "a set can be found where chapter 9 finds none (rule 13.4.4)",
			why:     "With both away there is nobody to be near to.",
			cluster: []any{node("a"), pod("x", "a", 1, web, cpu("100m")), pod("y", "a", 50, cpu("900m"))},
			pod:     preemptor(near("host", isWeb), cpu("500m")),
			want:    short + "a <- y (0)\nbest a",
		},
		{
			name:    "of two pods that hold one port both leave (rule 13.4.5)",
			cluster: []any{node("a"), pod("first", "a", 2, binds(80, "", "")), pod("second", "a", 1, binds(80, "", ""))},
			pod:     preemptor(binds(80, "", "")),
			want:    "a: Unschedulable NodePorts [node(s) didn't have free ports for the requested pod ports]\na <- first, second (0)\nbest a",
		},
		{
			name:    "no set makes room, and the status is that with all gone",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("500m")), pod("y", "a", 100, cpu("500m"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:     "a node where nobody has to leave is a contradiction (rule 9.9)",
			cluster:  []any{node("a"), pod("x", "a", 1)},
			pod:      preemptor(),
			statuses: map[string]preemption.Status{"a": preemption.Unschedulable.Because("elsewhere")},
			want:     "a: Unschedulable [elsewhere]\na out: Contradiction [expected at least one victim pod on node \"a\"]",
		},
		{
			name:     "and the best that there is by the variant v1.13 (rule 13.2.11)",
			cluster:  []any{node("a"), pod("x", "a", 1)},
			pod:      preemptor(),
			config:   preemption.Config{Variant: outrank.VariantV1_13},
			statuses: map[string]preemption.Status{"a": preemption.Unschedulable.Because("elsewhere")},
			want:     "a: Unschedulable [elsewhere]\na <- nobody (0)\nbest a",
		},
	}
	for i := range rows {
		rows[i].config.Victims = preemption.Exact{}
	}
	runRows(t, rows)
}

// Every set was tried, so that no other is better (rules 13.4.6 and 13.4.7).
func TestExactIsCertain(t *testing.T) {
	config := preemption.Config{Victims: preemption.Exact{}}
	c := clusterOf(node("a"), node("b"), pod("x", "a", 1, cpu("1")), pod("y", "b", 2, cpu("1")))
	plan := explain(t, c, preemptor(cpu("1")), config)
	for _, candidate := range plan.Candidates {
		require.NotNil(t, candidate.Certificate)
		assert.True(t, candidate.Certificate.Optimal)
		assert.Equal(t, candidate.Score, candidate.Certificate.Bound)
	}
	assert.Equal(t, &preemption.Certificate{Optimal: true, Bound: plan.Score}, plan.ClusterCertificate)
	assert.Equal(t, preemption.NodeResourcesFit, plan.Victims[0].Blocks.Filter)

	plan = explain(t, c, preemptor(cpu("2")), config)
	require.Equal(t, preemption.NothingHelps, plan.Outcome)
	assert.Equal(t, &preemption.Certificate{Optimal: true}, plan.ClusterCertificate, "that nothing helps is certain")
	assert.Nil(t, explain(t, c, preemptor(cpu("1")), preemption.Config{}).ClusterCertificate)
}

// Sixteen possible victims have 65,535 sets, which the book tries; with one more it names the engine, for
// victims on several nodes as well.
func TestTooManySetsNameTheEngine(t *testing.T) {
	crowd := func(pods int) *outrank.Cluster {
		c := clusterOf(node("a", slots(99), zone("1")))
		for i := range pods {
			c.Pods = append(c.Pods, pod(fmt.Sprint("x", i), "a", 1, web))
		}
		return c
	}
	for _, rule := range []preemption.VictimRule{preemption.Exact{}, preemption.Across{}} {
		_, err := preemption.Preempt(crowd(17), preemption.Request{Pod: preemptor(away("zone", selects("app", "web"))), Now: now}, preemption.Config{Victims: rule})
		require.ErrorContains(t, err, "node a: more than 16 possible victims")
		assert.ErrorContains(t, err, "preemption/engine")
	}
	plan, err := preemption.Preempt(crowd(8), preemption.Request{Pod: preemptor(away("zone", selects("app", "web"))), Now: now}, preemption.Config{Victims: preemption.Exact{}})
	require.NoError(t, err)
	assert.Len(t, plan.Victims, 8)
}

// What does not go with the best victims is refused, with the name of the setting (rules 13.4.9, 13.5.4 and
// 13.6.11).
func TestWhatDoesNotGoTogether(t *testing.T) {
	guard, extenders := guardOf(atMost(1)), []preemption.Extender{dropping("a")}
	cost := func(name string) preemption.Rank {
		return preemption.Rank{Name: name, Cost: func(*outrank.Pod) int64 { return 1 }}
	}
	figure := []preemption.Rank{{Name: "figure", Figure: func(*preemption.Candidate) int64 { return 1 }}}
	for field, config := range map[string]preemption.Config{
		"Guard":           {Victims: preemption.Exact{}, Guard: guard},
		"Extenders":       {Victims: preemption.Exact{}, Extenders: extenders},
		"Ranks[0].Figure": {Victims: preemption.Exact{}, Ranks: figure},
		"Ranks[1].Cost":   {Victims: preemption.Across{}, Ranks: []preemption.Rank{cost("one"), cost("two")}},
		"Sample":          {Victims: preemption.Across{}, Sample: &preemption.Sample{}},
		"Guard: a guard":  {Budgets: preemption.NeverViolate, Guard: guard},
		"Extenders: they": {Budgets: preemption.NeverViolate, Extenders: extenders},
	} {
		_, err := preemption.Preempt(clusterOf(node("a")), preemption.Request{Pod: preemptor()}, config)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, "preemption config: "+field)
	}
}
