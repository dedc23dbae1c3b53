package preemption_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/clustergen"
	report "github.com/outrank-go/outrank/preemption/explain"
)

// asked is a context that ends after it was asked for its error so many times, and counts the
// questions.
type asked struct {
	context.Context
	left, times int
}

func (c *asked) Err() error {
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

// operations are the calls about a snapshot that look at many nodes, or long at one.
func operations(t *testing.T) []operation {
	cluster, pod, err := clustergen.Benchmark(300, 30, 20)
	require.NoError(t, err)
	snap := newSnapshot(t, cluster)
	usual, exact := newEvaluator(t, preemption.Config{}), newEvaluator(t, exactly(preemption.Policy{}))
	plan, err := usual.Preempt(context.Background(), snap, pod, gen.Now)
	require.NoError(t, err)
	req := preemption.Request{Pod: pod, Now: gen.Now}
	iterate := func(e *preemption.Evaluator) func(ctx context.Context) error {
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
		{"exact", func(ctx context.Context) error {
			_, err := exact.Preempt(ctx, snap, pod, gen.Now)
			return err
		}},
		{"exact on one node", func(ctx context.Context) error {
			_, err := exact.Preempt(ctx, one, waits, gen.Now)
			return err
		}},
		{"one node explained", func(ctx context.Context) error {
			_, _, err := exact.ExplainNode(ctx, one, preemption.Request{Pod: waits, Now: gen.Now}, dense.Nodes[0].Name)
			return err
		}},
		{"explain", func(ctx context.Context) error {
			_, err := usual.Explain(ctx, snap, pod, gen.Now)
			return err
		}},
		{"exact explain", func(ctx context.Context) error {
			_, err := exact.Explain(ctx, snap, pod, gen.Now)
			return err
		}},
		{"candidates", iterate(usual)},
		{"exact candidates", iterate(exact)},
		{"regret", func(ctx context.Context) error {
			_, err := usual.Regret(ctx, snap, plan, gen.Now)
			return err
		}},
		{"across", func(ctx context.Context) error {
			_, err := usual.PreemptAcross(ctx, snap, pod, gen.Now)
			return err
		}},
		{"report", func(ctx context.Context) error {
			_, err := report.Ask(ctx, usual, snap, req, report.Options{})
			return err
		}},
	}
}

// A call ends soon after its context, with the context's error and no half answer, wherever it
// is: work is counted by how often it still asks.
func TestCallsEndWithTheirContext(t *testing.T) {
	const soon = 80 // the nodes of a chunk, each of which asks once
	for _, op := range operations(t) {
		t.Run(op.name, func(t *testing.T) {
			whole := &asked{Context: context.Background(), left: 1 << 30}
			require.NoError(t, op.run(whole))
			require.Greater(t, whole.times, 1)
			r := rand.New(rand.NewPCG(1, uint64(len(op.name))))
			for range 20 {
				ctx := &asked{Context: context.Background(), left: r.IntN(whole.times)}
				err := op.run(ctx)
				if err == nil { // the last questions may come after the answer
					assert.GreaterOrEqual(t, ctx.left, whole.times-2)
					continue
				}
				require.ErrorIs(t, err, context.Canceled, "after %d of %d", ctx.left, whole.times)
				assert.LessOrEqual(t, ctx.times-ctx.left, soon, "after %d of %d", ctx.left, whole.times)
			}
		})
	}
}

// The search for exact victims on one node asks again and again.
func TestExactSearchAsksItsContext(t *testing.T) {
	for i := range uint64(200) {
		c, p := denseNode(i, 110, denseKinds[0].odd, denseKinds[0].priorities)
		snap := newSnapshot(t, c)
		ctx := &asked{Context: context.Background(), left: 1 << 30}
		e := newEvaluator(t, exactly(preemption.Policy{}))
		plan, err := e.Preempt(ctx, snap, p, gen.Now)
		require.NoError(t, err)
		if plan.Certificate == nil || plan.Certificate.Steps < 5000 {
			continue
		}
		assert.Greater(t, ctx.times, plan.Certificate.Steps/2048)
		ended := &asked{Context: context.Background(), left: ctx.times / 2}
		_, err = e.Preempt(ended, snap, p, gen.Now)
		require.ErrorIs(t, err, context.Canceled)
		again, err := e.Preempt(context.Background(), snap, p, gen.Now)
		require.NoError(t, err)
		assert.Equal(t, plan.Score, again.Score, "nothing is left of a search that was ended")
		return
	}
	t.Fatal("no node takes long")
}
