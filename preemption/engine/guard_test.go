package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	"github.com/outrank-go/outrank/resource"
)

// anyBody lets any pod take from any other.
func anyBody(_, _ *outrank.Pod) (rule string, ok bool) { return "anybody", true }

// atMost is a guard that lets so many pods of a team go together.
type atMost struct {
	name string
	most int
}

func (g atMost) guard() *preemption.Guard {
	return &preemption.Guard{Name: g.name, Start: g.start}
}

func (g atMost) start([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
	return &away{g, map[string]int{}}, nil
}

type away struct {
	atMost
	byTeam map[string]int
}

func team(p *outrank.Pod) string { return p.Labels["app"] }

func (s *away) Remove(p *outrank.Pod, _ *outrank.Node) { s.byTeam[team(p)]++ }
func (s *away) Add(p *outrank.Pod, _ *outrank.Node)    { s.byTeam[team(p)]-- }
func (s *away) Clone() preemption.GuardState           { return &away{s.atMost, maps.Clone(s.byTeam)} }

func (s *away) Check() preemption.Status {
	for _, team := range slices.Sorted(maps.Keys(s.byTeam)) {
		if s.byTeam[team] > s.most {
			return preemption.Unschedulable.Because("team " + team + " keeps the others")
		}
	}
	return preemption.Status{}
}

func (s *away) Rule(p *outrank.Pod) string {
	if s.byTeam[team(p)] == s.most {
		return "the last of its team"
	}
	return ""
}

// Equals that started later may be taken from, and scores and victims have their true
// priorities.
func ExampleEligibility() {
	newer := func(preemptor, victim *outrank.Pod) (rule string, ok bool) {
		switch {
		case victim.PriorityValue() < preemptor.PriorityValue():
			return "lower priority", true
		case victim.PriorityValue() == preemptor.PriorityValue() && victim.StartTime.After(preemptor.StartTime):
			return "newer equal", true
		}
		return "", false
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "old", NodeName: "n1", Priority: outrank.Priority(5), StartTime: now.Add(-9e12), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}},
			{Name: "new", NodeName: "n1", Priority: outrank.Priority(5), StartTime: now.Add(-1e12), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}},
		},
	}))
	eval := must(engine.New(preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: true, Take: newer}}))
	asker := &outrank.Pod{Name: "asker", Priority: outrank.Priority(5), StartTime: now.Add(-5e12), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: now}))
	fmt.Println(plan.Victims[0], "by", plan.Victims[0].Rule, "of priority", plan.Score.TopPriority)
	asker.Containers[0].Requests = resource.MustList("cpu", "2")
	fmt.Println(must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: now})).Outcome)
	// Output:
	// default/new by newer equal of priority 5
	// nothing-helps
}

// The guard lets one pod of each team go.
func ExampleGuard() {
	pod := func(name, cpu string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: "n1", Priority: outrank.Priority(priority), Labels: map[string]string{"app": name[:3]},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
		}
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "10")}},
		Pods:  []*outrank.Pod{pod("red-1", "1", 1), pod("red-2", "1", 2), pod("tan-1", "1", 3), pod("tan-2", "1", 4)},
	}))
	eval := must(engine.New(preemption.Config{Guard: atMost{"OneOfEach", 1}.guard()}))
	for _, cpu := range []string{"2", "3"} {
		asker := &outrank.Pod{Name: "asker", Priority: outrank.Priority(50), Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: now}))
		fmt.Println(plan.Outcome, plan.Victims, plan.Unhelpful)
	}
	// Output:
	// preempt [default/tan-1 default/red-1] []
	// nothing-helps [] [1 OneOfEach: team red keeps the others]
}

// byNames is a guard by a function of the names of those who are away, in order.
type byNames struct {
	allows func(away []string) bool
	fails  error
	silent bool
}

func (f byNames) guard() *preemption.Guard {
	return &preemption.Guard{Name: "ByNames", Start: f.start}
}

