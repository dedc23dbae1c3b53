package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// A node waits, or is left out, because of the first figures of another one only where
// violations of that one do not come before them.
func TestViolationsBeforeTheFirstFigures(t *testing.T) {
	pod := func(name, node, cpu string, age time.Duration) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Labels: map[string]string{"on": node}, StartTime: gen.Now.Add(-age), Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		}
	}
	allocatable := resource.MustList("cpu", "4", "pods", "10")
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "violating", Allocatable: allocatable}, {Name: "free", Allocatable: allocatable}},
		Pods:  []*outrank.Pod{pod("a", "violating", "4", time.Minute), pod("b", "free", "2", time.Hour), pod("c", "free", "2", time.Hour)},
		Budgets: []*outrank.PodDisruptionBudget{{
			Name: "none", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"on": "violating"}},
		}},
	})
	require.NoError(t, err)
	p := &outrank.Pod{Name: "p", Priority: outrank.Priority(1), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "4")}}}
	for _, x := range []struct {
		want  string
		ranks []preemption.Rank
	}{
		{"free", []preemption.Rank{preemption.ByViolations, preemption.ByVictims, preemption.ByPrioritySum}},
		{"violating", []preemption.Rank{preemption.ByVictims, preemption.ByViolations, preemption.ByPrioritySum}},
		{"free", []preemption.Rank{preemption.ByViolations, preemption.ByStart}},
		{"violating", []preemption.Rank{preemption.ByStart, preemption.ByViolations}},
		{"free", []preemption.Rank{preemption.ByTopPriority, preemption.ByViolations, preemption.ByPrioritySum}},
		{"violating", []preemption.Rank{preemption.ByTopPriority, preemption.ByPrioritySum, preemption.ByViolations}},
	} {
		e, err := engine.New(preemption.Config{Ranks: x.ranks})
		require.NoError(t, err)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, x.want, plan.Node, "%v", x.ranks)
	}
}

// A node that waited because another one looked better is looked at again where that one
// turned out to be no better than it.
func TestNodesThatWaitedMayTie(t *testing.T) {
	pod := func(name, node, cpu string, age time.Duration) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, StartTime: gen.Now.Add(-age), Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		}
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "promising", Allocatable: resource.MustList("cpu", "8", "pods", "10")}, {Name: "waits", Allocatable: resource.MustList("cpu", "4", "pods", "10")},
		},
		Pods: []*outrank.Pod{
			// One would be enough, and it is put back first.
			pod("a", "promising", "4", 3*time.Hour), pod("b", "promising", "2", 2*time.Hour), pod("c", "promising", "2", 2*time.Hour),
			pod("d", "waits", "2", time.Hour), pod("e", "waits", "2", time.Hour),
		},
	})
	require.NoError(t, err)
	p := &outrank.Pod{Name: "p", Priority: outrank.Priority(1), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "4")}}}
	for _, ranks := range [][]preemption.Rank{{preemption.ByVictims, preemption.ByStart}, {preemption.ByPrioritySum, preemption.ByStart}, {preemption.ByVictims, preemption.ByPrioritySum, preemption.ByStart}} {
		e, err := engine.New(preemption.Config{Ranks: ranks})
		require.NoError(t, err)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, "waits", plan.Node, "%v", ranks)
	}
}
