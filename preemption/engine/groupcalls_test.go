package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// The settings that have an effect on groups.
func TestGroupConfig(t *testing.T) {
	two := func(options ...with) *outrank.Cluster {
		return &outrank.Cluster{
			Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
			Pods:  []*outrank.Pod{pod("a", 1, "1", append(options, on("n1"))...), pod("b", 2, "1", on("n2"))},
		}
	}
	one := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")}, Groups: []*outrank.PodGroup{prior(whole("g"), 1)},
		Pods: []*outrank.Pod{pod("a", 1, "1", on("n1"), in("g")), pod("b", 2, "1", on("n1")), pod("c", 1, "0", on("n1"), in("g"))},
	}
	group := two(in("g"))
	group.Groups = []*outrank.PodGroup{prior(whole("g"), 1)}
	group.Pods = append(group.Pods, pod("c", 1, "0", on("n2"), in("g")))
	spare := func(name string) preemption.Config {
		return preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) { return "", victim.Name != name }}}
	}
	for _, test := range []struct {
		name   string
		config preemption.Config
		c      *outrank.Cluster
		pods   []*outrank.Pod
		want   string
	}{
		{"a protected pod", spare("a"), two(), nil, "preempt [default/b] violations 0; gang-0 on n2"},
		{"protects its group", spare("c"), group, nil, "preempt [default/b] violations 0; gang-0 on n2"},
		{
			"every pod of the group must be allowed to evict it",
			preemption.Config{Eligibility: preemption.Eligibility{Take: func(p, _ *outrank.Pod) (string, bool) { return "", p.Name != "gang-1" }}},
			two(), gang(2), "nothing-helps",
		},
		{
			"by default the higher priority stays", preemption.Config{}, one, nil, "preempt [default/g (2 pods)] violations 0; gang-0 on n1",
		},
		{
			"another importance",
			preemption.Config{Importance: func(a, b *outrank.Pod) int { return strings.Compare(a.Name, b.Name) }},
			one, nil, "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			"in which a group stands by its most important pod",
			preemption.Config{Importance: func(a, b *outrank.Pod) int { return -strings.Compare(a.Name, b.Name) }},
			one, nil, "preempt [default/b] violations 0; gang-0 on n1",
		},
		{
			"a filter", preemption.Config{Filters: []*preemption.Filter{{Name: "NotN1", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
				if n.Name == "n1" {
					return preemption.Unschedulable.Because("no")
				}
				return preemption.Status{}
			}}}}, two(), nil, "preempt [default/b] violations 0; gang-0 on n2",
		},
		{"nobody preempts", preemption.Config{Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}}}, two(), nil, "not-eligible (not eligible because preemption is disabled.)"},
		{
			"the policy Never", preemption.Config{}, two(),
			gang(1, func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }), "not-eligible (not eligible due to preemptionPolicy=Never.)",
		},
		{"a nomination is not waited for", preemption.Config{}, two(), gang(1, nominated("n2")), "preempt [default/a] violations 0; gang-0 on n1"},
		{
			"of the pods that leave only one that a preemption pushes out", preemption.Config{}, two(leaving("")),
			gang(1, nominated("n1")), "preempt [default/a] violations 0; gang-0 on n1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.pods == nil {
				test.pods = gang(1)
			}
			plan, err := newEvaluator(t, test.config).PreemptGroup(context.Background(), newSnapshot(t, withGroups(test.c)), preemption.GroupRequest{Pods: test.pods, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, test.want, say(plan))
		})
	}
}

