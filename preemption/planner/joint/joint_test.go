package joint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// cluster is one of nodes with 4 cpu each.
func cluster(t *testing.T, nodes []string, pods ...*outrank.Pod) *engine.Snapshot {
	c := &outrank.Cluster{Pods: pods}
	for _, name := range nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10"),
			Labels: map[string]string{"zone": name}})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	return snap
}

func preempt(t *testing.T, snap *engine.Snapshot, config preemption.Config, pods ...*outrank.Pod) *joint.Plan {
	eval, err := engine.New(config)
	require.NoError(t, err)
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: pods, Now: clustergen.Now()})
	require.NoError(t, err)
	return plan
}

// Rule 25.1.1: the highest priority first, and equal ones as they were given.
func TestOrderOfTheQueue(t *testing.T) {
	plan := preempt(t, cluster(t, []string{"n1"}), preemption.Config{},
		pod("b", "", 10, "1"), pod("z", "", 20, "1"), pod("a", "", 10, "1"))
	var names []string
	for _, at := range plan.Placements {
		names = append(names, at.Pod.Name)
	}
	assert.Equal(t, []string{"z", "b", "a"}, names)
	assert.True(t, plan.Kept, "all fit")
	assert.True(t, plan.Certificate.Optimal)
	assert.Zero(t, plan.Total.Victims)
}

// Rule 25.1.2: one by one the large pod takes the hole that the small one needs, and each
// of them could have done with less.
func TestPodThatFitsLeavesTheRoomToAnother(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "1"), pod("b", "n2", 1, "3"))
	plan := preempt(t, snap, preemption.Config{}, pod("first", "", 100, "1"), pod("second", "", 90, "3"))
	assert.Equal(t, 1, plan.OneByOne.Victims)
	assert.Zero(t, plan.Total.Victims, "%v", plan)
	assert.Equal(t, "n2", plan.Placements[0].Node)
	assert.Equal(t, "n1", plan.Placements[1].Node)
}

// Rule 25.2.3: no victims come to less than any, also where the start decides first.
func TestNobodyIsBestByTheStart(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "1"), pod("b", "n2", 1, "3"))
	plan := preempt(t, snap, preemption.Config{Ranks: []preemption.Rank{preemption.ByStart}},
		pod("first", "", 100, "1"), pod("second", "", 90, "3"))
	assert.Equal(t, 1, plan.OneByOne.Victims)
	assert.Zero(t, plan.Total.Victims, "%v", plan)
	assert.Equal(t, preemption.ByStart.Name, plan.DecidedBy)
	assert.True(t, plan.Certificate.Optimal)
}

// Rule 25.1.2: a pod that fits is bound when its turn comes, one that preempts after all had
// theirs.
func TestOrderInWhichPodsAreBound(t *testing.T) {
	at := func(name string, priority int32, node string) *outrank.Pod {
		p := pod(name, "", priority, "2")
		p.NodeSelector = map[string]string{"zone": node}
		return p
	}
	snap := cluster(t, []string{"n1", "n2", "n3"}, pod("a", "n1", 1, "4"), pod("b", "n3", 1, "4"))
	plan := preempt(t, snap, preemption.Config{}, at("first", 100, "n1"), at("second", 90, "n2"), at("third", 80, "n3"), at("fourth", 70, "n2"))
	assert.Equal(t, []int{1, 3, 0, 2}, plan.Order, "%v", plan)
}

// Rule 25.1.3: a victim that only a pod of higher priority may evict leaves for no other,
// though that pod could do without it.
func TestNobodyLeavesForAPodThatMayNotEvictIt(t *testing.T) {
	snap := cluster(t, []string{"n1"}, pod("a", "n1", 50, "2"))
	plan := preempt(t, snap, preemption.Config{}, pod("high", "", 100, "2"), pod("low", "", 10, "2"))
	assert.Equal(t, "n1", plan.Placements[0].Node)
	assert.Empty(t, plan.Placements[1].Node, "%v", plan)
	require.NotNil(t, plan.Placements[1].Refused)
	assert.Equal(t, preemption.NothingHelps, plan.Placements[1].Refused.Outcome)
	assert.Empty(t, plan.Victims)
}

