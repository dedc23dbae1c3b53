package joint_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// waiting is a benchmark cluster with pods that wait: of the benchmark's preemptor, of half
// of what it asks for, of a quarter, and of an eighth.
func waiting(t require.TestingT, nodes, pods, budgets int) (*engine.Snapshot, []*outrank.Pod) {
	cluster, pod, err := clustergen.Benchmark(nodes, 30, budgets)
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(t, err)
	var out []*outrank.Pod
	for i := range pods {
		p := *pod
		p.Name = fmt.Sprint("waiting-", i)
		list := resource.List{}
		for name, q := range pod.Requests() {
			amount := resource.Amount(name, q) >> (i % 4)
			if name == resource.CPU {
				list[name] = resource.NewMilli(amount)
			} else {
				list[name] = resource.New(amount)
			}
		}
		p.Containers = []outrank.Container{{Name: "c", Requests: list}}
		p.InitContainers, p.Overhead, p.Resources = nil, nil, nil
		out = append(out, &p)
	}
	return snap, out
}

func BenchmarkJoint(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		for _, pods := range []int{10, 100} {
			for _, budgets := range []int{0, 20} {
				b.Run(fmt.Sprintf("nodes=%d/pods=%d/budgets=%d", nodes, pods, budgets), func(b *testing.B) {
					snap, ps := waiting(b, nodes, pods, budgets)
					eval, err := engine.New(preemption.Config{})
					require.NoError(b, err)
					var plan *joint.Plan
					for b.Loop() {
						plan, err = joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: ps, Now: clustergen.Now()})
						require.NoError(b, err)
					}
					b.ReportMetric(float64(plan.OneByOne.Victims), "victims-one-by-one")
					b.ReportMetric(float64(plan.Total.Victims), "victims")
					b.ReportMetric(float64(plan.Certificate.Bound.Victims), "bound")
					b.ReportMetric(float64(plan.OneByOne.Violations-plan.Total.Violations), "violations-less")
				})
			}
		}
	}
}

// BenchmarkMoves has controllers make three of four pods again, in clusters that a tenth of the pods have
// left.
func BenchmarkMoves(b *testing.B) {
	for _, nodes := range []int{100, 1000} {
		for _, pods := range []int{10, 100} {
			b.Run(fmt.Sprintf("nodes=%d/pods=%d", nodes, pods), func(b *testing.B) {
				snap, ps := waiting(b, nodes, pods, 0)
				for i, p := range slices.Collect(snap.Pods()) {
					switch {
					case i%10 == 0:
						require.NoError(b, snap.RemovePod(p.Key()))
					case i%4 > 0:
						owned := *p
						owned.Owner = outrank.Owner{Kind: "ReplicaSet", Name: fmt.Sprint(i % 50)}
						require.NoError(b, errOf(snap.PutPod(&owned)))
					}
				}
				eval, err := engine.New(preemption.Config{})
				require.NoError(b, err)
				var plan *joint.Plan
				for b.Loop() {
					plan, err = joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: ps, Now: clustergen.Now(), Moves: &joint.LossCosts{}})
					require.NoError(b, err)
				}
				fates := map[joint.Loss]int{}
				for _, v := range plan.Victims {
					fates[v.Fate.Loss]++
				}
				for _, loss := range []joint.Loss{joint.Moved, joint.Waits, joint.Lost} {
					b.ReportMetric(float64(fates[loss]), string(loss))
				}
				b.ReportMetric(float64(plan.Total.Own["moves"]), "cost")
				b.ReportMetric(float64(plan.OneByOne.Own["moves"]), "cost-one-by-one")
				b.ReportMetric(float64(plan.Certificate.Bound.Own["moves"]), "bound")
			})
		}
	}
}