func TestGroupRefuses(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a")},
		Pods:  []*outrank.Pod{pod("runs", 9, "1", on("n1")), pod("own", 9, "1", on("n1"), in("gang"))},
	}
	negative := pod("p", 9, "1")
	negative.Overhead = resource.MustList("cpu", "-1")
	never := func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }
	lower := func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptLowerPriority }
	for _, test := range []struct {
		name string
		pods []*outrank.Pod
		is   error
		want string
	}{
		{"nobody", nil, outrank.ErrInvalid, "group request: Pods: empty"},
		{"nil", []*outrank.Pod{pod("p", 9, "1"), nil}, outrank.ErrInvalid, "pod number 2: is nil"},
		{"invalid", []*outrank.Pod{negative}, outrank.ErrInvalid, "pod default/p: spec.overhead.cpu: -1 is negative"},
		{"twice", []*outrank.Pod{pod("p", 9, "1"), pod("p", 9, "1", namespace("default"))}, outrank.ErrInvalid, "pod default/p: stands in the group twice"},
		{"running", []*outrank.Pod{pod("runs", 9, "1")}, preemption.ErrState, "pod default/runs: not in the right state: it runs on node n1"},
		{
			"all that is unequal, at once",
			[]*outrank.Pod{pod("p", 9, "1", in("h"), lower), pod("q", 8, "1", in("h")), pod("r", 9, "1", never), pod("s", 9, "1", in("h"), namespace("x"))},
			outrank.ErrInvalid,
			`pod default/q: spec.priority: 8, and default/p has 9
pod default/r: spec.schedulingGroup.podGroupName: group "", and default/p has "default/h"
pod x/s: spec.schedulingGroup.podGroupName: group "x/h", and default/p has "default/h"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, withGroups(c)), preemption.GroupRequest{Pods: test.pods, Now: gen.Now})
			require.ErrorIs(t, err, test.is)
			assert.Equal(t, test.want, err.Error())
		})
	}
	e := newEvaluator(t, preemption.Config{})
	_, err := e.PreemptGroup(context.Background(), nil, preemption.GroupRequest{Pods: gang(1)})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// What a caller's placing function may do, and how a bad answer is reported.
func TestGroupPlace(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a")},
		Pods: []*outrank.Pod{
			pod("a", 1, "1", on("n1")), pod("b", 2, "2", on("n2")),
			pod("gang-1", 9, "1", nominated("n1"), in("gang")),
		},
	}
	calls := 0
	last := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) (placed []preemption.Assignment, _ *preemption.Refusal, _ error) {
		calls++
		for p, node := range draft.Nominated() {
			t.Errorf("%s is nominated to %s: the pods of the group are not shown", p.Key(), node)
		}
		for _, p := range pods {
			if draft.Used("n2", resource.CPU)+int64(1000*len(placed)) > 1000 {
				return nil, &preemption.Refusal{}, nil
			}
			placed = append(placed, preemption.Assignment{Pod: p, Node: "n2"})
		}
		pods[0] = nil // it is its own
		return placed, nil, nil
	}
	snap, e := newSnapshot(t, withGroups(c)), newEvaluator(t, preemption.Config{})
	req := preemption.GroupRequest{Pods: gang(2), Now: gen.Now, Place: last}
	plan, err := e.PreemptGroup(context.Background(), snap, req)
	require.NoError(t, err)
	assert.Equal(t, "preempt [default/b] violations 0; gang-0 on n2; gang-1 on n2", say(plan))
	assert.Equal(t, "no place", told(plan, "as things are"))
	assert.Equal(t, 2, calls, "as it is, and empty")
	assert.Equal(t, "n1", snap.NominationOf("default/gang-1"), "the caller's snapshot is as it was")

	p, q := req.Pods[0], req.Pods[1]
	for name, answer := range map[string][]preemption.Assignment{
		"nothing":       nil,
		"one of two":    assigned(p, "n1"),
		"one twice":     assigned(p, "n1", p, "n1"),
		"nil":           assigned(p, "n1", (*outrank.Pod)(nil), "n1"),
		"somebody else": assigned(p, "n1", q, "n1", c.Pods[0], "n1"),
		"no such node":  assigned(p, "n1", q, "n3"),
	} {
		req.Place = func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
			return answer, nil, nil
		}
		_, err := e.PreemptGroup(context.Background(), snap, req)
		assert.ErrorIs(t, err, outrank.ErrInvalid, name)
	}
}

// A function of the caller may leave pods without a node, as many as the policy of the group does without
// (rule 12.9.3): these are not nominated.
func TestGroupPlaceLeavesPodsOut(t *testing.T) {
	pods := gang(3)
	for _, x := range []struct {
		name  string
		group *outrank.PodGroup
		runs  int
		err   string
	}{
		{"any pod is enough", policy("gang", outrank.BasicPolicy, 0), 0, ""},
		{"one is enough", policy("gang", outrank.GangPolicy, 1), 0, ""},
		{"two, of which one runs", policy("gang", outrank.GangPolicy, 2), 1, ""},
		{"two", policy("gang", outrank.GangPolicy, 2), 0, "1 of 3 pods have a node, and nothing says why: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"},
		{"all", nil, 0, "1 of 3 pods have a node, and nothing says why: pod group is unschedulable"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")}, Pods: []*outrank.Pod{pod("a", 1, "1", on("n1"))}}
			if x.group != nil {
				c.Groups = append(c.Groups, prior(x.group, pods[0].PriorityValue()))
			}
			for i := range x.runs {
				c.Pods = append(c.Pods, pod(fmt.Sprint("runs-", i), pods[0].PriorityValue(), "1", in("gang"), on("n2")))
			}
			snap, e := newSnapshot(t, withGroups(c)), newEvaluator(t, preemption.Config{})
			place := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
				if nodes, err := draft.Feasible(pods[1]); err != nil || !slices.ContainsFunc(nodes, func(n *outrank.Node) bool { return n.Name == "n1" }) {
					return nil, &preemption.Refusal{}, err
				}
				return assigned(pods[1], "n1"), nil, nil
			}
			plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now, Place: place})
			if x.err != "" {
				require.ErrorIs(t, err, outrank.ErrInvalid)
				require.ErrorContains(t, err, x.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "preempt [default/a] violations 0; gang-1 on n1", say(plan))
			require.NoError(t, snap.Apply(plan))
			assert.Equal(t, []string{"default/gang-1"}, keys(snap.NominatedTo("n1")))
		})
	}
}

func assigned(pairs ...any) (placed []preemption.Assignment) {
	for i := 0; i < len(pairs); i += 2 {
		placed = append(placed, preemption.Assignment{Pod: pairs[i].(*outrank.Pod), Node: pairs[i+1].(string)})
	}
	return placed
}

// What the plan says beside the victims, and that Apply checks everything
// before it changes anything.
func TestGroupPlanAndApply(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "2", "a"), node("n2", "1", "a")},
		Groups:  []*outrank.PodGroup{prior(whole("g"), 1)},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}},
		Pods: []*outrank.Pod{
			pod("a", 1, "2", on("n1"), in("g"), app("web")), pod("b", 3, "1", on("n2")),
			pod("w1", 2, "1", nominated("n1")), pod("w2", 3, "1", nominated("n1")), pod("w3", 1, "1", nominated("n2")), pod("w4", 9, "0", nominated("n1")),
			// As the snapshot knows it, of lower priority; it is of the group all the same.
			pod("gang-0", 1, "1", nominated("n2")),
			pod("a2", 1, "0", on("n1"), in("g"), app("web")),
		},
	}
	snap := newSnapshot(t, withGroups(c))
	plan := preemptGroup(t, snap, gang(2))
	require.Equal(t, "preempt [default/g (2 pods)] violations 2; gang-0 on n1; gang-1 on n1", say(plan))
	assert.Equal(t, outrank.Key("default/gang"), plan.Group)
	for _, v := range plan.Victims {
		assert.Equal(t, c.Budgets[:1], v.Violated, "each by itself")
	}
	assert.Equal(t, plan.Placement, plan.Nominations)
	assert.Equal(t, "no place for default/gang-0: 2 NodeResourcesFit: Insufficient cpu", told(plan, "as things are"))
	assert.Equal(t, gang(1)[0].Key(), plan.Victims[0].Blocked.Key())
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", plan.Victims[0].Blocks.String())

	spoil := func(change func(p *preemption.GroupPlan)) *preemption.GroupPlan {
		p := *plan
		p.Placement = append([]preemption.Assignment(nil), plan.Placement...)
		p.Victims = slices.Clone(plan.Victims)
		change(&p)
		return &p
	}
	for name, bad := range map[string]*preemption.GroupPlan{
		"no plan":    nil,
		"not one":    spoil(func(p *preemption.GroupPlan) { p.Outcome = preemption.NothingHelps }),
		"no node":    spoil(func(p *preemption.GroupPlan) { p.Placement[1].Node = "n3" }),
		"no pod":     spoil(func(p *preemption.GroupPlan) { p.Placement[1].Pod = nil }),
		"it runs":    spoil(func(p *preemption.GroupPlan) { p.Placement[1].Pod = c.Pods[1] }), // b
		"victim off": spoil(func(p *preemption.GroupPlan) { p.Victims[0].Pod = c.Pods[2] }),
	} {
		require.Error(t, snap.Apply(bad), name)
		assert.Equal(t, "n1", snap.NodeOf("default/a"), name)
		assert.Equal(t, "n2", snap.NominationOf("default/gang-0"), name)
	}
	mark := snap.Mark()
	twice := spoil(func(p *preemption.GroupPlan) { p.Victims = append(p.Victims, p.Victims[0]) })
	require.NoError(t, snap.Apply(twice), "a victim named twice leaves once")
	assert.Empty(t, snap.PodsOn("n1"))
	assert.Equal(t, []string{"default/w4", "default/gang-0", "default/gang-1", "default/w2", "default/w1"}, keys(snap.NominatedTo("n1")), "nobody loses a nomination")
	assert.Equal(t, "n2", snap.NominationOf("default/w3"))
	require.NoError(t, snap.Undo(mark))
	assert.Equal(t, plan, preemptGroup(t, snap, gang(2)))
}
