package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// withGates is v1.37 with groups and further gates.
func withGates(names ...string) outrank.Release {
	gates := map[string]bool{"GenericWorkload": true}
	for _, name := range names {
		gates[name] = true
	}
	return must(outrank.V1_37.With(gates))
}

// sayPlaced is say with what there is from v1.37 on.
func sayPlaced(p *preemption.GroupPlan) string {
	text := say(p)
	disruptions := 0
	for unit := range p.Units() {
		disruptions += disrupted(unit)
	}
	if disruptions > 0 {
		text += fmt.Sprintf("; disruptions %d", disruptions)
	}
	if len(p.Status.Reasons) > 0 {
		text += "; " + p.Status.Reasons[0]
	}
	return text
}

// composite is a composite group of this priority.
func composite(name, parent string, priority int32) *outrank.CompositePodGroup {
	return &outrank.CompositePodGroup{Name: name, Parent: parent, Policy: outrank.BasicPolicy, Priority: &priority}
}

func goesTo(zone string) with {
	return func(p *outrank.Pod) { p.NodeSelector = map[string]string{"zone": zone} }
}

func below(g *outrank.PodGroup, parent string) *outrank.PodGroup {
	g.Parent = parent
	return g
}

// The rules of group 12.9, each once. The book says the same of any cluster
// (TestGroupPlacedOnceAgreesWithBook).
func TestGroupPlacedOnceRules(t *testing.T) {
	const found = "; pod group preemption: found a placement for podgroup, preempting "
	never := func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }
	two := func(cpu string) []*outrank.Node { return []*outrank.Node{node("n1", cpu, "a"), node("n2", cpu, "a")} }
	budget := &outrank.PodDisruptionBudget{Name: "b", Selector: selects("web")}
	both := func(name, parent string) *outrank.CompositePodGroup {
		g := composite(name, parent, 9)
		g.Policy, g.MinGroupCount = outrank.GangPolicy, 2
		return g
	}
	of := func(name string, pods []*outrank.Pod) []*outrank.Pod {
		for _, p := range pods {
			p.Group, p.Name = name, name+"-"+p.Name
		}
		return pods
	}
	for _, test := range []struct {
		name  string
		gates []string
		c     *outrank.Cluster
		pods  []*outrank.Pod
		want  string
	}{
		{
			name: "a gang is given up as soon as too few are left (rule 12.9.3)",
			c: &outrank.Cluster{
				Nodes: two("1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 3), 9)},
				Pods: []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2"))},
			},
			pods: gang(3),
			want: "nothing-helps: no place for default/gang-2: 2 NodeResourcesFit: Insufficient cpu; minCount (3) cannot be satisfied: 2 scheduled, 0 remaining; pod group preemption: minCount (3) cannot be satisfied: 2 scheduled, 0 remaining",
		},
		{
			name: "too few from the start: nobody is tried",
			c: &outrank.Cluster{
				Nodes: two("1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 3), 9)},
				Pods: []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2"))},
			},
			pods: gang(1),
			want: "nothing-helps: no place; minCount (3) cannot be satisfied: 0 scheduled, 1 remaining; pod group preemption: minCount (3) cannot be satisfied: 0 scheduled, 1 remaining",
		},
		{
			name: "those that run count, and one has to be placed now",
			c: &outrank.Cluster{
				Nodes: two("1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)},
				Pods: []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("runs", 9, "1", on("n2"), in("gang"))},
			},
			pods: gang(2),
			want: "preempt [default/a] violations 0; gang-0 on n1" + found + "1 victims",
		},
		{
			name: "members without a place are passed over, in the order that they have (rules 12.9.3 and 12.9.5)",
			c: &outrank.Cluster{
				Nodes: two("1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.BasicPolicy, 0), 9)},
				Pods: []*outrank.Pod{pod("a", 1, "1", on("n1"))},
			},
			pods: []*outrank.Pod{pod("late", 9, "3", in("gang")), pod("early", 9, "1", in("gang"), started(-9))},
			want: "fits; early on n2",
		},
		{
			name: "the placement stays: c could go in place of a, were the member placed anew (rule 12.9.8)",
			c: &outrank.Cluster{
				Nodes: two("1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.BasicPolicy, 0), 9)},
				Pods: []*outrank.Pod{pod("a", 5, "1", on("n1")), pod("c", 1, "1", on("n2"))},
			},
			pods: gang(1),
			want: "preempt [default/a] violations 0; gang-0 on n1" + found + "1 victims",
		},
		{
			name: "gang-0 counts twice for gang-1, in its place and where it was nominated before (rule 12.9.9)",
			c: &outrank.Cluster{
				Nodes: two("3"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)},
				Pods: []*outrank.Pod{
					pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n1")), pod("c", 1, "1", on("n1")), pod("high", 9, "3", on("n2")),
					pod("gang-0", 9, "1", in("gang"), nominated("n1")),
				},
			},
			pods: gang(2),
			want: "preempt [default/a default/b default/c] violations 0; gang-0 on n1; gang-1 on n1" + found + "3 victims",
		},
		{
			name: "while gang-0 looks for a place it leaves room for gang-1 where that is nominated (rule 12.9.5)",
			c: &outrank.Cluster{
				Nodes: two("1"), Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)},
				Pods: []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2"))},
			},
			pods: []*outrank.Pod{pod("gang-0", 9, "1", in("gang")), pod("gang-1", 9, "1", in("gang"), nominated("n1"))},
			want: "preempt [default/a default/b] violations 0; gang-0 on n2; gang-1 on n1" + found + "2 victims",
		},
		{
			name: "once gang-0 has its place there is room for gang-1 where gang-0 was nominated, and nobody left that node (rule 12.9.5)",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "b")}, Pods: []*outrank.Pod{pod("a", 1, "1", on("n2"))},
				Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 2), 9)},
			},
			pods: append(gang(1, nominated("n1"), goesTo("b")), gang(3)[1:]...),
			want: "preempt [default/a] violations 0; gang-0 on n2; gang-1 on n1" + found + "1 victims",
		},
		{
			name: "a group is a disruption, as is a pod that names one; violations are pods (rule 12.9.10)",
			c: &outrank.Cluster{
				Nodes: two("2"), Budgets: []*outrank.PodDisruptionBudget{budget},
				Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 4), 9), prior(whole("g"), 3), prior(policy("s", outrank.BasicPolicy, 0), 2)},
				Pods: []*outrank.Pod{
					pod("a", 1, "1", on("n1"), in("g"), app("web")), pod("b", 1, "1", on("n2"), in("g"), app("web")),
					pod("c", 1, "1", on("n1"), in("s")), pod("d", 8, "1", on("n2"), app("web")),
				},
			},
			pods: gang(4),
			want: "preempt [default/d default/g (2 pods) default/c] violations 3; gang-0 on n1; gang-1 on n1; gang-2 on n2; gang-3 on n2; disruptions 2" + found + "4 victims",
		},
		{
			name: "Never by any of its pods", c: &outrank.Cluster{Nodes: two("1"), Pods: []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2"))}},
			pods: gang(1, never),
			want: "not-eligible (not eligible due to preemptionPolicy=Never.); pod group preemption: not eligible due to preemptionPolicy=Never.",
		},
		{
			name: "nobody of a lower priority", c: &outrank.Cluster{Nodes: two("1"), Pods: []*outrank.Pod{pod("a", 9, "1", on("n1")), pod("b", 9, "1", on("n2"))}},
			pods: gang(1),
			want: "nothing-helps; pod group preemption: No preemption victims found for incoming preemptor",
		},
		{
			name: "a preemption is under way, wherever a nominated pod of the group waits for it (rule 12.9.7)",
			c: &outrank.Cluster{
				Nodes: two("1"), Pods: []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2"), leaving(outrank.PreemptionByScheduler))},
			},
			pods: []*outrank.Pod{pod("p", 9, "1", in("gang")), pod("q", 9, "1", in("gang"), nominated("n2"))},
			want: "not-eligible (not eligible due to a terminating pod on the nominated node.); pod group preemption: ongoing preemption on nominated nodes",
		},
		{
			name: "a tree: the priority is that of its top, and one group is enough (rules 12.9.4 and 12.9.13)", gates: []string{"CompositePodGroup"},
			c: &outrank.Cluster{
				Nodes: two("1"), Composites: []*outrank.CompositePodGroup{composite("top", "", 9), composite("mid", "top", 1)},
				Groups: []*outrank.PodGroup{
					below(prior(policy("g1", outrank.GangPolicy, 3), 1), "mid"), below(prior(policy("g2", outrank.GangPolicy, 2), 1), "top"),
				},
				Pods: []*outrank.Pod{pod("a", 5, "1", on("n1")), pod("b", 5, "1", on("n2"))},
			},
			pods: append(of("g1", gang(3)), of("g2", gang(2))...),
			want: "preempt [default/a default/b] violations 0; g2-gang-0 on n1; g2-gang-1 on n2" + found + "2 victims",
		},
		{
			name: "a group whose way up ends below the top is not of the tree, though all of it runs (rules 12.6.4 and 12.9.4)", gates: []string{"CompositePodGroup"},
			c: &outrank.Cluster{
				Nodes: two("1"), Composites: []*outrank.CompositePodGroup{composite("top", "", 9), both("wide", "top"), composite("d2", "wide", 9), composite("d1", "d2", 9)},
				Groups: []*outrank.PodGroup{
					below(prior(policy("g1", outrank.BasicPolicy, 0), 9), "wide"), below(prior(policy("deep", outrank.BasicPolicy, 0), 9), "d1"),
				},
				Pods: []*outrank.Pod{pod("a", 5, "1", on("n1")), pod("runs", 9, "1", on("n2"), in("deep"))},
			},
			pods: of("g1", gang(1)),
			want: "nothing-helps: no place; minCount (1) cannot be satisfied: 0 scheduled, 0 remaining; pod group preemption: minCount (1) cannot be satisfied: 0 scheduled, 0 remaining",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.c.Release = withGates(test.gates...)
			snap := newSnapshot(t, test.c)
			plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: test.pods, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, test.want, sayPlaced(plan))
		})
	}
}

