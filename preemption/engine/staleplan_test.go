package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// anyPlan is what a plan for a pod and one for a group have in common.
type anyPlan struct {
	victims []*outrank.Pod
	// nodes has where each victim runs, empty where the plan does not say.
	nodes   []string
	cleared []*outrank.Pod
	placed  []preemption.Assignment
	apply   func(*engine.Snapshot) error
}

func planOfPod(p *preemption.Plan) anyPlan {
	out := anyPlan{cleared: p.ClearedNominations, placed: assigned(p.Pod, p.Node)}
	for _, v := range p.Victims {
		out.victims, out.nodes = append(out.victims, v.Pod), append(out.nodes, p.Node)
		if v.Node != "" {
			out.nodes[len(out.nodes)-1] = v.Node
		}
	}
	out.apply = func(s *engine.Snapshot) error { return s.Apply(p) }
	return out
}

func planOfGroup(p *preemption.GroupPlan) anyPlan {
	return anyPlan{
		victims: podsOf(p.Victims), nodes: make([]string, len(p.Victims)), placed: p.Placement,
		apply: func(s *engine.Snapshot) error { return s.Apply(p) },
	}
}

// named gives most pods a UID. Of some neither the plan nor the snapshot knows one.
func named(t *rapid.T, pods []*outrank.Pod) {
	for _, p := range pods {
		if p.UID = ""; rapid.IntRange(0, 3).Draw(t, "UID") > 0 {
			p.UID = "uid of " + string(p.Key())
		}
	}
}

// happen is what may happen to a pod of the snapshot between a plan and Apply.
func happen(t *rapid.T, snap *engine.Snapshot, key outrank.Key) {
	p, ok := snap.Pod(key)
	if !ok {
		return
	}
	changed := *p
	switch rapid.SampledFrom([]string{"nothing", "nothing", "nothing", "left", "replaced", "raised", "lowered", "updated", "without UID", "moved"}).Draw(t, "meanwhile") {
	case "left":
		require.NoError(t, snap.RemovePod(key))
	case "replaced":
		changed.UID = "another"
		if changed.NodeName = snap.NodeOf(key); rapid.Bool().Draw(t, "also raised") {
			changed.Priority = outrank.Priority(100_000)
		}
		require.NoError(t, snap.RemovePod(key))
		require.NoError(t, errOf(snap.PutPod(&changed)))
	case "raised":
		changed.Priority = outrank.Priority(p.PriorityValue() + 1)
		require.NoError(t, errOf(snap.PutPod(&changed)))
	case "lowered":
		changed.Priority = outrank.Priority(p.PriorityValue() - 1)
		require.NoError(t, errOf(snap.PutPod(&changed)))
	case "updated":
		changed.Labels = map[string]string{"updated": "yes"}
		require.NoError(t, errOf(snap.PutPod(&changed)))
	case "without UID":
		changed.UID = ""
		require.NoError(t, errOf(snap.PutPod(&changed)))
	case "moved":
		move(t, snap)
	}
}

func samePod(a, b *outrank.Pod) bool {
	return a.Key() == b.Key() && (a.UID == b.UID || a.UID == "" || b.UID == "")
}

// standing is where the snapshot has a pod.
type standing struct {
	pod             *outrank.Pod
	node, nominated string
}

func standings(snap *engine.Snapshot) map[outrank.Key]standing {
	out := map[outrank.Key]standing{}
	for p := range snap.Pods() {
		out[p.Key()] = standing{p, snap.NodeOf(p.Key()), snap.NominationOf(p.Key())}
	}
	return out
}

// wantErrors are what Apply may say, nil where it has to succeed.
func (p *anyPlan) wantErrors(snap *engine.Snapshot, at map[outrank.Key]standing) []error {
	var want []error
	for _, a := range p.placed {
		if is, ok := at[a.Pod.Key()]; ok && !samePod(is.pod, a.Pod) {
			want = append(want, preemption.ErrState)
		} else if is.node != "" {
			want = append(want, preemption.ErrState)
		}
		if _, ok := snap.Node(a.Node); !ok {
			want = append(want, preemption.ErrNotFound)
		}
	}
	for i, v := range p.victims {
		is, ok := at[v.Key()]
		_, there := snap.Node(is.node)
		switch {
		case !ok || !there || !samePod(is.pod, v) || p.nodes[i] != "" && p.nodes[i] != is.node:
			want = append(want, preemption.ErrNotFound)
		case is.pod.PriorityValue() > v.PriorityValue():
			want = append(want, preemption.ErrState)
		}
	}
	return want
}

// after is what a snapshot has to hold once the plan was carried out.
func (p *anyPlan) after(at map[outrank.Key]standing) map[outrank.Key]standing {
	for _, v := range p.victims {
		delete(at, v.Key())
	}
	for _, c := range p.cleared {
		is, ok := at[c.Key()]
		on := slices.ContainsFunc(p.placed, func(a preemption.Assignment) bool { return a.Node == is.nominated })
		if ok && on && samePod(is.pod, c) {
			is.nominated = ""
			at[c.Key()] = is
		}
	}
	for _, a := range p.placed {
		at[a.Pod.Key()] = standing{a.Pod, "", a.Node}
	}
	return at
}

