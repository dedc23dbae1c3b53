package engine_test

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// The engine keeps the last pods of a node in the order of the caller. Once a pod of these has gone, what it knew of the
// places behind it is out of date: "large" alone makes room before and after.
func TestTheLastInTheCallersOrderFollowChanges(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("b", "4", "z"), node("a", "7", "z")},
		Pods: []*outrank.Pod{
			pod("b1", 1, "2", on("b"), tagged("cost", "1")), pod("b2", 1, "2", on("b"), tagged("cost", "2")),
			pod("a1", 1, "1", on("a"), tagged("cost", "1")), pod("a2", 1, "1", on("a"), tagged("cost", "2")),
			pod("gone", 1, "1", on("a"), tagged("cost", "3")), pod("large", 1, "4", on("a"), tagged("cost", "4")),
		},
	}
	config := preemption.Config{Importance: func(p, q *outrank.Pod) int { return cmp.Compare(labelledCost(q), labelledCost(p)) }}
	eval, snap := newEvaluator(t, config), newSnapshot(t, c)
	for round := range 2 {
		for range 2 {
			plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "4"), Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, []string{"large"}, victimNames(plan.Victims))
		}
		if round == 0 {
			require.NoError(t, snap.RemovePod("default/gone"))
		}
	}
}
