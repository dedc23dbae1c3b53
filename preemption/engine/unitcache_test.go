package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
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
	team := &outrank.PodGroup{Name: "team", DisruptionMode: all, Priority: outrank.Priority(3)}
	budget := func(allowed int32) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "far"}}, DisruptionsAllowed: allowed}
	}
	s, err := engine.NewSnapshot(&outrank.Cluster{
		Release: withUnits(t), Groups: []*outrank.PodGroup{team}, Budgets: []*outrank.PodDisruptionBudget{budget(5)},
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods: []*outrank.Pod{
			cpu("near", "n1", "team", 3, "1"), cpu("two-a", "n2", "", 3, "500m"), cpu("two-b", "n2", "", 3, "500m"),
			cpu("vip", "n3", "", 90, "900m"),
		},
	})
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	asker := cpu("p", "", "", 10, "1")
	seen := map[string]bool{}
	ask := func(step string) {
		t.Helper()
		var plan *preemption.Plan
		for range 3 {
			plan, err = eval.Preempt(context.Background(), s, preemption.Request{Pod: asker, Now: now})
			require.NoError(t, err)
		}
		again, err := engine.NewSnapshot(s.Cluster())
		require.NoError(t, err)
		fresh, err := eval.Preempt(context.Background(), again, preemption.Request{Pod: asker, Now: now})
		require.NoError(t, err)
		require.Equal(t, fresh, plan, step)
		require.NotEmpty(t, stateOf(s).Cache.BySignature, "the cache is used")
		seen[fmt.Sprint(plan.Node, plan.Victims)] = true
	}
	ask("at first")
	far := cpu("far", "n3", "team", 3, "50m")
	for _, step := range []struct {
		name   string
		change func() error
	}{
		{"a pod elsewhere joins", func() error { return errOf(s.PutPod(far)) }},
		{"it violates a budget", func() error { return setBudgets(s, []*outrank.PodDisruptionBudget{budget(0)}) }},
		{"no longer", func() error { return setBudgets(s, []*outrank.PodDisruptionBudget{budget(5)}) }},
		{"two more join", func() error {
			return errOf(s.PutPod(cpu("farther", "n3", "team", 3, "50m")))
		}},
		{"they leave one by one", func() error {
			return s.PutGroup(&outrank.PodGroup{Name: "team", DisruptionMode: single, Priority: outrank.Priority(3)})
		}},
		{"and together again", func() error { return s.PutGroup(team) }},
		{"the group counts more", func() error {
			return s.PutGroup(&outrank.PodGroup{Name: "team", DisruptionMode: all, Priority: outrank.Priority(30)})
		}},
		{"a composite group counts", func() error {
			if err := s.PutGroup(&outrank.PodGroup{Name: "team", DisruptionMode: all, Priority: outrank.Priority(30), Parent: "top"}); err != nil {
				return err
			}
			return s.PutComposite(&outrank.CompositePodGroup{Name: "top", Priority: outrank.Priority(3)})
		}},
		{"the composite group goes", func() error { return s.RemoveComposite("default/top") }},
		{"the group goes", func() error { return s.RemoveGroup("default/team") }},
		{"the group comes", func() error { return s.PutGroup(team) }},
		{"a pod elsewhere ends", func() error { return s.RemovePod("default/far") }},
		{"its node goes", func() error { return s.RemoveNode("n3") }},
		{"and comes", func() error { return s.PutNode(node("n3")) }},
	} {
		require.NoError(t, step.change(), step.name)
		ask(step.name)
	}
	require.Greater(t, len(seen), 3, "the changes make a difference: %v", seen)
}

// teams draws a full cluster of groups that leave as a whole across nodes, some pods of which
// have not started, with priorities of their own: nodes tie in all but the start of pods that
// may be on other nodes.
func teams(t *rapid.T) *outrank.Cluster {
	c := &outrank.Cluster{Release: withUnits(t)}
	for _, name := range []string{"g0", "g1"} {
		c.Groups = append(c.Groups, &outrank.PodGroup{
			Name: name, DisruptionMode: rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption"),
			Priority: outrank.Priority(rapid.SampledFrom([]int32{4, 5}).Draw(t, "priority of the group")),
		})
	}
	add := func(node, cpu string) {
		starts := []time.Time{{}, gen.Now.Add(-time.Hour), gen.Now.Add(-time.Hour), gen.Now, gen.Now.Add(time.Hour)}
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: fmt.Sprint("p", len(c.Pods)), NodeName: node, Group: rapid.SampledFrom([]string{"", "g0", "g1"}).Draw(t, "group"),
			Priority: outrank.Priority(rapid.SampledFrom([]int32{4, 5}).Draw(t, "priority")), StartTime: rapid.SampledFrom(starts).Draw(t, "start"),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
		})
	}
	nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
	for i := range nodes + 1 {
		n := &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", "2", "pods", "9"), Unschedulable: i == nodes}
		c.Nodes = append(c.Nodes, n)
		if i == nodes || rapid.Bool().Draw(t, "two pods") {
			add(n.Name, "1")
			add(n.Name, "1")
		} else {
			add(n.Name, "2")
		}
	}
	return c
}

// A snapshot that is asked again later answers as one that was never asked, where pods that
// have not started leave with those of other nodes.
func TestPropertyCachedUnitsAtLaterTimes(t *testing.T) {
	t.Parallel()
	scores := 0
	rapid.Check(t, func(t *rapid.T) {
		s, err := engine.NewSnapshot(teams(t))
		require.NoError(t, err)
		eval, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		cpu := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "asks")
		p := &outrank.Pod{Name: "p", Priority: outrank.Priority(9), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}}}
		for _, later := range []time.Duration{0, 0, 0, 30 * time.Minute, 2 * time.Hour} {
			req := &preemption.Request{Pod: p, Now: gen.Now.Add(later)}
			got, err := eval.Preempt(context.Background(), s, *req)
			require.NoError(t, err)
			want, err := eval.Preempt(context.Background(), snapshotOf(stateOf(s).Scratch()), *req)
			require.NoError(t, err)
			require.Equal(t, want, got, "after %s", later)
			scores += entriesHold(t, eval, s, req)
		}
	})
	require.Positive(t, scores)
}
