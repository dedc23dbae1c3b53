package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// groupShapes are the sorts of clusters that properties of groups run over.
var groupShapes = map[string]gen.Shape{
	"resources": {Groups: 2, Budgets: 4},
	"crowded":   {Groups: 3, Nodes: 3, PodsPerNode: 4, Budgets: 6},
	"nominated": {Groups: 2, Budgets: 4, Nominated: 4},
	"filters":   {Groups: 2, Budgets: 4, Taints: true, Selectors: true, Ports: true},
	"affinity":  {Groups: 2, Budgets: 4, Affinity: true, Spread: true},
	"full":      gen.Full(),
}

// overGroupShapes holds a property to groups that can be decided about, in every sort of
// cluster.
func overGroupShapes(t *testing.T, property func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod)) {
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := gen.Workloads(groupShapes[name]).Draw(t, "workload")
				req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now}
				if _, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, w.Cluster), req); err == nil {
					property(t, w.Cluster, w.Pods)
				}
			})
		})
	}
}

func preemptGroup(t fataler, snap *engine.Snapshot, pods []*outrank.Pod) *preemption.GroupPlan {
	t.Helper()
	plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
	require.NoError(t, err)
	return plan
}

// refusal returns a refusal of the engine as text. asRefusal returns one of the
// reference in the same form.

// A victim is of lower priority and never of the group itself. A group that is
// disrupted as a whole is there with all its running pods or with none.
func TestPropertyGroupVictims(t *testing.T) {
	t.Parallel()
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		snap := newSnapshot(t, c)
		plan := preemptGroup(t, snap, pods)
		gone := map[outrank.Key]bool{}
		for _, v := range plan.Victims {
			if own := pods[0].PriorityValue(); v.Priority >= own {
				t.Fatalf("victim %s has priority %d, the group %d", v, v.Priority, own)
			}
			if v.Priority != snap.CountsAs(v.Pod) || v.Node != snap.NodeOf(v.Pod.Key()) {
				t.Fatalf("victim %s counts with priority %d, and not with %d, or is not there", v, snap.CountsAs(v.Pod), v.Priority)
			}
			if v.Blocks.Code == preemption.Success || v.Blocked == nil {
				t.Fatalf("nothing says why %s could not stay", v)
			}
			p := v.Pod
			if gone[p.Key()] || v.Node == "" || p.Group != "" && p.GroupKey() == plan.Group {
				t.Fatalf("%s is no victim: twice, not running, or of the group itself", p.Key())
			}
			gone[p.Key()] = true
		}
		for n := range snap.Nodes() {
			for _, p := range snap.PodsOn(n.Name) {
				if g, ok := snap.Group(p.GroupKey()); !ok || g.DisruptionMode != outrank.DisruptPodGroup {
					continue
				}
				for m := range snap.Nodes() {
					for _, q := range snap.PodsOn(m.Name) {
						if q.GroupKey() == p.GroupKey() && gone[q.Key()] != gone[p.Key()] {
							t.Fatalf("%s leaves: %v, %s of the same group: %v", p.Key(), gone[p.Key()], q.Key(), gone[q.Key()])
						}
					}
				}
			}
		}
	})
}

// Where pods only ever take room, no placed pod fails on its node with the victims gone,
// and one does with any of them back.
func TestPropertyNoGroupVictimIsSpare(t *testing.T) {
	t.Parallel()
	victims := 0
	rapid.Check(t, func(t *rapid.T) {
		w := gen.Workloads(gen.Shape{Groups: 2, Budgets: 4, Taints: true, Selectors: true}).Draw(t, "workload")
		snap := newSnapshot(t, w.Cluster)
		plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: w.Pods, Now: gen.Now})
		if err != nil || plan.Outcome != preemption.Preempts {
			return
		}
		for _, p := range podsOf(plan.Victims) {
			require.NoError(t, snap.RemovePod(p.Key()))
		}
		require.True(t, keepsPlaces(t, snap, plan))
		for unit := range plan.Units() {
			mark := snap.Mark()
			for _, p := range podsOf(unit) {
				require.NoError(t, errOf(snap.PutPod(p)))
			}
			if keepsPlaces(t, snap, plan) {
				t.Fatalf("every pod keeps its place although %s stays", unitText(unit))
			}
			require.NoError(t, snap.Undo(mark))
			victims++
		}
	})
	require.Positive(t, victims)
}

