package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// Two pods whose requests differ by 2^32 do not share an answer, also where an
// int has 32 bits.
func TestSignatureHoldsWideAmounts(t *testing.T) {
	room := resource.MustList("memory", "2Gi", "pods", "10")
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: room}, {Name: "n2", Allocatable: room}}})
	e := newEvaluator(t, preemption.Config{})
	for _, test := range []struct {
		memory string
		want   preemption.Outcome
	}{{"1Gi", preemption.Fits}, {"1Gi", preemption.Fits}, {"1Gi", preemption.Fits}, {"5Gi", preemption.NothingHelps}} {
		p := &outrank.Pod{Name: "p", Containers: []outrank.Container{{Requests: resource.MustList("memory", test.memory)}}}
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, test.want, plan.Outcome, test.memory)
	}
}
