package preemption_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// BenchmarkPreempt decides once on clusters that are nearly full. The engine does the same in microseconds
// (BenchmarkPreempt in preemption/engine).
func BenchmarkPreempt(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprintf("nodes=%d/pods=30", nodes), func(b *testing.B) {
			c, p, err := clustergen.Benchmark(nodes, 30, 20)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := preemption.Preempt(c, preemption.Request{Pod: p, Now: clustergen.Now()}, preemption.Config{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
