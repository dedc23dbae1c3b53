package engine_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Whatever rule says who may be taken from and whichever guard says who may leave together,
// the whole answer for a group is that of the book, and the plan verifies.
func TestPropertyGuardedGroupsAgreeWithBook(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := gen.Workloads(groupShapes[name]).Draw(t, "workload")
				var config preemption.Config
				config.Eligibility, config.Guard = engine.DrawTaking(t)
				e, snap := newEvaluator(t, config), newSnapshot(t, w.Cluster)
				for _, place := range []preemption.PlaceFunc{nil, engine.FirstFit(e, snap)} {
					req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now, Refused: rapid.Bool().Draw(t, "refused"), Place: place}
					plan, err := e.PreemptGroup(context.Background(), snap, req)
					req.Place = nil // the function does the same
					sameGroupAsBook(t, w.Cluster, req, config, plan, err)
					if err != nil {
						return
					}
					if plan.Outcome == preemption.Preempts {
						require.NoError(t, e.Verify(context.Background(), snap, plan))
						holdsTogether(t, &config, w.Pods, plan)
					}
				}
			})
		})
	}
}

// holdsTogether checks what is promised of the victims of a group: the rule allows each, the
// guard allows all of them, and any one back is refused by the guard or by a pod of the group.
func holdsTogether(t *rapid.T, config *preemption.Config, pods []*outrank.Pod, plan *preemption.GroupPlan) {
	from := 0
	for unit := range plan.Units() {
		others := engine.PodsOf(slices.Concat(plan.Victims[:from], plan.Victims[from+len(unit):]))
		from += len(unit)
		for _, v := range unit {
			require.NotEqual(t, preemption.Success, v.Blocks.Code)
			if config.Eligibility.Take == nil {
				continue
			}
			require.NotEmpty(t, v.Rule)
			for _, asks := range pods {
				_, ok := config.Eligibility.Take(asks, v.Pod)
				require.True(t, ok)
			}
		}
		if unit[0].Blocked == nil {
			require.NotEqual(t, preemption.Success, engine.GuardOf(config.Guard, others).Code, "%v could be back", unit)
		}
	}
	if config.Guard != nil {
		require.Equal(t, preemption.Success, engine.GuardOf(config.Guard, engine.PodsOf(plan.Victims)).Code)
	}
}
