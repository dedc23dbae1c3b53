package engine_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/resource"
)

// variants are configurations of which every plan has to stand up.
var variants = map[string]preemption.Config{
	"default":    {},
	"v1.13":      {Variant: outrank.VariantV1_13},
	"sample":     {Sample: &preemption.Sample{Minimum: 2}},
	"protected":  {Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) { return "", len(victim.Name)%2 == 0 }}},
	"any victim": {Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}},
	"guard":      {Guard: atMost{"Two of each", 2}.guard()},
	"both":       {Guard: atMost{"One of each", 1}.guard(), Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}},
	"strict":     {Budgets: preemption.NeverViolate},
	"simplified": {Variant: outrank.VariantSimplified},
	"backwards":  {Importance: func(a, b *outrank.Pod) int { return int(a.PriorityValue()) - int(b.PriorityValue()) }},
}

// nows are before, among and after the starts of generated pods; the last is none.
var nows = []time.Time{gen.Now.AddDate(-1, 0, 0), gen.Now.Add(-time.Hour), gen.Now, gen.Now.AddDate(1, 0, 0), {}}

// Every plan stands up on the snapshot that it was made on, whatever its outcome,
// and so does that of any other candidate.
func TestPropertyVerifyAcceptsEveryPlan(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(variants))).Draw(t, "variant")
		at := rapid.SampledFrom(nows).Draw(t, "now")
		e, snap, ctx := newEvaluator(t, variants[name]), newSnapshot(t, c), context.Background()
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: at})
		if err != nil {
			return
		}
		require.NoError(t, e.Verify(ctx, snap, plan), "%s", name)
		ex, err := e.Explain(ctx, snap, preemption.Request{Pod: p, Now: at})
		require.NoError(t, err)
		for i, candidate := range ex.Candidates {
			other, err := ex.For(candidate.Node)
			if plan.Outcome != preemption.Preempts {
				require.ErrorIs(t, err, preemption.ErrState)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, e.Verify(ctx, snap, other), "%s, candidate %d", name, i)
			for _, cleared := range other.ClearedNominations {
				require.Equal(t, candidate.Node, snap.NominationOf(cleared.Key()), "nominations to another node stay")
			}
		}
	})
}

// mutation is a way to spoil a plan, and what has to be said of it. It is not ok
// where there is nothing to spoil.
type mutation func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) (want []error, ok bool)

var either = []error{engine.ErrStale, engine.ErrUnsound}

