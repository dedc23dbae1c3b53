package preemption_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// guardOf makes a guard by the name of Guard. refuse is given the sorted names of the pods that are away, and
// says why they may not be, nothing if they may. The guard names the rule "guarded".
func guardOf(refuse func(gone []string) string) *preemption.Guard {
	return &preemption.Guard{Name: "Guard", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		return &guardState{refuse: refuse}, nil
	}}
}

// keeping lets none of these pods go.
func keeping(names ...string) func(gone []string) string {
	return func(gone []string) string {
		for _, name := range names {
			if slices.Contains(gone, name) {
				return name + " stays"
			}
		}
		return ""
	}
}

// atMost lets some number of pods go, and no more.
func atMost(count int) func(gone []string) string {
	return func(gone []string) string {
		if len(gone) > count {
			return "too many"
		}
		return ""
	}
}

type guardState struct {
	refuse func(gone []string) string
	gone   []string
}

func (g *guardState) Remove(p *outrank.Pod, _ *outrank.Node) {
	g.gone = append(g.gone, p.Name)
	slices.Sort(g.gone)
}

func (g *guardState) Add(p *outrank.Pod, _ *outrank.Node) {
	g.gone = slices.DeleteFunc(g.gone, func(name string) bool { return name == p.Name })
}

func (g *guardState) Check() preemption.Status {
	if why := g.refuse(g.gone); why != "" {
		return preemption.Unschedulable.Because(why)
	}
	return preemption.Status{}
}

func (g *guardState) Rule(*outrank.Pod) string { return "guarded" }

func (g *guardState) Clone() preemption.GuardState {
	return &guardState{refuse: g.refuse, gone: slices.Clone(g.gone)}
}

