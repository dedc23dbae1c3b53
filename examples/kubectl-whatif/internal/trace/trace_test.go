package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

func TestMain(m *testing.M) { seeded.Run(m, 100) }

// drawn is a question about a drawn cluster, which with groups has victims that leave together.
func drawn(t *rapid.T, shape clustergen.Shape) (*engine.Evaluator, *engine.Snapshot, preemption.Request) {
	shape.Nodes = rapid.IntRange(1, 8).Draw(t, "nodes")
	shape.Budgets, shape.Nominated = rapid.IntRange(0, 5).Draw(t, "budgets"), rapid.IntRange(0, 3).Draw(t, "nominated")
	c, err := clustergen.Cluster(shape, rapid.Uint64().Draw(t, "seed"))
	require.NoError(t, err)
	if shape.Groups > 0 {
		c.Release, err = outrank.ParseRelease("v1.37,GenericWorkload=true")
		require.NoError(t, err)
	} else if rapid.Bool().Draw(t, "older") {
		c.Release = outrank.V1_36
	}
	p, err := clustergen.Preemptor(shape, rapid.Uint64().Draw(t, "pod"))
	require.NoError(t, err)
	p.Group = ""
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	return eval, snap, preemption.Request{Pod: p, Now: clustergen.Now()}
}

// A trace is the decision: on each candidate its steps leave the victims that the decision has
// there, each kept out by the answer that blocks it, and nobody else; elsewhere the node says
// with everybody gone what the decision says. The rounds end with the node of the plan, and
// the runner-up goes by the rank that decides.
func TestPropertyTraceIsTheDecision(t *testing.T) {
	for name, shape := range map[string]clustergen.Shape{
		"resources": {}, "ties": {Priorities: 1, Sizes: 1, Starts: 1}, "filters": {Taints: true, Selectors: true, Features: true}, "ports": {Ports: true},
		"affinity": {Affinity: true, Spread: true}, "volumes": {Volumes: true}, "groups": {Groups: 3},
	} {
		t.Run(name, func(t *testing.T) {
			preempted, compared := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				ctx := context.Background()
				eval, snap, req := drawn(t, shape)
				plan, err := eval.Preempt(ctx, snap, req)
				require.NoError(t, err)
				ex, err := eval.Explain(ctx, snap, req)
				require.NoError(t, err)
				tr := traced(t, eval, snap, req, ex)
				require.Equal(t, plan.Outcome, tr.Outcome)
				if plan.Outcome != preemption.Preempts && plan.Outcome != preemption.NothingHelps {
					require.Empty(t, tr.Nodes)
					return
				}
				require.Equal(t, plan.Node, tr.Chosen)
				lookAt, err := eval.LookAt(snap, req)
				require.NoError(t, err)
				for i := range tr.Nodes {
					nodeIsTrue(t, &tr.Nodes[i], ex)
					// Two pods with one host port are no state that a fresh look at a node tells
					// as the steps do: the port is free once one of them has left.
					if len(tr.Nodes[i].Steps) > 0 && !shape.Ports {
						view, err := lookAt(tr.Nodes[i].Node)
						require.NoError(t, err)
						stepsAreTrue(t, &walk{eval: eval, snap: snap, view: view}, &tr.Nodes[i])
					}
				}
				require.LessOrEqual(t, len(ex.Candidates), len(tr.Nodes))
				require.Equal(t, len(ex.Nodes), len(tr.Nodes)+tr.MoreNodes+tr.NotTried)
				if plan.Outcome == preemption.NothingHelps {
					require.Empty(t, tr.Rounds)
					return
				}
				preempted++
				require.True(t, tr.Nodes[0].Chosen)
				var victims []outrank.Key
				for i := range plan.Victims {
					victims = append(victims, plan.Victims[i].Pod.Key())
				}
				require.Equal(t, victims, tr.Nodes[0].Victims)
				if len(ex.Candidates) == 1 {
					require.Empty(t, tr.Rounds)
					return
				}
				compared++
				require.Equal(t, []string{plan.Node}, tr.Rounds[len(tr.Rounds)-1].Left)
				goes := slices.IndexFunc(tr.Rounds, func(r Round) bool {
					return slices.ContainsFunc(r.Out, func(o Out) bool { return o.Node == ex.Candidates[1].Node })
				})
				require.Equal(t, ex.DecidedBy, tr.Rounds[goes].rank)
				for i, c := range ex.Candidates {
					require.Equal(t, c.Node, tr.Nodes[i].Node, "the order of the ranks")
				}
			})
			t.Logf("%d plans, of which %d compare candidates", preempted, compared)
			require.Positive(t, compared)
		})
	}
}

// traced is a trace that is the same again, to the byte.
func traced(t *rapid.T, eval *engine.Evaluator, snap *engine.Snapshot, req preemption.Request, ex *preemption.Plan) *Trace {
	var texts []string
	var out *Trace
	for range 2 {
		tr, err := Of(context.Background(), eval, snap, req, ex)
		require.NoError(t, err)
		var b bytes.Buffer
		tr.WriteText(console.Page{W: &b}, 3)
		require.NoError(t, json.NewEncoder(&b).Encode(tr))
		require.NotContains(t, b.String(), "null")
		require.NotEmpty(t, tr.Tables())
		texts, out = append(texts, b.String()), tr
	}
	require.Equal(t, texts[0], texts[1])
	return out
}