var mutations = map[string]mutation{
	"another node": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		for n := range snap.Nodes() {
			if n.Name != plan.Node {
				plan.Node = n.Name
				return either, true
			}
		}
		return nil, false
	},
	"no node": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		plan.Node = "gone"
		return []error{engine.ErrStale}, true
	},
	"a victim is missing": func(t *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		i := rapid.IntRange(0, len(plan.Victims)-1).Draw(t, "missing")
		plan.Victims = slices.Delete(slices.Clone(plan.Victims), i, i+1)
		return []error{engine.ErrUnsound}, true
	},
	"a victim too many": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		for _, p := range snap.PodsOn(plan.Node) {
			if !slices.ContainsFunc(plan.Victims, func(v preemption.Victim) bool { return v.Pod == p }) {
				plan.Victims = append(slices.Clone(plan.Victims), preemption.Victim{Pod: p})
				return []error{engine.ErrUnsound}, true
			}
		}
		return nil, false
	},
	"a victim twice": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		plan.Victims = append(slices.Clone(plan.Victims), plan.Victims[0])
		return []error{engine.ErrUnsound}, true
	},
	"a victim of another name": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		plan.Victims = slices.Clone(plan.Victims)
		plan.Victims[0].Pod = &outrank.Pod{Name: "stranger", NodeName: plan.Node}
		return []error{engine.ErrStale}, true
	},
	"fewer violations": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		plan.Score.Violations++
		return []error{engine.ErrStale}, true
	},
	"another nomination": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		plan.ClearedNominations = append(slices.Clone(plan.ClearedNominations), &outrank.Pod{Name: "stranger"})
		return []error{engine.ErrStale}, true
	},
	"the nomination of another": func(t *rapid.T, _ *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		if len(plan.ClearedNominations) == 0 {
			return nil, false
		}
		plan.ClearedNominations = slices.Clone(plan.ClearedNominations)
		plan.ClearedNominations[0] = rapid.SampledFrom([]*outrank.Pod{{Name: "stranger"}, nil}).Draw(t, "other")
		return []error{engine.ErrStale}, true
	},
	"a victim left": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		require.NoError(t, snap.RemovePod(plan.Victims[0].Pod.Key()))
		return either, true
	},
	"a victim was replaced": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		plan.Victims = slices.Clone(plan.Victims)
		was, is := *plan.Victims[0].Pod, *plan.Victims[0].Pod
		was.UID, is.UID = "before", "after"
		plan.Victims[0].Pod = &was
		require.NoError(t, errOf(snap.PutPod(&is)))
		return []error{engine.ErrStale}, true
	},
	"a victim became more important": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		p := *plan.Victims[0].Pod
		p.Priority = outrank.Priority(plan.Pod.PriorityValue())
		require.NoError(t, errOf(snap.PutPod(&p)))
		return []error{engine.ErrUnsound}, true
	},
	"the preemptor runs": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		require.NoError(t, errOf(snap.PutPod(&outrank.Pod{Name: plan.Pod.Name, Namespace: plan.Pod.Namespace, NodeName: plan.Node})))
		return []error{engine.ErrStale}, true
	},
	"the preemptor is another pod": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		was, is := *plan.Pod, *plan.Pod
		was.UID, is.UID = "before", "after"
		is.NodeName = ""
		plan.Pod = &was
		require.NoError(t, errOf(snap.PutPod(&is)))
		return []error{engine.ErrStale}, true
	},
	"the node is gone": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		require.NoError(t, snap.RemoveNode(plan.Node))
		return []error{engine.ErrStale}, true
	},
	"the node is cordoned": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		n, _ := snap.Node(plan.Node)
		other := *n
		other.Unschedulable, other.Taints = true, append(slices.Clone(n.Taints), outrank.Taint{Key: "odd", Effect: outrank.NoExecute})
		if plan.Pod.Tolerates(other.Taints[len(other.Taints)-1]) {
			return nil, false
		}
		require.NoError(t, snap.PutNode(&other))
		return []error{engine.ErrUnsound}, true
	},
	"the node is empty": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		for _, p := range append(snap.PodsOn(plan.Node), snap.NominatedTo(plan.Node)...) {
			if p.Key() != plan.Pod.Key() {
				require.NoError(t, snap.RemovePod(p.Key()))
			}
		}
		return []error{engine.ErrStale}, true
	},
	"the pod may not preempt": func(_ *rapid.T, snap *engine.Snapshot, plan *preemption.Plan) ([]error, bool) {
		p := *plan.Pod
		p.PreemptionPolicy = outrank.PreemptNever
		plan.Pod = &p
		return []error{engine.ErrUnsound}, true
	},
}

// No spoilt plan stands up. In the clusters of this test pods only take room, so
// that every victim is needed.
func TestPropertyVerifyRejects(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(mutations)) {
		t.Run(name, func(t *testing.T) {
			spoilt := 0
			rapid.Check(t, func(t *rapid.T) {
				c, p := gen.Cluster(monotone).Draw(t, "cluster"), gen.Preemptor(monotone).Draw(t, "preemptor")
				e, snap, ctx := newEvaluator(t, preemption.Config{}), newSnapshot(t, c), context.Background()
				plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
				if err != nil || plan.Outcome != preemption.Preempts {
					return
				}
				want, ok := mutations[name](t, snap, plan)
				if !ok {
					return
				}
				spoilt++
				err = e.Verify(ctx, snap, plan)
				require.Error(t, err)
				require.True(t, is(err, want...), "%v", err)
			})
			assert.Positive(t, spoilt, "no plan was spoilt")
		})
	}
}