// judge applies a plan to a snapshot in which things have happened, and holds what comes
// of it to what the plan says of each pod by its name and UID.
func (p *anyPlan) judge(t *rapid.T, snap *engine.Snapshot) (applied bool) {
	at := standings(snap)
	want := p.wantErrors(snap, at)
	err := p.apply(snap)
	if len(want) > 0 {
		require.Error(t, err)
		require.True(t, is(err, want...), "%v is none of %v", err, want)
		require.Equal(t, at, standings(snap), "an error leaves everything as it was")
		return false
	}
	require.NoError(t, err)
	require.Equal(t, p.after(at), standings(snap))
	return true
}

// A plan takes the pods that it was made of and no other, however late it is applied:
// neither pods of their names, nor such as have become more important.
func TestPropertyApplyOfStalePlans(t *testing.T) {
	t.Parallel()
	applied := map[bool]int{}
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		named(t, append(slices.Clone(c.Pods), p))
		snap := newSnapshot(t, c)
		plan, err := newEvaluator(t, preemption.Config{}).Preempt(t.Context(), snap, preemption.Request{Pod: p, Now: gen.Now})
		if err != nil || plan.Outcome != preemption.Preempts {
			return
		}
		if rapid.Bool().Draw(t, "preemptor is known") {
			require.NoError(t, errOf(snap.PutPod(p)))
		}
		stale := planOfPod(plan)
		applied[stale.grow(t, snap)]++
	})
	assert.Positive(t, applied[true])
	assert.Positive(t, applied[false])
}

// The same holds of plans for groups.
func TestPropertyApplyGroupOfStalePlans(t *testing.T) {
	t.Parallel()
	applied := map[bool]int{}
	overGroupShapes(t, func(t *rapid.T, c *outrank.Cluster, pods []*outrank.Pod) {
		named(t, append(slices.Clone(c.Pods), pods...))
		snap := newSnapshot(t, c)
		plan := preemptGroup(t, snap, pods)
		if plan.Outcome != preemption.Preempts {
			return
		}
		stale := planOfGroup(plan)
		applied[stale.grow(t, snap)]++
	})
	assert.Positive(t, applied[true])
	assert.Positive(t, applied[false])
}

// grow lets the plan grow old, and judges it then.
func (p *anyPlan) grow(t *rapid.T, snap *engine.Snapshot) (applied bool) {
	var concerned []*outrank.Pod
	concerned = append(append(concerned, p.victims...), p.cleared...)
	for _, a := range p.placed {
		concerned = append(concerned, a.Pod)
	}
	happen(t, snap, rapid.SampledFrom(concerned).Draw(t, "one").Key())
	if rapid.Bool().Draw(t, "to all") {
		for _, q := range concerned {
			happen(t, snap, q.Key())
		}
	}
	return p.judge(t, snap)
}

// A newer version of the preemptor that is known stays, as PutPod has it.
func TestApplyKeepsANewerPreemptor(t *testing.T) {
	victim, preemptor := pod("victim", 1, "2", on("n1")), pod("preemptor", 9, "2", func(p *outrank.Pod) { p.UID = "u" })
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{victim, preemptor}})
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(t.Context(), snap, preemption.Request{Pod: preemptor, Now: now})
	require.NoError(t, err)
	deleted := *preemptor
	leaving("")(&deleted)
	require.NoError(t, errOf(snap.PutPod(&deleted)))
	require.NoError(t, snap.Apply(plan))
	got, _ := snap.Pod("default/preemptor")
	assert.Same(t, &deleted, got)
	assert.Equal(t, "n1", snap.NominationOf("default/preemptor"))
}

// What keeps a plan from being applied is named: the victim that is gone, and the node that it has to be on. The plan
// of a group does not say where its victims run.
func TestApplyNamesTheVictimThatIsGone(t *testing.T) {
	near, far := pod("near", 1, "1", on("n1"), in("u")), pod("far", 1, "1", on("n2"), in("u"))
	c := &outrank.Cluster{
		Release: withGates(), Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
		Groups: []*outrank.PodGroup{whole("u")}, Pods: []*outrank.Pod{near, far},
	}
	snap, preemptor := newSnapshot(t, c), pod("preemptor", 9, "1")
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(t.Context(), snap, preemption.Request{Pod: preemptor, Now: now})
	require.NoError(t, err)
	require.Equal(t, "n1", plan.Node)
	group := &preemption.GroupPlan{Outcome: preemption.Preempts, Placement: assigned(preemptor, "n1")}

	for p, node := range map[*outrank.Pod]string{near: "n1", far: "n2"} {
		mark := snap.Mark()
		require.NoError(t, snap.RemovePod(p.Key()))
		assert.EqualError(t, snap.Apply(plan), fmt.Sprintf("pod %s on node %s: not found", p.Key(), node))
		group.Victims = []preemption.Victim{{Pod: p}}
		assert.EqualError(t, snap.Apply(group), fmt.Sprintf("pod %s on node of the snapshot: not found", p.Key()))
		require.NoError(t, snap.Undo(mark))
	}
}

