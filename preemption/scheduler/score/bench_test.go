package score_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// crowd is a cluster of nodes in 10 zones with 30 pods each, of 200 applications, of which one in
// ten has preferred terms and each is selected by its own labels.
func crowd(nodes int) *outrank.Cluster {
	c := &outrank.Cluster{}
	for i := range nodes {
		n := node(fmt.Sprint("n", i), outrank.ZoneLabel, fmt.Sprint("z", i%10))
		n.Allocatable = resource.MustList("cpu", "16", "memory", "64Gi", "pods", "110")
		for j := range 20 {
			n.Images = append(n.Images, outrank.NodeImage{Names: []string{fmt.Sprint("app-", (i+j)%200, ":1"), fmt.Sprint("app-", (i+j)%200, "@sha256:0")}, SizeBytes: 1 << 28})
		}
		c.Nodes = append(c.Nodes, n)
		for j := range 30 {
			c.Pods = append(c.Pods, member(fmt.Sprint("p-", i, "-", j), n.Name, (i*7+j)%200))
		}
	}
	return c
}

func member(name, on string, app int) *outrank.Pod {
	p := &outrank.Pod{Name: name, NodeName: on, Labels: map[string]string{"app": fmt.Sprint("app-", app), "tier": "t"}}
	p.Containers = []outrank.Container{{Name: "c", Image: fmt.Sprint("app-", app, ":1"), Requests: resource.MustList("cpu", "100m", "memory", "256Mi")}}
	if app%10 == 0 {
		p.Preferences = &outrank.Preferences{PodAntiAffinity: []outrank.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: outrank.PodAffinityTerm{
			LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}, TopologyKey: "kubernetes.io/hostname",
		}}}}
	}
	return p
}

func BenchmarkRank(b *testing.B) {
	const nodes = 5000
	snap, err := engine.NewSnapshot(crowd(nodes))
	require.NoError(b, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(b, err)
	scorer, err := score.New(score.Config{SpreadSelector: func(p *outrank.Pod) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
	}})
	require.NoError(b, err)
	run := func(name string, counted bool, pod *outrank.Pod) {
		b.Run(fmt.Sprintf("nodes=%d/%s", nodes, name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				on := snap
				if counted {
					on = snap.Clone() // what that keeps, snap does not
				}
				r, err := scorer.Rank(context.Background(), eval, on, pod)
				if err != nil || len(r.Nodes) != nodes || r.Choose(nil) == nil {
					b.Fatal(len(r.Nodes), err)
				}
			}
		})
	}
	run("counted", true, member("new", "", 7))
	run("tracked", false, member("new", "", 7))
	run("tracked,terms", false, member("new", "", 10))
	b.Run(fmt.Sprintf("nodes=%d/feasible", nodes), func(b *testing.B) {
		for b.Loop() {
			if _, err := eval.Feasible(context.Background(), snap, member("new", "", 7)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
