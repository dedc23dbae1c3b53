package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// Benchmark returns what [clustergen.Benchmark] returns. Tests give it numbers that make sense, so it panics
// on an error instead of returning it.
func Benchmark(nodes, pods, budgets int) (*outrank.Cluster, *outrank.Pod) {
	c, p, err := clustergen.Benchmark(nodes, pods, budgets)
	if err != nil {
		panic(err)
	}
	return c, p
}
