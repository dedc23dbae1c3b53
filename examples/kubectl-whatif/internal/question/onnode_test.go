package question_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	kubelet "github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/preemption"
)

// A static pod is admitted after evictions; a common pod of the same size is refused, and a
// small one simply starts.
func TestOnNode(t *testing.T) {
	c := everyOutcome()
	c.Nodes = append(c.Nodes, node("n3"))
	c.Pods = append(c.Pods, pod("core", "n3", 5000, "2", owned("ReplicaSet", "core")))
	s := set(t, c)
	big := pod("proxy", "", 10, "3")
	for name, ask := range map[string]struct {
		pod    *outrank.Pod
		static bool
	}{"static": {big, true}, "common": {big, false}, "small": {pod("tiny", "", 1, "0"), false}} {
		unchanged(t, s, func() {
			a, err := question.AskOnNode(context.Background(), s, question.Binding{Pod: ask.pod, Node: "n1", Static: ask.static, Depth: 2})
			require.NoError(t, err)
			golden(t, "onnode-"+name, a)
			bound := *ask.pod
			bound.NodeName, bound.Static = "n1", ask.static
			var active []*outrank.Pod
			for _, p := range c.Pods {
				if p.NodeName == "n1" {
					active = append(active, p)
				}
			}
			same, err := kubelet.Ask(context.Background(), kubelet.Question{Node: c.Nodes[slices.IndexFunc(c.Nodes, func(n *outrank.Node) bool { return n.Name == "n1" })], Active: active, Pod: &bound})
			require.NoError(t, err)
			require.Equal(t, same, a.Report, "what the library says of the node")
		})
	}
	_, err := question.AskOnNode(context.Background(), s, question.Binding{Pod: big, Node: "n9", Depth: 1})
	require.ErrorIs(t, err, preemption.ErrNotFound)
	_, err = question.AskOnNode(context.Background(), s, question.Binding{Pod: big, Node: "n1", Depth: 99})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

func TestVictims(t *testing.T) {
	c := everyOutcome()
	s := set(t, c)
	big := c.Pod("shop", "big")
	plan, err := s.Evaluator.Preempt(context.Background(), s.Snapshot, preemption.Request{Pod: big, Now: now})
	require.NoError(t, err)
	unchanged(t, s, func() {
		v, err := question.AskVictims(context.Background(), s, plan, 2)
		require.NoError(t, err)
		golden(t, "victims", v)
	})
	_, err = question.AskVictims(context.Background(), s, nil, 2)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// Where somebody is lost, the answer names a node on which all victims would find other places.
func TestVictimsOnAGentlerNode(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3"), node("n4")}, Pods: []*outrank.Pod{
		pod("shell", "n1", 1, "4"), pod("web-1", "n2", 5, "2", owned("ReplicaSet", "web")), pod("web-2", "n2", 5, "2", owned("ReplicaSet", "web")),
		pod("core-3", "n3", 5000, "2"), pod("core-4", "n4", 5000, "2"), pod("big", "", 1000, "4"),
	}}
	s := set(t, c)
	plan, err := s.Evaluator.Preempt(context.Background(), s.Snapshot, preemption.Request{Pod: c.Pods[5], Now: now})
	require.NoError(t, err)
	require.Equal(t, "n1", plan.Node)
	unchanged(t, s, func() {
		v, err := question.AskVictims(context.Background(), s, plan, 0)
		require.NoError(t, err)
		require.Equal(t, &question.Gentler{Node: "n2", Moved: 2}, v.Gentler)
		golden(t, "victims-gentler", v)
	})
	c.Pods[2].Owner = outrank.Owner{}
	v, err := question.AskVictims(context.Background(), set(t, c), plan, 0)
	require.NoError(t, err)
	require.Nil(t, v.Gentler, "one would be lost there, too")
}
