package preemption_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// full puts pods on a node until it is full. A preemptor that wants the whole node needs all of them to
// leave.
func full(name string, pods ...*outrank.Pod) []any {
	objects := []any{node(name)}
	for _, p := range pods {
		p.NodeName = name
		p.Name = name + p.Name
		cpu("100m")(p)
		objects = append(objects, p)
	}
	return objects
}

// victim has a priority and otherwise plain values.
func victim(name string, priority int32, options ...podOption) *outrank.Pod {
	return pod(name, "", priority, options...)
}

// Each row has the better node second, so that the order of the nodes does not choose it. The ranks after
// the one in question prefer the first node (rules 11.1 to 11.6).
func TestRanks(t *testing.T) {
	rows := []struct {
		name   string
		budget *outrank.PodDisruptionBudget
		worse  []*outrank.Pod
		better []*outrank.Pod
	}{
		{
			name:   "1: fewest violations",
			budget: budget("b", 0),
			worse:  []*outrank.Pod{victim("x", 1, web)},
			better: []*outrank.Pod{victim("y", 50), victim("z", 50)},
		},
		{
			name:   "2: the lowest top victim",
			worse:  []*outrank.Pod{victim("x", 50)},
			better: []*outrank.Pod{victim("y", 49), victim("z", 49), victim("w", 49)},
		},
		{
			name:   "3: the lowest sum",
			worse:  []*outrank.Pod{victim("x", 50, started(1)), victim("y", 2)},
			better: []*outrank.Pod{victim("z", 50, started(2)), victim("w", 1)},
		},
		{
			name:   "3: priorities are shifted, so one more victim never lowers the sum",
			worse:  []*outrank.Pod{victim("x", 50, started(1)), victim("y", -1000), victim("z", -1000)},
			better: []*outrank.Pod{victim("w", 50, started(2)), victim("v", -1)},
		},
		{
			name:   "3: the lowest sum, though it is of more victims",
			worse:  []*outrank.Pod{victim("x", 50), victim("y", 40)},
			better: []*outrank.Pod{victim("z", 50), victim("w", math.MinInt32), victim("v", math.MinInt32)},
		},
		{
			name: "4: fewest victims, where the sum leaves it open",
			// The shifted lowest priority is 0, so such a victim is free.
			worse:  []*outrank.Pod{victim("x", 50, started(1)), victim("y", math.MinInt32)},
			better: []*outrank.Pod{victim("z", 50, started(2))},
		},
		{
			name:   "5: the latest start",
			worse:  []*outrank.Pod{victim("x", 50, started(20))},
			better: []*outrank.Pod{victim("y", 50, started(10))},
		},
		{
			name:   "5: the earliest of a node's top victims counts",
			worse:  []*outrank.Pod{victim("x", 50, started(20)), victim("y", 50, started(1))},
			better: []*outrank.Pod{victim("z", 50, started(10)), victim("w", 50, started(10))},
		},
		{
			name:   "5: victims below the top do not count",
			worse:  []*outrank.Pod{victim("x", 50, started(20)), victim("y", 1, started(1))},
			better: []*outrank.Pod{victim("z", 50, started(10)), victim("w", 1, started(90))},
		},
		{
			name:   "5: no start time is now",
			worse:  []*outrank.Pod{victim("x", 50, started(1))},
			better: []*outrank.Pod{victim("y", 50, notStarted)},
		},
		{
			name:   "5: one without a start time does not hide the older one",
			worse:  []*outrank.Pod{victim("x", 50, notStarted), victim("y", 50, started(20))},
			better: []*outrank.Pod{victim("z", 50, started(10)), victim("w", 50, started(10))},
		},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			c := clusterOf(append(full("worse", r.worse...), full("better", r.better...)...)...)
			if r.budget != nil {
				c.Budgets = []*outrank.PodDisruptionBudget{r.budget}
			}
			plan := explain(t, c, preemptor(cpu("1")), preemption.Config{})
			assert.Len(t, plan.Candidates, 2)
			assert.Equal(t, "better", plan.Node)
		})
	}
}

// Where all ranks tie the first node wins (rule 11.7).
func TestRanksLeaveTiesToNodeOrder(t *testing.T) {
	c := clusterOf(append(full("z", victim("x", 1)), full("a", victim("x", 1))...)...)
	plan := explain(t, c, preemptor(cpu("1")), preemption.Config{})
	assert.Len(t, plan.Candidates, 2)
	assert.Equal(t, "z", plan.Node)
}

