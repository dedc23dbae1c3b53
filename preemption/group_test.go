package preemption_test

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
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/preemption"
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

// monotoneGroups is the shape in which a pod only ever takes room away.
var monotoneGroups = gen.Shape{Groups: 2, Budgets: 4, Nominated: 4, Taints: true, Selectors: true}

// drawGroup draws a cluster and a preempting group. If the cluster knows the
// group, the two agree on its priority.
func drawGroup(t *rapid.T, shape gen.Shape) (*outrank.Cluster, []*outrank.Pod) {
	c := gen.Cluster(shape).Draw(t, "cluster")
	pods := gen.PreemptorGroup(shape).Draw(t, "group")
	c.Release = outrank.V1_36
	// A pod stays in its group: one that the cluster knows already is of this one.
	for _, p := range c.Pods {
		if slices.ContainsFunc(pods, func(q *outrank.Pod) bool { return q.Key() == p.Key() }) {
			p.Group = pods[0].Group
		}
	}
	own := ownGroup(c, pods)
	if own == nil {
		return c, pods
	}
	own.MinCount = min(own.MinCount, int32(len(pods)))
	if own.Priority != nil && rapid.Bool().Draw(t, "priority of its pods") {
		own.Priority = outrank.Priority(pods[0].PriorityValue())
	} else if own.Priority != nil {
		own.Priority = outrank.Priority(rapid.SampledFrom([]int32{-1, 3, 10, 2000}).Draw(t, "priority of the group"))
		for i, p := range pods {
			p.Priority = outrank.Priority(rapid.SampledFrom([]int32{-1, 3, 10, 2000}).Draw(t, fmt.Sprint("priority of pod ", i)))
		}
	}
	return c, pods
}

// ownGroup is the group of the preemptor, nil where the cluster does not know it.
func ownGroup(c *outrank.Cluster, pods []*outrank.Pod) *outrank.PodGroup {
	for _, g := range c.Groups {
		if g.Key() == pods[0].GroupKey() {
			return g
		}
	}
	return nil
}

// groupPriority is what the preemptor counts with.
func groupPriority(c *outrank.Cluster, pods []*outrank.Pod) int32 {
	if own := ownGroup(c, pods); own != nil && own.Priority != nil {
		return *own.Priority
	}
	return pods[0].PriorityValue()
}

func overGroupShapes(t *testing.T, property func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod)) {
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, pods := drawGroup(t, groupShapes[name])
				property(t, c, pods)
			})
		})
	}
}

func preemptGroup(t fataler, snap *preemption.Snapshot, pods []*outrank.Pod) *preemption.GroupPlan {
	t.Helper()
	plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
	require.NoError(t, err)
	return plan
}

// refusal returns a refusal of the engine as text. asRefusal returns one of the
// reference in the same form.
func refusal(r *preemption.Refusal) map[string]int {
	if r == nil {
		return nil
	}
	counts := map[string]int{"pod " + string(r.Pod.Key()): 0}
	for _, c := range r.Nodes {
		s := status(c.Status)
		counts[fmt.Sprint(s.Code, s.Plugin, s.Reasons)] += c.Nodes
	}
	return counts
}

func asRefusal(r reference.Refusal) map[string]int {
	if r.Pod == "" {
		return nil
	}
	counts := map[string]int{"pod " + r.Pod: 0}
	for _, s := range r.Nodes {
		slices.Sort(s.Reasons)
		counts[fmt.Sprint(s.Code, s.Plugin, s.Reasons)]++
	}
	return counts
}

func placement(as []preemption.Assignment) map[string]string {
	nodes := map[string]string{}
	for _, a := range as {
		nodes[string(a.Pod.Key())] = a.Node
	}
	return nodes
}

// told is the answer about a group, in a form that both sides share.
type told struct {
	Outcome       preemption.Outcome
	Ineligible    string
	Before, After map[string]int
	Placement     map[string]string
	Possible      int
	Violations    int
	Cleared       []string
	Victims       []toldUnit
}

type toldUnit struct {
	Group    string
	Pods     []string
	Priority int32
	Violates bool
	Blocks   map[string]int
}

