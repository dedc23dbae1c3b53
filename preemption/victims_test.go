package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The victims on a node (rules 9.1 to 9.5, 9.8 and 9.11), the most important first (group 4.3).
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
			why:  "It is the youngest of those started, but older than one that starts in the future (rule 4.3.7).",
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
			name: "a running pod with the preemptor's name is the preemptor, which does not wait",
			cluster: []any{
				node("a"), pod("p", "a", 1, cpu("1")),
			},
			pod:  preemptor(cpu("1")),
			want: "error: pod default/p: not in the right state: it runs on node a",
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

// A cluster with two pods of one name is refused: nothing tells them apart when a plan is carried out.
func TestTwoPodsOfOneNameAreRefused(t *testing.T) {
	uid := func(uid string) podOption { return func(p *outrank.Pod) { p.UID = uid } }
	c := clusterOf(node("a"), pod("x", "a", 1, cpu("500m"), uid("2")), pod("x", "a", 1, cpu("500m"), uid("1")))
	_, err := preemption.Explain(c, preemption.Request{Pod: preemptor(cpu("1")), Now: now}, preemption.Config{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "default/x")
}
