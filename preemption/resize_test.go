package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// deferred is the pod p on node a. It has 300m of cpu and wants more; the node has deferred that resize.
func deferred(to string, options ...podOption) *outrank.Pod {
	return pod("p", "a", 100, append([]podOption{resizing(to, "300m", false), func(p *outrank.Pod) { p.ResizeDeferred = true }}, options...)...)
}

// A pod preempts on its own node if the node has deferred its resize (group 7.19).
func TestDeferredResizes(t *testing.T) {
	const gate = "InPlacePodVerticalScalingSchedulerPreemption"
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	const leftOut = "b: Unresolvable [node(s) didn't satisfy plugin(s) [NodeName]]\n"
	p := deferred("800m")
	refuses := func(n *outrank.Node) { n.DisableResizePreemption = []string{"somebody"} }
	taint := taints(outrank.Taint{Key: "k", Effect: outrank.NoExecute})
	everybody := preemption.Eligibility{AnyPriority: true, Take: func(_, _ *outrank.Pod) (string, bool) { return "", true }}
	gpu := func(amount string) *outrank.Pod {
		p := deferred("300m")
		p.Containers[0].Requests = resource.MustList("example.com/gpu", amount)
		return p
	}
	rows := []row{
		{
			name:    "somebody leaves its node",
			why:     "The node counts 800m for it and 400m for the others.",
			cluster: []any{node("a"), node("b"), p, pod("x", "a", 2, cpu("200m")), pod("y", "a", 1, cpu("200m"))},
			pod:     p,
			want:    short + "a <- y (0)\n" + leftOut + "best a",
		},
		{
			name:    "there is room, and nobody leaves",
			cluster: []any{node("a"), node("b"), p, pod("x", "a", 2, cpu("200m"))},
			pod:     p,
			want:    "a: fits\n" + leftOut,
		},
		{
			name:    "no part of it counts twice (rule 7.19.4)",
			why:     "800m and 200m are all that there is.",
			cluster: []any{node("a"), p, pod("x", "a", 2, cpu("200m")), pod("y", "a", 200)},
			pod:     p,
			want:    "a: fits",
		},
		{
			name:    "of a pod that the cluster does not know the node counts nothing (rule 7.19.4)",
			cluster: []any{node("a"), pod("x", "a", 2, cpu("300m"))},
			pod:     p,
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "a request of more than the node has is unresolvable (rule 7.19.4)",
			cluster: []any{node("a"), pod("x", "a", 2), deferred("2")},
			pod:     deferred("2"),
			want:    "a: Unresolvable NodeResourcesFit [Insufficient cpu]",
		},
		{
			name:    "the number of pods is not adjusted, so that one leaves a node at its limit (rule 7.19.5)",
			cluster: []any{node("a", slots(2)), p, pod("x", "a", 2)},
			pod:     p,
			want:    "a: Unschedulable NodeResourcesFit [Too many pods]\na <- x (0)\nbest a",
		},
		{
			name:    "only three filters are asked (rule 7.19.2)",
			cluster: []any{node("a", cordoned, taint), deferred("800m", binds(80, "", "")), pod("x", "a", 2, cpu("300m"), binds(80, "", ""))},
			pod:     deferred("800m", binds(80, "", ""), nodeTerms(label("no", outrank.Exists)), mounts(outrank.Volume{Claim: "c", State: outrank.ClaimLost})),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "and the caller's own (rule 7.19.2)",
			cluster: []any{node("a"), p},
			pod:     p,
			config: preemption.Config{Filters: []*preemption.Filter{{Name: "Mine", Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
				return preemption.Unschedulable.Because("no")
			}}}},
			want: "a: Unschedulable Mine [no]\na out: Unresolvable [No preemption victims found for incoming pod]",
		},
		{
			name:    "its node may have asked that nobody leave (rule 7.19.3)",
			cluster: []any{node("a", refuses), p, pod("x", "a", 2, cpu("400m"))},
			pod:     p,
			want:    "a: Unresolvable DeferredPodScheduling [node had resize preemption disabled]",
		},
		{
			name:    "other nodes say so where NodeName does not leave them out (rule 7.19.3)",
			cluster: []any{node("a"), node("b"), p},
			pod:     p,
			config:  preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodeName}}},
			want:    "a: fits\nb: Unresolvable DeferredPodScheduling [pod assigned to different node]",
		},
		{
			name:    "it is never its own victim (rule 7.19.6)",
			cluster: []any{node("a"), p, pod("x", "a", 200, cpu("400m"))},
			pod:     p,
			config:  preemption.Config{Eligibility: everybody},
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "nor is a unit that it is part of, and it preempts as a single pod (rules 7.19.6 and 7.19.8)",
			cluster: []any{node("a"), group("g", 1, whole), deferred("800m", ofGroup("g")), pod("x", "a", 1, cpu("200m"), ofGroup("g")), pod("y", "a", 1, cpu("200m"))},
			pod:     deferred("800m", ofGroup("g")),
			release: withGates(t, gate, "GenericWorkload"),
			want:    short + "a <- y (0)\nbest a",
		},
		{
			name:    "it waits for nobody, and chooses those that leave again (rule 7.19.6)",
			cluster: []any{node("a"), deferred("800m", nominatedTo("a")), pod("x", "a", 2, cpu("400m"), terminating, preempted)},
			pod:     deferred("800m", nominatedTo("a")),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "of another resource the node is not short once it counts all of it (rule 7.19.11)",
			cluster: []any{node("a"), gpu("9"), pod("x", "a", 2, asks("example.com/gpu", "1"))},
			pod:     gpu("9"),
			want:    "a: fits",
		},
		{
			name:    "and unresolvable where what it does not count is more than there is (rule 7.19.11)",
			cluster: []any{node("a"), pod("x", "a", 2, asks("example.com/gpu", "1"))},
			pod:     gpu("2"),
			want:    "a: Unresolvable NodeResourcesFit [Insufficient example.com/gpu]",
		},
		{
			name:    "else somebody leaves (rule 7.19.11)",
			cluster: []any{node("a"), pod("x", "a", 2, asks("example.com/gpu", "1"))},
			pod:     gpu("1"),
			want:    "a: Unschedulable NodeResourcesFit [Insufficient example.com/gpu]\na <- x (0)\nbest a",
		},
		{
			name:    "a pod without a node is no deferred one, whatever its conditions say (rule 7.19.1)",
			cluster: []any{node("a", cordoned)},
			pod:     deferred("100m", func(p *outrank.Pod) { p.NodeName = "" }),
			want:    "a: Unresolvable NodeUnschedulable [node(s) were unschedulable]",
		},
		{
			name:    "one that the cluster knows as waiting asks for the node by name",
			cluster: []any{node("a", cordoned), pod("p", "", 100)},
			pod:     p,
			want:    "a: Unresolvable NodeUnschedulable [node(s) were unschedulable]",
		},
		{
			name:    "one whose resize is not deferred is no preemptor (rule 7.19.1)",
			cluster: []any{node("a"), pod("p", "a", 100, resizing("800m", "300m", false))},
			pod:     pod("p", "a", 100, resizing("800m", "300m", false)),
			want:    "error: pod default/p: not in the right state: it runs on node a",
		},
		{
			name:    "nor is any without the gate (rule 7.19.1)",
			cluster: []any{node("a"), p},
			pod:     p,
			release: outrank.V1_37,
			want:    "error: pod default/p: not in the right state: it runs on node a",
		},
	}
	for i := range rows {
		if rows[i].release == 0 {
			rows[i].release = withGates(t, gate)
		}
	}
	runRows(t, rows)
}

// A plan says that it is about a resize (rule 7.19.7).
func TestPlansOfResizes(t *testing.T) {
	c := clusterOf(node("a"), deferred("800m"))
	c.Release = withGates(t, "InPlacePodVerticalScalingSchedulerPreemption")
	plan := explain(t, c, c.Pods[0], preemption.Config{})
	require.Equal(t, preemption.Fits, plan.Outcome)
	assert.True(t, plan.Resize)
	assert.Equal(t, "a", plan.FirstFit)
	assert.False(t, explain(t, c, pod("q", "", 1), preemption.Config{}).Resize)
}