func tellPlan(p *preemption.GroupPlan) told {
	out := told{
		Outcome: p.Outcome, Ineligible: p.Ineligible.String(), Before: refusal(p.TurnedDown), After: refusal(p.Unhelpful),
		Placement: placement(p.Placement), Possible: p.Possible, Violations: p.Violations(), Cleared: keys(p.ClearedNominations),
	}
	slices.Sort(out.Cleared)
	for _, v := range p.Victims {
		u := toldUnit{Pods: keys(v.Pods), Priority: v.Priority, Violates: len(v.Violated) > 0, Blocks: refusal(v.Blocks)}
		if v.Group != nil {
			u.Group = string(v.Group.Key())
		}
		out.Victims = append(out.Victims, u)
	}
	return out
}

func tellDecision(d reference.GroupDecision) told {
	out := told{
		Outcome: preemption.Preempt, Ineligible: d.EligibleMessage, Before: asRefusal(d.Before), After: asRefusal(d.After),
		Placement: d.Placement, Possible: d.Possible, Violations: d.Violations, Cleared: d.ClearedNominations,
	}
	switch {
	case d.Before.Pod == "":
		out.Outcome = preemption.Fits
	case !d.Eligible:
		out.Outcome = preemption.NotEligible
	case d.Placement == nil:
		out.Outcome = preemption.NothingHelps
	}
	for _, v := range d.Victims {
		out.Victims = append(out.Victims, toldUnit{v.Group, keys(v.Pods), v.Priority, v.Violates, asRefusal(v.Blocked)})
	}
	return out
}

func TestGroupAgreesWithReference(t *testing.T) {
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		schedulers := preemption.DrawSchedulers(t)
		want := tellDecision(reference.DecideGroup(reference.GroupInput{Cluster: c, Pods: pods, Now: gen.Now, Setup: reference.Setup{Schedulers: schedulers}}))
		plan, err := newEvaluator(t, preemption.Config{Schedulers: schedulers}).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: pods, Now: gen.Now})
		require.NoError(t, err)
		got := tellPlan(plan)
		if diff := cmp.Diff(want, got, equateEmpty); diff != "" {
			t.Fatalf("PreemptGroup (-reference +engine):\n%s\ncluster: %s\ngroup: %s", diff, asJSON(c), asJSON(pods))
		}
	})
}

