package engine_test

import (
	"context"
	"fmt"
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
				config.Eligibility, config.Guard = drawAnyTaking(t)
				e, snap := newEvaluator(t, config), newSnapshot(t, w.Cluster)
				for _, place := range []preemption.PlaceFunc{nil, firstFitIn(e, snap)} {
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

// A plan stands if its victims may leave together, whatever the guard says of others, and only then: the guard is
// asked about these alone.
func TestPropertyVerifyAsksTheGuardAboutTheVictims(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{Nodes: []*outrank.Node{node("n", "3", "a")}}
		for i := range 3 {
			c.Pods = append(c.Pods, pod(fmt.Sprint("p", i), int32(i), "1", on("n")))
		}
		sets := [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}
		named := func(set []int) (names []string) {
			for _, i := range set {
				names = append(names, c.Pods[i].Name)
			}
			return names
		}
		allowed := map[string]bool{"[]": true}
		for _, set := range sets {
			allowed[fmt.Sprint(named(set))] = rapid.Bool().Draw(t, "allowed")
		}

		guard := byNames{allows: func(away []string) bool { return allowed[fmt.Sprint(away)] }}
		e, snap := newEvaluator(t, preemption.Config{Guard: guard.guard()}), newSnapshot(t, withGroups(c))
		for _, set := range sets {
			plan := &preemption.GroupPlan{Outcome: preemption.Preempts, Now: gen.Now, Placement: []preemption.Assignment{{Pod: gang(1)[0], Node: "n"}}}
			for _, i := range set {
				plan.Victims = append(plan.Victims, preemption.Victim{Pod: c.Pods[i], Priority: int32(i)})
			}
			err := e.Verify(t.Context(), snap, plan)
			if names := named(set); allowed[fmt.Sprint(names)] {
				require.NoError(t, err, "the guard lets %v go: %v", names, allowed)
			} else {
				require.ErrorIs(t, err, engine.ErrUnsound, "the guard keeps %v: %v", names, allowed)
			}
		}
	})
}

// holdsTogether checks what is promised of the victims of a group: the rule allows each, the
// guard allows all of them, and any one back is refused by the guard or by a pod of the group.
func holdsTogether(t *rapid.T, config *preemption.Config, pods []*outrank.Pod, plan *preemption.GroupPlan) {
	from := 0
	for unit := range plan.Units() {
		others := podsOf(slices.Concat(plan.Victims[:from], plan.Victims[from+len(unit):]))
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
			require.NotEqual(t, preemption.Success, guardSays(config.Guard, others).Code, "%v could be back", unit)
		}
	}
	if config.Guard != nil {
		require.Equal(t, preemption.Success, guardSays(config.Guard, podsOf(plan.Victims)).Code)
	}
}
