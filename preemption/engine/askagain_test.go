package engine_test

import (
	"context"
	"testing"
	"time"

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
)

// What is kept of the end of each node's order in the caller's Importance holds for preemptors of
// other priorities and sizes, while budgets allow more or less and pods change.
func TestPropertyImportanceAskedAgain(t *testing.T) {
	t.Parallel()
	decided := 0
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Crowd(t)
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		eval, err := engine.New(preemption.Config{Importance: rapid.SampledFrom([]func(a, b *outrank.Pod) int{
			func(a, b *outrank.Pod) int { return a.StartTime.Compare(b.StartTime) },
			func(a, b *outrank.Pod) int { return int(nameHash(a)%7) - int(nameHash(b)%7) },
		}).Draw(t, "importance")})
		require.NoError(t, err)
		for range 20 {
			q := *p
			q.Priority = outrank.Priority(rapid.SampledFrom([]int32{-4, 1, 2, 5, 50, 1000}).Draw(t, "priority"))
			if rapid.Bool().Draw(t, "other size") {
				_, other := gen.Crowd(t)
				q.Containers = other.Containers
			}
			if len(c.Budgets) > 0 && rapid.Bool().Draw(t, "other budget") {
				b := *rapid.SampledFrom(c.Budgets).Draw(t, "budget")
				b.DisruptionsAllowed = rapid.Int32Range(0, 2).Draw(t, "allowed")
				require.NoError(t, snap.PutBudget(&b))
			}
			if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
				r := *rapid.SampledFrom(c.Pods).Draw(t, "changed")
				r.StartTime = gen.Now.Add(-time.Duration(rapid.IntRange(0, 200).Draw(t, "minutes")) * time.Minute)
				require.NoError(t, errOf(snap.PutPod(&r)))
			}
			req := preemption.Request{Pod: &q, Now: gen.Now}
			r, err := dryrun.DecideExhaustively(context.Background(), termsOf(eval), stateOf(snap), &req, true)
			require.NoError(t, err)
			got, err := eval.Preempt(context.Background(), snap, req)
			require.NoError(t, err)
			explained, err := r.Explained()
			require.NoError(t, err)
			want := *plantest.Unexplained(explained)
			if want.Outcome == preemption.Preempts {
				decided++
			}
			require.Empty(t, testdiff.Diff(&want, got), "(-exhaustive +searched)")
		}
	})
	assert.Positive(t, decided, "nobody has ever to leave")
}
