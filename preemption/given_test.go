package preemption_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Where a filter has contradicted itself and there is no candidate, that is the error of the plan (rules
// 8.12 and 9.9).
func TestContradictions(t *testing.T) {
	elsewhere := func(int, *outrank.Node) (preemption.Status, bool) {
		return preemption.Unschedulable.Because("elsewhere"), true
	}
	c := clusterOf(node("b"), node("a"), pod("x", "a", 1), pod("y", "b", 1))
	ask := preemption.Request{Pod: preemptor(), Now: now, Statuses: elsewhere}
	plan, err := preemption.Preempt(c, ask, preemption.Config{})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	assert.EqualError(t, plan.Err(), `[expected at least one victim pod on node "a", expected at least one victim pod on node "b"]`)

	c.Nodes, c.Pods = append(c.Nodes, node("c")), append(c.Pods, pod("z", "c", 1, cpu("1")))
	ask.Pod = preemptor(cpu("1"))
	plan, err = preemption.Preempt(c, ask, preemption.Config{})
	require.NoError(t, err)
	assert.Equal(t, "c", plan.Node, "one candidate is enough")
	assert.NoError(t, plan.Err())
}

// The caller may have the answers of the nodes from elsewhere; the filters are asked in dry runs alone.
func TestStatusesFromElsewhere(t *testing.T) {
	const short = "Unschedulable NodeResourcesFit [Insufficient cpu]"
	statuses := func(code preemption.Code) map[string]preemption.Status {
		return map[string]preemption.Status{"a": code.Because("elsewhere")}
	}
	cluster := []any{node("a"), node("b"), pod("x", "a", 1, cpu("1")), pod("y", "b", 1, cpu("1"))}
	runRows(t, []row{
		{
			name: "unschedulable ones are tried, and those that were not asked are not", cluster: cluster, pod: preemptor(cpu("1")),
			statuses: statuses(preemption.Unschedulable),
			want:     "a: Unschedulable [elsewhere]\na <- x (0)\nb: Unresolvable [the node was not filtered]\nbest a",
		},
		{
			name: "unresolvable ones are not", cluster: cluster, pod: preemptor(cpu("1")),
			statuses: statuses(preemption.UnschedulableAndUnresolvable),
			want:     "a: Unresolvable [elsewhere]\nb: Unresolvable [the node was not filtered]",
		},
		{
			name: "a contradiction is no hope", cluster: cluster, pod: preemptor(cpu("1")),
			statuses: statuses(preemption.Contradiction),
			want:     "a: Unresolvable [elsewhere]\nb: Unresolvable [the node was not filtered]",
		},
		{
			name: "one that takes the pod does", cluster: cluster, pod: preemptor(cpu("1")),
			statuses: map[string]preemption.Status{"a": {}},
			want:     "a: fits\nb: Unresolvable [the node was not filtered]",
		},
		{
			name: "what is said before the first node has no part in them", cluster: cluster,
			pod:      preemptor(cpu("1"), nodeTerms(field(outrank.In, "b")), mounts(outrank.Volume{Claim: "c", State: outrank.ClaimLost})),
			statuses: map[string]preemption.Status{"b": preemption.Unschedulable.Because("elsewhere")},
			want:     "a: Unresolvable [the node was not filtered]\nb: Unschedulable [elsewhere]\nb <- y (0)\nbest b",
		},
		{
			name: "a dry run asks the filters", cluster: append(slices.Clone(cluster), pod("w", "a", 200, cpu("500m"))), pod: preemptor(cpu("1")),
			statuses: statuses(preemption.Unschedulable),
			want:     "a: Unschedulable [elsewhere]\na out: " + short + "\nb: Unresolvable [the node was not filtered]",
		},
		{
			name: "a code that there is not", cluster: cluster, pod: preemptor(cpu("1")),
			statuses: statuses("perhaps"),
			want:     `error: status of node a: invalid input: there is no code "perhaps"`,
		},
	})
}
