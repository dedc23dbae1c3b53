package brief_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

func explained(t testing.TB, c *outrank.Cluster, p *outrank.Pod) *preemption.Plan {
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	e, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: clustergen.Now()})
	require.NoError(t, err)
	return e
}

// What is left out is counted, what is there stands as it stood, each answer is there, and
// the decision is not changed.
func TestOf(t *testing.T) {
	shape := clustergen.Shape{Nodes: 300, PodsPerNode: 9, Budgets: 20, Taints: true, Selectors: true, Ports: true, Affinity: true}
	c, err := clustergen.Cluster(shape, 1)
	require.NoError(t, err)
	p, err := clustergen.Preemptor(shape, 1)
	require.NoError(t, err)
	e := explained(t, c, p)
	require.Greater(t, len(e.Candidates), 10)
	before, err := json.Marshal(e)
	require.NoError(t, err)
	for _, list := range []int{1, 3, brief.Usual} {
		got, left := brief.Of(e, list)
		require.NotNil(t, left)
		assert.Equal(t, len(e.Candidates), len(got.Candidates)+left.Candidates)
		assert.Equal(t, len(e.Nodes), len(got.Nodes)+left.Nodes)
		assert.LessOrEqual(t, len(got.Candidates), list)
		assert.Equal(t, e.Candidates[:len(got.Candidates)], got.Candidates)
		assert.Equal(t, unhelpfulIn(t, e), unhelpfulIn(t, got), "the nodes that are left out count")
		bare := plantest.Unexplained(got)
		bare.Unhelpful = e.Unhelpful
		assert.Equal(t, plantest.Unexplained(e), bare)
		all, few := answers(e.Nodes), answers(got.Nodes)
		at := 0
		for i := range got.Nodes {
			for e.Nodes[at].Node != got.Nodes[i].Node {
				at++ // beyond the last it panics: an order of its own
			}
			assert.Equal(t, e.Nodes[at], got.Nodes[i])
		}
		for answer, n := range all {
			more := 0
			if e.Node != "" {
				more = 1 // the chosen node is there as well
			}
			assert.GreaterOrEqual(t, few[answer], min(n, list), "%d of %s", list, answer)
			assert.LessOrEqual(t, few[answer], min(n, list)+more, "%d of %s", list, answer)
		}
	}
	got, left := brief.Of(e, brief.All)
	assert.Same(t, e, got)
	assert.Nil(t, left)
	got, left = brief.Of(e, 300)
	assert.Same(t, e, got)
	assert.Nil(t, left)
	after, err := json.Marshal(e)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

// unhelpfulIn is what the JSON of a decision counts.
func unhelpfulIn(t *testing.T, e *preemption.Plan) string {
	t.Helper()
	text, err := json.Marshal(e)
	require.NoError(t, err)
	var counted struct{ Unhelpful json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &counted))
	require.NotEmpty(t, counted.Unhelpful)
	return string(counted.Unhelpful)
}

func answers(nodes []preemption.NodeReport) map[string]int {
	out := map[string]int{}
	for _, n := range nodes {
		out[fmt.Sprint(n.Status, " ", n.AfterRemoval)]++
	}
	return out
}

// The chosen node is there, wherever it stands in the cluster.
func TestChosenNodeIsThere(t *testing.T) {
	c, p, err := clustergen.Benchmark(300, 20, 10)
	require.NoError(t, err)
	e := explained(t, c, p)
	require.NotEmpty(t, e.Node)
	got, _ := brief.Of(e, 1)
	found := false
	for _, n := range got.Nodes {
		found = found || n.Node == e.Node
	}
	assert.True(t, found)
}

// Many victims on each candidate, and as many answers as nodes, are bounded, too.
func TestBounds(t *testing.T) {
	e := &preemption.Plan{}
	for i := range 5000 {
		name := fmt.Sprint("n", i)
		e.Candidates = append(e.Candidates, preemption.Candidate{Node: name, Victims: make([]preemption.Victim, 110)})
		e.Nodes = append(e.Nodes, preemption.NodeReport{Node: name, Status: preemption.Unschedulable.Because(name)})
	}
	got, left := brief.Of(e, brief.Usual)
	assert.Len(t, got.Candidates, 3, "that of the first, and 300 victims besides")
	assert.Len(t, got.Nodes, 500)
	assert.Equal(t, &brief.LeftOut{Candidates: 4997, Nodes: 4500}, left)
	got, left = brief.Of(e, 5000)
	assert.Same(t, e, got, "more than usual is what was asked for")
	assert.Nil(t, left)
}