// A pod that may not preempt takes part in room that others made, and evicts nobody.
func TestPodThatMayNotPreempt(t *testing.T) {
	never := pod("never", "", 90, "2")
	never.PreemptionPolicy = outrank.PreemptNever
	snap := cluster(t, []string{"n1"}, pod("a", "n1", 1, "4"))
	plan := preempt(t, snap, preemption.Config{}, pod("high", "", 100, "2"), never)
	assert.Equal(t, "n1", plan.Placements[1].Node)
	assert.Empty(t, plan.Placements[1].Victims)
	require.Len(t, plan.Victims, 1)
	assert.Equal(t, "high", plan.Victims[0].For.Name)
	assert.Len(t, plan.Victims[0].Needs, 2, "both would be without room")

	alone := preempt(t, snap, preemption.Config{}, never)
	assert.Empty(t, alone.Placements[0].Node)
	assert.Equal(t, preemption.NotEligible, alone.Placements[0].Refused.Outcome)
}

// It does not evict a less important pod elsewhere, though that would spare a more important
// one: rule 25.1.3.
func TestPodThatMayNotPreemptStaysWhereItFits(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 50, "2"), pod("b", "n2", 10, "4"))
	first, second := pod("first", "", 100, "2"), pod("second", "", 90, "2")
	second.NodeSelector = map[string]string{"zone": "n1"}
	plan := preempt(t, snap, preemption.Config{}, first, second)
	assert.Equal(t, int32(10), plan.Total.TopPriority, "the first makes room for the second: %v", plan)

	first.PreemptionPolicy = outrank.PreemptNever
	plan = preempt(t, snap, preemption.Config{}, first, second)
	assert.Equal(t, int32(50), plan.Total.TopPriority, "%v", plan)
	assert.True(t, plan.Kept)
}

// Rule 25.1.4: pods that keep away from each other are put on different nodes.
func TestAntiAffinityBetweenThePods(t *testing.T) {
	apart := func(name string) *outrank.Pod {
		p := pod(name, "", 100, "1")
		p.Labels = map[string]string{"app": "web"}
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{
			LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, TopologyKey: "zone"}}
		return p
	}
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), pod("b", "n2", 1, "4"))
	plan := preempt(t, snap, preemption.Config{}, apart("w1"), apart("w2"))
	assert.NotEqual(t, plan.Placements[0].Node, plan.Placements[1].Node)
	assert.Equal(t, 2, plan.Total.Victims)
	assert.True(t, plan.Certificate.Optimal)
}

// Rule 25.3.3: a pod that has to be near a later one waits for it.
func TestPodThatWaitsForAnother(t *testing.T) {
	near := pod("near", "", 100, "1")
	near.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, TopologyKey: "zone"}}
	db := pod("db", "", 50, "1")
	db.Labels = map[string]string{"app": "db"}
	snap := cluster(t, []string{"n1"}, pod("a", "n1", 1, "4"))
	plan := preempt(t, snap, preemption.Config{}, near, db)
	assert.Equal(t, []int{1, 0}, plan.Order)
	assert.Equal(t, "n1", plan.Placements[0].Node)
	assert.Empty(t, plan.Placements[0].Victims, "the room of a is enough for both")
}

