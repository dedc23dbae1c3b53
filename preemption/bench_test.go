package preemption_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
)

// BenchmarkPreempt is one whole decision on full nodes, all of them looked at.
func BenchmarkPreempt(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		for _, budgets := range []int{0, 20} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=%d", nodes, budgets), func(b *testing.B) {
				c, p := gen.Benchmark(nodes, 30, budgets)
				snap, e := newSnapshot(b, c), newEvaluator(b, preemption.Config{})
				b.ReportAllocs()
				for b.Loop() {
					plan, err := e.Preempt(context.Background(), snap, p, gen.Now)
					if err != nil || plan.Outcome != preemption.Preempt {
						b.Fatal(plan, err)
					}
				}
			})
		}
	}
}

// BenchmarkNewSnapshot indexes a cluster.
func BenchmarkNewSnapshot(b *testing.B) {
	c, _ := gen.Benchmark(1000, 30, 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := preemption.NewSnapshot(c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.Pods)), "ns/pod")
}
