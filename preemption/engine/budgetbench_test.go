package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// BenchmarkBudgetStatus changes what one budget allows in a cluster of 300,000
// pods: alone, and with a decision after each change, about a pod of a shape that was
// asked for before. The last one gives the budget another selector.
func BenchmarkBudgetStatus(b *testing.B) {
	const nodes, pods = 10000, 30
	c, p := gen.Benchmark(nodes, pods, 0)
	snap := newSnapshot(b, c)
	for _, budgets := range []int{20, 200, 2000} {
		other, _ := gen.Benchmark(1, 1, budgets)
		check(b, setBudgets(snap, other.Budgets))
		runtime.GC()
		run := func(name string, change func(b *outrank.PodDisruptionBudget) error) {
			b.Run(fmt.Sprintf("nodes=%d/pods=%d/budgets=%d/%s", nodes, pods, budgets, name), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					next := *other.Budgets[i%budgets]
					next.DisruptionsAllowed = int32(i)
					check(b, change(&next))
				}
			})
		}
		run("status", snap.PutBudget)
		e := newEvaluator(b, preemption.Config{})
		run("decision", func(*outrank.PodDisruptionBudget) error {
			_, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			return err
		})
		run("status+decision", func(next *outrank.PodDisruptionBudget) error {
			check(b, snap.PutBudget(next))
			_, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			return err
		})
		turn := 0
		run("selector", func(next *outrank.PodDisruptionBudget) error {
			turn++
			next.Name = other.Budgets[0].Name
			next.Selector = &outrank.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint("app-", turn%2)}}
			return snap.PutBudget(next)
		})
	}
}
