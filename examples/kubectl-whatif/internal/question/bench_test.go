package question_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// crowded is a nearly full cluster with pods of a hundred kinds that wait.
func crowded(b testing.TB, nodes, pending int) question.Setting {
	c, preemptor, err := clustergen.Benchmark(nodes, 30, 50)
	require.NoError(b, err)
	for i := range pending {
		p := *preemptor
		p.Name, p.Namespace, p.Labels = fmt.Sprintf("waiting-%05d", i), "default", nil
		p.Priority = outrank.Priority(int32(10 * (i % 10)))
		p.Containers = []outrank.Container{{Requests: resource.MustList("cpu", fmt.Sprintf("%dm", 100+100*(i/10%10)), "memory", "256Mi")}}
		c.Pods = append(c.Pods, &p)
	}
	for i, p := range c.Pods {
		if p.NodeName != "" {
			p.Owner, p.Ready = outrank.Owner{Kind: "ReplicaSet", Name: fmt.Sprint(i % 500)}, true
		}
	}
	s := set(b, c)
	s.Now = clustergen.Now()
	return s
}

func BenchmarkAllPending(b *testing.B) {
	s := crowded(b, 5000, 10000)
	for b.Loop() {
		r, err := question.AllPending(context.Background(), s)
		require.NoError(b, err)
		b.ReportMetric(float64(r.Totals.PushesOut), "preemptors")
		b.ReportMetric(float64(r.Totals.Placed), "placed")
		b.ReportMetric(float64(r.Totals.Waits), "waiting")
	}
}

func BenchmarkClasses(b *testing.B) {
	s := crowded(b, 5000, 1000)
	for b.Loop() {
		_, err := question.AskClasses(context.Background(), s, []*outrank.PriorityClass{{Name: "standard", Value: 500, GlobalDefault: true}})
		require.NoError(b, err)
	}
}

func BenchmarkWithout(b *testing.B) {
	s := crowded(b, 5000, 0)
	var nodes []string
	for i, n := range s.Cluster.Nodes {
		if i%20 == 0 {
			nodes = append(nodes, n.Name)
		}
	}
	for b.Loop() {
		_, err := askWithout(context.Background(), s, nodes)
		require.NoError(b, err)
	}
}

func BenchmarkReplicas(b *testing.B) {
	s := crowded(b, 5000, 1)
	p := s.Cluster.Pod("default", "waiting-00000")
	p.Priority = outrank.Priority(1000)
	for b.Loop() {
		_, err := question.AskReplicas(context.Background(), s, p, 10000)
		require.NoError(b, err)
	}
}

// Searches over 5,000 nodes, of which a third is free: for nodes that can be emptied, up to the
// limit of the program, for a priority and for a size.
func BenchmarkSearches(b *testing.B) {
	full := crowded(b, 5000, 0)
	c := *full.Cluster
	c.Pods = nil
	for i, p := range full.Cluster.Pods {
		if i%10 < 7 {
			c.Pods = append(c.Pods, p)
		}
	}
	s := set(b, &c)
	s.Now = full.Now
	sc, err := question.NewScenario(context.Background(), s)
	require.NoError(b, err)
	asked := *c.Pods[0]
	asked.Name, asked.NodeName = "asked", ""
	b.Run("emptiable", func(b *testing.B) {
		for b.Loop() {
			r, err := inverse.AskEmptiable(sc, inverse.Nodes{MostTurns: inverse.MostTurns})
			require.NoError(b, err)
			b.ReportMetric(float64(len(r.Nodes)), "nodes")
			b.ReportMetric(float64(r.Turns), "turns")
		}
	})
	b.Run("least-priority", func(b *testing.B) {
		for b.Loop() {
			_, err := inverse.AskLeastPriority(sc, inverse.Asked{Pod: &asked})
			require.NoError(b, err)
		}
	})
	b.Run("largest", func(b *testing.B) {
		for b.Loop() {
			_, err := inverse.AskLargest(sc, &asked)
			require.NoError(b, err)
		}
	})
}