// What only a caller's rule or the wait for an earlier preemption forbids.
func TestVerifyByTheConfiguration(t *testing.T) {
	small := []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}}
	victim := &outrank.Pod{Name: "v", NodeName: "n", Containers: small}
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "1", "pods", "9")}},
		Pods:  []*outrank.Pod{victim},
	})
	ctx := context.Background()
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(ctx, snap, preemption.Request{Pod: &outrank.Pod{Name: "p", Priority: outrank.Priority(1), Containers: small}, Now: gen.Now})
	require.NoError(t, err)
	for name, config := range map[string]preemption.Config{
		"must not be evicted":    {Eligibility: preemption.Eligibility{Take: func(_, _ *outrank.Pod) (string, bool) { return "", false }}},
		"preemption is disabled": {Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}}},
		"still: licence: no licence": {Filters: []*preemption.Filter{{Name: "licence", Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
			return preemption.Unschedulable.Because("no licence")
		}}}},
	} {
		err := newEvaluator(t, config).Verify(ctx, snap, plan)
		require.ErrorIs(t, err, engine.ErrUnsound, name)
		assert.ErrorContains(t, err, name)
	}
	e := newEvaluator(t, preemption.Config{})
	assert.ErrorIs(t, e.Verify(ctx, snap, nil), outrank.ErrInvalid)
	assert.ErrorIs(t, e.Verify(ctx, nil, plan), outrank.ErrInvalid)
	assert.ErrorIs(t, e.Verify(ctx, snap, &preemption.Plan{Outcome: preemption.Preempts}), outrank.ErrInvalid)
	none := *plan
	none.Victims = nil
	assert.ErrorContains(t, e.Verify(ctx, snap, &none), "there are no victims")
	twice := *plan
	twice.Victims = []preemption.Victim{plan.Victims[0], plan.Victims[0]}
	assert.ErrorContains(t, e.Verify(ctx, snap, &twice), "victim default/v is named twice")
	missing := *plan
	missing.Victims = []preemption.Victim{{}}
	assert.ErrorContains(t, e.Verify(ctx, snap, &missing), "victim 0 is missing")
	mark, risen := snap.Mark(), *victim
	risen.Priority = outrank.Priority(1)
	require.NoError(t, errOf(snap.PutPod(&risen)))
	assert.ErrorContains(t, e.Verify(ctx, snap, plan), "victim default/v has priority 1, the pod 1")
	require.NoError(t, snap.Undo(mark))
	fits := *plan
	fits.Outcome = preemption.Fits
	assert.ErrorIs(t, e.Verify(ctx, snap, &fits), engine.ErrStale)
	ended, end := context.WithCancel(ctx)
	end()
	assert.ErrorIs(t, e.Verify(ended, snap, plan), context.Canceled)
}

// A pod without a priority is taken from by the simplified variant, whatever the preemptor's priority is.
func TestVerifyOfPodsWithoutPriority(t *testing.T) {
	old := pod("old", 0, "1", on("n1"))
	old.Priority = nil
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{old}}
	e := newEvaluator(t, preemption.Config{Variant: outrank.VariantSimplified})
	for _, priority := range []int32{0, -5} {
		snap, p, ctx := newSnapshot(t, c), pod("p", priority, "1"), context.Background()
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, "n1 [default/old]", choice(plan.Candidate))
		assert.NoError(t, e.Verify(ctx, snap, plan))
		assert.ErrorContains(t, newEvaluator(t, preemption.Config{}).Verify(ctx, snap, plan), "victim default/old has priority 0")
		regret, err := joint.RegretOf(ctx, e, snap, plan, gen.Now)
		require.NoError(t, err)
		assert.Empty(t, regret.By)
		nodes := newEvaluator(t, preemption.Config{Variant: outrank.VariantSimplified, Victims: preemption.Across{}})
		across, err := nodes.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.NoError(t, nodes.Verify(ctx, snap, across))
	}
}

