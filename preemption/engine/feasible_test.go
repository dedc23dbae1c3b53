package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// The feasible nodes are those to which Explain gives the status Success, or the nominated one of these.
func TestPropertyFeasible(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
		explained, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		var want []string
		for _, n := range explained.Nodes {
			if n.Status.Code == preemption.Success {
				want = append(want, n.Node)
			}
		}
		assert.Equal(t, nominatedFirst(snap, p, want), feasible(t, e, snap, p))
	})
}

// A plan that fits names the first of the nodes that take the pod, by whichever configuration and
// however it was found: by a look at all nodes, from what the snapshot has kept, or told by the
// caller. Any other plan names none.
func TestPropertyFirstFit(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		e, err := engine.New(drawConfig(t))
		if err != nil {
			return
		}
		e = e.Parallel(rapid.IntRange(0, 3).Draw(t, "workers"))
		snap := newSnapshot(t, c)
		for range 4 {
			for range 3 { // the cache has an entry from the second time on
				checkFirstFit(t, e, snap, p)
			}
			var there []outrank.Key
			for q := range snap.Pods() {
				there = append(there, q.Key())
			}
			if len(there) > 0 {
				require.NoError(t, snap.RemovePod(rapid.SampledFrom(there).Draw(t, "leaves")))
			}
			if rapid.IntRange(0, 3).Draw(t, "node") == 0 {
				n := *rapid.SampledFrom(c.Nodes).Draw(t, "comes back")
				_ = snap.RemoveNode(n.Name)
				require.NoError(t, snap.PutNode(&n))
			}
		}
	})
}

func checkFirstFit(t *rapid.T, e *engine.Evaluator, snap *engine.Snapshot, p *outrank.Pod) {
	ctx := context.Background()
	explained, err := e.Explain(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
	if err != nil {
		return
	}
	want, feasible := "", 0
	for _, n := range slices.Backward(explained.Nodes) {
		if n.Status.Code == preemption.Success {
			want, feasible = n.Node, feasible+1
		}
	}
	plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	given := map[string]preemption.Status{}
	for _, n := range explained.Nodes {
		given[n.Node] = n.Status
	}
	told, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now, Statuses: plantest.ByName(given)})
	require.NoError(t, err)
	for name, plan := range map[string]*preemption.Plan{"Preempt": plan, "Explain": plantest.Unexplained(explained), "told": told} {
		require.Equal(t, want, plan.FirstFit, name)
		require.Equal(t, feasible, plan.Feasible, name)
		require.Equal(t, feasible > 0, plan.Outcome == preemption.Fits, name)
	}
}

func TestFeasibleErrors(t *testing.T) {
	c, p := gen.Benchmark(3, 2, 0)
	snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
	ended, end := context.WithCancel(context.Background())
	end()
	_, err := e.Feasible(ended, snap, p)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = e.Feasible(context.Background(), nil, p)
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = e.Feasible(context.Background(), snap, c.Pods[0])
	assert.ErrorIs(t, err, preemption.ErrState, "a pod that runs")
}

func ExampleEvaluator_Feasible() {
	node := func(name, cpu string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", cpu, "pods", "10")}
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("small", "1"), node("large", "8"), node("spare", "8")}})
	if err != nil {
		panic(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		panic(err)
	}
	for _, nominated := range []string{"", "spare"} {
		pod := &outrank.Pod{Name: "web", NominatedNodeName: nominated, Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "2")}}}
		nodes, err := eval.Feasible(context.Background(), snap, pod)
		for _, n := range nodes {
			fmt.Print(n.Name, " ")
		}
		fmt.Println(err)
	}
	// Output:
	// large spare <nil>
	// spare <nil>
}
