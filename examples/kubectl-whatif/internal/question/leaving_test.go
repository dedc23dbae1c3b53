package question_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// A victim that was leaving before anybody asked it to has been counted down already.
func TestLeavingVictimIsChargedOnce(t *testing.T) {
	covered := labelled("app", "web")
	s := set(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("leaving", "n1", 1, "4", covered, func(p *outrank.Pod) { p.DeletionTimestamp = now }), pod("stays", "n2", 2, "4", covered),
			pod("first", "", 100, "4"), pod("second", "", 90, "4"),
		},
		Budgets: []*outrank.PodDisruptionBudget{{Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}},
	})
	p, err := question.AllPending(context.Background(), s)
	require.NoError(t, err)
	require.Len(t, p.Turns, 2)
	require.Equal(t, "n1", p.Turns[0].Node)
	require.Equal(t, "n2", p.Turns[1].Node)
	require.Empty(t, p.Turns[1].Victims[0].Violated)
}

// A pod of a DaemonSet that is pushed out of a node which stays is made again for it.
func TestPushedOutPodOfADaemonSet(t *testing.T) {
	s := set(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("web", "n1", 1000, "3", owned("ReplicaSet", "web")), pod("agent", "n2", 10, "2", owned("DaemonSet", "agent")),
		},
	})
	w, err := question.AskWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Empty(t, w.Tied)
	require.Len(t, w.Moves, 2)
	require.Equal(t, outrank.Key("shop/agent"), w.Moves[1].Pod.Key)
	require.Equal(t, question.Waits, w.Moves[1].Outcome)
}

// A pod that is made again asks for what its template says, and not for what its containers
// were given meanwhile.
func TestRemadePodReportsNothing(t *testing.T) {
	s := set(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1")}})
	one := pod("web", "", 1000, "1", func(p *outrank.Pod) {
		p.Containers[0].AllocatedResources, p.Containers[0].Actual = resource.MustList("cpu", "4"), resource.MustList("cpu", "4")
	})
	r, err := question.AskReplicas(context.Background(), s, one, 5)
	require.NoError(t, err)
	require.Equal(t, 4, r.Running)
}