func (g byNames) start([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
	if g.silent || g.fails != nil {
		return nil, g.fails
	}
	return &byNamesState{byNames: g}, nil
}

type byNamesState struct {
	byNames
	names []string
}

func (s *byNamesState) Remove(p *outrank.Pod, _ *outrank.Node) {
	s.names = append(s.names, p.Name)
	slices.Sort(s.names)
}

func (s *byNamesState) Add(p *outrank.Pod, _ *outrank.Node) {
	i := slices.Index(s.names, p.Name)
	s.names = slices.Delete(s.names, i, i+1)
}

func (s *byNamesState) Rule(*outrank.Pod) string { return "" }

func (s *byNamesState) Clone() preemption.GuardState {
	return &byNamesState{s.byNames, slices.Clone(s.names)}
}

func (s *byNamesState) Check() preemption.Status {
	if s.allows(s.names) {
		return preemption.Status{}
	}
	return preemption.UnschedulableAndUnresolvable.Because("no")
}

// What a guard does to the victims on one node, by rules 13.6.2 to 13.6.6.
func TestGuardedVictims(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "5", "a")},
		Pods: []*outrank.Pod{
			pod("a", 1, "1", on("n1")), pod("b", 2, "1", on("n1")), pod("c", 3, "1", on("n1")), pod("d", 4, "1", on("n1")), pod("high", 20, "1", on("n1")),
		},
	}
	for _, tt := range []struct {
		name   string
		allows func(away []string) bool
		cpu    string
		want   string
	}{
		{"all", func([]string) bool { return true }, "2", "n1 [default/b, default/a]"},
		{"the least important is kept", func(away []string) bool { return !slices.Contains(away, "a") }, "2", "n1 [default/c, default/b]"},
		{"together with the first that went, it is too many", func(away []string) bool { return len(away) < 2 }, "1", "n1 [default/a]"},
		{"two are kept, and the rest is not enough", func(away []string) bool { return len(away) < 3 }, "3", "ByNames: no"},
		{"nobody goes", func(away []string) bool { return len(away) == 0 }, "1", "ByNames: no"},
		{"not enough even if all went", func(away []string) bool { return len(away) == 0 }, "5", "NodeResourcesFit: Insufficient cpu"},
		{"one goes only with the other", func(away []string) bool {
			return slices.Contains(away, "a") == slices.Contains(away, "d") || len(away) < 4 && !slices.Contains(away, "d")
		}, "1", "n1 [default/a]"},
		{"a victim has to stay away for another's sake", func(away []string) bool {
			return !slices.Contains(away, "c") || slices.Contains(away, "b")
		}, "1", "n1 [default/a]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEvaluator(t, preemption.Config{Guard: byNames{allows: tt.allows}.guard()})
			snap, p := newSnapshot(t, c), pod("p", 9, tt.cpu)
			plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			require.NoError(t, e.Verify(context.Background(), snap, plan))
			got := choice(plan.Candidate)
			if plan.Outcome != preemption.Preempts {
				got = plan.Unhelpful[0].Status.String()
				assert.Equal(t, explainBy(t, preemption.Config{Guard: byNames{allows: tt.allows}.guard()}, c, p).Unhelpful, plan.Unhelpful, "by every node")
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// Putting a pod back may leave others away who may not be without it: then it is a victim
// though the preemptor would fit beside it, and the guard says why.
func TestGuardKeepsAVictimAway(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")},
		Pods:  []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 2, "1", on("n1"))},
	}
	// The less important one may go alone only as long as it is the first that goes.
	e := newEvaluator(t, preemption.Config{Guard: byNames{allows: func(away []string) bool { return !slices.Equal(away, []string{"b"}) }}.guard(),
		Importance: func(p, q *outrank.Pod) int { return int(p.PriorityValue() - q.PriorityValue()) }})
	snap, p := newSnapshot(t, c), pod("p", 9, "1")
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	// In this order b is the least important: without it nothing can begin, so that a goes.
	assert.Equal(t, "n1 [default/a]", choice(plan.Candidate))
	e = newEvaluator(t, preemption.Config{Guard: byNames{allows: func(away []string) bool { return !slices.Equal(away, []string{"a"}) }}.guard(),
		Importance: func(p, q *outrank.Pod) int { return int(p.PriorityValue() - q.PriorityValue()) }})
	plan, err = e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n1 [default/b]", choice(plan.Candidate))
	// With the pod back that a budget covers, the other one would be away alone, so that it
	// stays away for now, although there is room. In the end the other one is back.
	e = newEvaluator(t, preemption.Config{Guard: byNames{allows: func(away []string) bool { return len(away) != 1 || away[0] == "a" }}.guard()})
	plan, err = e.Preempt(context.Background(), newSnapshot(t, &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "3", "a")},
		Pods:    []*outrank.Pod{pod("a", 1, "1", on("n1"), app("web")), pod("b", 2, "2", on("n1"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "none", Selector: selects("web")}},
	}), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n1 [default/a]", choice(plan.Candidate))
	assert.Equal(t, "ByNames: no", plan.Victims[0].Blocks.String())
}

