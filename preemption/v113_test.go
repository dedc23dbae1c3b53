package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The scheduler of Kubernetes v1.13 (group 13.2).
func TestV113(t *testing.T) {
	const short = "Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	const waits = "not eligible: not eligible due to a terminating pod on the nominated node.\n"
	third := cpu("300m")
	rows := []row{
		{
			name:    "importance is priority alone, and the name settles ties (rule 13.2.1)",
			why:     "By its start b would be the more important.",
			cluster: []any{node("a"), pod("a", "a", 1, cpu("500m"), started(1)), pod("b", "a", 1, cpu("500m"), started(99))},
			pod:     preemptor(cpu("500m")),
			want:    "a: " + short + "a <- b (0)\nbest a",
		},
		{
			name:    "a budget stays as it is while pods are gone through (rule 13.2.2)",
			why:     "One disruption is allowed, so that none of the three violates the budget.",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, web, third)},
			pod:     preemptor(cpu("1")),
			want:    "a: " + short + "a <- x, y, z (0)\nbest a",
		},
		{
			name:    "with none allowed all violate it (rule 13.2.2)",
			cluster: []any{node("a"), budget("b", 0), pod("x", "a", 3, web, third), pod("y", "a", 2, web, third)},
			pod:     preemptor(cpu("1")),
			want:    "a: " + short + "a <- x!, y! (2)\nbest a",
		},
		{
			name:    "pods that the budget has counted violate it all the same (rule 13.2.2)",
			cluster: []any{node("a"), budget("b", 0, disrupted("x")), pod("x", "a", 1, web, cpu("1"))},
			pod:     preemptor(cpu("1")),
			want:    "a: " + short + "a <- x! (1)\nbest a",
		},
		{
			name:    "the policy Never is not looked at (rule 13.2.4)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:    "it waits for any pod of lower priority that leaves, whatever for (rule 13.2.5)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1")), pod("y", "a", 1, terminating)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- x (0)\n" + waits + "best a",
		},
		{
			name:    "whatever the node's status (rule 13.2.5)",
			cluster: []any{node("a", cordoned), node("b"), pod("x", "a", 1, terminating), pod("y", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: Unresolvable NodeUnschedulable [node(s) were unschedulable]\nb: " + short + "b <- y (0)\n" + waits + "best b",
		},
		{
			name:    "not for one of the same priority (rule 13.2.5)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1")), pod("y", "a", 100, terminating)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:     "a node that nobody asked is tried, one that is unresolvable not (rule 13.2.10)",
			cluster:  []any{node("a"), node("b"), pod("x", "a", 1, cpu("1")), pod("y", "b", 1, cpu("1"))},
			pod:      preemptor(cpu("1")),
			statuses: map[string]preemption.Status{"b": preemption.UnschedulableAndUnresolvable.Because("elsewhere")},
			want:     "a: Unschedulable [the node was not filtered]\na <- x (0)\nb: Unresolvable [elsewhere]\nbest a",
		},
		{
			name:     "a node that takes the pod with everybody back is the best, whatever the others cost (rule 13.2.11)",
			why:      "Of two such nodes the first; d has nobody who could leave.",
			cluster:  []any{node("a"), node("b"), node("c"), node("d"), pod("x", "a", 1, cpu("1")), pod("y", "b", 1), pod("z", "c", 1)},
			pod:      preemptor(cpu("1")),
			statuses: map[string]preemption.Status{},
			want: `
				a: Unschedulable [the node was not filtered]
				a <- x (0)
				b: Unschedulable [the node was not filtered]
				b <- nobody (0)
				c: Unschedulable [the node was not filtered]
				c <- nobody (0)
				d: Unschedulable [the node was not filtered]
				d <- nobody (0)
				best b`,
		},
		{
			name:    "a node that is too small even when empty is tried (rule 13.2.15)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("2")),
			want:    "a: " + short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:    "unless a filter behind the amounts says that nothing helps there (rule 13.2.15)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("2"), near("host", selects("app", "web"))),
			want:    "a: Unresolvable InterPodAffinity [node(s) didn't match pod affinity rules]",
		},
		{
			name:    "lower nominations are cleared where every victim is leaving already (rule 13.2.7)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), terminating), pod("n", "", 1, nominatedTo("a"))},
			pod:     preemptor(cpu("1")),
			want:    "a: " + short + "a <- x (0)\nbest a\ncleared n",
		},
	}
	for i := range rows {
		rows[i].config.Variant = outrank.VariantV1_13
	}
	runRows(t, rows)
}

// The second rank reads the victim that was found first. Pods that violate a budget are tried first, so that
// a victim behind them may have a higher priority (rule 13.2.3).
func TestV113ReadsTheFirstVictim(t *testing.T) {
	c := clusterOf(
		node("a"), budget("b", 0), pod("x", "a", 1, web, cpu("500m")), pod("y", "a", 50, cpu("500m")),
		node("b"), pod("v", "b", 2, web, cpu("500m")), pod("w", "b", 3, cpu("500m")),
	)
	config := preemption.Config{Variant: outrank.VariantV1_13}
	plan := explain(t, c, preemptor(cpu("1")), config)
	require.Equal(t, "a", plan.Node, "its first victim is x, of the priority 1")
	assert.Equal(t, int32(1), plan.Score.TopPriority)
	assert.Equal(t, []string{"y", "x"}, victimNames(plan.Victims), "a plan lists them by importance")
	assert.Equal(t, preemption.ByTopPriority.Name, plan.DecidedBy)
	assert.Equal(t, "b", explain(t, c, preemptor(cpu("1")), preemption.Config{}).Node, "today's scheduler reads y")
}

// There is no fifth rank: the first node wins, and starts have no part in it (rule 13.2.3).
func TestV113HasFourRanks(t *testing.T) {
	c := clusterOf(append(full("b", victim("x", 1, started(99))), full("a", victim("y", 1, started(1)))...)...)
	assert.Equal(t, "b", explain(t, c, preemptor(cpu("1")), preemption.Config{Variant: outrank.VariantV1_13}).Node)
	assert.Equal(t, "a", explain(t, c, preemptor(cpu("1")), preemption.Config{}).Node)
}

// The first extender is shown the victims that violate a budget first (rules 10.2.1 and 13.2.3).
func TestV113ShowsViolatingVictimsFirst(t *testing.T) {
	c := clusterOf(node("a"), budget("b", 0), pod("x", "a", 1, web, cpu("500m")), pod("y", "a", 50, cpu("500m")))
	var shown []string
	config := preemption.Config{Variant: outrank.VariantV1_13, Extenders: []preemption.Extender{extender("x", func(given []preemption.Candidate) ([]preemption.Candidate, error) {
		shown = victimNames(given[0].Victims)
		return given, nil
	})}}
	plan := explain(t, c, preemptor(cpu("1")), config)
	assert.Equal(t, []string{"x", "y"}, shown)
	assert.Equal(t, int32(1), plan.Score.TopPriority, "it reads them in the extender's order")
}
