package tenancy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/tenancy"
)

// askedFor returns how often a decision about a gang of 8 asks for a queue, for each pod of a
// crowded cluster.
func askedFor(t *testing.T, nodes int, style tenancy.Style, attach func(*engine.Snapshot, *tenancy.Rules)) float64 {
	t.Helper()
	c, gang, config := crowded(nodes)
	asked := 0
	rules := must(tenancy.New(tenancy.Options{
		Tree: must(tenancy.NewTree(config)), Style: style,
		QueueOf: func(p *outrank.Pod) string { asked++; return queueOf(p) },
	}))
	var settings engine.Config
	rules.Use(&settings)
	snap := must(engine.NewSnapshot(c))
	attach(snap, rules)
	asked = 0
	plan, err := must(engine.NewEvaluator(settings)).PreemptGroup(context.Background(), snap, engine.GroupRequest{Pods: gang, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, preemption.Preempts, plan.Outcome)
	return float64(asked) / float64(len(c.Pods))
}

// A gang is decided about in a time that is linear in the pods: nobody counts the cluster anew for
// each member. MayTake is asked twice for each member and pod, and each member is told of each pod.
func TestGangsAreLinear(t *testing.T) {
	for _, style := range []tenancy.Style{tenancy.KeepsItsOwn, tenancy.Kueue, tenancy.YuniKorn} {
		for name, attach := range map[string]func(*engine.Snapshot, *tenancy.Rules){
			"counted":  func(*engine.Snapshot, *tenancy.Rules) {},
			"attached": func(snap *engine.Snapshot, rules *tenancy.Rules) { require.NoError(t, snap.Attach(rules.Filter())) },
		} {
			few, many := askedFor(t, 10, style, attach), askedFor(t, 60, style, attach)
			t.Logf("style %d, %s: %.1f and %.1f for each pod", style, name, few, many)
			require.Less(t, many, 1.2*few+1, "style %d, %s", style, name)
			require.Less(t, many, 80.0, "style %d, %s", style, name)
		}
	}
}
