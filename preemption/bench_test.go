package preemption_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/outrank-go/outrank"
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

// BenchmarkPreemptWithNeighbours is the same for a preemptor that minds who is
// near it: the cost grows with the nodes and with the pods that its terms pick,
// not with all pods.
func BenchmarkPreemptWithNeighbours(b *testing.B) {
	const zone, host = "zone", "kubernetes.io/hostname"
	guard := &outrank.LabelSelector{Labels: map[string]string{"app": "app-3"}}
	rules := []struct {
		name string
		set  func(c *outrank.Cluster, p *outrank.Pod)
	}{
		{"none", func(*outrank.Cluster, *outrank.Pod) {}},
		{"anti-affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Affinity.AntiPods = []outrank.PodAffinityTerm{{Selector: guard, TopologyKey: host}}
		}},
		{"affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Affinity.Pods = []outrank.PodAffinityTerm{{Selector: guard, TopologyKey: zone}}
		}},
		{"spread", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.TopologySpread = []outrank.TopologySpreadConstraint{{MaxSkew: 1, Selector: guard, TopologyKey: zone}}
		}},
		{"existing", func(c *outrank.Cluster, p *outrank.Pod) {
			for _, q := range c.Pods {
				if q.Labels["app"] == "app-3" {
					q.Affinity.AntiPods = []outrank.PodAffinityTerm{{Selector: &outrank.LabelSelector{Labels: map[string]string{"app": "urgent"}}, TopologyKey: host}}
				}
			}
		}},
	}
	for _, nodes := range []int{1000, 5000, 15000} {
		for _, rule := range rules {
			b.Run(fmt.Sprintf("rule=%s/nodes=%d/pods=30", rule.name, nodes), func(b *testing.B) {
				c, p := gen.Benchmark(nodes, 30, 0)
				for i, n := range c.Nodes {
					n.Labels[zone] = fmt.Sprint("z", i%5)
				}
				p.Namespace, p.Labels = "team-0", map[string]string{"app": "urgent"}
				rule.set(c, p)
				snap, e := newSnapshot(b, c), newEvaluator(b, preemption.Config{})
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Preempt(context.Background(), snap, p, gen.Now); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