// What is spared so that no budget is violated takes nothing from the budgets of the victims.
func TestVerifyOfStrictBudgets(t *testing.T) {
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "2", "a")},
		Pods:    []*outrank.Pod{pod("a", 1, "1", on("n1"), app("web")), pod("b", 2, "1", on("n1"), app("web"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "one", DisruptionsAllowed: 1, Selector: selects("web")}},
	})
	e, p, ctx := newEvaluator(t, preemption.Config{Budgets: preemption.NeverViolate}), pod("p", 5, "1"), context.Background()
	plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, "n1 [default/a]", choice(plan.Candidate))
	assert.NoError(t, e.Verify(ctx, snap, plan))
	none := *slices.Collect(snap.Budgets())[0]
	none.DisruptionsAllowed = 0
	require.NoError(t, snap.PutBudget(&none))
	assert.ErrorContains(t, e.Verify(ctx, snap, plan), "the policy is strict")
}

// Two budgets that one victim violates count twice where budgets are counted.
func TestVerifyCountsBudgets(t *testing.T) {
	small, web := []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}}, map[string]string{"app": "web"}
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "1", "pods", "9")}},
		Pods:  []*outrank.Pod{{Name: "v", NodeName: "n", Labels: web, Containers: small}},
		Budgets: []*outrank.PodDisruptionBudget{
			{Name: "a", Selector: &outrank.LabelSelector{MatchLabels: web}}, {Name: "b", Selector: &outrank.LabelSelector{MatchLabels: web}},
		},
	})
	p, ctx := &outrank.Pod{Name: "p", Priority: outrank.Priority(1), Containers: small}, context.Background()
	for want, variant := range map[int]outrank.Variant{1: 0, 2: outrank.VariantSimplified} {
		e := newEvaluator(t, preemption.Config{Variant: variant})
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, want, plan.Score.Violations)
		assert.NoError(t, e.Verify(ctx, snap, plan))
	}
}

func TestVerifyGroupSaysWhatIsWrong(t *testing.T) {
	snap, e, ctx := newSnapshot(t, withGroups(grouped())), newEvaluator(t, preemption.Config{}), context.Background()
	plan, err := e.PreemptGroup(ctx, snap, preemption.GroupRequest{Pods: training(), Now: now})
	require.NoError(t, err)
	require.NoError(t, e.Verify(ctx, snap, plan))
	none := *plan
	none.Victims = nil
	assert.ErrorIs(t, e.Verify(ctx, snap, &none), engine.ErrUnsound, "all would stay")
	never := *plan
	never.Placement = slices.Clone(plan.Placement)
	for i := range never.Placement {
		p := *never.Placement[i].Pod
		p.PreemptionPolicy = outrank.PreemptNever
		never.Placement[i].Pod = &p
	}
	assert.ErrorContains(t, e.Verify(ctx, snap, &never), "preemptionPolicy=Never")
	assert.ErrorIs(t, e.Verify(ctx, snap, nil), outrank.ErrInvalid)
	assert.ErrorIs(t, e.Verify(ctx, nil, plan), outrank.ErrInvalid)
	require.NoError(t, snap.PutBudget(&outrank.PodDisruptionBudget{Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}))
	assert.ErrorContains(t, e.Verify(ctx, snap, plan), "1 victims violate a budget, not 0")
}

func TestPlanForRefuses(t *testing.T) {
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "1")}}})
	e := newEvaluator(t, preemption.Config{})
	ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
	require.NoError(t, err)
	_, err = ex.For("n")
	assert.EqualError(t, err, `pod default/p: not in the right state: the outcome is "fits"`)
	ex.Outcome = preemption.Preempts
	_, err = ex.For("n")
	assert.ErrorIs(t, err, preemption.ErrNotFound)
}

