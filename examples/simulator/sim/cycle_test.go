package sim

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption"
)

// Two schedulers with different rules: a's takes b for its victim, whatever the
// priorities; to b's, a is the least of all. Both are recreated.
func TestPlantedCycle(t *testing.T) {
	second := seconds(1)
	var run *Simulation
	takeB := takes(func() *outrank.Pod {
		for _, p := range run.Snapshot().PodsOn("n") {
			if strings.HasPrefix(p.Name, "b") && !p.Terminating() {
				return p
			}
		}
		return nil
	})
	config := Config{
		End: seconds(600), Grace: &second, Recreate: Recreate{Rule: RecreateWhenGone},
		SchedulerOf: func(p *outrank.Pod) string { return p.Name[:1] },
		Schedulers: []Scheduler{
			{Name: "a", Preemption: preemption.Config{Extenders: []preemption.Extender{takeB}}},
			{Name: "b", Preemption: preemption.Config{Importance: func(x, y *outrank.Pod) int {
				return strings.Compare(y.Name, x.Name) // a comes last
			}}},
			{Name: "f"},
		},
	}
	run, err := New(nodes(node("n", "4")), []Work{
		endless(asking("f", 0, "1"), 0), endless(asking("b", 20, "3"), 1), endless(asking("a", 10, "1"), 2),
	}, config)
	require.NoError(t, err)
	r, err := run.Run(t.Context())
	require.NoError(t, err)
	p := r.Preemption
	require.Equal(t, 1, p.Cycles)
	require.Equal(t, []string{"default/a", "default/b"}, p.LongestCycle.Pods)
	require.Greater(t, p.Rounds, 50, "a pod every few seconds for ten minutes")
	require.Equal(t, 2, p.Repeats)
}

// takes returns an extender that makes its pods push out one certain pod.
func takes(victim func() *outrank.Pod) preemption.Extender {
	return preemption.Extender{Name: "takes", Process: func(_ context.Context, _ *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
		v := victim()
		if v == nil {
			return nil, nil
		}
		for i := range candidates {
			candidates[i].Victims = []preemption.Victim{{Pod: v}}
		}
		return candidates, nil
	}}
}

// A controller that gives its pods a higher priority whenever they are evicted
// makes a cycle of any two that do not fit together, and one that does not makes
// none.
func TestPromotionGoesRound(t *testing.T) {
	for _, promoted := range []bool{false, true} {
		second := seconds(1)
		config := Config{End: seconds(600), Grace: &second, Recreate: Recreate{Rule: RecreateWhenGone}}
		if promoted {
			config.Recreate.Change = func(made *outrank.Pod, evictions int) {
				made.Priority = outrank.Priority(made.PriorityValue() + int32(20*evictions))
			}
		}
		w := watched(t, nodes(node("n", "4")), []Work{
			endless(asking("a", 0, "3"), 0), endless(asking("b", 10, "3"), 1), endless(asking("c", 5, "1"), 1),
		}, config)
		w.run(10_000)
		r := w.s.Result().Preemption
		if !promoted {
			require.Zero(t, r.Cycles)
			require.Nil(t, r.LongestCycle)
			require.Equal(t, 1, r.Preemptions)
			continue
		}
		require.Equal(t, 1, r.Cycles)
		require.Equal(t, []string{"default/a", "default/b"}, r.LongestCycle.Pods)
		require.Greater(t, r.Rounds, 50)
	}
}

// A pushes out B, and B, recreated, pushes out C, and so on: a cascade, with its
// names.
func TestCascade(t *testing.T) {
	c := nodes(node("n1", "4"), node("n2", "4"), node("n3", "2"))
	c.Nodes[0].Labels = map[string]string{"kind": "own"}
	for _, p := range []struct {
		pod  *outrank.Pod
		node string
	}{{asking("b", 50, "4"), "n1"}, {asking("c", 10, "2"), "n2"}, {asking("d", 5, "2"), "n3"}} {
		p.pod.NodeName = p.node
		c.Pods = append(c.Pods, p.pod)
	}
	a := asking("a", 100, "4")
	a.NodeSelector = c.Nodes[0].Labels
	w := watched(t, c, []Work{endless(a, 10)}, Config{Recreate: Recreate{Rule: RecreateWhenGone}})
	w.run(1000)
	r := w.s.Result().Preemption
	require.Zero(t, r.Cycles)
	require.Equal(t, 1, r.Cascades)
	want := []report.Step{
		{Time: 10, Node: "n1", Preemptor: "default/a", Victim: "default/b"},
		{Time: 41, Node: "n2", Preemptor: "default/b", Victim: "default/c"},
		{Time: 72, Node: "n3", Preemptor: "default/c", Victim: "default/d"},
	}
	require.Equal(t, want, r.LongestCascade)
}