// keepsPlaces reports whether each pod passes on its node, beside those before it.
func keepsPlaces(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool {
	mark, keep := snap.Mark(), true
	for _, a := range plan.Placement {
		bound := *a.Pod
		bound.Group, bound.NominatedNodeName = "", "" // a pod of a group is not asked about by itself
		keep = keep && statusOn(t, snap, &bound, a.Node).Code == preemption.Success
		bound.NodeName = a.Node
		require.NoError(t, errOf(snap.PutPod(&bound)))
	}
	require.NoError(t, snap.Undo(mark))
	return keep
}

// The answer is the same every time, for any order of the pods and groups of the cluster,
// and for a function of the caller that places in the same way.
func TestPropertyGroupOneAnswer(t *testing.T) {
	t.Parallel()
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		snap := newSnapshot(t, c)
		want := preemptGroup(t, snap, pods)
		if diff := testdiff.Diff(want, preemptGroup(t, snap, pods)); diff != "" {
			t.Fatalf("the second time (-first +second):\n%s", diff)
		}
		other := gen.Shuffled(c).Draw(t, "shuffled")
		other.Nodes, other.Budgets = c.Nodes, c.Budgets
		if diff := testdiff.Diff(want, preemptGroup(t, newSnapshot(t, other), pods)); diff != "" {
			t.Fatalf("with pods and groups shuffled (-want +got):\n%s", diff)
		}
		// First fit as a function of the caller is the same thing.
		e := newEvaluator(t, preemption.Config{}).Parallel(3)
		got, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now, Place: firstFitIn(e, snap)})
		require.NoError(t, err)
		if diff := testdiff.Diff(want, got); diff != "" {
			t.Fatalf("FirstFit from outside (-inside +outside):\n%s", diff)
		}
	})
}

func TestPropertyGroupInputIsReadOnly(t *testing.T) {
	workloads := gen.Workloads(groupShapes["full"])
	for seed := range 100 {
		w := workloads.Example(seed)
		snap, err := engine.NewSnapshot(w.Cluster)
		require.NoError(t, err)
		plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: w.Pods, Now: gen.Now})
		if err == nil && plan.Outcome == preemption.Preempts {
			require.NoError(t, snap.Apply(plan))
		}
		if diff := testdiff.Diff(workloads.Example(seed), w); diff != "" {
			t.Fatalf("workload of seed %d (-before +after):\n%s", seed, diff)
		}
	}
}

// Any number of calls may run on one snapshot. The race detector checks this.
func TestGroupCallsAtOnce(t *testing.T) {
	snap, e := newSnapshot(t, withGroups(gen.Cluster(groupShapes["crowded"]).Example(3))), newEvaluator(t, preemption.Config{})
	pods := []*outrank.Pod{pod("a", 3000, "500m"), pod("b", 3000, "500m")}
	want := preemptGroup(t, snap, pods)
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			got, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
			if err != nil || !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
				t.Errorf("PreemptGroup() = %v, %v; want %v", got, err, want)
			}
		}()
	}
	all.Wait()
}

// A call whose context has ended says so, even where there is too little to do to ask it on the way.
func TestGroupContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	snap := newSnapshot(t, &outrank.Cluster{
		Release: withGates(), Nodes: []*outrank.Node{node("n1", "100m", "a")}, // and nobody could leave
		Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 1), 9)},
	})
	for _, refused := range []bool{false, true} {
		_, err := newEvaluator(t, preemption.Config{}).PreemptGroup(ctx, snap, preemption.GroupRequest{Pods: gang(1), Now: gen.Now, Refused: refused})
		require.ErrorIs(t, err, context.Canceled, "refused: %t", refused)
	}
}

func TestGroupContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a")}}
	for i := range 20 {
		c.Pods = append(c.Pods, pod(fmt.Sprint("low", i), 1, "100m", on("n1")))
	}
	e, asked := newEvaluator(t, preemption.Config{}), 0
	snap := newSnapshot(t, withGroups(c))
	place := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		if asked++; asked == 2 {
			cancel()
		}
		return firstFitIn(e, snap)(context.Background(), draft, pods)
	}
	req := preemption.GroupRequest{Pods: []*outrank.Pod{pod("p", 9, "2")}, Now: gen.Now, Place: place}
	_, err := e.PreemptGroup(ctx, snap, req)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 2, asked, "it went on")
	req.Place = nil
	_, err = e.PreemptGroup(ctx, newSnapshot(t, withGroups(c)), req)
	require.ErrorIs(t, err, context.Canceled)

	// In the middle of a placement, too.
	plug := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{
		&preemption.Filter{Name: "Plug", Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
			asked++
			cancel()
			return preemption.Status{Code: preemption.Unschedulable}
		}},
	}})
	wide, _ := gen.Benchmark(200, 0, 0)
	feasible := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		_, err := draft.Feasible(pods[0])
		return nil, nil, err
	}
	for _, place := range []preemption.PlaceFunc{nil, feasible} {
		ctx, cancel = context.WithCancel(context.Background())
		defer cancel()
		asked = 0
		_, err = plug.PreemptGroup(ctx, newSnapshot(t, withGroups(wide)), preemption.GroupRequest{Pods: []*outrank.Pod{{Name: "p"}}, Place: place})
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, asked, 200, "it went on")
	}

	broken := errors.New("no answer")
	req.Place = func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		return nil, nil, broken
	}
	_, err = e.PreemptGroup(context.Background(), newSnapshot(t, withGroups(c)), req)
	require.ErrorIs(t, err, broken)
}
