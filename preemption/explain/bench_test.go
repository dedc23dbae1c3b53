package explain_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// variants are sorts of questions to a large cluster.
func variants(p *outrank.Pod) map[string]*outrank.Pod {
	hopeless := *p
	hopeless.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "1000")}}
	lowest := *p
	lowest.Priority = outrank.Priority(-1 << 31)
	apart := *p
	apart.Labels = map[string]string{"app": "web"}
	apart.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "kubernetes.io/hostname", LabelSelector: &outrank.LabelSelector{}}}
	alone := apart
	alone.Priority = outrank.Priority(-1 << 31)
	taken := *p
	taken.Priority = outrank.Priority(-1 << 31)
	taken.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "1"), Ports: []outrank.Port{{HostPort: 80}}}}
	return map[string]*outrank.Pod{"preempts": p, "hopeless": &hopeless, "lowest": &lowest, "apart": &apart, "alone": &alone, "ports": &taken}
}

// BenchmarkAsk decides and explains.
func BenchmarkAsk(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		c, p := gen.Benchmark(nodes, 30, 20)
		for i, n := range c.Nodes {
			n.Labels = map[string]string{"kubernetes.io/hostname": n.Name, "zone": fmt.Sprint(i % 3)}
		}
		snap, err := engine.NewSnapshot(c)
		require.NoError(b, err)
		e, err := engine.New(preemption.Config{})
		require.NoError(b, err)
		for name, pod := range variants(p) {
			b.Run(fmt.Sprintf("%s/%d", name, nodes), func(b *testing.B) {
				for range b.N {
					r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: pod, Now: gen.Now}}, explain.Options{})
					require.NoError(b, err)
					_ = r.Text()
				}
			})
		}
	}
}
