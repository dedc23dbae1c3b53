package joint_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// BenchmarkLossOf asks about pods what becomes of each, by a Moves that was just made.
func BenchmarkLossOf(b *testing.B) {
	const nodes = 1000
	labels := func(p *outrank.Pod) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
	}
	for _, tt := range []struct {
		name string
		// asked is how many pods are asked about, 0 for all.
		asked int
		// full leaves the nodes as they are; else a fourth of the pods is away.
		full   bool
		change func(p *outrank.Pod, i int)
	}{
		{"sizes", 0, true, func(*outrank.Pod, int) {}},
		{"sizes with room", 0, false, func(*outrank.Pod, int) {}},
		{"replicas", 0, true, func(p *outrank.Pod, i int) {
			p.Containers[0].Requests = resource.MustList("cpu", fmt.Sprint(i%300+1)+"m", "memory", "1Gi")
			p.Namespace, p.Labels, p.Priority = "team-0", map[string]string{"app": fmt.Sprint(i % 300)}, outrank.Priority(int32(i%3))
		}},
		{"spread", 200, false, func(p *outrank.Pod, _ int) {
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{TopologyKey: "kubernetes.io/hostname", MaxSkew: 100, LabelSelector: labels(p)}}
		}},
		{"apart", 200, false, func(p *outrank.Pod, _ int) {
			p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "kubernetes.io/hostname", LabelSelector: labels(p)}}
		}},
		{"tied to a node", 2000, true, func(p *outrank.Pod, _ int) {
			p.NodeSelector = map[string]string{"kubernetes.io/hostname": p.NodeName}
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			c, _, err := clustergen.Benchmark(nodes, 30, 0)
			require.NoError(b, err)
			kept := c.Pods[:0]
			for i, p := range c.Pods {
				p.Owner = outrank.Owner{Kind: "ReplicaSet", Name: fmt.Sprint(i % 300)}
				if tt.change(p, i); tt.full || i%4 > 0 {
					kept = append(kept, p)
				}
			}
			c.Pods = kept
			snap, eval, asked := must(engine.NewSnapshot(c)), must(engine.New(preemption.Config{})), c.Pods
			if tt.asked > 0 {
				asked = asked[:tt.asked]
			}
			b.ReportAllocs()
			for b.Loop() {
				moves := must(joint.NewMoves(eval, snap))
				for _, p := range asked {
					moves.Of(p)
				}
				require.NoError(b, moves.Err())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(asked)), "ns/pod")
		})
	}
}