// Nor is a pod of the request its victim, though it has a lower priority and its place before
// that (rule 25.1.3).
func TestPodThatWaitsEvictsNoOther(t *testing.T) {
	near := pod("near", "", 100, "1")
	near.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, TopologyKey: "rack"}}
	db := pod("db", "", 50, "1")
	db.Labels = map[string]string{"app": "db"}
	c := &outrank.Cluster{Pods: []*outrank.Pod{pod("a", "n2", 60, "4")}}
	for _, name := range []string{"n1", "n2"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10"), Labels: map[string]string{"rack": "1"}})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	plan := preempt(t, snap, preemption.Config{}, near, db, pod("other", "", 50, "3"))
	require.Len(t, plan.Victims, 1)
	assert.Equal(t, "a", plan.Victims[0].Pod.Name)
	assert.True(t, plan.Certificate.Optimal)

	spare := preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (rule string, ok bool) { return "", v.Name != "a" }}}
	plan = preempt(t, snap, spare, near, db, pod("other", "", 50, "3"))
	assert.Empty(t, plan.Placements[0].Node, "what the caller spares stays in every round: %v", plan)
	assert.Empty(t, plan.Victims)
}

// Near a victim that the pod needs beside it another one can leave, though the pod does not fit
// with all of them gone (rule 25.1.3).
func TestPodNearAPossibleVictim(t *testing.T) {
	cache := func(name, node string, priority int32) *outrank.Pod {
		p := pod(name, node, priority, "1")
		p.Labels = map[string]string{"app": "cache"}
		return p
	}
	near := pod("near", "", 100, "3")
	near.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "cache"}}, TopologyKey: "zone"}}
	snap := cluster(t, []string{"n1", "n2"}, cache("low", "n1", 2), pod("a", "n1", 1, "3"), cache("high", "n2", 200), pod("b", "n2", 50, "3"))
	plan := preempt(t, snap, preemption.Config{}, near)
	assert.Equal(t, int32(50), plan.OneByOne.TopPriority)
	assert.Equal(t, int32(1), plan.Total.TopPriority, "%v", plan)
}

// Pods that are alike are put on nodes in any order where a spread constraint can tell the orders apart.
func TestSpreadMindsTheOrder(t *testing.T) {
	web := func(name, node, app string, priority int32) *outrank.Pod {
		p := pod(name, node, priority, "4")
		p.Labels = map[string]string{"app": app}
		return p
	}
	c := &outrank.Cluster{
		Pods: []*outrank.Pod{
			{Name: "counts", NodeName: "n1", Priority: outrank.Priority(200), Labels: map[string]string{"app": "web"}},
			web("q", "n1", "covered", 4), web("p", "n2", "covered", 5), web("r", "n3", "free", 6),
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "one", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "covered"}}}},
	}
	for name, rack := range map[string]string{"n1": "a", "n2": "b", "n3": "b"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "10"), Labels: map[string]string{"rack": rack}})
	}
	slices.SortFunc(c.Nodes, func(a, b *outrank.Node) int { return strings.Compare(a.Name, b.Name) })
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	waits := func(name string) *outrank.Pod {
		p := web(name, "", "web", 100)
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "rack", WhenUnsatisfiable: outrank.DoNotSchedule,
			LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}
		return p
	}
	plan := preempt(t, snap, preemption.Config{}, waits("w1"), waits("w2"))
	assert.Equal(t, int64(4+6)+2<<31, plan.Total.PrioritySum, "%v", plan)
	assert.Zero(t, plan.Total.Violations)
	assert.True(t, plan.Certificate.Optimal)
}

// A bound says nothing that a plan could be better than, whoever may evict whom (group 25.5).
func TestBoundsOfOddRules(t *testing.T) {
	bound := func(snap *engine.Snapshot, config preemption.Config, pods ...*outrank.Pod) preemption.Score {
		eval, err := engine.New(config)
		require.NoError(t, err)
		plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: pods, Now: clustergen.Now(), Limit: 1})
		require.NoError(t, err)
		return plan.Certificate.Bound
	}
	// The second may not evict the low pod itself, and takes part in the room of it.
	snap := cluster(t, []string{"n1", "n2"}, pod("low", "n1", 1, "4"), pod("high", "n2", 50, "4"))
	spares := preemption.Config{Eligibility: preemption.Eligibility{Take: func(p, v *outrank.Pod) (rule string, ok bool) { return "", p.Name != "second" || v.Name != "low" }}}
	assert.LessOrEqual(t, bound(snap, spares, pod("first", "", 100, "2"), pod("second", "", 100, "2")).TopPriority, int32(1))

	// A pod without a priority can always be removed (rule 13.3.3).
	all := []*outrank.Pod{pod("none", "n1", 0, "4")}
	all[0].Priority = nil
	for i := range 4 {
		all = append(all, pod(fmt.Sprint("small-", i), "n2", -20, "1"))
	}
	snap = cluster(t, []string{"n1", "n2"}, all...)
	assert.Equal(t, 1, bound(snap, preemption.Config{Variant: outrank.VariantSimplified}, pod("w", "", -10, "4")).Victims)
}