// What ends an attempt, and what has nothing to say.
func TestGuardStart(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("a", 1, "1", on("n1"))}}
	lost := errors.New("lost")
	_, err := newEvaluator(t, preemption.Config{Guard: byNames{fails: lost}.guard()}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	assert.ErrorIs(t, err, lost)
	assert.EqualError(t, err, "guard ByNames: pod default/p: lost")
	plan, err := newEvaluator(t, preemption.Config{Guard: byNames{silent: true}.guard()}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n1 [default/a]", choice(plan.Candidate))
	_, err = engine.New(preemption.Config{Guard: atMost{"", 1}.guard()})
	assert.EqualError(t, err, "preemption config: Guard.Name: missing")
	_, err = engine.New(preemption.Config{Guard: atMost{preemption.NodePorts, 1}.guard()})
	assert.EqualError(t, err, `preemption config: Guard.Name: there is a filter of the name "NodePorts"`)
	_, err = engine.New(preemption.Config{Guard: atMost{"G", 1}.guard(), Budgets: preemption.NeverViolate, Victims: preemption.Exact{}})
	assert.ErrorContains(t, err, "Guard: the best victims are not chosen by it")
	assert.ErrorContains(t, err, "Guard: a guard does not go with budgets that are never violated")
}

// A plan whose victims may not leave together any more is not sound.
func TestVerifyAsksTheGuard(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")},
		Pods:  []*outrank.Pod{pod("a", 9, "1", on("n1")), pod("b", 2, "1", on("n1"))},
	}
	snap, p := newSnapshot(t, c), pod("p", 9, "2")
	plan, err := newEvaluator(t, preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}}).Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, plan.Victims, 2)
	err = newEvaluator(t, preemption.Config{Guard: byNames{allows: func(away []string) bool { return len(away) < 2 }}.guard(), Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}}).Verify(context.Background(), snap, plan)
	assert.ErrorIs(t, err, engine.ErrUnsound)
	assert.ErrorContains(t, err, "the victims may not leave together: ByNames: no")
	err = newEvaluator(t, preemption.Config{}).Verify(context.Background(), snap, plan)
	assert.ErrorIs(t, err, engine.ErrUnsound)
	lower := func(preemptor, victim *outrank.Pod) (string, bool) {
		return "lower", victim.PriorityValue() < preemptor.PriorityValue()
	}
	err = newEvaluator(t, preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: true, Take: lower}}).Verify(context.Background(), snap, plan)
	assert.ErrorContains(t, err, "victim default/a must not be evicted")
}

// A group does not preempt by a rule that it would ignore.
func TestGroupsRefuseToBeRefused(t *testing.T) {
	never := func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility { return "no" }
	e := newEvaluator(t, preemption.Config{Eligibility: preemption.Eligibility{Refuse: never}})
	_, err := e.PreemptGroup(context.Background(), newSnapshot(t, grouped()), preemption.GroupRequest{Pods: training(), Now: gen.Now})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.EqualError(t, err, "preempting by a group: preemption config: Eligibility.Refuse: set, which a group of pods is not decided by")
}

// The highest priority that there is can be taken from like any other.
func TestTakingFromTheHighest(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a")},
		Pods: []*outrank.Pod{
			pod("a", math.MaxInt32, "1", on("n1")), pod("b", math.MaxInt32, "1", on("n1")),
			pod("c", math.MaxInt32-1, "1", on("n2")), pod("d", math.MaxInt32, "1", on("n2")),
		},
	}
	for cpu, want := range map[string]string{"1": "n2 [default/c]", "2": "n1 [default/a, default/b]"} {
		config := preemption.Config{
			Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(_, victim *outrank.Pod) (string, bool) {
				return "anybody there", cpu == "1" || victim.NodeName == "n1"
			}},
		}
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", math.MinInt32, cpu), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, want, choice(plan.Candidate))
		assert.Equal(t, "anybody there", plan.Victims[0].Rule)
	}
}

