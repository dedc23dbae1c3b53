package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
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

// The caller has the last word on who may preempt, and is told what chapter 8 says and the status of the
// nominated node (rule 8.13).
func TestTheCallerHasTheLastWord(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 1, cpu("1"), terminating, preempted))
	var by preemption.Ineligibility
	var nominated preemption.Status
	answer := preemption.Ineligibility("the quota is used up")
	config := preemption.Config{Eligibility: preemption.Eligibility{Refuse: func(_ *outrank.Pod, said preemption.Ineligibility, on preemption.Status) preemption.Ineligibility {
		by, nominated = said, on
		return answer
	}}}
	plan := explain(t, c, preemptor(cpu("1")), config)
	assert.Equal(t, preemption.NotEligible, plan.Outcome)
	assert.Equal(t, "the quota is used up", plan.Ineligible.Message())
	assert.Empty(t, by)
	assert.Equal(t, preemption.Success, nominated.Code, "it is nominated nowhere")

	answer = ""
	plan = explain(t, c, preemptor(cpu("1"), nominatedTo("a")), config)
	assert.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Equal(t, preemption.VictimsTerminating, by)
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", nominated.String())

	config.Profile.Off = []string{preemption.DefaultPreemption}
	assert.Equal(t, preemption.Disabled, explain(t, c, preemptor(cpu("1")), config).Ineligible, "nobody is asked where no pod may (rule 13.1.5)")
}

// The nomination that the cluster knows counts, and the pod's own if the cluster does not know the pod (rule
// 8.3).
func TestWhoseNominationCounts(t *testing.T) {
	leaving := pod("x", "a", 1, cpu("1"), terminating, preempted)
	ask := preemptor(cpu("1"), nominatedTo("a"))
	assert.Equal(t, preemption.VictimsTerminating, explain(t, clusterOf(node("a"), leaving), ask, preemption.Config{}).Ineligible)
	assert.Empty(t, explain(t, clusterOf(node("a"), leaving, preemptor(cpu("1"))), ask, preemption.Config{}).Ineligible)
	known := clusterOf(node("a"), leaving, ask)
	assert.Equal(t, preemption.VictimsTerminating, explain(t, known, preemptor(cpu("1")), preemption.Config{}).Ineligible)
}

// Whether a pod of a group is waited for depends on the priority of its group, too (rule 12.8.1).
func TestWaitingForPodsOfGroups(t *testing.T) {
	c := clusterOf(node("a"), group("g", 1), pod("x", "a", 200, cpu("1"), terminating, preempted, ofGroup("g")))
	ask := preemptor(cpu("1"), nominatedTo("a"))
	assert.Empty(t, explain(t, c, ask, preemption.Config{}).Ineligible)
	c.Release = withGroups(t)
	assert.Equal(t, preemption.VictimsTerminating, explain(t, c, ask, preemption.Config{}).Ineligible)

	// Of a group that leaves as a whole, a pod on another node is not waited for (rule 12.8.1).
	c = clusterOf(
		node("a"), node("b"), group("g", 1, whole),
		pod("x", "b", 1, cpu("1"), terminating, preempted, ofGroup("g")), pod("y", "a", 1, cpu("1"), ofGroup("g")),
	)
	c.Release = withGroups(t)
	assert.Empty(t, explain(t, c, ask, preemption.Config{}).Ineligible)
}
