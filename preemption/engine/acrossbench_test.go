package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// BenchmarkAcross asks about a preemptor that a few pods of each of 10 zones keep away, or
// that spreads over the zones among a twentieth of all pods, and about the same one
// without (Preempt).
func BenchmarkAcross(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		c, pod := gen.Benchmark(nodes, 30, 20)
		for i, n := range c.Nodes {
			n.Labels = map[string]string{"zone": fmt.Sprint(i % 10)}
		}
		for i, p := range c.Pods {
			p.Labels = map[string]string{"app": fmt.Sprint(i % 20)}
			if i%(3*nodes) == 7 {
				p.Labels = map[string]string{"app": "few"}
			}
		}
		apart, spreads := *pod, *pod
		apart.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: selects("few")}}
		spreads.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("3")}}
		spreads.Labels = map[string]string{"app": "3"}
		snap, err := engine.NewSnapshot(c)
		if err != nil {
			b.Fatal(err)
		}
		e, err := engine.New(preemption.Config{Victims: preemption.Across{}})
		if err != nil {
			b.Fatal(err)
		}
		for _, tt := range []struct {
			name string
			pod  *outrank.Pod
		}{{"plain", pod}, {"apart", &apart}, {"spread", &spreads}} {
			b.Run(fmt.Sprintf("nodes=%d/%s", nodes, tt.name), func(b *testing.B) {
				var plan *preemption.Plan
				for b.Loop() {
					if plan, err = e.Preempt(context.Background(), snap, preemption.Request{Pod: tt.pod, Now: gen.Now}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(plan.ClusterCertificate.Steps), "steps")
				b.ReportMetric(float64(len(plan.Victims)), "victims")
			})
		}
	}
}