// A unit is blocked by the first member that does not pass on its node beside it: here by one
// that does not whoever leaves, before one that the unit would keep away.
func TestFirstMemberThatFailsBlocks(t *testing.T) {
	c := &outrank.Cluster{
		Release: withGates(), Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "1", "b")},
		Groups: []*outrank.PodGroup{prior(policy("gang", outrank.GangPolicy, 3), 9)},
		Pods:   []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2")), pod("gang-0", 9, "1", in("gang"), nominated("n1"))},
	}
	pods := gang(3)
	goesTo("b")(pods[2])
	plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: pods, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, "preempt [default/a default/b] violations 0; gang-0 on n1; gang-1 on n1; gang-2 on n2", say(plan))
	for _, v := range plan.Victims {
		assert.Equal(t, "gang-1", v.Blocked.Name, "gang-0 counts twice for it (rule 12.9.9)")
	}
}

// Groups are no preemptors in v1.36, nor in v1.37 without their gate, and a tree counts
// only with that of composite groups (rules 12.9.1 and 12.9.13).
func TestGroupNeedsItsGate(t *testing.T) {
	c := &outrank.Cluster{
		Release: outrank.V1_37, Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))},
		Groups: []*outrank.PodGroup{below(prior(policy("gang", outrank.BasicPolicy, 0), 9), "top")}, Composites: []*outrank.CompositePodGroup{composite("top", "", 20)},
	}
	ask := func() (*preemption.GroupPlan, error) {
		return newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: gang(1), Now: gen.Now})
	}
	for release, says := range map[outrank.Release]string{
		outrank.V1_37: "a group of pods preempts in v1.37 only with the feature gate GenericWorkload",
		outrank.V1_36: "a group of pods does not preempt as one by the rules of v1.36, its pods do one by one; groups preempt by those of v1.37 with the feature gate GenericWorkload",
	} {
		c.Release = release
		_, err := ask()
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, says)
		plan := &preemption.GroupPlan{Outcome: preemption.Fits, Placement: []preemption.Assignment{{Pod: gang(1)[0], Node: "n1"}}}
		assert.ErrorContains(t, newEvaluator(t, preemption.Config{}).Verify(context.Background(), newSnapshot(t, c), plan), says)
	}

	c.Release = withGates()
	plan, err := ask()
	require.NoError(t, err)
	assert.Equal(t, outrank.Key("default/gang"), plan.Group)
	assert.Nil(t, plan.Composite)

	c.Release = withGates("CompositePodGroup")
	_, err = ask()
	assert.ErrorContains(t, err, "spec.priority: 9, and the group default/top has 20")
	c.Composites[0].Priority = outrank.Priority(9)
	plan, err = ask()
	require.NoError(t, err)
	assert.Equal(t, outrank.Key("default/top"), plan.Group)
	assert.Same(t, c.Composites[0], plan.Composite)
}

