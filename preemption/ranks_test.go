package preemption_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// full puts pods on a node which is full with them: all of them have to leave
// for a preemptor that wants the whole node.
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

// Each row has the better node second, so that node order does not choose it,
// and the ranks after the one in question speak for the first (rules 11.1 to 11.6).
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