// A plan that comes to its bound is the best one, whether or not the proof has ended.
func TestPlanThatMeetsItsBound(t *testing.T) {
	eval, err := engine.New(preemption.Config{Ranks: []preemption.Rank{preemption.ByVictims}})
	require.NoError(t, err)
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), pod("b", "n2", 2, "4"))
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "4")}, Now: clustergen.Now(), Limit: 1})
	require.NoError(t, err)
	assert.True(t, plan.Certificate.Optimal, "%v", plan)
	assert.Equal(t, plan.Total, plan.Certificate.Bound)
}

// Pods of the same priority keep their nomination, and their room with it.
func TestNominationsOfTheSamePriorityStay(t *testing.T) {
	nominated := func(name string, priority int32) *outrank.Pod {
		p := pod(name, "", priority, "1")
		p.NominatedNodeName = "n1"
		return p
	}
	snap := cluster(t, []string{"n1"}, pod("a", "n1", 1, "4"), nominated("equal", 100), nominated("lower", 99))
	plan := preempt(t, snap, preemption.Config{}, pod("w", "", 100, "3"))
	require.Len(t, plan.Victims, 1)
	var names []string
	for _, p := range plan.Placements[0].ClearedNominations {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"lower"}, names)
}

// Rule 25.1.6: a pod that has no place one by one takes room that the joint plan leaves.
func TestMorePods(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2", "n3"}, pod("s1", "n1", 10, "1"), pod("a1", "n1", 2000, "3"),
		pod("s2", "n2", 10, "1"), pod("a2", "n2", 2000, "3"), pod("large", "n3", 10, "4"))
	plan := preempt(t, snap, preemption.Config{}, pod("w1", "", 1000, "1"), pod("w2", "", 1000, "1"), pod("low", "", 5, "2"))
	assert.Equal(t, 2, plan.OneByOne.Victims)
	assert.Equal(t, 1, plan.Total.Victims, "%v", plan)
	low := plan.Placements[2]
	assert.Empty(t, low.OneByOne.Node)
	assert.True(t, further(&low))
	assert.Equal(t, "n3", low.Node)
	assert.Zero(t, plan.More.Victims)
	assert.Contains(t, plan.String(), "default/low on n3, which has no place one by one")
}

// Rule 25.4.2: two large victims make room for eight pods, each of which would evict a small
// one of its own. The bound says that fewer than two cannot be.
func TestFewVictimsForMany(t *testing.T) {
	var names []string
	var pods, waiting []*outrank.Pod
	for n := range 22 {
		node := fmt.Sprintf("n%02d", n)
		names = append(names, node)
		if n >= 20 {
			pods = append(pods, pod("large-"+node, node, 10, "4"))
			continue
		}
		for i := range 4 {
			pods = append(pods, pod(fmt.Sprint("small-", node, i), node, 10, "1"))
		}
	}
	for i := range 8 {
		waiting = append(waiting, pod(fmt.Sprint("w", i), "", 100, "1"))
	}
	plan := preempt(t, cluster(t, names, pods...), preemption.Config{}, waiting...)
	assert.Equal(t, 8, plan.OneByOne.Victims)
	assert.Equal(t, 2, plan.Total.Victims, "%v", plan)
	assert.Equal(t, 2, plan.Certificate.Bound.Victims)
	assert.Equal(t, preemption.ByPrioritySum.Name, plan.DecidedBy)
}

