package preemption_test

import (
	"testing"
	"time"

	"github.com/outrank-go/outrank"
)

// budget covers pods with app=web and allows some number of disruptions.
func budget(name string, allowed int32, changes ...func(*outrank.PodDisruptionBudget)) *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{Name: name, Selector: selects("app", "web"), DisruptionsAllowed: allowed}
	for _, change := range changes {
		change(b)
	}
	return b
}

func covering(s *outrank.LabelSelector) func(*outrank.PodDisruptionBudget) {
	return func(b *outrank.PodDisruptionBudget) { b.Selector = s }
}

// Which pods budgets cover, and how they are charged (groups 6.2 and 6.3, rules 9.6 and 9.7).
func TestBudgets(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	// Of three web pods with a third of the node each, one has to go.
	x, y, z := pod("x", "a", 3, web, cpu("300m")), pod("y", "a", 2, web, cpu("300m")), pod("z", "a", 1, web, cpu("300m"))
	three := func(more ...any) []any { return append([]any{node("a"), x, y, z}, more...) }
	needsOne, needsAll := preemptor(cpu("400m")), preemptor(cpu("1"))
	runRows(t, []row{
		{
			name:    "without budgets the least important goes",
			cluster: three(),
			pod:     needsOne,
			want:    short + "a <- z (0)\nbest a",
		},
		{
			name: "allowances go to the most important first",
			why: "By rule 9.6 that is so: x spends the one disruption, so y and z count as violating, are put back first, and x goes " +
				"with no violation at all.",
			cluster: three(budget("b", 1)),
			pod:     needsOne,
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "violating ones come back first, and count if they cannot",
			cluster: three(budget("b", 1)),
			pod:     needsAll,
			want:    short + "a <- x, y!, z! (2)\nbest a",
		},
		{
			name:    "all violating is as good as none",
			cluster: three(budget("b", 0)),
			pod:     needsOne,
			want:    short + "a <- z! (1)\nbest a",
		},
		{
			name: "order inside each part is by importance",
			why:  "y and z violate: y comes back first, then z no longer fits beside it. x, not violating, finds no room either.",
			cluster: []any{
				node("a"), pod("x", "a", 3, web, cpu("300m")), pod("y", "a", 2, web, cpu("350m")), pod("z", "a", 1, web, cpu("350m")), budget("b", 1),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- x, z! (1)\nbest a",
		},
		{
			name:    "nil, empty and invalid selectors cover nothing",
			cluster: three(budget("b", 0, covering(nil)), budget("c", 0, covering(selects())), budget("d", 0, covering(brokenSelector))),
			pod:     needsAll,
			want:    short + "a <- x, y, z (0)\nbest a",
		},
		{
			name:    "a pod without labels is covered by nothing",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1")), budget("b", 0, covering(notDB))},
			pod:     needsAll,
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "NotIn covers where the key is missing",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), labels("tier", "front")), budget("b", 0, covering(notDB))},
			pod:     needsAll,
			want:    short + "a <- x! (1)\nbest a",
		},
		{
			name:    "budgets of another namespace",
			cluster: three(budget("b", 0, func(b *outrank.PodDisruptionBudget) { b.Namespace = "other" })),
			pod:     needsAll,
			want:    short + "a <- x, y, z (0)\nbest a",
		},
		{
			name:    "pods disrupted already cost nothing",
			why:     "y is in the list: x spends the allowance, y none, z violates.",
			cluster: three(budget("b", 1, disrupted("y"))),
			pod:     needsAll,
			want:    short + "a <- x, y, z! (1)\nbest a",
		},
		{
			name:    "disrupted for one budget is not for another",
			cluster: three(budget("b", 0, disrupted("x", "y", "z")), budget("c", 2)),
			pod:     needsAll,
			want:    short + "a <- x, y, z! (1)\nbest a",
		},
		{
			name: "every budget is charged, also after one has failed",
			why: "x breaks the first budget, and spends the second's allowance as well: y, which only the second covers, " +
				"violates it. z is covered by neither.",
			cluster: []any{
				node("a"), pod("x", "a", 3, cpu("300m"), labels("app", "web", "tier", "front")), pod("y", "a", 2, cpu("300m"), labels("tier", "front")),
				pod("z", "a", 1, cpu("300m"), labels("app", "db")), budget("b", 0), budget("c", 1, covering(selects("tier", "front"))),
			},
			pod:     needsAll,
			release: outrank.V1_36,
			want:    short + "a <- x!, y!, z (2)\nbest a",
		},
		{
			name: "no budget is charged after one has failed",
			why:  "The same in v1.37: x breaks the first budget and leaves the second alone.",
			cluster: []any{
				node("a"), pod("x", "a", 3, cpu("300m"), labels("app", "web", "tier", "front")), pod("y", "a", 2, cpu("300m"), labels("tier", "front")),
				pod("z", "a", 1, cpu("300m"), labels("app", "db")), budget("b", 0), budget("c", 1, covering(selects("tier", "front"))),
			},
			pod:     needsAll,
			release: outrank.V1_37,
			want:    short + "a <- x!, y, z (1)\nbest a",
		},
		{
			name: "a victim counts once, however many budgets it breaks",
			cluster: []any{
				node("a"), pod("x", "a", 1, web, cpu("1")), budget("b", 0), budget("c", 0),
			},
			pod:  needsAll,
			want: short + "a <- x! (1)\nbest a",
		},
		{
			name: "each node starts with the whole allowance",
			cluster: []any{
				node("a"), pod("x", "a", 1, web, cpu("1")), node("b"), pod("y", "b", 1, web, cpu("1")), budget("b", 1),
			},
			pod:  needsAll,
			want: short + "a <- x (0)\nb: Unschedulable NodeResourcesFit [Insufficient cpu]\nb <- y (0)\nbest a",
		},
	})
}

func disrupted(names ...string) func(*outrank.PodDisruptionBudget) {
	return func(b *outrank.PodDisruptionBudget) {
		b.DisruptedPods = map[string]time.Time{}
		for _, name := range names {
			b.DisruptedPods[name] = now
		}
	}
}

// brokenSelector picks app=web by its labels, but In needs values.
var brokenSelector = &outrank.LabelSelector{
	MatchLabels:      map[string]string{"app": "web"},
	MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.In}},
}

var notDB = &outrank.LabelSelector{
	MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.NotIn, Values: []string{"db"}}},
}
