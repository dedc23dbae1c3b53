package clustergen_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

func TestBenchmarkFigures(t *testing.T) {
	const nodes, pods, budgets = 100, 30, 20
	c, p, err := clustergen.Benchmark(nodes, pods, budgets)
	require.NoError(t, err)
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
		assert.False(t, pod.StartTime.After(clustergen.Now()), pod.Key())
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
	c, p, err := clustergen.Benchmark(10, 30, 20)
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: clustergen.Now()})
	require.NoError(t, err)
	assert.Zero(t, ex.Feasible)
	assert.Len(t, ex.Candidates, 10)
	assert.NotEmpty(t, ex.Node)
}
