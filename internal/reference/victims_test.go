package reference_test

import (
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVictims(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	runRows(t, []row{
		{
			name:    "only pods of lower priority",
			cluster: []any{node("a"), pod("same", "a", 100, cpu("500m")), pod("higher", "a", 101, cpu("500m"))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name:    "no priority is 0",
			why:     "More than a negative one, and no more than 0.",
			cluster: []any{node("a"), pod("x", "a", 0, cpu("400m")), pod("y", "a", -1, cpu("600m"))},
			pod:     preemptor(cpu("500m"), noPriority),
			want:    short + "a <- y (0)\nbest a",
		},
		{
			name:    "pods without a priority are victims of 1",
			cluster: []any{node("a"), pod("x", "a", 0, cpu("1"), noPriority)},
			pod:     pod("p", "", 1, cpu("500m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "a node that does not do without them is out, with that status",
			cluster: []any{node("a", slots(1)), pod("x", "a", 1, cpu("100m")), pod("same", "a", 100, cpu("700m"))},
			pod:     preemptor(cpu("500m")),
			want: `
				a: Unschedulable NodeResourcesFit [Too many pods Insufficient cpu]
				a out: Unschedulable NodeResourcesFit [Too many pods Insufficient cpu]`,
		},
		{
			name:    "the most important comes back first",
			why:     "Either would do; the less important one goes, though it is smaller.",
			cluster: []any{node("a"), pod("low", "a", 1, cpu("500m")), pod("high", "a", 2, cpu("500m"))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- low (0)\nbest a",
		},
		{
			name: "the less important come back where the more important are in the way",
			why:  "First come, first served: big fails, and both small ones still find room.",
			cluster: []any{
				node("a"), pod("big", "a", 3, cpu("800m")), pod("small-1", "a", 2, cpu("100m")), pod("small-2", "a", 1, cpu("100m")),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- big (0)\nbest a",
		},
		{
			name: "victims are listed by importance",
			cluster: []any{
				node("a"), pod("x", "a", 1, cpu("300m")), pod("y", "a", 3, cpu("300m")), pod("z", "a", 2, cpu("300m")),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- y, z, x (0)\nbest a",
		},
		{
			name: "the earlier start is the more important",
			cluster: []any{
				node("a"), pod("x", "a", 1, cpu("500m"), started(10)), pod("y", "a", 1, cpu("500m"), started(20)),
			},
			pod:  preemptor(cpu("500m")),
			want: short + "a <- x (0)\nbest a",
		},
		{
			name: "no start time is now",
			why:  "Surprise 2: the youngest of those started, but older than one that starts in the future.",
			cluster: []any{
				node("a"), pod("x", "a", 1, cpu("300m"), notStarted), pod("y", "a", 1, cpu("300m"), started(1)), pod("z", "a", 1, cpu("300m"), started(-5)),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- y, x, z (0)\nbest a",
		},
		{
			name:    "priority comes before start",
			cluster: []any{node("a"), pod("x", "a", 2, cpu("500m"), started(1)), pod("y", "a", 1, cpu("500m"), started(99))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- y (0)\nbest a",
		},
		{
			name: "ties are broken by namespace and name",
			cluster: []any{
				node("a"), pod("b", "a", 1, cpu("250m")), pod("a", "a", 1, cpu("250m"), inNamespace("z")),
				pod("c", "a", 1, cpu("250m"), inNamespace("a")), pod("a", "a", 1, cpu("250m")),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- a/c, a, b, z/a (0)\nbest a",
		},
		{
			name:    "terminating pods are victims like any others",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), terminating)},
			pod:     preemptor(cpu("1")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name: "a running pod with the preemptor's name is like any other",
			cluster: []any{
				node("a"), pod("p", "a", 1, cpu("1")),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- p (0)\nbest a",
		},
		{
			name: "candidates are worked out although some node is free",
			cluster: []any{
				node("a"), node("b"), pod("x", "a", 1, cpu("1")),
			},
			pod:  preemptor(cpu("1")),
			want: short + "a <- x (0)\nb: fits\nbest a",
		},
	})
}

// budget covers pods with app=web and allows so many disruptions.
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
			why: "Surprise 1: x spends the one disruption, so y and z count as violating, are put back first, and x goes " +
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

// Two pods of the same name are no valid cluster, but the order of victims is
// total all the same.
func TestUIDBreaksTheLastTie(t *testing.T) {
	uid := func(uid string) podOption { return func(p *outrank.Pod) { p.UID = uid } }
	c := clusterOf(node("a"), pod("x", "a", 1, cpu("500m"), uid("2")), pod("x", "a", 1, cpu("500m"), uid("1")))
	d := reference.Decide(reference.Input{Cluster: c, Pod: preemptor(cpu("1")), Now: now})
	require.Len(t, d.Candidates, 1)
	assert.Equal(t, []*outrank.Pod{c.Pods[1], c.Pods[0]}, d.Candidates[0].Victims)
}