// A victim is of lower priority and never of the group itself. A group that is
// disrupted as a whole is there with all its running pods or with none.
func TestPropertyGroupVictims(t *testing.T) {
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		snap := newSnapshot(t, c)
		plan := preemptGroup(t, snap, pods)
		gone := map[outrank.Key]bool{}
		for _, v := range plan.Victims {
			if own := groupPriority(c, pods); v.Priority >= own {
				t.Fatalf("victim %s has priority %d, the group %d", v, v.Priority, own)
			}
			if v.Blocks == nil {
				t.Fatalf("nothing says why %s could not stay", v)
			}
			for _, p := range v.Pods {
				if gone[p.Key()] || snap.NodeOf(p.Key()) == "" || plan.Group != "" && p.GroupKey() == plan.Group {
					t.Fatalf("%s is no victim: twice, not running, or of the group itself", p.Key())
				}
				gone[p.Key()] = true
			}
		}
		for n := range snap.Nodes() {
			for _, p := range snap.PodsOn(n.Name) {
				if g, ok := snap.Group(p.GroupKey()); !ok || g.Disruption != outrank.DisruptPodGroup || g.Key() == plan.Group {
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

// Each pod passes the filters on its node in a new attempt, with the victims
// gone and the pods before it in place, in every sort of cluster.
func TestPropertyGroupHasItsPlaces(t *testing.T) {
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		snap := newSnapshot(t, c)
		plan := preemptGroup(t, snap, pods)
		for _, p := range plan.VictimPods() {
			require.NoError(t, snap.RemovePod(p.Key()))
		}
		for _, p := range pods {
			if _, ok := snap.Pod(p.Key()); ok {
				require.NoError(t, snap.RemovePod(p.Key()))
			}
		}
		for _, a := range plan.Placement {
			if s := statusOn(t, snap, a.Pod, a.Node); s.Code != preemption.Success {
				t.Fatalf("%s: the node says %s", a, s)
			}
			bound := *a.Pod
			bound.NodeName = a.Node
			require.NoError(t, snap.AddPod(&bound))
		}
		fits := plan.Outcome == preemption.Fits || plan.Outcome == preemption.Preempt
		wanted := len(pods)
		if own := ownGroup(c, pods); own != nil && own.Policy == outrank.BasicPolicy {
			wanted = 1
		} else if own != nil && own.Policy == outrank.GangPolicy {
			wanted = 0
			for n := range snap.Nodes() {
				for _, p := range snap.PodsOn(n.Name) {
					if p.GroupKey() == plan.Group {
						wanted--
					}
				}
			}
			// Those placed run by now.
			wanted = min(max(int(own.MinCount)+wanted+len(plan.Placement), 1), len(pods))
		}
		if fits && len(plan.Placement) < wanted || !fits && len(plan.Placement) > 0 {
			t.Fatalf("outcome %v with %d pods of %d placed, %d are enough", plan.Outcome, len(plan.Placement), len(pods), wanted)
		}
	})
}

// After ApplyGroup the victims are gone and nominations are as the plan says.
// If pods only take room, each pod of the group still fits on its node, with
// the others nominated to theirs, but for earlier nominations of those that got no
// place, which do not count in the plan. Undo restores everything.
func TestPropertyApplyGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, pods := drawGroup(t, monotoneGroups)
		snap := newSnapshot(t, c)
		plan := preemptGroup(t, snap, pods)
		mark := snap.Mark()
		err := snap.ApplyGroup(plan)
		if plan.Outcome != preemption.Preempt {
			require.ErrorIs(t, err, preemption.ErrState)
			return
		}
		require.NoError(t, err)
		for _, p := range plan.VictimPods() {
			if _, ok := snap.Pod(p.Key()); ok {
				t.Fatalf("victim %s is still there", p.Key())
			}
		}
		for _, p := range plan.ClearedNominations {
			if on := snap.NominationOf(p.Key()); on != "" {
				t.Fatalf("%s is still nominated to %s", p.Key(), on)
			}
		}
		for _, p := range pods {
			placed := slices.ContainsFunc(plan.Placement, func(a preemption.Assignment) bool { return a.Pod.Key() == p.Key() })
			if !placed && snap.NominationOf(p.Key()) != "" {
				require.NoError(t, snap.Nominate(p.Key(), ""))
			}
		}
		for _, a := range plan.Placement {
			require.Equal(t, a.Node, snap.NominationOf(a.Pod.Key()))
			if s := statusOn(t, snap, a.Pod, a.Node); s.Code != preemption.Success {
				t.Fatalf("after the plan, %s: the node says %s", a, s)
			}
		}
		require.NoError(t, snap.Undo(mark))
		if diff := cmp.Diff(plan, preemptGroup(t, snap, pods)); diff != "" {
			t.Fatalf("after undo (-before +after):\n%s", diff)
		}
	})
}

// For one pod, or equal pods, that only take room, first fit is exact and no
// victim is spare.
func TestPropertyNoGroupVictimIsSpare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, pods := drawGroup(t, monotoneGroups)
		for i := range pods {
			p := *pods[0]
			p.Name, p.NominatedNode = pods[i].Name, ""
			pods[i] = &p
		}
		snap := newSnapshot(t, c)
		plan := preemptGroup(t, snap, pods)
		if plan.Outcome != preemption.Preempt {
			return
		}
		for _, p := range plan.VictimPods() {
			require.NoError(t, snap.RemovePod(p.Key()))
		}
		e := newEvaluator(t, preemption.Config{})
		for _, v := range plan.Victims {
			mark := snap.Mark()
			for _, p := range v.Pods {
				require.NoError(t, snap.AddPod(p))
			}
			placed, err := e.FirstFit(context.Background(), snap, pods)
			require.NoError(t, err)
			if placed.Refused == nil {
				t.Fatalf("the group has a place although %s stays", v)
			}
			require.NoError(t, snap.Undo(mark))
		}
	})
}