// A plan shows the score of the best candidate, with the figures that the ranks compare (rules 11.2 to 11.6).
func TestScores(t *testing.T) {
	c := clusterOf(append(full("a", victim("x", 50, web, started(20)), victim("y", 50, started(30)), victim("z", -1, started(99))), budget("none", 0))...)
	plan := explain(t, c, preemptor(cpu("1")), preemption.Config{})
	want := preemption.Score{Violations: 1, TopPriority: 50, PrioritySum: 50 + 50 - 1 + 3<<31, Victims: 3, Start: now.Add(-30 * time.Minute)}
	assert.Equal(t, want, plan.Score)
}

// A configuration may have other ranks, or these in another order (rules 11.8 to 11.10).
func TestRanksOfTheCaller(t *testing.T) {
	few, many := full("few", victim("x", 50)), full("many", victim("y", 1), victim("z", 1))
	c := clusterOf(append(many, few...)...)
	cost := func(name string, of map[string]int64) preemption.Rank {
		return preemption.Rank{Name: name, Cost: func(p *outrank.Pod) int64 { return of[p.Name] }}
	}
	none := cost("none", nil)
	for _, test := range []struct {
		name  string
		ranks []preemption.Rank
		node  string
		by    string
	}{
		{"those of the scheduler", nil, "many", preemption.ByTopPriority.Name},
		{"in another order", []preemption.Rank{preemption.ByViolations, preemption.ByVictims, preemption.ByTopPriority}, "few", preemption.ByVictims.Name},
		{"none at all", []preemption.Rank{}, "many", ""},
		{"a cost is the sum of what the victims cost", []preemption.Rank{cost("cost", map[string]int64{"fewx": 5, "manyy": 2, "manyz": 4})}, "few", "cost"},
		{"less than nothing counts as nothing", []preemption.Rank{cost("cost", map[string]int64{"fewx": 1, "manyy": 2, "manyz": -9})}, "few", "cost"},
		{"a sum stops at the largest int64", []preemption.Rank{cost("cost", map[string]int64{"fewx": 1, "manyy": math.MaxInt64, "manyz": math.MaxInt64})}, "few", "cost"},
		{"two costs are two figures", []preemption.Rank{none, cost("first", map[string]int64{"fewx": 2, "manyy": 1, "manyz": 1}), cost("second", map[string]int64{"manyz": 1})}, "few", "second"},
		{"a figure of a candidate", []preemption.Rank{{Name: "mine", Figure: func(c *preemption.Candidate) int64 { return -int64(len(c.Node)) }}}, "many", "mine"},
		{
			"a figure knows those before it, and costs",
			[]preemption.Rank{
				{Name: "first", Figure: func(c *preemption.Candidate) int64 { return 7 }},
				{Name: "second", Figure: func(c *preemption.Candidate) int64 { return c.Score.Own["first"] - c.Score.Own["cost"] }},
				cost("cost", map[string]int64{"fewx": 1}),
			},
			"few", "second",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := explain(t, c, preemptor(cpu("1")), preemption.Config{Ranks: test.ranks})
			assert.Equal(t, test.node, plan.Node)
			assert.Equal(t, test.by, plan.DecidedBy)
			for _, k := range plan.Candidates {
				for _, r := range test.ranks {
					_, own := k.Score.Own[r.Name]
					assert.Equal(t, r.Cost != nil || r.Figure != nil, own, "a figure of each rank of the caller's")
				}
			}
		})
	}
}

// Nominations of lower priority are cleared unless every victim is being deleted already and the release
// carries preemption out asynchronously (rules 14.2.6 and 14.3.3).
func TestClearedNominations(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 1, cpu("1"), terminating), pod("n", "", 1, nominatedTo("a")))
	assert.Empty(t, explain(t, c, preemptor(cpu("1")), preemption.Config{}).ClearedNominations)
	synchronous, err := outrank.V1_37.With(map[string]bool{"SchedulerAsyncPreemption": false})
	require.NoError(t, err)
	c.Release = synchronous
	assert.Equal(t, []string{"n"}, names(explain(t, c, preemptor(cpu("1")), preemption.Config{}).ClearedNominations))
	c.Release, c.Pods[0].DeletionTimestamp = 0, time.Time{}
	assert.Equal(t, []string{"n"}, names(explain(t, c, preemptor(cpu("1")), preemption.Config{}).ClearedNominations))
}
