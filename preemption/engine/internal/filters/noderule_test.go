package filters_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Memory stays bounded with more keys than are kept, and with statuses that differ each time.
func TestKeyedRuleMemory(t *testing.T) {
	c, p := gen.Benchmark(20, 2, 0)
	q := questionAbout(t, c, p)
	snap := q.Snap
	calls := 0
	rule := &preemption.Filter{Name: "Rule", Key: func(p *outrank.Pod) string { return p.Name }, Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
		calls++
		return preemption.Unschedulable.Because(fmt.Sprint("call ", calls))
	}}
	for i := range 10 * state.MostTables {
		other, about := *p, *q
		other.Name = fmt.Sprint("p", i)
		about.Pod = &other
		filters.AnswersOf(rule, &about)
	}
	assert.Len(t, snap.Answers.Tables, state.MostTables)
	for i := range 5000 {
		require.NoError(t, snap.PutNode(c.Nodes[i%20]))
		_, table := filters.AnswersOf(rule, q)
		require.LessOrEqual(t, len(table.Statuses), 64+2*20+1)
	}
	for i := range 5000 {
		require.NoError(t, snap.PutNode(c.Nodes[i%20]))
	}
	assert.LessOrEqual(t, len(snap.Answers.Log), 1024+2*20)
	_, table := filters.AnswersOf(rule, q)
	assert.Equal(t, 20, table.Failing)
}
