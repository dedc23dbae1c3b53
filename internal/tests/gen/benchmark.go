package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// Benchmark is [clustergen.Benchmark] for tests, whose numbers make sense: it
// panics where they do not.
func Benchmark(nodes, pods, budgets int) (*outrank.Cluster, *outrank.Pod) {
	c, p, err := clustergen.Benchmark(nodes, pods, budgets)
	if err != nil {
		panic(err)
	}
	return c, p
}
