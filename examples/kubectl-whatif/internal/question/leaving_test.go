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
	w, err := askWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Empty(t, w.Tied)
	require.Len(t, w.Moves, 2)
	require.Equal(t, outrank.Key("shop/agent"), w.Moves[1].Pod.Key)
	require.Equal(t, question.Waits, w.Moves[1].Outcome)
}

// So it waits for its node, though there is room elsewhere.
func TestPushedOutPodOfADaemonSetGoesNowhereElse(t *testing.T) {
	web := pod("web", "n1", 1000, "3", owned("ReplicaSet", "web"), func(p *outrank.Pod) { p.NodeSelector = map[string]string{"disk": "ssd"} })
	ssd := node("n2")
	ssd.Labels = map[string]string{"disk": "ssd"}
	s := set(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), ssd, node("n3")},
		Pods:  []*outrank.Pod{web, pod("agent", "n2", 10, "2", owned("DaemonSet", "agent"))},
	})
	w, err := askWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Len(t, w.Moves, 2)
	require.Equal(t, question.Waits, w.Moves[1].Outcome)
}

// A pod that is leaving asks no budget any more.
func TestLeavingPodsBurdenNoBudget(t *testing.T) {
	leaving := func(p *outrank.Pod) { p.DeletionTimestamp = now }
	s := set(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1")},
		Pods: []*outrank.Pod{
			pod("web-1", "n1", 1, "1", owned("ReplicaSet", "web"), labelled("app", "web")),
			pod("web-2", "n1", 1, "1", owned("ReplicaSet", "web"), labelled("app", "web"), leaving),
		},
		Budgets: []*outrank.PodDisruptionBudget{{Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}},
	})
	w, err := askWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Len(t, w.Budgets, 1)
	require.Equal(t, 1, w.Budgets[0].Pods)
	require.Equal(t, question.Lets, w.Budgets[0].Drain)
}

// Nor does it count down its budgets' allowance when its node goes: that happened
// when it began to leave.
func TestLeavingPodOfANodeThatGoesIsNotCharged(t *testing.T) {
	covered := labelled("app", "web")
	s := set(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("web-1", "n1", 1, "1", owned("ReplicaSet", "web"), covered, func(p *outrank.Pod) { p.DeletionTimestamp = now }),
			pod("api", "n1", 100, "3", owned("ReplicaSet", "api")), pod("web-2", "n2", 1, "4", owned("ReplicaSet", "web"), covered),
		},
		Budgets: []*outrank.PodDisruptionBudget{{Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}},
	})
	w, err := askWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Equal(t, 1, w.Totals.PushesOut)
	require.Zero(t, w.Totals.Violating)
}

// A pod whose owner is the node goes with it, whether or not it is marked as a mirror.
func TestPodOfItsNodeIsTied(t *testing.T) {
	s := set(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{pod("proxy", "n1", 1, "1", owned("Node", "n1"))}})
	w, err := askWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Empty(t, w.Moves)
	require.Len(t, w.Tied, 1)
}

// A pod that is made again has the request of its template, and not the later one
// of its containers.
func TestRemadePodReportsNothing(t *testing.T) {
	s := set(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1")}})
	one := pod("web", "", 1000, "1", func(p *outrank.Pod) {
		p.Containers[0].AllocatedResources, p.Containers[0].Actual = resource.MustList("cpu", "4"), resource.MustList("cpu", "4")
	})
	r, err := question.AskReplicas(context.Background(), s, one, 5)
	require.NoError(t, err)
	require.Equal(t, 4, r.Running)
}