// Every plan for a group that has a placement stands up, and none that is spoilt.
func TestPropertyVerifyGroup(t *testing.T) {
	t.Parallel()
	spoilt := map[string]int{}
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		snap, ctx, e := newSnapshot(t, c), context.Background(), newEvaluator(t, preemption.Config{})
		plan := preemptGroup(t, snap, pods)
		err := e.Verify(ctx, snap, plan)
		if plan.Placement == nil {
			require.ErrorIs(t, err, preemption.ErrState)
			return
		}
		require.NoError(t, err)
		for name, spoil := range groupMutations {
			mark, bad := snap.Mark(), *plan
			if spoil(t, snap, &bad) {
				spoilt[name]++
				err := e.Verify(ctx, snap, &bad)
				require.Error(t, err, name)
				require.True(t, is(err, either...), "%s: %v", name, err)
			}
			require.NoError(t, snap.Undo(mark))
		}
	})
	for name := range groupMutations {
		assert.Positive(t, spoilt[name], "no plan was spoilt by: %s", name)
	}
}

func podsOfPlacement(plan *preemption.GroupPlan) (pods []*outrank.Pod) {
	for _, at := range plan.Placement {
		pods = append(pods, at.Pod)
	}
	return pods
}

var groupMutations = map[string]func(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool{
	"no node": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.GroupPlan) bool {
		plan.Placement = slices.Clone(plan.Placement)
		plan.Placement[0].Node = "gone"
		return true
	},
	"a pod runs": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool {
		at := *plan.Placement[0].Pod
		at.NodeName = plan.Placement[0].Node
		require.NoError(t, errOf(snap.PutPod(&at)))
		return true
	},
	"no victims": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool {
		possible := possibleUnits(newEvaluator(t, preemption.Config{}), snap, preemption.GroupRequest{Pods: podsOfPlacement(plan), Now: plan.Now})
		few := len(plan.Victims) > 0 && len(slices.Collect(plan.Units())) < possible
		// A unit that spread constraints keep away when it would come back first may stay beside the others.
		spread := slices.ContainsFunc(plan.Victims, func(v preemption.Victim) bool { return v.Blocks.Filter == preemption.PodTopologySpread })
		plan.Victims = nil
		return few && !spread
	},
	"a victim twice": func(_ *rapid.T, _ *engine.Snapshot, plan *preemption.GroupPlan) bool {
		if len(plan.Victims) == 0 {
			return false
		}
		plan.Victims = append(slices.Clone(plan.Victims), plan.Victims[0])
		return true
	},
	"a victim left": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool {
		if len(plan.Victims) == 0 {
			return false
		}
		require.NoError(t, snap.RemovePod(plan.Victims[0].Pod.Key()))
		return true
	},
	"a victim of the group's own priority": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool {
		if len(plan.Victims) == 0 || plan.Victims[0].Group != nil || plan.Victims[0].Composite != nil {
			return false
		}
		p := *plan.Victims[0].Pod
		p.Priority, p.Group = plan.Placement[0].Pod.Priority, ""
		require.NoError(t, errOf(snap.PutPod(&p)))
		return true
	},
	"the nodes are cordoned": func(t *rapid.T, snap *engine.Snapshot, plan *preemption.GroupPlan) bool {
		taint := outrank.Taint{Key: "odd", Effect: outrank.NoExecute}
		for _, at := range plan.Placement {
			n, _ := snap.Node(at.Node)
			other := *n
			other.Taints = append(slices.Clone(n.Taints), taint)
			require.NoError(t, snap.PutNode(&other))
		}
		return !plan.Placement[0].Pod.Tolerates(taint)
	},
}

