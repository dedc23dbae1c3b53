package gen_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBenchmarkIsAlwaysTheSame(t *testing.T) {
	c1, p1 := gen.Benchmark(20, 30, 20)
	c2, p2 := gen.Benchmark(20, 30, 20)
	assert.Empty(t, cmp.Diff(c1, c2))
	assert.Empty(t, cmp.Diff(p1, p2))
}

func TestBenchmarkFigures(t *testing.T) {
	const nodes, pods, budgets = 100, 30, 20
	c, p := gen.Benchmark(nodes, pods, budgets)
	require.NoError(t, c.Validate())
	require.NoError(t, p.Validate())
	require.Len(t, c.Nodes, nodes)
	require.Len(t, c.Pods, nodes*pods)
	require.Len(t, c.Budgets, budgets)
	require.Len(t, c.Namespaces, 4)

	used := map[string]resource.List{}
	distinct := map[string]map[string]bool{}
	note := func(what, value string) {
		if distinct[what] == nil {
			distinct[what] = map[string]bool{}
		}
		distinct[what][value] = true
	}
	for _, pod := range c.Pods {
		used[pod.NodeName] = used[pod.NodeName].Plus(pod.Requests())
		for name, q := range pod.Requests() {
			note(string(name), q.String())
		}
		note("priority", fmt.Sprint(pod.PriorityValue()))
		note("namespace", pod.Namespace)
		note("app", pod.Labels["app"])
		note("tier", pod.Labels["tier"])
		assert.False(t, pod.StartTime.After(gen.Now), pod.Key())
	}
	for what, count := range map[string]int{
		"cpu": 14, "memory": 16, "ephemeral-storage": 8, "priority": 5, "namespace": 4, "app": 40, "tier": 3,
	} {
		assert.Len(t, distinct[what], count, what)
	}
	for _, n := range c.Nodes {
		spare := n.Allocatable.Amount(resource.CPU) - used[n.Name].Amount(resource.CPU)
		assert.True(t, spare >= 0 && spare <= 900 && spare%100 == 0, "%s has %dm cpu to spare", n.Name, spare)
		assert.Equal(t, used[n.Name].Amount(resource.EphemeralStorage), n.Allocatable.Amount(resource.EphemeralStorage))
		assert.EqualValues(t, 110, n.Allocatable.Amount(resource.Pods))
	}
}

// Every node is full and can be made to take the preemptor, so the benchmark
// decides something everywhere.
func TestBenchmarkNeedsPreemptionEverywhere(t *testing.T) {
	c, p := gen.Benchmark(10, 30, 20)
	d := decide(c, p)
	assert.Empty(t, d.Feasible)
	assert.Len(t, d.Candidates, 10)
	assert.NotEmpty(t, d.Best)
}

func ExampleBenchmark() {
	c, p := gen.Benchmark(100, 30, 20)
	b := c.Budgets[5]
	fmt.Println(len(c.Nodes), "nodes,", len(c.Pods), "pods,", len(c.Budgets), "budgets")
	fmt.Println(b.Key(), "allows", b.Allowed, "of", b.Selector.Labels["app"])
	fmt.Println("the preemptor has priority", *p.Priority, "and asks for", p.Requests())
	// Output:
	// 100 nodes, 3000 pods, 20 budgets
	// team-1/budget-5 allows 2 of app-5
	// the preemptor has priority 10000 and asks for cpu: 4, ephemeral-storage: 4Gi, memory: 6Gi
}
