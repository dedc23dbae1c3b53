package joint_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// soon is how many steps a call may take between two looks at its context, and after that has ended.
const soon = 10_000

// watched is a context that ends after a number of looks at it. It counts the steps until then, and the most
// between two looks.
type watched struct {
	context.Context
	left, times        int
	steps              *int
	seen, longest, end int
}

func (c *watched) Err() error {
	c.longest, c.seen = max(c.longest, *c.steps-c.seen), *c.steps
	if c.times++; c.times <= c.left {
		return nil
	}
	if c.times == c.left+1 {
		c.end = *c.steps
	}
	return context.Canceled
}

// counter is a filter that lets all pass. Every question to it, and every pod that comes or goes, is a step.
type counter struct{ steps *int }

func (c counter) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Counter", Start: func(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
		return c, nil
	}}
}

func (c counter) Check(*outrank.Node) preemption.Status {
	*c.steps++
	return preemption.Status{}
}
func (c counter) Add(*outrank.Pod, *outrank.Node)    { *c.steps++ }
func (c counter) Remove(*outrank.Pod, *outrank.Node) { *c.steps++ }
func (c counter) Clone() preemption.FilterState      { return c }

// Wherever its context ends, a call ends soon: with the context's error, or with a plan that holds.
func TestPropertyEndsWithItsContext(t *testing.T) {
	steps := 0
	eval := must(engine.New(preemption.Config{Filters: []*preemption.Filter{counter{&steps}.filter()}}))
	snap, pods := waiting(t, 40, 10, 5)
	for i, p := range slices.Collect(snap.Pods()) {
		owned := *p
		if i%4 > 0 {
			ofSet(&owned)
		}
		require.NoError(t, errOf(snap.PutPod(&owned)))
		if i%10 == 0 {
			require.NoError(t, snap.RemovePod(p.Key()))
		}
	}
	plan := func(pods []*outrank.Pod, moves *joint.LossCosts) func(context.Context) (*joint.Plan, error) {
		return func(ctx context.Context) (*joint.Plan, error) {
			return joint.Preempt(ctx, eval, snap, joint.Request{Pods: pods, Now: clustergen.Now(), Limit: 8_000, Moves: moves})
		}
	}
	calls := map[string]func(context.Context) (*joint.Plan, error){
		"plan":            plan(pods, nil),
		"plan with moves": plan(pods, &joint.LossCosts{}),
		"outlooks": func(ctx context.Context) (*joint.Plan, error) {
			_, _, err := joint.Outlooks(ctx, eval, snap, joint.Request{Pods: pods[:1], Now: clustergen.Now(), Limit: 8_000})
			return nil, err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			ctx := &watched{Context: context.Background(), left: math.MaxInt, steps: &steps}
			steps = 0
			_, err := call(ctx)
			require.NoError(t, err)
			_ = ctx.Err()
			whole := ctx.times
			t.Logf("%d questions, %d steps, at most %d between two", whole, steps, ctx.longest)
			assert.LessOrEqual(t, ctx.longest, soon)
			ended, interrupted, most := 0, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				steps = 0
				ctx := &watched{Context: context.Background(), left: rapid.IntRange(0, whole-1).Draw(t, "left"), steps: &steps}
				plan, err := call(ctx)
				if ctx.times > ctx.left { // with what is remembered by now, fewer questions are asked
					most = max(most, steps-ctx.end)
				}
				require.LessOrEqual(t, most, soon, "after %d of %d questions", ctx.left, whole)
				switch {
				case ctx.times <= ctx.left:
					require.NoError(t, err)
				case err != nil:
					require.ErrorIs(t, err, context.Canceled)
					ended++
				case plan != nil && plan.Interrupted:
					interrupted++
					require.LessOrEqual(t, compare(eval, plan.Total, plan.OneByOne), 0)
					if !plan.Kept {
						after(t, eval, snap, plan)
					}
				}
			})
			t.Logf("%d ended, %d interrupted, at most %d steps after", ended, interrupted, most)
		})
	}
}
