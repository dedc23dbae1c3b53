package question_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// everyOutcome is a cluster with a pod for each outcome.
func everyOutcome() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("web-1", "n1", 100, "2", owned("ReplicaSet", "web"), labelled("app", "web")),
			pod("web-2", "n2", 100, "2", owned("ReplicaSet", "web"), labelled("app", "web")),
			pod("batch-1", "n1", 10, "2", owned("Job", "batch")), pod("idle", "n2", 5, "1"),
			pod("small", "", 2000, "1"), pod("big", "", 1000, "3"), pod("never", "", 900, "3", func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }),
			pod("gated", "", 800, "1", func(p *outrank.Pod) { p.SchedulingGates = []string{"wait.example.com/quota"} }),
			pod("foreign", "", 700, "1", func(p *outrank.Pod) { p.SchedulerName = "volcano" }),
			pod("late", "", 50, "2"), pod("huge", "", 3000, "5"),
		},
		Budgets: []*outrank.PodDisruptionBudget{{
			Namespace: "shop", Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, DisruptionsAllowed: 1,
		}},
	}
}

func TestAllPending(t *testing.T) {
	s := set(t, everyOutcome())
	unchanged(t, s, func() {
		p, err := question.AllPending(context.Background(), s)
		require.NoError(t, err)
		golden(t, "pending", p)
	})
}

func TestReplicas(t *testing.T) {
	s := set(t, everyOutcome())
	unchanged(t, s, func() {
		r, err := question.AskReplicas(context.Background(), s, s.Cluster.Pod("shop", "small"), 20)
		require.NoError(t, err)
		golden(t, "replicas", r)
	})
}

func TestWhyNot(t *testing.T) {
	s := set(t, everyOutcome())
	a, err := question.AskWhyNot(context.Background(), s, s.Cluster.Pod("shop", "big"), "n1")
	require.NoError(t, err)
	golden(t, "whynot", a)
	_, err = question.AskWhyNot(context.Background(), s, s.Cluster.Pod("shop", "big"), "n9")
	require.ErrorIs(t, err, preemption.ErrNotFound)
}