// The policy is that of the group with a gate of its own (rule 12.9.6).
func TestGroupPolicyCounts(t *testing.T) {
	never := func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }
	group := prior(policy("gang", outrank.BasicPolicy, 0), 9)
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))}, Groups: []*outrank.PodGroup{group}}
	ask := func(release outrank.Release, pods []*outrank.Pod) string {
		c.Release = release
		plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: pods, Now: gen.Now})
		if err != nil {
			return err.Error()
		}
		return string(plan.Outcome)
	}
	counts := withGates("PodGroupPreemptionPolicy")
	assert.Equal(t, "preempt", ask(counts, gang(1)))
	assert.Equal(t, "pod default/gang-0: spec.preemptionPolicy: not that of the group default/gang", ask(counts, gang(1, never)))
	group.PreemptionPolicy = outrank.PreemptNever
	assert.Equal(t, "preempt", ask(withGates(), gang(1)), "the policy of the group counts without its gate")
	assert.Equal(t, "not-eligible", ask(counts, gang(1, never)))
}

// What has to be the same for all pods of a group, those that run included (rule 12.9.2).
func TestGroupPodsAreAlike(t *testing.T) {
	c := &outrank.Cluster{
		Release: withGates("CompositePodGroup"), Nodes: []*outrank.Node{node("n1", "9", "a")},
		Groups: []*outrank.PodGroup{
			policy("none", outrank.BasicPolicy, 0), prior(policy("gang", outrank.BasicPolicy, 0), 9), prior(policy("other", outrank.BasicPolicy, 0), 9),
			below(prior(policy("deep", outrank.BasicPolicy, 0), 9), "c1"),
		},
		Composites: []*outrank.CompositePodGroup{composite("c1", "c2", 9), composite("c2", "c3", 9), composite("c3", "c4", 9), composite("c4", "", 9)},
		Pods:       []*outrank.Pod{pod("runs", 7, "1", on("n1"), in("other"))},
	}
	elsewhere := func(p *outrank.Pod) { p.SchedulerName = "mine" }
	for _, test := range []struct {
		name string
		pods []*outrank.Pod
		want string
	}{
		{"no priority is 0", gang(1, in("none")), "pod default/gang-0: spec.priority: 9, and the group default/none has 0"},
		{"another scheduler", append(gang(1), pod("z", 9, "1", in("gang"), elsewhere)), `pod default/z: spec.schedulerName: "mine", and default/gang-0 has "default-scheduler"`},
		{"one that runs", gang(1, in("other")), "pod default/runs: spec.priority: 7, and the group default/other has 9"},
		{"another group", append(gang(1), pod("z", 9, "1", in("none"))), `pod default/z: spec.schedulingGroup.podGroupName: group "default/none", and default/gang-0 has "default/gang"`},
		{"too deep", gang(1, in("deep")), "podgroup default/deep: spec.parentCompositePodGroupName: more than 4 levels of groups"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newEvaluator(t, preemption.Config{}).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: test.pods, Now: gen.Now})
			require.ErrorIs(t, err, outrank.ErrInvalid)
			assert.Equal(t, test.want, err.Error())
		})
	}
}

