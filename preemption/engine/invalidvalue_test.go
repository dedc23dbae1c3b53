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

// An expression with a value that no label can have matches no node, NotIn
// included, which would hold on every node by its words.
func TestNotInOfAnInvalidValueMatchesNoNode(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))}}
	for value, want := range map[string]preemption.Outcome{"b": preemption.Preempts, "no value!": preemption.NothingHelps} {
		p := pod("p", 9, "1")
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{byLabel("zone", outrank.NotIn, value)}}
		plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, want, plan.Outcome, "NotIn %q", value)
	}
}