func nodeIsTrue(t *rapid.T, n *Node, ex *preemption.Plan) {
	at := slices.IndexFunc(ex.Nodes, func(r preemption.NodeReport) bool { return r.Node == n.Node })
	report := &ex.Nodes[at]
	require.True(t, report.AfterRemoval != nil)
	require.Equal(t, []any{report.Status.Filter, report.Status.Reasons}, []any{n.AsItIs.Filter, n.AsItIs.Reasons}, n.Node)
	at = slices.IndexFunc(ex.Candidates, func(c preemption.Candidate) bool { return c.Node == n.Node })
	if at < 0 {
		require.Empty(t, n.Steps)
		require.NotEqual(t, preemption.Success, report.AfterRemoval.Code)
		if n.Possible > 0 {
			require.Equal(t, []any{report.AfterRemoval.Filter, report.AfterRemoval.Reasons}, []any{n.Emptied.Filter, n.Emptied.Reasons}, n.Node)
		}
		return
	}
	require.True(t, n.Emptied.Fits)
	var want []outrank.Key
	blocks, breaks := map[outrank.Key]preemption.Status{}, map[outrank.Key][]outrank.Key{}
	for _, v := range ex.Candidates[at].Victims {
		want = append(want, v.Pod.Key())
		blocks[v.Pod.Key()] = v.Blocks
		for _, b := range v.Violated {
			breaks[v.Pod.Key()] = append(breaks[v.Pod.Key()], b.Key())
		}
	}
	require.Equal(t, want, n.Victims, n.Node)
	put, broke := 0, true
	for i, s := range n.Steps {
		put += 1 + len(s.With)
		require.False(t, len(s.Breaks) > 0 && !broke, "those who break a budget come first")
		if i > 0 && broke == (len(s.Breaks) > 0) {
			require.GreaterOrEqual(t, n.Steps[i-1].Priority, s.Priority, "the most important first")
		}
		broke = len(s.Breaks) > 0
		require.Equal(t, !s.Stays, slices.Contains(want, s.Pod))
		if !s.Stays {
			require.Equal(t, []any{blocks[s.Pod].Filter, blocks[s.Pod].Reasons}, []any{s.Check.Filter, s.Check.Reasons})
			if len(s.With) == 0 {
				require.Equal(t, breaks[s.Pod], s.Breaks)
			}
		}
	}
	require.Equal(t, n.Possible, put)
}

// stepsAreTrue asks the filters again, step by step.
func stepsAreTrue(t *rapid.T, w *walk, n *Node) {
	gone := map[outrank.Key]bool{}
	for _, p := range w.view.Possible() {
		gone[p.Key()] = true
	}
	away := func() []*outrank.Pod {
		return slices.DeleteFunc(w.view.Possible(), func(p *outrank.Pod) bool { return !gone[p.Key()] })
	}
	ask := func() preemption.Status { return w.view.Check(away()...) }
	require.Equal(t, preemption.Success, ask().Code)
	for _, s := range n.Steps {
		for _, key := range append([]outrank.Key{s.Pod}, s.With...) {
			gone[key] = false
		}
		got := ask()
		require.Equal(t, s.Stays, got.Code == preemption.Success, "%s on %s", s.Pod, n.Node)
		require.Equal(t, []any{got.Filter, got.Reasons}, []any{s.Check.Filter, s.Check.Reasons})
		for _, r := range explain.RoomOn(w.eval, w.snap, w.view, away()...) {
			short := slices.ContainsFunc(s.Check.Short, func(short Short) bool { return short.Resource == r.Resource })
			require.Equal(t, resource.Amount(r.Resource, r.Short) > 0 && got.Filter == preemption.NodeResourcesFit, short)
		}
		for _, key := range append([]outrank.Key{s.Pod}, s.With...) {
			gone[key] = !s.Stays
		}
	}
}

// Many nodes and pods are bounded, and the text says how many more there are.
func TestBounds(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range MostNodes + 5 {
		name := "n" + strings.Repeat("i", i+1)
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("pods", "110", "cpu", "50")})
		for j := range 50 {
			c.Pods = append(c.Pods, &outrank.Pod{Name: name + "-" + strings.Repeat("x", j+1), NodeName: name, Priority: outrank.Priority(1),
				Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}})
		}
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	req := preemption.Request{Pod: &outrank.Pod{Name: "web", Priority: outrank.Priority(5), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "40")}}}}
	ex, err := eval.Explain(context.Background(), snap, req)
	require.NoError(t, err)
	tr, err := Of(context.Background(), eval, snap, req, ex)
	require.NoError(t, err)
	assert.Len(t, tr.Nodes, MostNodes)
	assert.Equal(t, 5, tr.MoreNodes)
	var b bytes.Buffer
	tr.WriteText(console.Page{W: &b}, 2)
	for _, want := range []string{"and 42 more steps", "And 23 more nodes where pods are taken away", "and 15 more", "cpu: 40 needed, 0 free", "The 25 candidates are compared", "first in node order: ni"} {
		assert.Contains(t, b.String(), want)
	}
	for _, limit := range []int{math.MaxInt, math.MaxInt / 2, 0, -1, math.MinInt} {
		b.Reset()
		tr.WriteText(console.Page{W: &b}, limit)
		assert.Equal(t, limit < 1, strings.Contains(b.String(), "more steps"), limit)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Of(canceled, eval, snap, req, ex)
	assert.ErrorIs(t, err, context.Canceled)
}