// A plan stands up to verification and can be applied: the placed pods are nominated to
// their nodes, nobody loses a nomination, and undoing it restores everything. A filter of
// the caller that has nothing to say changes nothing, and is told of every pod once.
func TestPropertyGroupPlacedOnce(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := gen.Workloads(groupShapes[name]).Draw(t, "workload")
				e, snap, ctx := newEvaluator(t, preemption.Config{}), newSnapshot(t, w.Cluster), context.Background()
				req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now, Refused: rapid.Bool().Draw(t, "refused")}
				plan, err := e.PreemptGroup(ctx, snap, req)
				if err != nil {
					return
				}
				own := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{countingFilter{t, w.Pods}.filter()}})
				same, err := own.PreemptGroup(ctx, snap, req)
				require.NoError(t, err)
				require.Empty(t, testdiff.Diff(plan, same))
				if plan.Placement == nil {
					return
				}
				if err := e.Verify(ctx, snap, plan); !leftOutAnew(snap, w.Pods, plan) {
					require.NoError(t, err)
				}
				if plan.Outcome != preemption.Preempts {
					return
				}
				mark := snap.Mark()
				require.NoError(t, snap.Apply(plan))
				for _, a := range plan.Nominations {
					require.Equal(t, a.Node, snap.NominationOf(a.Pod.Key()))
				}
				require.NoError(t, snap.Undo(mark))
				again, err := e.PreemptGroup(ctx, snap, req)
				require.NoError(t, err)
				require.Empty(t, testdiff.Diff(plan, again))
			})
		})
	}
}

