package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// A node is short of places or of amounts (group 7.7), which pods that have ended do not hold (rule 7.1.6).
func TestResources(t *testing.T) {
	runRows(t, []row{
		{
			name:    "all that is short is named",
			cluster: []any{node("a", slots(2)), pod("x", "a", 1, asks("cpu", "700m", "memory", "800Mi")), pod("y", "a", 1)},
			pod:     preemptor(asks("cpu", "500m", "memory", "500Mi")),
			want: `
				a: Unschedulable NodeResourcesFit [Too many pods Insufficient cpu Insufficient memory]
				a <- x (0)
				best a`,
		},
		{
			name:    "more than the node has is unresolvable",
			why:     "One such amount is enough, whatever the others are.",
			cluster: []any{node("a"), pod("x", "a", 1, asks("cpu", "700m", "memory", "800Mi"))},
			pod:     preemptor(asks("cpu", "500m", "memory", "2Gi")),
			want:    `a: Unresolvable NodeResourcesFit [Insufficient cpu Insufficient memory]`,
		},
		{
			name:    "all of the node is not too much",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1m"))},
			pod:     preemptor(cpu("1")),
			want: `
				a: Unschedulable NodeResourcesFit [Insufficient cpu]
				a <- x (0)
				best a`,
		},
		{
			name:    "too many pods alone is never unresolvable",
			why:     "Even where the node takes none at all: it is dry run, in vain.",
			cluster: []any{node("a", slots(0)), pod("x", "a", 1)},
			pod:     preemptor(),
			want: `
				a: Unschedulable NodeResourcesFit [Too many pods]
				a out: Unschedulable NodeResourcesFit [Too many pods]`,
		},
		{
			name:    "too many pods beside an amount the node never has",
			cluster: []any{node("a", slots(0)), pod("x", "a", 1)},
			pod:     preemptor(cpu("2")),
			want:    `a: Unresolvable NodeResourcesFit [Too many pods Insufficient cpu]`,
		},
		{
			name:    "a node that lists no pods takes none",
			cluster: []any{node("a", allocatable("cpu", "1"))},
			pod:     preemptor(),
			want: `
				a: Unschedulable NodeResourcesFit [Too many pods]
				a out: Unresolvable [No preemption victims found for incoming pod]`,
		},
		{
			name:    "a slot is all that a pod without requests needs",
			why:     "Nor is a request of zero checked: the node holds twice its cpu.",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("2"))},
			pod:     preemptor(asks("cpu", "0")),
			want:    `a: fits`,
		},
		{
			name:    "names nodes keep no account of",
			why:     "The node has no \"storage\", and pods may ask for \"pods\" without taking more than one.",
			cluster: []any{node("a")},
			pod:     preemptor(asks("storage", "1Ti", "pods", "99")),
			want:    `a: fits`,
		},
		{
			name:    "an extended resource",
			cluster: []any{node("a"), node("b", allocatable("pods", "10")), pod("x", "a", 1, asks("example.com/gpu", "1")), pod("y", "a", 1)},
			pod:     preemptor(asks("example.com/gpu", "1")),
			want: `
				a: Unschedulable NodeResourcesFit [Insufficient example.com/gpu]
				a <- x (0)
				b: Unresolvable NodeResourcesFit [Insufficient example.com/gpu]
				best a`,
		},
		{
			name: "sums do not wrap",
			why:  "Allocatable less four pods of 2^62 bytes is below what an int64 holds, and would come out as plenty.",
			cluster: []any{
				node("a", allocatable("memory", "7Ei", "pods", "10")),
				pod("x", "a", 3, asks("memory", "4Ei")), pod("y", "a", 2, asks("memory", "4Ei")), pod("z", "a", 1, asks("memory", "4Ei")),
				pod("w", "a", 200, asks("memory", "4Ei")),
			},
			pod: preemptor(asks("memory", "1")),
			want: `
				a: Unschedulable NodeResourcesFit [Insufficient memory]
				a <- x, y, z (0)
				best a`,
		},
		{
			name: "finished pods and pods on unknown nodes hold nothing",
			cluster: []any{
				node("a"),
				pod("done", "a", 1, cpu("1"), func(p *outrank.Pod) { p.Phase = outrank.PhaseSucceeded }),
				pod("failed", "a", 1, cpu("1"), func(p *outrank.Pod) { p.Phase = outrank.PhaseFailed }),
				pod("elsewhere", "gone", 1, cpu("1")),
				pod("pending", "", 1, cpu("1")),
			},
			pod:  preemptor(cpu("1")),
			want: `a: fits`,
		},
	})
}

// resizing is in the middle of a resize in place: the spec asks for one amount
// of cpu, the node has set aside another.
func resizing(spec, allocated string, infeasible bool) podOption {
	return func(p *outrank.Pod) {
		p.Containers = []outrank.Container{{
			Requests:           resource.MustList("cpu", spec),
			AllocatedResources: resource.MustList("cpu", allocated),
			Actual:             resource.MustList("cpu", allocated),
		}}
		p.ResizeInfeasible = infeasible
	}
}

// A running pod holds what its node counts for it (rule 2.2.11), a pending one what its spec says (rule 2.1.9).
func TestResizedPods(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	runRows(t, []row{
		{
			name:    "shrinking pods still hold what was set aside",
			cluster: []any{node("a"), pod("x", "a", 1, resizing("100m", "800m", false))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "growing pods already hold what they ask for",
			cluster: []any{node("a"), pod("x", "a", 1, resizing("800m", "100m", false))},
			pod:     preemptor(cpu("500m")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "an infeasible resize counts for nothing",
			cluster: []any{node("a"), pod("x", "a", 1, resizing("800m", "100m", true))},
			pod:     preemptor(cpu("500m")),
			want:    `a: fits`,
		},
		{
			name:    "the preemptor counts by its spec",
			cluster: []any{node("a")},
			pod:     preemptor(resizing("500m", "2", false)),
			want:    `a: fits`,
		},
		{
			name:    "nominated pods count by their spec",
			cluster: []any{node("a"), pod("n", "", 200, resizing("500m", "2", false), nominatedTo("a"))},
			pod:     preemptor(cpu("500m")),
			want:    `a: fits`,
		},
	})
}