// Requests that are none, and configurations that decide about one pod, are errors.
func TestRefused(t *testing.T) {
	snap := cluster(t, []string{"n1"}, pod("a", "n1", 1, "4"))
	w := pod("w", "", 10, "1")
	figure := preemption.Rank{Name: "s", Figure: func(*preemption.Candidate) int64 { return 0 }}
	second := preemption.Rank{Name: "second", Cost: costOf}
	for name, c := range map[string]struct {
		config preemption.Config
		pods   []*outrank.Pod
		limit  int
		says   string
	}{
		"nil":    {pods: []*outrank.Pod{nil}, says: "Pods[0]: missing"},
		"twice":  {pods: []*outrank.Pod{w, w}, says: "Pods[1]: default/w is there twice"},
		"limit":  {pods: []*outrank.Pod{w}, limit: -1, says: "Limit: -1 is negative"},
		"figure": {config: preemption.Config{Ranks: []preemption.Rank{figure}}, pods: []*outrank.Pod{w}, says: "Ranks[0].Figure: "},
		"costs":  {config: preemption.Config{Ranks: []preemption.Rank{byCostOf, second}}, pods: []*outrank.Pod{w}, says: "Ranks[1].Cost: "},
		"strict": {config: preemption.Config{Budgets: preemption.NeverViolate}, pods: []*outrank.Pod{w}, says: "Budgets: "},
		"chooser": {config: preemption.Config{
			Victims: preemption.Chooser{Name: "c",
				Choose: func(v preemption.NodeView) []*outrank.Pod { return nil }},
		}, pods: []*outrank.Pod{w}, says: "Victims: "},
		"runs": {pods: []*outrank.Pod{pod("a", "n1", 1, "4")}, says: "runs"},
	} {
		t.Run(name, func(t *testing.T) {
			eval, err := engine.New(c.config)
			require.NoError(t, err)
			_, err = joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: c.pods, Limit: c.limit})
			assert.ErrorContains(t, err, c.says)
		})
	}
	_, err := joint.Preempt(context.Background(), nil, snap, joint.Request{})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	_, err = joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: []*outrank.Pod{pod("a", "n1", 1, "4")}})
	assert.ErrorIs(t, err, preemption.ErrState)
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{})
	require.NoError(t, err)
	assert.Empty(t, plan.Placements, "no pods, no plan")
}

// A cluster without nodes has no place for a pod, and an empty plan can be printed.
func TestNothingThere(t *testing.T) {
	plan := preempt(t, cluster(t, nil), preemption.Config{}, pod("w", "", 10, "1"), pod("v", "", 10, "1"))
	assert.Empty(t, plan.Placements[0].Node)
	assert.Empty(t, plan.Order)
	assert.Equal(t, "default/w has no place\ndefault/v has no place\ntogether: no victims; one by one: no victims; optimal, 0 steps", plan.String())
	assert.NotPanics(t, func() { _ = joint.Plan{Placements: make([]joint.Placement, 1)}.String() })
	assert.NotEmpty(t, joint.Victim{}.String())
}

// counting is a context that ends once it was asked for its error a number of times.
type counting struct {
	context.Context
	left int
}

