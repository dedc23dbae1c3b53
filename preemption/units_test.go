package preemption_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// withGroups is v1.37 with all gates of groups.
func withGroups(t *testing.T) outrank.Release {
	t.Helper()
	return withGates(t, "GenericWorkload", "CompositePodGroup", "TopologyAwareWorkloadScheduling", "PodGroupPreemptionPolicy")
}

// withGates is v1.37 with these gates.
func withGates(t *testing.T, names ...string) outrank.Release {
	t.Helper()
	gates := map[string]bool{}
	for _, name := range names {
		gates[name] = true
	}
	r, err := outrank.V1_37.With(gates)
	require.NoError(t, err)
	return r
}

func ofGroup(name string) podOption { return func(p *outrank.Pod) { p.Group = name } }

// group and composite return groups with a priority. The pods of one with the option whole leave together.
func group(name string, priority int32, changes ...func(*outrank.PodGroup)) *outrank.PodGroup {
	g := &outrank.PodGroup{Name: name, Priority: &priority}
	for _, change := range changes {
		change(g)
	}
	return g
}

func whole(g *outrank.PodGroup) { g.DisruptionMode = outrank.DisruptPodGroup }

func below(parent string) func(*outrank.PodGroup) {
	return func(g *outrank.PodGroup) { g.Parent = parent }
}

func composite(name string, priority int32, changes ...func(*outrank.CompositePodGroup)) *outrank.CompositePodGroup {
	g := &outrank.CompositePodGroup{Name: name, Priority: &priority}
	for _, change := range changes {
		change(g)
	}
	return g
}

// A single pod that preempts takes units whole, with their pods on other nodes (rules 12.6.1 to 12.6.4, 12.7.1,
// 12.8.1, 12.8.4 and 12.8.5).
func TestPodPushesUnitsOut(t *testing.T) {
	c := clusterOf(
		memberNode("a"), memberNode("b"),
		memberPod("x", "a", "low", "2", 50), memberPod("y", "b", "low", "1", 60), memberPod("z", "a", "", "1", 3),
		&outrank.PodGroup{Name: "low", DisruptionMode: outrank.DisruptPodGroup, Parent: "above"}, composite("above", 2),
		&outrank.PodDisruptionBudget{Name: "none", Selector: &outrank.LabelSelector{
			MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.In, Values: []string{"x", "y"}}},
		}},
	)
	c.Release = withGroups(t)
	c.Nodes[0].Allocatable = allocatableOf("3")
	plan := explain(t, c, memberPod("pre", "", "", "1", 9), preemption.Config{})
	require.Equal(t, "b", plan.FirstFit)
	require.Equal(t, 1, plan.Feasible)

	p := memberPod("pre", "", "", "2", 9)
	plan = explain(t, c, p, preemption.Config{})
	require.Len(t, plan.Candidates, 2)
	assert.Equal(t, []string{"y", "x"}, victimNames(plan.Nodes[0].Candidate.Victims), "z is more important than the unit")
	assert.Equal(t, 2, plan.Nodes[0].Candidate.Score.Violations)
	assert.Equal(t, c.Groups[0], plan.Nodes[0].Candidate.Victims[0].Group)
	assert.Equal(t, []string{"b", ""}, []string{plan.Nodes[0].Candidate.Victims[0].Node, plan.Nodes[0].Candidate.Victims[1].Node})

	c.Release = outrank.V1_37
	plan = explain(t, c, p, preemption.Config{})
	assert.Empty(t, plan.Candidates, "the group means nothing, and z is not enough")
}

