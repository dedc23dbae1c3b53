package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

// Who may preempt (rules 8.2 to 8.8).
func TestEligibility(t *testing.T) {
	const short = "Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	const waits = "not eligible: not eligible due to a terminating pod on the nominated node.\n"
	runRows(t, []row{
		{
			name:    "policy Never",
			why:     "The dry run is done all the same.",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }),
			want:    "a: " + short + "a <- x (0)\nnot eligible: not eligible due to preemptionPolicy=Never.\nbest a",
		},
		{
			name:    "policy PreemptLowerPriority",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptLowerPriority }),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:    "a victim of an earlier preemption is still leaving",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), terminating, preempted)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- x (0)\n" + waits + "best a",
		},
		{
			name:    "the leaving pod need not be in the way",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1")), pod("y", "a", 1, terminating, preempted)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- x (0)\n" + waits + "best a",
		},
		{
			name:    "leaving for another reason",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), terminating)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name: "the first condition names another reason",
			why:  "A later condition of the scheduler's is not looked at (rule 8.5).",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), terminating, func(p *outrank.Pod) {
				p.DisruptionReason = outrank.TerminationByKubelet
			})},
			pod:  preemptor(cpu("1"), nominatedTo("a")),
			want: "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:    "marked but not leaving yet",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"), preempted)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- x (0)\nbest a",
		},
		{
			name:    "leaving, but not one it may preempt",
			cluster: []any{node("a"), pod("x", "a", 100, terminating, preempted), pod("y", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: " + short + "a <- y (0)\nbest a",
		},
		{
			name:    "leaving from another node",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, cpu("1"), terminating, preempted), pod("y", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("b")),
			want:    "a: " + short + "a <- x (0)\nb: " + short + "b <- y (0)\nbest a",
		},
		{
			name:    "the nominated node is unresolvable now",
			cluster: []any{node("a", cordoned), node("b"), pod("x", "a", 1, terminating, preempted), pod("y", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want: "a: Unresolvable NodeUnschedulable [node(s) were unschedulable]\n" +
				"b: " + short + "b <- y (0)\nbest b",
		},
		{
			name:    "the nominated node takes the pod now",
			cluster: []any{node("a"), pod("x", "a", 1, terminating, preempted)},
			pod:     preemptor(cpu("1"), nominatedTo("a")),
			want:    "a: fits",
		},
		{
			name:    "the nominated node is gone",
			why:     "Its pods are no obstacle, nor does it need to exist (rule 8.7).",
			cluster: []any{node("a"), pod("x", "gone", 1, terminating, preempted), pod("y", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), nominatedTo("gone")),
			want:    "a: " + short + "a <- y (0)\nbest a",
		},
	})
}