func (c *counting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A context that ends before there is a plan is an error. One that ends later ends the search,
// wherever it is, and the best plan by then holds and says so.
func TestContext(t *testing.T) {
	snap, waiting := waiting(t, 20, 8, 5)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for _, left := range []int{0, 1, 10} {
		ctx := &counting{context.Background(), left}
		_, err := joint.Preempt(ctx, eval, snap, joint.Request{Pods: waiting, Now: clustergen.Now()})
		assert.ErrorIs(t, err, context.Canceled, "after %d", left)
	}
	interrupted := 0
	step := seeded.Sample(160, 60) // any place is drawn by TestPropertyEndsWithItsContext
	for left := 20; left < 1500; left += step {
		ctx := &counting{context.Background(), left}
		plan, err := joint.Preempt(ctx, eval, snap, joint.Request{Pods: waiting, Now: clustergen.Now()})
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled, "after %d", left)
			continue
		}
		assert.LessOrEqual(t, compare(eval, plan.Total, plan.OneByOne), 0)
		if !plan.Kept {
			after(t, eval, snap, plan)
		}
		if plan.Interrupted {
			interrupted++
			assert.False(t, plan.Certificate.Optimal && !reflect.DeepEqual(plan.Certificate.Bound, plan.Total))
			assert.Contains(t, plan.String(), "interrupted")
		}
	}
	assert.Positive(t, interrupted)
}

// Rule 25.4.1: the limit holds, but for the few questions of a step that has begun.
func TestLimit(t *testing.T) {
	snap, waiting := waiting(t, 50, 20, 5)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	for _, limit := range []int{1, 100, 5000} {
		plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: waiting, Now: clustergen.Now(), Limit: limit})
		require.NoError(t, err)
		assert.LessOrEqual(t, plan.Certificate.Steps, 3*limit+500)
		assert.False(t, plan.Certificate.Optimal)
		assert.Equal(t, limit < 5000, plan.Certificate.Gap > 0, "%v", plan.Certificate)
	}
}

// A pod that MayEvict spares stays, and budgets are charged for the victims of all pods together.
func TestRulesOfTheCaller(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("spared", "n1", 1, "4"), pod("a", "n2", 10, "2"), pod("b", "n2", 10, "2"))
	spare := preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (rule string, ok bool) { return "", v.Name != "spared" }}}
	plan := preempt(t, snap, spare, pod("w1", "", 1000, "2"), pod("w2", "", 1000, "2"))
	require.Len(t, plan.Victims, 2)
	for _, v := range plan.Victims {
		assert.Equal(t, "n2", v.Node)
	}
}

