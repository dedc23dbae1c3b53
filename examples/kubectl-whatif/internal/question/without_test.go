package question_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// drained is a cluster in which the loss of a node is felt on two others.
func drained() *outrank.Cluster {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods: []*outrank.Pod{
			pod("web-1", "n1", 1000, "2", owned("ReplicaSet", "web"), labelled("app", "web")),
			pod("agent-1", "n1", 10, "0", owned("DaemonSet", "agent")), pod("shell", "n1", 10, "0"),
			pod("api-1", "n1", 500, "1", owned("ReplicaSet", "api"), labelled("app", "api")),
			pod("gone", "n1", 500, "0", owned("ReplicaSet", "api"), func(p *outrank.Pod) { p.DeletionTime = now }),
			pod("kube-proxy", "n1", 2000001000, "0", func(p *outrank.Pod) { p.Mirror = true }),
			pod("web-2", "n2", 1000, "2", owned("ReplicaSet", "web"), labelled("app", "web")), pod("batch-1", "n2", 100, "2", owned("Job", "batch")),
			pod("idle-1", "n3", 5, "1", owned("ReplicaSet", "idle")), pod("core", "n3", 9000, "2", owned("ReplicaSet", "core")),
			pod("both", "n1", 1, "0", owned("ReplicaSet", "both"), func(p *outrank.Pod) { p.Labels = map[string]string{"app": "api", "both": "yes"} }),
		},
	}
	for _, b := range []struct {
		name, key, value string
		allowed          int32
	}{{"web", "app", "web", 0}, {"api", "app", "api", 1}, {"both", "both", "yes", 5}} {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Namespace: "shop", Name: b.name, Allowed: b.allowed, Selector: &outrank.LabelSelector{Labels: map[string]string{b.key: b.value}},
		})
	}
	return c
}

func TestWithout(t *testing.T) {
	s := set(t, drained())
	unchanged(t, s, func() {
		for name, nodes := range map[string][]string{"one": {"n1"}, "two": {"n3", "n1", "n3"}, "all": {"n1", "n2", "n3"}} {
			w, err := question.AskWithout(context.Background(), s, nodes)
			require.NoError(t, err)
			golden(t, "without-"+name, w)
		}
	})
	_, err := question.AskWithout(context.Background(), s, []string{"n9"})
	require.ErrorIs(t, err, preemption.ErrNotFound)
	_, err = question.AskWithout(context.Background(), s, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}