// is reports whether an error is one of these.
func is(err error, wanted ...error) bool {
	return slices.ContainsFunc(wanted, func(w error) bool { return errors.Is(err, w) })
}

// A plan that fits holds as long as the node that it names takes the pod, whether or not another one
// is the first by then.
func TestVerifyOfAPlanThatFits(t *testing.T) {
	ctx, p := t.Context(), pod("p", 5, "2")
	full := pod("full", 9, "1", on("n1"))
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a"), node("n3", "2", "a")}, Pods: []*outrank.Pod{full}})
	e := newEvaluator(t, preemption.Config{})
	plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: p, Now: now})
	require.NoError(t, err)
	require.Equal(t, "n2", plan.FirstFit)
	require.NoError(t, e.Verify(ctx, snap, plan))

	mark := snap.Mark()
	require.NoError(t, snap.RemovePod(full.Key()))
	assert.NoError(t, e.Verify(ctx, snap, plan), "n1 is the first by now")
	require.NoError(t, errOf(snap.PutPod(pod("more", 9, "1", on("n2")))))
	err = e.Verify(ctx, snap, plan)
	assert.ErrorIs(t, err, engine.ErrStale)
	assert.ErrorContains(t, err, "node n2 does not take it: NodeResourcesFit: Insufficient cpu")
	require.NoError(t, snap.RemoveNode("n2"))
	err = e.Verify(ctx, snap, plan)
	assert.ErrorIs(t, err, engine.ErrStale)
	assert.ErrorContains(t, err, "node n2: not found")
	require.NoError(t, snap.Undo(mark))

	require.NoError(t, snap.Apply(plan))
	assert.Equal(t, "n2", snap.NominationOf(p.Key()))
	assert.Equal(t, "", snap.NodeOf(p.Key()))
	assert.NoError(t, e.Verify(ctx, snap, plan), "the room is kept for itself")
	require.NoError(t, snap.Bind(p.Key(), "n2"))
	assert.ErrorIs(t, snap.Apply(plan), preemption.ErrState, "it runs by now")
}

// A pod that fits goes to FirstFit, whether the snapshot knows it or not, and wherever room was made for it before.
func TestApplyOfAPlanThatFits(t *testing.T) {
	p := pod("p", 5, "2")
	for _, test := range []struct {
		name   string
		before func(*engine.Snapshot) error
	}{
		{"nobody knows the pod", func(*engine.Snapshot) error { return nil }},
		{"it is pending", func(s *engine.Snapshot) error { return errOf(s.PutPod(p)) }},
		{"it is nominated to a node that is full by now", func(s *engine.Snapshot) error {
			return errors.Join(errOf(s.PutPod(p)), s.Nominate(p.Key(), "n1"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			snap := newSnapshot(t, &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a"), node("n3", "2", "a")}, Pods: []*outrank.Pod{pod("full", 9, "1", on("n1"))},
			})
			require.NoError(t, test.before(snap))
			e := newEvaluator(t, preemption.Config{})
			plan, err := e.Preempt(t.Context(), snap, preemption.Request{Pod: p, Now: now})
			require.NoError(t, err)
			require.Equal(t, preemption.Fits, plan.Outcome)
			require.Equal(t, "n2", plan.FirstFit)
			require.Empty(t, plan.Node, "nobody leaves")

			require.NoError(t, snap.Apply(plan))
			assert.Empty(t, snap.NodeOf(p.Key()), "it is pending until it is bound")
			assert.Equal(t, "n2", snap.NominationOf(p.Key()))
			assert.Empty(t, snap.NominatedTo("n1"))
			assert.Len(t, snap.PodsOn("n1"), 1)
		})
	}
}

// A plan for a pod that is on its node already, and fits there, holds as long as there is room, and leaves it where it is.
func TestAResizeThatFitsStays(t *testing.T) {
	ctx, e := t.Context(), newEvaluator(t, preemption.Config{})
	c, me := aResize("2")
	snap := newSnapshot(t, c)
	plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: me, Now: now})
	require.NoError(t, err)
	require.Equal(t, preemption.Fits, plan.Outcome)
	require.Equal(t, "n1", plan.FirstFit)
	require.True(t, plan.Resize)
	require.NoError(t, e.Verify(ctx, snap, plan))

	require.NoError(t, snap.Apply(plan))
	assert.Equal(t, "n1", snap.NodeOf(me.Key()))
	assert.Empty(t, snap.NominationOf(me.Key()))
	require.NoError(t, errOf(snap.PutPod(pod("more", 1, "1", on("n1")))))
	assert.ErrorIs(t, e.Verify(ctx, snap, plan), engine.ErrStale)
}