func TestJSON(t *testing.T) {
	snap, eval, waiting := shared()
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: waiting, Now: clustergen.Now()})
	require.NoError(t, err)
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"apiVersion": "outrank/v1", "kind": "JointPlan",
		"placements": [
			{"pod": {"namespace": "default", "name": "web-1", "priority": 1000}, "node": "n2",
			 "victims": [{"namespace": "default", "name": "large", "priority": 10, "node": "n2"}],
			 "oneByOne": {"node": "n1", "victims": [{"namespace": "default", "name": "small", "priority": 10, "node": "n1"}]}},
			{"pod": {"namespace": "default", "name": "web-2", "priority": 1000}, "node": "n2", "victims": [],
			 "oneByOne": {"node": "n2", "victims": [{"namespace": "default", "name": "large", "priority": 10, "node": "n2"}]}}],
		"order": [0, 1],
		"victims": [{"pod": {"namespace": "default", "name": "large", "priority": 10, "node": "n2"}, "node": "n2",
			"for": {"namespace": "default", "name": "web-1", "priority": 1000},
			"needs": [{"namespace": "default", "name": "web-1", "priority": 1000}, {"namespace": "default", "name": "web-2", "priority": 1000}]}],
		"total": {"violations": 0, "topPriority": 10, "prioritySum": 10, "shiftedPrioritySum": 2147483658, "victims": 1, "start": "2026-01-10T13:00:00Z"},
		"oneByOne": {"violations": 0, "topPriority": 10, "prioritySum": 20, "shiftedPrioritySum": 4294967316, "victims": 2, "start": "2026-01-10T13:00:00Z"},
		"decidedBy": "priority-sum", "kept": false,
		"more": {"violations": 0, "topPriority": -2147483648, "prioritySum": 0, "shiftedPrioritySum": 0, "victims": 0},
		"certificate": {"optimal": true, "steps": 21,
			"bound": {"violations": 0, "topPriority": 10, "prioritySum": 10, "shiftedPrioritySum": 2147483658, "victims": 1, "start": "2026-01-10T13:00:00Z"}}
	}`, string(text))
	assert.ErrorIs(t, json.Unmarshal(text, &joint.Plan{}), errors.ErrUnsupported)
}

// Apply leaves a snapshot as it was where it cannot do everything.
func TestApplyFails(t *testing.T) {
	snap, eval, waiting := shared()
	large, _ := snap.Pod("default/large")
	first, second := *large, *large
	first.UID, second.UID = "first", "second"
	require.NoError(t, errOf(snap.PutPod(&first)))
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: waiting, Now: clustergen.Now()})
	require.NoError(t, err)
	require.NoError(t, errOf(snap.PutPod(pod("web-2", "n1", 1000, "1"))))
	before := len(snap.PodsOn("n2"))
	require.ErrorIs(t, plan.Apply(snap), preemption.ErrState)
	assert.Len(t, snap.PodsOn("n2"), before)
	require.NoError(t, snap.RemovePod("default/web-2"))
	require.NoError(t, errOf(snap.PutPod(&second)))
	require.ErrorIs(t, plan.Apply(snap), preemption.ErrNotFound, "another pod has the name of the victim")
	require.NoError(t, snap.RemovePod("default/large"))
	require.ErrorIs(t, plan.Apply(snap), preemption.ErrNotFound)
	require.NoError(t, errOf(snap.PutPod(&first)))
	plan.Order = append(plan.Order, len(plan.Placements))
	require.ErrorIs(t, plan.Apply(snap), outrank.ErrInvalid)
	require.ErrorIs(t, (*joint.Plan)(nil).Apply(snap), outrank.ErrInvalid)
	require.ErrorIs(t, plan.Apply(nil), outrank.ErrInvalid)
}

// A pod that may not preempt by the caller's rule does not do so beside others either (rule 8.13).
func TestPodsThatMayNotPreemptByTheCallersRule(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), pod("b", "n2", 2, "4"))
	never := preemption.Config{
		Eligibility: preemption.Eligibility{Refuse: func(p *outrank.Pod, by preemption.Ineligibility, _ preemption.Status) preemption.Ineligibility {
			if p.Name == "waits" {
				return "not now"
			}
			return by
		}},
	}
	plan := preempt(t, snap, never, pod("waits", "", 100, "4"), pod("w", "", 100, "4"))
	require.Len(t, plan.Victims, 1)
	require.NotNil(t, plan.Placements[0].Refused)
	assert.Equal(t, preemption.Ineligibility("not now"), plan.Placements[0].Refused.Ineligible)
	assert.Equal(t, "n1", plan.Placements[1].Node)
}

// Rule 25.1.3: where the caller says who takes from whom, pods of any priority leave, and the rule
// is named; those of the request take nothing from each other.
func TestAnyPriority(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("lent-high", "n1", 500, "4"), pod("own", "n2", 1, "4"))
	config := preemption.Config{
		Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(_, v *outrank.Pod) (rule string, ok bool) {
			if v.Name == "own" {
				return "", false
			}
			return "lent", true
		}},
	}
	plan := preempt(t, snap, config, pod("w1", "", 100, "2"), pod("w2", "", 10, "2"))
	require.Len(t, plan.Victims, 1, "%v", plan)
	assert.Equal(t, "lent-high", plan.Victims[0].Pod.Name)
	assert.Equal(t, "lent", plan.Victims[0].Rule)
	for _, at := range plan.Placements {
		assert.Equal(t, "n1", at.Node)
	}
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"rule":"lent"`)
}

// errOf returns the error of a call that also returns a value.
func errOf[T any](_ T, err error) error { return err }

// further reports whether a pod has a place in the plan, and none one by one.
func further(p *joint.Placement) bool { return p.Node != "" && p.OneByOne.Node == "" }