// A pod of another UID is another pod, wherever one comes from outside.
func TestAnotherUIDIsAnotherPod(t *testing.T) {
	uid := func(uid string) with { return func(p *outrank.Pod) { p.UID = uid } }
	victim, waits := pod("victim", 1, "2", on("n1"), uid("old")), pod("waits", 5, "2", uid("old"), nominated("n1"))
	later := pod("waits", 5, "2", uid("new"))
	snap := newSnapshot(t, &outrank.Cluster{
		Release: outrank.V1_36, Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{victim, waits},
	})
	grouped := newSnapshot(t, &outrank.Cluster{
		Release: groupsOn, Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{victim, waits},
	})
	e, ctx := newEvaluator(t, preemption.Config{}), t.Context()

	_, err := e.Preempt(ctx, snap, preemption.Request{Pod: later, Now: now})
	assert.ErrorIs(t, err, preemption.ErrState, "the nomination is not its own")
	forGroups := newEvaluator(t, preemption.Config{})
	_, err = forGroups.PreemptGroup(ctx, grouped, preemption.GroupRequest{Pods: []*outrank.Pod{later}, Now: now})
	assert.ErrorIs(t, err, preemption.ErrState)
	group := &preemption.GroupPlan{Outcome: preemption.Preempts, Placement: assigned(later, "n1")}
	assert.ErrorIs(t, forGroups.Verify(ctx, grouped, group), engine.ErrStale)
	_, err = e.Explain(ctx, snap, preemption.Request{Pod: later, Now: now})
	assert.ErrorIs(t, err, preemption.ErrState)
	_, err = e.Check(snap, later, "n1")
	assert.ErrorIs(t, err, preemption.ErrState)
	plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: waits, Now: now})
	require.NoError(t, err)
	plan.Pod = later
	assert.ErrorIs(t, snap.Apply(plan), preemption.ErrState)
	assert.ErrorIs(t, e.Verify(ctx, snap, plan), engine.ErrStale)
	_, err = joint.RegretOf(ctx, e, snap, plan, now)
	assert.ErrorIs(t, err, preemption.ErrState)
	replaced, err := snap.Clone().PutPod(later)
	require.NoError(t, err)
	assert.Same(t, waits, replaced)

	lookAt, err := e.LookAt(snap, preemption.Request{Pod: waits, Now: now})
	require.NoError(t, err)
	view, err := lookAt("n1")
	require.NoError(t, err)
	other := pod("victim", 1, "2", on("n1"), uid("new"))
	assert.Equal(t, preemption.Unschedulable, view.Check(other).Code)
	assert.Equal(t, preemption.Success, view.Check(victim).Code)
	assert.Equal(t, preemption.Success, view.Check(pod("victim", 1, "2", on("n1"))).Code, "without a UID it is the same")

	chosen := newEvaluator(t, preemption.Config{
		Victims: preemption.Chooser{
			Name: "other", Choose: func(preemption.NodeView) []*outrank.Pod { return []*outrank.Pod{other} },
		},
	})
	_, err = chosen.Preempt(ctx, snap, preemption.Request{Pod: waits, Now: now})
	assert.ErrorContains(t, err, "victim default/victim does not run there")
	named := newEvaluator(t, preemption.Config{
		Extenders: []preemption.Extender{
			extender{name: "x", process: func(ps candidates) (candidates, error) {
				ps[0].Victims = victimsOf(other)
				return ps, nil
			}}.extender(),
		},
	})
	_, err = named.Preempt(ctx, snap, preemption.Request{Pod: waits, Now: now})
	assert.ErrorContains(t, err, "victim default/victim does not run there")
}

// A pod of another UID leaves with nobody, and counts with its own priority.
func TestAnotherUIDIsInNoUnit(t *testing.T) {
	in := func(p *outrank.Pod) { p.Group, p.UID = "g", "old" }
	snap := newSnapshot(t, &outrank.Cluster{
		Release: groupsOn, Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{pod("p", 1, "1", on("n1"), in)},
		Groups: []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(7)}},
	})
	for uid, of := range map[string]struct {
		group    bool
		priority int32
	}{"old": {true, 7}, "": {true, 7}, "new": {false, 1}} {
		p := pod("p", 1, "1", on("n1"), in)
		p.UID = uid
		group, _ := snap.LeavesWith(p)
		assert.Equal(t, of.group, group != nil, "UID %q", uid)
		assert.Equal(t, of.priority, snap.CountsAs(p), "UID %q", uid)
	}
	assert.Zero(t, snap.CountsAs(nil))
}
