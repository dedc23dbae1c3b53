package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Check says of each node what Explain says of it.
func TestPropertyCheckIsExplain(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		snap := newSnapshot(t, c)
		e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{slots{app: p.Labels["app"], limit: 2}.filter()}})
		explained, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		for _, n := range explained.Nodes {
			got, err := e.Check(snap, p, n.Node)
			require.NoError(t, err)
			if diff := testdiff.Diff(n.Status, got); diff != "" {
				t.Fatalf("node %s (-Explain +Check):\n%s", n.Node, diff)
			}
		}
	})
}

func TestCheckErrors(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{
		pod("runs", 1, "1", on("n1")), pod("lost", 1, "1", on("gone")),
	}}
	snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
	for _, test := range []struct {
		name string
		snap *engine.Snapshot
		pod  *outrank.Pod
		node string
		want error
	}{
		{"no snapshot", nil, pod("p", 1, "1"), "n1", outrank.ErrInvalid},
		{"no pod", snap, nil, "n1", outrank.ErrInvalid},
		{"a pod that runs", snap, c.Pods[0], "n1", preemption.ErrState},
		{"no such node", snap, pod("p", 1, "1"), "n2", preemption.ErrNotFound},
		{"no node", snap, pod("p", 1, "1"), "", preemption.ErrNotFound},
		{"a node that a pod names and that is not there", snap, pod("p", 1, "1"), "gone", preemption.ErrNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := e.Check(test.snap, test.pod, test.node)
			assert.ErrorIs(t, err, test.want)
		})
	}
	_, err := e.ExplainNode(context.Background(), snap, preemption.Request{Pod: pod("p", 1, "1"), Now: gen.Now}, "gone")
	require.ErrorIs(t, err, preemption.ErrNotFound, "a node that a pod names and that is not there")
	own := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{failing{}.filter()}})
	_, err = own.Check(snap, pod("p", 1, "1"), "n1")
	assert.EqualError(t, err, "filter Slots: pod default/p: no licence server")
}

func ExampleEvaluator_Check() {
	small := &outrank.Node{Name: "small", Allocatable: resource.MustList("cpu", "1", "pods", "10")}
	large := &outrank.Node{Name: "large", Allocatable: resource.MustList("cpu", "8", "pods", "10")}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{small, large}})
	if err != nil {
		panic(err)
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		panic(err)
	}
	pod := &outrank.Pod{Name: "web", Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", "2")}}}
	for _, node := range []string{"small", "large"} {
		status, err := eval.Check(snap, pod, node)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %s (%s)\n", node, status, status.Code)
	}
	// Output:
	// small: NodeResourcesFit: Insufficient cpu (unschedulable-and-unresolvable)
	// large: success (success)
}
