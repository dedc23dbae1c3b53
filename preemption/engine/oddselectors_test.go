package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// A selector that old API servers let in and that the scheduler cannot read
// matches nothing on a pod that is there. A preemptor that has one is refused, as
// the scheduler's attempt would fail: nobody is evicted for it (rule 7.15.7).
func TestSelectorsThatCannotBeRead(t *testing.T) {
	odd := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.NotIn, Values: []string{"b c"}}}}
	term := []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: odd}}
	constraint := outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", LabelSelector: odd}
	anyway := constraint
	anyway.WhenUnsatisfiable = outrank.ScheduleAnyway
	with := map[string]func(p *outrank.Pod){
		"affinity":      func(p *outrank.Pod) { p.Affinity.PodAffinity = term },
		"anti-affinity": func(p *outrank.Pod) { p.Affinity.PodAntiAffinity = term },
		"namespaces": func(p *outrank.Pod) {
			p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: selects("web"), NamespaceSelector: odd}}
		},
		"spread": func(p *outrank.Pod) { p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{constraint} },
		"anyway": func(p *outrank.Pod) { p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{anyway} },
	}
	for name, option := range with {
		t.Run(name, func(t *testing.T) {
			c := &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "2", "a")},
				Pods:  []*outrank.Pod{pod("old", 5, "1", on("n1"), option), pod("low", 1, "1", on("n1"))},
			}
			plan := newWorld(t, c).agree(t, pod("p", 9, "1", app("web")), gen.Now)
			require.Equal(t, preemption.Preempts, plan.Outcome)
			assert.Equal(t, "default/low", plan.Victims[0])

			_, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1", option), Now: gen.Now})
			if name == "anyway" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.ErrorIs(t, err, outrank.ErrSelector)
		})
	}
}