// Pods leave in units, each with one priority (group 12.6), and units are ordered by importance (group 12.7).
func TestUnits(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	third := cpu("300m")
	wholeComposite := func(g *outrank.CompositePodGroup) { g.DisruptionMode = outrank.DisruptPodGroup }
	rows := []row{
		{
			name:    "a pod counts with the priority of its group",
			why:     "x has a higher one than y by itself.",
			cluster: []any{node("a"), group("g", 1), pod("x", "a", 50, third, ofGroup("g")), pod("y", "a", 2, cpu("500m"))},
			pod:     preemptor(cpu("400m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "with 0 if the group has none",
			cluster: []any{node("a"), &outrank.PodGroup{Name: "g"}, pod("x", "a", 200, cpu("1"), ofGroup("g"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "with its own if the group is not known",
			cluster: []any{node("a"), pod("x", "a", 200, cpu("1"), ofGroup("g"))},
			pod:     preemptor(cpu("1")),
			want:    short + "a out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name:    "a group of no mode leaves pod by pod",
			cluster: []any{node("a"), group("g", 1), pod("x", "a", 1, cpu("500m"), ofGroup("g")), pod("y", "a", 1, cpu("500m"), ofGroup("g"))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- y (0)\nbest a",
		},
		{
			name:    "the highest group of the mode all makes the unit, those between say nothing",
			why:     "The priority is that of the top, above the one that makes it a unit.",
			release: withGroups(t),
			cluster: []any{
				node("a"), node("b", cordoned), group("g", 1, below("mid")), group("h", 1, below("mid")),
				composite("mid", 2, func(g *outrank.CompositePodGroup) { wholeComposite(g); g.Parent = "top" }), composite("top", 3),
				pod("x", "a", 1, cpu("1"), ofGroup("g")), pod("y", "b", 1, ofGroup("h")),
			},
			pod:  pod("p", "", 4, cpu("1")),
			want: short + "a <- x, y on b (0)\nb: Unresolvable NodeUnschedulable [node(s) were unschedulable]\nbest a",
		},
		{
			name:    "above the priority of the top nobody is taken",
			cluster: []any{node("a"), group("g", 1, below("top")), composite("top", 3, wholeComposite), pod("x", "a", 1, cpu("1"), ofGroup("g"))},
			pod:     pod("p", "", 3, cpu("1")),
			want:    short + "a out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name:    "without the gate composite groups do not count",
			release: withGates(t, "GenericWorkload"),
			cluster: []any{node("a"), group("g", 1, below("top")), composite("top", 3, wholeComposite), pod("x", "a", 1, cpu("1"), ofGroup("g"))},
			pod:     pod("p", "", 3, cpu("1")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name: "a group comes before a pod of its priority, known or not",
			cluster: []any{
				node("a"), pod("x", "a", 1, cpu("500m"), started(99)), pod("y", "a", 1, cpu("500m"), ofGroup("unknown"), started(1)),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- x (0)\nbest a",
		},
		{
			name: "a composite group comes before a group",
			cluster: []any{
				node("a"), group("g", 1, whole), group("h", 1, below("top")), composite("top", 1, wholeComposite),
				pod("x", "a", 1, cpu("500m"), ofGroup("g"), started(99)), pod("y", "a", 1, cpu("500m"), ofGroup("h"), started(1)),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- x (0)\nbest a",
		},
		{
			name: "more pods come before fewer, and then the earliest start of any",
			cluster: []any{
				node("a"), group("g", 1, whole), group("h", 1, whole), group("i", 1, whole),
				pod("g1", "a", 1, cpu("300m"), ofGroup("g"), started(90)),
				pod("h1", "a", 1, cpu("100m"), ofGroup("h"), started(10)), pod("h2", "a", 1, cpu("200m"), ofGroup("h"), started(50)),
				pod("i1", "a", 1, cpu("100m"), ofGroup("i"), started(20)), pod("i2", "a", 1, cpu("200m"), ofGroup("i"), started(30)),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- h2, h1, i2, i1, g1 (0)\nbest a",
		},
		{
			name: "and then the name, a group before a pod",
			cluster: []any{
				node("a"), group("b", 1), group("a", 1, whole), pod("a1", "a", 1, cpu("300m"), ofGroup("a")),
				pod("a", "a", 1, cpu("300m"), ofGroup("b")), pod("A", "a", 1, cpu("300m"), ofGroup("b")),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- A, a1, a (0)\nbest a",
		},
		{
			name: "a unit with a pod that violates a budget is put back first, and each such pod counts",
			why:  "The allowance goes to x, so that y makes the unit a violating one; w goes in its place.",
			cluster: []any{
				node("a"), group("g", 1, whole), budget("b", 1),
				pod("x", "a", 1, web, cpu("300m"), ofGroup("g"), started(99)), pod("y", "a", 1, web, cpu("200m"), ofGroup("g")), pod("w", "a", 50, cpu("500m")),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- w (0)\nbest a",
		},
		{
			name: "each node finds its own units",
			cluster: []any{
				node("a"), node("b"), group("g", 1, whole), pod("x", "a", 1, cpu("1"), ofGroup("g")), pod("y", "b", 1, cpu("1"), ofGroup("g")),
			},
			pod: preemptor(cpu("1")),
			want: short + "a <- x, y on b (0)\n" +
				"b: Unschedulable NodeResourcesFit [Insufficient cpu]\nb <- x on a, y (0)\nbest a",
		},
		{
			name: "what counts over several nodes follows the pods elsewhere",
			why:  "y keeps away from web pods in the whole zone, and leaves together with x.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("1"), cordoned), group("g", 1, whole),
				pod("x", "a", 1, ofGroup("g")), pod("y", "b", 1, ofGroup("g"), away("zone", selects("app", "web"))),
			},
			pod:  preemptor(web),
			want: "a: " + shunned + "a <- x, y on b (0)\nb: Unresolvable NodeUnschedulable [node(s) were unschedulable]\nbest a",
		},
		{
			name: "the caller's rule has to let all pods of a unit go, on all nodes",
			cluster: []any{
				node("a"), node("b", cordoned), group("g", 1, whole), pod("x", "a", 1, cpu("1"), ofGroup("g")), pod("y", "b", 1, web, ofGroup("g")),
			},
			pod: preemptor(cpu("1")),
			config: preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (string, bool) {
				return "", v.Labels["app"] != "web"
			}}},
			want: short + "a out: Unresolvable [No preemption victims found for incoming pod]\nb: Unresolvable NodeUnschedulable [node(s) were unschedulable]",
		},
	}
	for i := range rows {
		if rows[i].release == 0 {
			rows[i].release = withGroups(t)
		}
	}
	runRows(t, rows)
}

// The ranks look at the victims as single pods, with their own priorities (rule 12.8.6).
func TestRanksOfUnitsReadThePods(t *testing.T) {
	c := clusterOf(node("a"), group("g", 1, whole), pod("x", "a", 7, cpu("500m"), ofGroup("g")), pod("y", "a", 70, cpu("500m"), ofGroup("g"), started(5)))
	c.Release = withGroups(t)
	plan := explain(t, c, preemptor(cpu("1")), preemption.Config{})
	require.Equal(t, []string{"y", "x"}, victimNames(plan.Victims))
	want := preemption.Score{TopPriority: 70, PrioritySum: 77 + 2<<31, Victims: 2, Start: now.Add(-5 * time.Minute)}
	assert.Equal(t, want, plan.Score)
	assert.Equal(t, int32(1), plan.Victims[0].Priority, "what it counts with")
}

// The caller's order compares the most important pod of each unit (rule 12.7.6).
func TestCallersOrderOfUnits(t *testing.T) {
	c := clusterOf(node("a"), group("g", 9, whole), pod("x", "a", 9, cpu("250m"), ofGroup("g")), pod("y", "a", 9, cpu("250m"), ofGroup("g")), pod("z", "a", 1, cpu("500m")))
	c.Release = withGroups(t)
	zFirst := func(p, q *outrank.Pod) int {
		rank := map[string]int{"z": 0, "y": 1, "x": 2}
		return rank[p.Name] - rank[q.Name]
	}
	plan := explain(t, c, preemptor(cpu("500m")), preemption.Config{Importance: zFirst})
	assert.Equal(t, []string{"y", "x"}, victimNames(plan.Victims))
}
