package tenancy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
)

// askedFor returns how often each of two decisions about a gang of 8 asks for a queue, for each pod
// of a crowded cluster. The second one finds what the first has counted.
func askedFor(t *testing.T, nodes int, style tenancy.Style) (times [2]float64) {
	t.Helper()
	c, gang, config := crowded(nodes)
	asked := 0
	rules := must(tenancy.New(tenancy.Options{
		Tree: must(tenancy.NewTree(config)), Style: style,
		QueueOf: func(p *outrank.Pod) string { asked++; return queueOf(p) },
	}))
	var settings preemption.Config
	rules.Use(&settings)
	snap := must(engine.NewSnapshot(c))
	for i := range times {
		asked = 0
		plan, err := must(engine.New(settings)).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: gang, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, preemption.Preempts, plan.Outcome)
		times[i] = float64(asked) / float64(len(c.Pods))
	}
	return times
}

// A gang is decided about in a time that is linear in the pods: nobody counts the cluster anew for
// each member. Take is asked twice for each member and pod, and each member is told of each pod.
func TestGangsAreLinear(t *testing.T) {
	for _, style := range []tenancy.Style{"", tenancy.Kueue, tenancy.YuniKorn} {
		few, many := askedFor(t, 10, style), askedFor(t, 60, style)
		for i, name := range []string{"counted", "tracked"} {
			t.Logf("style %q, %s: %.1f and %.1f for each pod", style, name, few[i], many[i])
			require.Less(t, many[i], 1.2*few[i]+1, "style %q, %s", style, name)
			require.Less(t, many[i], 80.0, "style %q, %s", style, name)
		}
		require.Less(t, many[1], many[0], "style %d: nobody counts the cluster twice", style)
	}
}