// Victims on other nodes may be of any priority by a rule, and no guard is passed over.
func TestAcrossByARule(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
		Pods:  []*outrank.Pod{pod("here", 9, "1", on("n1"), app("x")), pod("there", 9, "1", on("n2"), app("x"))},
	}
	p := pod("p", 5, "1")
	p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: selects("x"), TopologyKey: "zone"}}
	plan, err := newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Len(t, plan.Victims, 2)
	for _, v := range plan.Victims {
		assert.Equal(t, "anybody", v.Rule)
	}
	plan, err = newEvaluator(t, preemption.Config{Victims: preemption.Across{}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	_, err = engine.New(preemption.Config{Victims: preemption.Across{}, Guard: atMost{"G", 1}.guard()})
	assert.EqualError(t, err, "preemption config: Guard: the best victims are not chosen by it")
}

// A caller's choice is held to the guard, and so is what an extender proposes.
func TestGuardOfOtherChoices(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")},
		Pods:  []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 2, "1", on("n1"))},
	}
	two := byNames{allows: func(away []string) bool { return len(away) < 2 }}
	var said []string
	chooser := preemption.Chooser{Name: "All", Choose: func(v preemption.NodeView) []*outrank.Pod {
		said = []string{v.Check(v.Possible()...).String(), v.Check(v.Possible()[0]).String()}
		return v.Possible()
	}}
	_, err := newEvaluator(t, preemption.Config{Guard: two.guard(), Victims: chooser}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	assert.EqualError(t, err, "rule All: node n1: invalid input: the victims may not leave together: ByNames: no")
	assert.Equal(t, []string{"ByNames: no", "success"}, said)
	chooser.Choose = func(v preemption.NodeView) []*outrank.Pod { return v.Possible()[:1] }
	plan, err := newEvaluator(t, preemption.Config{Guard: two.guard(), Victims: chooser, Eligibility: preemption.Eligibility{AnyPriority: true, Take: anyBody}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 0, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n1 [default/b]", choice(plan.Candidate))
	assert.Equal(t, "anybody", plan.Victims[0].Rule)
	// It is held to the guard with what it chooses, and offered everybody.
	notB := byNames{allows: func(away []string) bool { return !slices.Contains(away, "b") }}
	for _, chosen := range []preemption.VictimRule{nil, chooser} {
		lookAt, err := newEvaluator(t, preemption.Config{Guard: notB.guard(), Victims: chosen}).LookAt(newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
		require.NoError(t, err)
		view, err := lookAt("n1")
		require.NoError(t, err)
		assert.Len(t, view.Possible(), map[bool]int{false: 1, true: 2}[chosen != nil])
	}
}

// In no candidate of any decision is anybody away whom the guard did not allow.
func TestPropertyGuardHolds(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		most := rapid.IntRange(0, 2).Draw(t, "most")
		config := preemption.Config{Guard: atMost{"AtMost", most}.guard()}
		if rapid.Bool().Draw(t, "any priority") {
			config.Eligibility = preemption.Eligibility{AnyPriority: true, Take: anyBody}
		}
		ex := explainBy(t, config, c, p)
		for _, candidate := range ex.Candidates {
			teams := map[string]int{}
			for _, v := range candidate.Victims {
				teams[team(v.Pod)]++
			}
			for _, v := range candidate.Victims {
				rule := map[bool]string{true: "anybody"}[config.Eligibility.AnyPriority]
				if teams[team(v.Pod)] == most {
					rule = "the last of its team"
				}
				require.Equal(t, rule, v.Rule)
			}
			for team, n := range teams {
				require.LessOrEqual(t, n, most, "team %s on %s", team, candidate.Node)
			}
		}
	})
}

// The guard of the examples keeps its contract.
func TestGuardKeepsItsContract(t *testing.T) {
	require.NoError(t, filtertest.CheckGuard(atMost{"AtMost", 1}.guard(), filtertest.Options{Clusters: seeded.Sample(15, 60)}))
}
