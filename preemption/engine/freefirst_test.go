package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// v1.13 takes a node on which nobody has to leave before any other (rule 13.2.11), whatever
// the ranks prefer, and whoever compares the candidates.
func TestNobodyLeavesComesFirst(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("needs", "1", "z"), node("free", "2", "z"), node("free-too", "2", "z"), node("needs-too", "1", "z")},
		Pods:  []*outrank.Pod{pod("a", -5, "1", on("needs")), pod("b", -5, "1", on("free")), pod("c", -5, "1", on("free-too")), pod("d", -6, "1", on("needs-too"))},
	}
	figure := func(least int) []preemption.Rank {
		return []preemption.Rank{{Name: "most victims", Figure: func(c *preemption.Candidate) int64 { return -int64(len(c.Victims) * least) }}}
	}
	for name, config := range map[string]preemption.Config{
		"ranks":                   {},
		"the default ranks":       {Ranks: preemption.DefaultRanks()},
		"top priority alone":      {Ranks: []preemption.Rank{preemption.ByTopPriority}},
		"the figure is against":   {Ranks: figure(1)},
		"the figure is in favour": {Ranks: figure(-1)},
		"asked by a sample":       {Sample: &preemption.Sample{Percent: 100}},
		"an extender":             {Extenders: []preemption.Extender{keepsAll{}.extender()}},
		"exact victims":           {Victims: preemption.Exact{}},
		"exact and strict":        {Budgets: preemption.NeverViolate, Victims: preemption.Exact{}},
	} {
		t.Run(name, func(t *testing.T) { checkFreeFirst(t, c, config) })
		t.Run(name+", and nobody there may leave", func(t *testing.T) {
			c := *c
			c.Pods = slices.Clone(c.Pods)
			c.Pods[1] = pod("b", 20, "1", on("free"))
			checkFreeFirst(t, &c, config)
		})
	}
}

func checkFreeFirst(t *testing.T, c *outrank.Cluster, config preemption.Config) {
	refused := preemption.Status{Code: preemption.Unschedulable, Filter: "Elsewhere", Reasons: []string{"no"}}
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Statuses: func(int, *outrank.Node) (preemption.Status, bool) {
		return refused, true
	}}
	config.Variant = outrank.VariantV1_13
	e, snap, ctx := newEvaluator(t, config), newSnapshot(t, c), context.Background()
	plan, err := e.Preempt(ctx, snap, req)
	require.NoError(t, err)
	assert.Equal(t, "free", plan.Node, "Preempt")
	assert.Empty(t, plan.Victims, "Preempt")
	ex, err := e.Explain(ctx, snap, req)
	require.NoError(t, err)
	assert.Equal(t, "free", ex.Node, "Explain")
	assert.Empty(t, ex.DecidedBy, "two of them: the first")
	require.Len(t, ex.Candidates, 4)
	assert.Equal(t, "free-too", ex.Candidates[1].Node, "Explain")
	at := 0
	for candidate, err := range e.Candidates(ctx, snap, req) {
		require.NoError(t, err)
		assert.Equal(t, ex.Candidates[at].Node, candidate.Node, "Candidates")
		at++
	}
}

// keepsAll is an extender that changes nothing: with it every node is evaluated.
type keepsAll struct{}

func (x keepsAll) extender() preemption.Extender {
	return preemption.Extender{Name: "keeps all", Process: x.process}
}
func (keepsAll) process(_ context.Context, _ *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
	return candidates, nil
}