// The answer is the same every time, for any order of pods, budgets and groups,
// and for any caller of FirstFit.
func TestPropertyGroupOneAnswer(t *testing.T) {
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		snap := newSnapshot(t, c)
		want := preemptGroup(t, snap, pods)
		if diff := cmp.Diff(want, preemptGroup(t, snap, pods)); diff != "" {
			t.Fatalf("the second time (-first +second):\n%s", diff)
		}
		other := gen.Shuffled(c).Draw(t, "shuffled")
		other.Nodes = c.Nodes
		shuffled := rapid.Permutation(pods).Draw(t, "order of the group")
		if diff := cmp.Diff(want, preemptGroup(t, newSnapshot(t, other), shuffled)); diff != "" {
			t.Fatalf("with pods, budgets and groups shuffled (-want +got):\n%s", diff)
		}
		// FirstFit as a caller's own Place, on copies, is the same thing.
		e := newEvaluator(t, preemption.Config{Workers: 3})
		got, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now, Place: e.FirstFit})
		require.NoError(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("FirstFit from outside (-inside +outside):\n%s", diff)
		}
	})
}

func TestPropertyGroupInputIsReadOnly(t *testing.T) {
	shape := groupShapes["full"]
	for seed := range 100 {
		c, pods := gen.Cluster(shape).Example(seed), gen.PreemptorGroup(shape).Example(seed)
		snap, err := preemption.NewSnapshot(before37(c))
		require.NoError(t, err)
		plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
		if err == nil && plan.Outcome == preemption.Preempt {
			require.NoError(t, snap.ApplyGroup(plan))
		}
		if diff := cmp.Diff(before37(gen.Cluster(shape).Example(seed)), c); diff != "" {
			t.Fatalf("cluster of seed %d (-before +after):\n%s", seed, diff)
		}
		if diff := cmp.Diff(gen.PreemptorGroup(shape).Example(seed), pods); diff != "" {
			t.Fatalf("group of seed %d (-before +after):\n%s", seed, diff)
		}
	}
}

// Any number of calls may run on one snapshot. The race detector checks this.
func TestGroupCallsAtOnce(t *testing.T) {
	snap, e := newSnapshot(t, before37(gen.Cluster(groupShapes["crowded"]).Example(3))), newEvaluator(t, preemption.Config{})
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

func TestGroupContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a")}}
	for i := range 20 {
		c.Pods = append(c.Pods, pod(fmt.Sprint("low", i), 1, "100m", on("n1")))
	}
	e, asked := newEvaluator(t, preemption.Config{}), 0
	place := func(ctx context.Context, snap *preemption.Snapshot, pods []*outrank.Pod) (preemption.Placement, error) {
		if asked++; asked == 5 {
			cancel()
		}
		return e.FirstFit(context.Background(), snap, pods)
	}
	req := preemption.GroupRequest{Pods: []*outrank.Pod{pod("p", 9, "2")}, Now: gen.Now, Place: place}
	_, err := e.PreemptGroup(ctx, newSnapshot(t, before37(c)), req)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 5, asked, "it went on")
	req.Place = nil
	_, err = e.PreemptGroup(ctx, newSnapshot(t, before37(c)), req)
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.FirstFit(ctx, newSnapshot(t, before37(c)), req.Pods)
	require.ErrorIs(t, err, context.Canceled)

	// In the middle of a placement, too.
	ctx, cancel = context.WithCancel(context.Background())
	asked = 0
	plug := newEvaluator(t, preemption.Config{Filters: []preemption.Filter{
		preemption.NodeRule("Plug", func(*outrank.Pod, *outrank.Node) preemption.Status {
			asked++
			cancel()
			return preemption.Status{Code: preemption.Unschedulable}
		}),
	}})
	wide, _ := gen.Benchmark(200, 0, 0)
	_, err = plug.FirstFit(ctx, newSnapshot(t, before37(wide)), []*outrank.Pod{{Name: "p"}})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, asked, 200, "it went on")

	broken := errors.New("no answer")
	req.Place = func(context.Context, *preemption.Snapshot, []*outrank.Pod) (preemption.Placement, error) {
		return preemption.Placement{}, broken
	}
	_, err = e.PreemptGroup(context.Background(), newSnapshot(t, before37(c)), req)
	require.ErrorIs(t, err, broken)
}