// Nothing at all is no plan: neither no decision, nor a decision that is a nil pointer.
func TestNoDecision(t *testing.T) {
	snap, e := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a")}}), newEvaluator(t, preemption.Config{})
	before := standings(snap)
	for _, none := range []preemption.Decision{nil, (*preemption.Plan)(nil), (*preemption.GroupPlan)(nil)} {
		err := e.Verify(t.Context(), snap, none)
		assert.ErrorIs(t, err, outrank.ErrInvalid, "%T", none)
		assert.ErrorContains(t, err, "no plan", "%T", none)

		err = snap.Apply(none)
		assert.ErrorIs(t, err, outrank.ErrInvalid, "%T", none)
		assert.ErrorContains(t, err, "no plan", "%T", none)
		assert.Equal(t, before, standings(snap), "%T", none)
	}
}

// What embeds a plan is a decision for Go, and is refused.
type embedsAPlan struct{ *preemption.Plan }

// An explanation is verified and applied as any plan, and so is one for victims on several nodes.
func TestAnExplanationIsADecision(t *testing.T) {
	ctx, p, victim := t.Context(), pod("p", 5, "2"), pod("v", 1, "1", on("n1"))
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{victim}})
	e := newEvaluator(t, preemption.Config{})
	ex, err := e.Explain(ctx, snap, preemption.Request{Pod: p, Now: now})
	require.NoError(t, err)
	require.NoError(t, e.Verify(ctx, snap, ex))
	require.NoError(t, snap.Apply(ex))
	assert.Empty(t, snap.PodsOn("n1"))
	assert.ErrorIs(t, e.Verify(ctx, snap, ex), engine.ErrStale)
	assert.ErrorIs(t, e.Verify(ctx, snap, (*preemption.Plan)(nil)), outrank.ErrInvalid)
	assert.ErrorIs(t, snap.Apply((*preemption.Plan)(nil)), outrank.ErrInvalid)

	require.NoError(t, errOf(snap.PutPod(victim)))
	nodes := newEvaluator(t, preemption.Config{Victims: preemption.Across{}})
	across, err := nodes.Preempt(ctx, snap, preemption.Request{Pod: p, Now: now})
	require.NoError(t, err)
	before := standings(snap)
	for _, by := range []*engine.Evaluator{nodes, e} {
		mark := snap.Mark()
		require.NoError(t, by.Verify(ctx, snap, across))
		require.NoError(t, snap.Apply(across))
		assert.Empty(t, snap.PodsOn("n1"))
		assert.ErrorIs(t, by.Verify(ctx, snap, across), engine.ErrStale)
		require.NoError(t, snap.Undo(mark))
	}
	for _, none := range []preemption.Decision{embedsAPlan{across}, &embedsAPlan{across}, embedsAPlan{}, (*embedsAPlan)(nil)} {
		assert.ErrorIs(t, e.Verify(ctx, snap, none), outrank.ErrInvalid, "%T", none)
		assert.ErrorIs(t, snap.Apply(none), outrank.ErrInvalid, "%T", none)
		assert.Equal(t, before, standings(snap), "%T", none)
	}
}
