package engine_test

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// A search that prunes nodes answers as the exhaustive search, also for
// preemptors that other filters have something to say about.
func TestPropertyBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Crowd(t)
		switch rapid.IntRange(0, 3).Draw(t, "rule") {
		case 0:
			p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "1"}}, TopologyKey: "zone"}}
		case 1:
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 2, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "2"}}}}
		}
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		eval, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		eval = eval.Parallel(rapid.IntRange(1, 3).Draw(t, "workers"))
		termsOf(eval).Chunk = rapid.SampledFrom([]int{1, 2, dryrun.ChunkSize}).Draw(t, "chunk size") // small ones make several workers start
		got, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		explained, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		want := *plantest.Unexplained(explained)
		if diff := testdiff.Diff(&want, got); diff != "" {
			t.Fatalf("plan (-explained +searched):\n%s", diff)
		}
	})
}

// A node whose amounts are too large for a summary is evaluated all the same,
// as is one with such amounts nominated to it.
func TestBeyondSummaries(t *testing.T) {
	huge := func(name string, priority int32, part int64) *outrank.Pod {
		return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: []outrank.Container{{
			Name: "c", Requests: resource.List{resource.Memory: resource.New(math.MaxInt64 / part)},
		}}}
	}
	n := &outrank.Node{Name: "n", Allocatable: resource.List{
		resource.Memory: resource.New(math.MaxInt64 / 5), resource.Pods: resource.New(state.MostPods + 10),
	}}
	c := &outrank.Cluster{Nodes: []*outrank.Node{n}}
	for i := range state.MostPods + 10 {
		c.Pods = append(c.Pods, &outrank.Pod{Name: fmt.Sprint("p", i), NodeName: n.Name, Priority: outrank.Priority(int32(i % 3))})
	}
	many, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	c = &outrank.Cluster{Nodes: []*outrank.Node{n}, Pods: []*outrank.Pod{huge("low", 1, 8), huge("claim", 100, 3)}}
	c.Pods[0].NodeName, c.Pods[1].NominatedNodeName = n.Name, n.Name
	claimed, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for _, tt := range []struct {
		why      string
		snap     *engine.Snapshot
		priority int32
		want     preemption.Outcome
		victims  int
	}{
		{"one of many", many, 50, preemption.Preempts, 1},
		{"the claim is of higher priority", claimed, 50, preemption.NothingHelps, 0},
		{"the claim is of lower priority", claimed, 1000, preemption.Preempts, 1},
	} {
		p := huge("asker", tt.priority, 8)
		got, err := eval.Preempt(context.Background(), tt.snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		explained, err := eval.Explain(context.Background(), tt.snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.Empty(t, testdiff.Diff(plantest.Unexplained(explained), got), tt.why)
		assert.Equal(t, tt.want, got.Outcome, tt.why)
		assert.Len(t, got.Victims, tt.victims, tt.why)
	}
}

// ending is a context that ends after it was asked a number of times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (c *ending) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A context may end anywhere. There is an error then and no plan, or the same
// plan as ever, and the cache stays right.
func TestPropertyEndsAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Crowd(t)
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		eval, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		eval = eval.Parallel(rapid.IntRange(1, 3).Draw(t, "workers"))
		termsOf(eval).Chunk = rapid.IntRange(1, 2).Draw(t, "chunk size")
		want, err := eval.Preempt(context.Background(), snap.Clone(), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		for _, explained := range []bool{false, true} {
			for turn := int64(0); ; turn++ {
				ctx := &ending{Context: context.Background()}
				ctx.left.Store(turn * turn / 4)
				var got *preemption.Plan
				if explained {
					var ex *preemption.Plan
					if ex, err = eval.Explain(ctx, snap, preemption.Request{Pod: p, Now: gen.Now}); ex != nil {
						got = plantest.Unexplained(ex)
					}
				} else {
					got, err = eval.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
				}
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
					require.Nil(t, got)
					continue
				}
				require.Equal(t, want.Outcome, got.Outcome)
				require.Equal(t, want.Candidate, got.Candidate)
				break
			}
		}
		for range 3 { // from the cache by then
			got, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			require.Empty(t, testdiff.Diff(want, got))
		}
	})
}

// Memory that calls reuse does not belong to the test bubble in which it was
// first used: workers may be started in one bubble, in the next, and outside.
func TestWorkersInBubbles(t *testing.T) {
	c, p := gen.Benchmark(100, 30, 20)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	eval = eval.Parallel(3)
	termsOf(eval).Chunk = 2
	for i := range 60 {
		q := *p
		q.Priority = outrank.Priority(int32(10_000 + i)) // the cache does not know it
		decide := func(t *testing.T) {
			plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: &q, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, preemption.Preempts, plan.Outcome)
		}
		if i%3 == 0 {
			decide(t)
		} else {
			synctest.Test(t, decide)
		}
	}
}