// A rule of the caller takes the place of lower priority (rule 13.6.1).
func TestWhoMayBeTaken(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	webPods := preemption.Eligibility{Take: func(_, v *outrank.Pod) (string, bool) { return "web", v.Labels["app"] == "web" }}
	ofAnyPriority := webPods
	ofAnyPriority.AnyPriority = true
	cluster := []any{node("a"), pod("x", "a", 1, cpu("500m")), pod("y", "a", 2, web, cpu("300m")), pod("z", "a", 200, web, cpu("200m"))}
	runRows(t, []row{
		{
			name:    "of lower priority those that the caller lets go",
			cluster: cluster,
			pod:     preemptor(cpu("100m")),
			config:  preemption.Config{Eligibility: webPods},
			want:    short + "a <- y [web] (0)\nbest a",
		},
		{
			name:    "of any priority",
			why:     "The higher one is the more important and comes back first.",
			cluster: cluster,
			pod:     preemptor(cpu("400m")),
			config:  preemption.Config{Eligibility: ofAnyPriority},
			want:    short + "a <- z [web], y [web] (0)\nbest a",
		},
		{
			name:    "the rest is a matter of the true priorities",
			why:     "Nominations of lower priority are cleared, and one of a higher priority counts, though the rule would let it be taken.",
			cluster: append(slices.Clone(cluster), pod("n", "", 300, web, cpu("100m"), nominatedTo("a")), pod("m", "", 1, web, nominatedTo("a"))),
			pod:     preemptor(cpu("100m")),
			config:  preemption.Config{Eligibility: ofAnyPriority},
			want:    short + "a <- y [web] (0)\nbest a\ncleared m",
		},
		{
			name:    "a preemptor waits for pods that it may take by the rule",
			cluster: []any{node("a"), pod("x", "a", 200, web, cpu("1"), terminating, preempted)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			config:  preemption.Config{Eligibility: ofAnyPriority},
			want:    short + "a <- x [web] (0)\nnot eligible: not eligible due to a terminating pod on the nominated node.\nbest a",
		},
	})
}

// A guard says which pods may be away together (rules 13.6.2 to 13.6.5).
func TestGuards(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	third := cpu("300m")
	x, y, z := pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, web, third)
	three := func(more ...any) []any { return append([]any{node("a"), x, y, z}, more...) }
	guard := func(refuse func([]string) string) preemption.Config { return preemption.Config{Guard: guardOf(refuse)} }
	runRows(t, []row{
		{
			name:    "it keeps the least important, and the next one leaves",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config:  guard(keeping("z")),
			want:    short + "a <- y [guarded] (0)\nbest a",
		},
		{
			name:    "they leave one after the other, the least important first",
			why:     "Two may leave, and x is the third. y comes back.",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config:  guard(atMost(2)),
			want:    short + "a <- z [guarded] (0)\nbest a",
		},
		{
			name:    "budgets are charged for those alone that it lets go",
			why:     "Without the guard x would use the allowance up.",
			cluster: three(budget("b", 1)),
			pod:     preemptor(cpu("400m")),
			config:  guard(keeping("x", "y")),
			want:    short + "a <- z [guarded] (0)\nbest a",
		},
		{
			name:    "the node is out by the guard if it takes the pod only with those gone that it keeps",
			cluster: three(),
			pod:     preemptor(cpu("800m")),
			config:  guard(atMost(1)),
			want:    short + "a out: Unschedulable Guard [too many]",
		},
		{
			name:    "what it said of the least important one that it kept is the answer",
			cluster: three(),
			pod:     preemptor(cpu("800m")),
			config:  guard(keeping("x", "y")),
			want:    short + "a out: Unschedulable Guard [y stays]",
		},
		{
			name:    "it lets nobody go",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config:  guard(keeping("x", "y", "z")),
			want:    short + "a out: Unschedulable Guard [z stays]",
		},
		{
			name:    "the filters are the answer where all gone would not do",
			cluster: three(pod("w", "a", 100, cpu("100m"))),
			pod:     preemptor(cpu("1")),
			config:  guard(keeping("x")),
			want:    short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:    "that others could leave together is not looked into",
			why:     "z and y may not leave before x, so that x alone does.",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config: guard(func(gone []string) string {
				if len(gone) > 0 && !slices.Contains(gone, "x") {
					return "not without x"
				}
				return ""
			}),
			want: short + "a <- x [guarded] (0)\nbest a",
		},
		{
			name:    "a pod comes back only if the others may stay away without it",
			why:     "Of the two that violate the budget y comes first, and would stay if x and z might be away by themselves; then z and x come back.",
			cluster: three(budget("b", 1)),
			pod:     preemptor(cpu("400m")),
			config:  guard(notJust("x", "z")),
			want:    short + "a <- y! [guarded] (1)\nbest a",
		},
		{
			name:    "with the simplified variant the filters are asked with all gone only where nobody is found",
			cluster: three(),
			pod:     preemptor(cpu("800m")),
			config:  preemption.Config{Variant: outrank.VariantSimplified, Guard: guardOf(keeping("z"))},
			want:    short + "a out: Unschedulable Guard [z stays]",
		},
		{
			name:    "with the simplified variant those that it lets go leave from the least important up",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config:  preemption.Config{Variant: outrank.VariantSimplified, Guard: guardOf(keeping("z"))},
			want:    short + "a <- y [guarded] (0)\nbest a",
		},
		{
			name:    "a guard without a state has nothing to say",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config: preemption.Config{Guard: &preemption.Guard{Name: "Guard", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
				return nil, nil
			}}},
			want: short + "a <- z (0)\nbest a",
		},
		{
			name:    "an error of its start ends the attempt",
			cluster: three(),
			pod:     preemptor(cpu("400m")),
			config: preemption.Config{Guard: &preemption.Guard{Name: "Guard", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
				return nil, errPlanted
			}}},
			want: "error: guard Guard: pod default/p: planted",
		},
	})
}

// notJust refuses only that exactly these two are away.
func notJust(one, other string) func(gone []string) string {
	return func(gone []string) string {
		if slices.Equal(gone, []string{one, other}) {
			return "not just these two"
		}
		return ""
	}
}

// A victim that the guard alone keeps away blocks what the guard says (rule 13.6.5).
func TestVictimThatTheGuardKeepsAway(t *testing.T) {
	third := cpu("300m")
	c := clusterOf(node("a"), pod("x", "a", 3, web, third), pod("y", "a", 2, web, third), pod("z", "a", 1, web, third), budget("b", 1))
	plan := explain(t, c, preemptor(cpu("400m")), preemption.Config{Guard: guardOf(notJust("x", "z"))})
	require.Equal(t, []string{"y"}, victimNames(plan.Victims))
	assert.Equal(t, "Guard: not just these two", plan.Victims[0].Blocks.String())
}
