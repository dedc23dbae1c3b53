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
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	report "github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// asked is a context that ends after it was asked for its error so many times, and counts the
// questions. With work, it knows the most that was done between two of them.
type asked struct {
	context.Context
	left, times   int
	work          *int
	seen, longest int
}

func (c *asked) Err() error {
	if c.work != nil {
		c.longest, c.seen = max(c.longest, *c.work-c.seen), *c.work
	}
	if c.times++; c.times > c.left {
		return context.Canceled
	}
	return nil
}

// operation is a call that may take long.
type operation struct {
	name string
	run  func(ctx context.Context) error
}

// operations are the calls about a snapshot that look at many nodes, or long at one. The filters
// are of every evaluator.
func operations(t *testing.T, nodes int, filters ...*preemption.Filter) []operation {
	cluster, pod, err := clustergen.Benchmark(nodes, 30, 20)
	require.NoError(t, err)
	cluster.Release = groupsOn
	for i, p := range cluster.Pods {
		p.Owner = outrank.Owner{Kind: "ReplicaSet", Name: fmt.Sprint("set-", i%100)}
	}
	snap := newSnapshot(t, cluster)
	background := context.Background()
	usual := newEvaluator(t, preemption.Config{Filters: filters})
	config := preemption.Config{Victims: preemption.Exact{}}
	config.Filters = filters
	exact := newEvaluator(t, config)
	config.Victims = preemption.Across{}
	across := newEvaluator(t, config)
	plan, err := usual.Preempt(background, snap, preemption.Request{Pod: pod, Now: gen.Now})
	require.NoError(t, err)
	explained, err := usual.Explain(background, snap, preemption.Request{Pod: pod, Now: gen.Now})
	require.NoError(t, err)
	req := preemption.Request{Pod: pod, Now: gen.Now}
	group := preemption.GroupRequest{Now: gen.Now, Pods: gang(8)}
	for _, p := range group.Pods {
		p.Priority, p.Containers = pod.Priority, pod.Containers
	}
	placed, err := usual.PreemptGroup(background, snap, group)
	require.NoError(t, err)
	scorer, err := score.New(score.Config{})
	require.NoError(t, err)
	light := *pod
	light.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "1m")}}
	iterate := func(e *engine.Evaluator) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			for _, err := range e.Candidates(ctx, snap, req) {
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	dense, waits := denseNode(3, 110, true, denseKinds[0].priorities)
	one := newSnapshot(t, dense)
	return []operation{
		{"preempt", func(ctx context.Context) error {
			_, err := usual.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: gen.Now})
			return err
		}},
		{"exact", func(ctx context.Context) error {
			_, err := exact.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: gen.Now})
			return err
		}},
		{"exact on one node", func(ctx context.Context) error {
			_, err := exact.Preempt(ctx, one, preemption.Request{Pod: waits, Now: gen.Now})
			return err
		}},
		{"one node explained", func(ctx context.Context) error {
			_, err := exact.ExplainNode(ctx, one, preemption.Request{Pod: waits, Now: gen.Now}, dense.Nodes[0].Name)
			return err
		}},
		{"explain", func(ctx context.Context) error {
			_, err := usual.Explain(ctx, snap, preemption.Request{Pod: pod, Now: gen.Now})
			return err
		}},
		{"exact explain", func(ctx context.Context) error {
			_, err := exact.Explain(ctx, snap, preemption.Request{Pod: pod, Now: gen.Now})
			return err
		}},
		{"candidates", iterate(usual)},
		{"exact candidates", iterate(exact)},
		{"feasible", func(ctx context.Context) error {
			_, err := usual.Feasible(ctx, snap, &light)
			return err
		}},
		{"scores", func(ctx context.Context) error {
			_, err := scorer.Rank(ctx, usual, snap, &light)
			return err
		}},
		{"regret", func(ctx context.Context) error {
			_, err := joint.RegretOf(ctx, usual, snap, plan, gen.Now)
			return err
		}},
		{"verify", func(ctx context.Context) error { return usual.Verify(ctx, snap, plan) }},
		{"across", func(ctx context.Context) error {
			_, err := across.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: gen.Now})
			return err
		}},
		{"group", func(ctx context.Context) error {
			_, err := usual.PreemptGroup(ctx, snap, group)
			return err
		}},
		{"group verified", func(ctx context.Context) error { return usual.Verify(ctx, snap, placed) }},
		{"group placed by the caller", func(ctx context.Context) error {
			req := group
			req.Place = firstFitIn(usual, snap)
			_, err := usual.PreemptGroup(ctx, snap, req)
			return err
		}},
		{"report", func(ctx context.Context) error {
			_, err := report.Ask(ctx, report.Question{Evaluator: usual, Snapshot: snap, Request: req}, report.Options{})
			return err
		}},
		{"report of a plan", func(ctx context.Context) error {
			_, err := report.Ask(ctx, report.Question{Evaluator: usual, Snapshot: snap, Request: req, Plan: plan}, report.Options{})
			return err
		}},
		{"why not", func(ctx context.Context) error {
			_, err := report.WhyNot(ctx, report.Question{Evaluator: usual, Snapshot: snap, Request: req, Plan: explained}, cluster.Nodes[0].Name, report.Options{})
			return err
		}},
		{"replacements", func(ctx context.Context) error {
			_, err := report.Replacements(ctx, report.Question{Evaluator: usual, Snapshot: snap, Request: req, Plan: plan}, report.Options{Depth: 2})
			return err
		}},
	}
}