// leftOutAnew reports whether a pod that found no place is nominated in another version
// than the one that was asked about, of which the plan knows nothing.
func leftOutAnew(snap *engine.Snapshot, asked []*outrank.Pod, plan *preemption.GroupPlan) bool {
	return slices.ContainsFunc(asked, func(p *outrank.Pod) bool {
		placed := slices.ContainsFunc(plan.Placement, func(a preemption.Assignment) bool { return a.Pod.Key() == p.Key() })
		known, ok := snap.Pod(p.Key())
		return !placed && ok && known.NominatedNodeName != "" && known != p
	})
}

// countingFilter passes everywhere, and fails the test where it is told of a pod that is
// there already, or that is not there any more. A member of the group that has its place counts again where it is
// nominated.
type countingFilter struct {
	t       fataler
	members []*outrank.Pod
}

func (f countingFilter) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Counting", Start: f.start}
}

func (f countingFilter) start(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	s := countingState{f, map[string]bool{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.there[string(p.Key())] = true
		}
	}
	return s, nil
}

type countingState struct {
	countingFilter
	there map[string]bool
}

func (s countingState) Check(*outrank.Node) preemption.Status { return preemption.Status{} }

func (s countingState) Remove(pod *outrank.Pod, _ *outrank.Node) {
	if !s.there[string(pod.Key())] {
		s.t.Fatalf("%s is taken away, and was not there", pod.Key())
	}
	delete(s.there, string(pod.Key()))
}

func (s countingState) Add(pod *outrank.Pod, _ *outrank.Node) {
	member := slices.ContainsFunc(s.members, func(m *outrank.Pod) bool { return m.Key() == pod.Key() })
	if s.there[string(pod.Key())] && !member {
		s.t.Fatalf("%s is added, and was there", pod.Key())
	}
	s.there[string(pod.Key())] = true
}

func (s countingState) Clone() preemption.FilterState {
	return countingState{s.countingFilter, maps.Clone(s.there)}
}

// disrupted is 1 for a group, and for a pod that names one (rule 12.9.10).
func disrupted(unit []preemption.Victim) int {
	if unit[0].Pod.Group != "" {
		return 1
	}
	return 0
}
