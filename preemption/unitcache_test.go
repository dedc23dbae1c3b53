package preemption

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The answer of a node depends on pods of other nodes that leave with its own, and on the
// groups of its pods. A cache of earlier answers hears of both.
func TestCacheFollowsUnits(t *testing.T) {
	cpu := func(name, node, group string, priority int32, amount string) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Group: group, Priority: outrank.Priority(priority), Labels: map[string]string{"app": name},
			StartTime:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", amount)}},
		}
	}
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "1", "pods", "10")}
	}
	all, single := outrank.DisruptPodGroup, outrank.DisruptPod
	team := &outrank.PodGroup{Name: "team", Disruption: all, Priority: outrank.Priority(3)}
	budget := func(allowed int32) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: "b", Selector: &outrank.LabelSelector{Labels: map[string]string{"app": "far"}}, Allowed: allowed}
	}
	s, err := NewSnapshot(&outrank.Cluster{
		Release: withUnits(t), Groups: []*outrank.PodGroup{team}, Budgets: []*outrank.PodDisruptionBudget{budget(5)},
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods: []*outrank.Pod{
			cpu("near", "n1", "team", 3, "1"), cpu("two-a", "n2", "", 3, "500m"), cpu("two-b", "n2", "", 3, "500m"),
			cpu("vip", "n3", "", 90, "900m"),
		},
	})
	require.NoError(t, err)
	eval, err := NewEvaluator(Config{})
	require.NoError(t, err)
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	asker := cpu("p", "", "", 10, "1")
	seen := map[string]bool{}
	ask := func(step string) {
		t.Helper()
		var plan *Plan
		for range 3 {
			plan, err = eval.Preempt(context.Background(), s, asker, now)
			require.NoError(t, err)
		}
		fresh, err := eval.Preempt(context.Background(), s.view(), asker, now)
		require.NoError(t, err)
		require.Equal(t, fresh, plan, step)
		require.NotEmpty(t, s.cache.bySignature, "the cache is used")
		seen[plan.Candidate.String()] = true
	}
	ask("at first")
	far := cpu("far", "n3", "team", 3, "50m")
	for _, step := range []struct {
		name   string
		change func() error
	}{
		{"a pod elsewhere joins", func() error { return s.AddPod(far) }},
		{"it violates a budget", func() error { return s.SetBudgets([]*outrank.PodDisruptionBudget{budget(0)}) }},
		{"no longer", func() error { return s.SetBudgets([]*outrank.PodDisruptionBudget{budget(5)}) }},
		{"two more join", func() error {
			return s.AddPod(cpu("farther", "n3", "team", 3, "50m"))
		}},
		{"they leave one by one", func() error {
			return s.PutGroup(&outrank.PodGroup{Name: "team", Disruption: single, Priority: outrank.Priority(3)})
		}},
		{"and together again", func() error { return s.PutGroup(team) }},
		{"the group counts more", func() error {
			return s.PutGroup(&outrank.PodGroup{Name: "team", Disruption: all, Priority: outrank.Priority(30)})
		}},
		{"a composite group counts", func() error {
			if err := s.PutGroup(&outrank.PodGroup{Name: "team", Disruption: all, Priority: outrank.Priority(30), Parent: "top"}); err != nil {
				return err
			}
			return s.PutComposite(&outrank.CompositePodGroup{Name: "top", Priority: outrank.Priority(3)})
		}},
		{"the composite group goes", func() error { return s.RemoveComposite("default/top") }},
		{"the group goes", func() error { return s.RemoveGroup("default/team") }},
		{"the group comes", func() error { return s.PutGroup(team) }},
		{"a pod elsewhere ends", func() error { return s.RemovePod("default/far") }},
		{"its node goes", func() error { return s.RemoveNode("n3") }},
		{"and comes", func() error { return s.AddNode(node("n3")) }},
	} {
		require.NoError(t, step.change(), step.name)
		ask(step.name)
	}
	require.Greater(t, len(seen), 3, "the changes make a difference: %v", seen)
}