// laborious is a filter that lets all pass and counts what it is asked, which is one step each.
type laborious struct{ steps *int }

func (f laborious) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Laborious", Start: f.start}
}
func (l laborious) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	return l, nil
}
func (l laborious) Check(*outrank.Node) preemption.Status {
	*l.steps++
	return preemption.Status{}
}
func (l laborious) Add(*outrank.Pod, *outrank.Node)    { *l.steps++ }
func (l laborious) Remove(*outrank.Pod, *outrank.Node) { *l.steps++ }
func (l laborious) Clone() preemption.FilterState      { return l }

// No call looks at more than a chunk of nodes without a question to its context.
func TestCallsAskTheirContext(t *testing.T) {
	steps := 0
	for _, op := range operations(t, seeded.Sample(120, 700), laborious{&steps}.filter()) {
		steps = 0
		ctx := &asked{Context: context.Background(), left: 1 << 30, work: &steps}
		require.NoError(t, op.run(ctx), op.name)
		_ = ctx.Err()
		most := 64 * 30 * 3 // a chunk of nodes: each of its pods goes, comes back and goes
		if op.name == "feasible" || op.name == "scores" {
			most = 64 // the nodes alone
		}
		assert.LessOrEqual(t, ctx.longest, most, op.name)
	}
}

// A call ends soon after its context, with the context's error and no half answer, wherever it
// is: work is counted by how often it still asks.
func TestPropertyCallsEndWithTheirContext(t *testing.T) {
	const soon = 80 // the nodes of a chunk, each of which asks once
	ops := operations(t, 150)
	whole := make([]int, len(ops))
	for i, op := range ops {
		require.NoError(t, op.run(context.Background()))
		ctx := &asked{Context: context.Background(), left: 1 << 30} // with what is remembered by now
		require.NoError(t, op.run(ctx), op.name)
		whole[i] = ctx.times
		require.Positive(t, whole[i], op.name)
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(ops)-1).Draw(t, "operation")
		op := ops[i]
		ctx := &asked{Context: context.Background(), left: rapid.IntRange(0, whole[i]-1).Draw(t, "left")}
		err := op.run(ctx)
		if err == nil { // the last questions may come after the answer
			require.GreaterOrEqual(t, ctx.left, whole[i]-2, op.name)
			return
		}
		require.ErrorIs(t, err, context.Canceled, "%s: after %d of %d", op.name, ctx.left, whole[i])
		require.LessOrEqual(t, ctx.times-ctx.left, soon, "%s: after %d of %d", op.name, ctx.left, whole[i])
	})
}

// The search for exact victims on one node asks again and again.
func TestExactSearchAsksItsContext(t *testing.T) {
	for i := range uint64(200) {
		c, p := denseNode(i, 110, denseKinds[0].odd, denseKinds[0].priorities)
		snap := newSnapshot(t, c)
		ctx := &asked{Context: context.Background(), left: 1 << 30}
		e := newEvaluator(t, preemption.Config{Victims: preemption.Exact{}})
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if plan.Certificate == nil || plan.Certificate.Steps < 5000 {
			continue
		}
		assert.Greater(t, ctx.times, plan.Certificate.Steps/2048)
		ended := &asked{Context: context.Background(), left: ctx.times / 2}
		_, err = e.Preempt(ended, snap, preemption.Request{Pod: p, Now: gen.Now})
		require.ErrorIs(t, err, context.Canceled)
		again, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, plan.Score, again.Score, "nothing is left of a search that was ended")
		return
	}
	t.Fatal("no node takes long")
}
