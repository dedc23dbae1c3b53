package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A decision asks the caller once about each node, in the cluster's order, whatever the configuration and also for a
// pod that is nominated, and a call about one node about that alone.
func TestStatusesAreAskedForOnce(t *testing.T) {
	c, p := gen.Benchmark(300, 3, 2)
	p.NominatedNodeName = c.Nodes[7].Name
	snap := newSnapshot(t, c)
	for name, config := range map[string]preemption.Config{
		"default": {}, "ranks": {Ranks: []preemption.Rank{preemption.ByVictims, preemption.ByStart}}, "sample": {Sample: &preemption.Sample{}},
		"exact": {Victims: preemption.Exact{}}, "extender": {Extenders: []preemption.Extender{extender{name: "x", process: keep}.extender()}},
	} {
		e := newEvaluator(t, config).Parallel(3)
		var asked []int
		req := preemption.Request{Pod: p, Now: gen.Now, Statuses: func(position int, n *outrank.Node) (preemption.Status, bool) {
			require.Same(t, c.Nodes[position], n)
			asked = append(asked, position)
			return preemption.Unschedulable.Because("full"), position%5 > 0
		}}
		for call, of := range map[string]func() error{
			"Preempt": func() error { _, err := e.Preempt(context.Background(), snap, req); return err },
			"Explain": func() error { _, err := e.Explain(context.Background(), snap, req); return err },
		} {
			asked = nil
			require.NoError(t, of(), "%s, %s", name, call)
			require.Len(t, asked, 300, "%s, %s", name, call)
			for i, position := range asked {
				require.Equal(t, i, position)
			}
		}
		asked = nil
		_, err := e.ExplainNode(context.Background(), snap, req, c.Nodes[9].Name)
		require.NoError(t, err)
		assert.Equal(t, []int{9}, asked, name)
	}
}

// Nothing of the statuses of a call is left in the next, which is about another cluster or asks the filters.
func TestStatusesOfAnEarlierCall(t *testing.T) {
	c, p := gen.Benchmark(50, 3, 2)
	small, e, ctx := &outrank.Cluster{Nodes: c.Nodes[:20]}, newEvaluator(t, preemption.Config{}), context.Background()
	for _, pod := range c.Pods {
		for _, n := range small.Nodes {
			if pod.NodeName == n.Name {
				small.Pods = append(small.Pods, pod)
			}
		}
	}
	ask := func(snap *engine.Snapshot, statuses func(int, *outrank.Node) (preemption.Status, bool)) *preemption.Plan {
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: statuses})
		require.NoError(t, err)
		return plan
	}
	turnedDown := make([]preemption.Status, 50)
	for i := range turnedDown {
		turnedDown[i] = preemption.UnschedulableAndUnresolvable.Because("gone")
	}
	want := ask(newSnapshot(t, small), nil)
	for range 3 {
		assert.Equal(t, preemption.NothingHelps, ask(newSnapshot(t, c), plantest.InOrder(turnedDown)).Outcome)
		require.Empty(t, testdiff.Diff(want, ask(newSnapshot(t, small), nil)))
		assert.Equal(t, 20, ask(newSnapshot(t, small), plantest.InOrder(turnedDown)).TurnedDown[0].Nodes)
	}
}
