package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A filter of the caller follows the pods that come back beside a group, whether its state
// is tracked by the snapshot or made for each pod of the group; and so does one that looks at
// the whole cluster.
func TestPropertyGroupWithFilters(t *testing.T) {
	t.Parallel()
	decided := map[preemption.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		running := rapid.IntRange(1, 4).Draw(t, "pods of a node") // few leave room for a group as it is
		w := gen.Workloads(gen.Shape{Groups: 3, Nominated: 3, PodsPerNode: running, Affinity: rapid.Bool().Draw(t, "affinity")}).Draw(t, "workload")
		count := headcount{app: "web", limit: rapid.IntRange(0, 2).Draw(t, "most"), least: rapid.Bool().Draw(t, "at least")}
		var plans []*preemption.GroupPlan
		for _, of := range []string{"any pod", "counted", "tracked"} {
			snap, err := engine.NewSnapshot(w.Cluster)
			require.NoError(t, err)
			f := count.filter(of == "tracked")
			if of == "any pod" {
				f = count.everybody()
				f.Name = "Headcount"
			}
			e, err := engine.New(preemption.Config{Filters: []*preemption.Filter{f}})
			require.NoError(t, err)
			plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: w.Pods, Now: gen.Now})
			if err != nil {
				return
			}
			if plan.Placement != nil {
				require.NoError(t, e.Verify(context.Background(), snap, plan))
				holds(t, count, snap, plan, possibleUnits(e, snap, preemption.GroupRequest{Pods: w.Pods, Now: gen.Now}))
			}
			plans = append(plans, plan)
		}
		for i, of := range []string{"counted", "tracked"} {
			if diff := testdiff.Diff(plans[0], plans[i+1]); diff != "" {
				t.Fatalf("PreemptGroup (-asked of any pod +%s):\n%s", of, diff)
			}
		}
		decided[plans[0].Outcome]++
	})
	for _, o := range []preemption.Outcome{preemption.Fits, preemption.NothingHelps, preemption.Preempts} {
		assert.Positive(t, decided[o], o)
	}
}

// holds asks the filter about each pod of the plan, with the victims gone and the pods
// before it in their places.
func holds(t *rapid.T, count headcount, snap *engine.Snapshot, plan *preemption.GroupPlan, possible int) {
	after := snap.Clone()
	for _, p := range podsOf(plan.Victims) {
		require.NoError(t, after.RemovePod(p.Key()))
	}
	for _, a := range plan.Placement {
		heads := 0
		for _, p := range after.PodsOn(a.Node) {
			if count.concerns(p) {
				heads++
			}
		}
		all := plan.Outcome == preemption.Preempts && len(slices.Collect(plan.Units())) == possible
		if many := heads > count.limit; !count.least && many && !all {
			t.Fatalf("%d heads on %s before %s", heads, a.Node, a.Pod.Key())
		}
		bound := *a.Pod
		bound.NodeName = a.Node
		require.NoError(t, errOf(after.PutPod(&bound)))
	}
}
