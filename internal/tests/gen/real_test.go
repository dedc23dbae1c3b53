package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// realNodes is how many nodes the clusters of these tests have.
const realNodes = 24

// Every row is a valid cluster of full nodes, on which preemption decides, and the same one each time.
func TestRealClustersAreFull(t *testing.T) {
	for _, row := range gen.RealRows() {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			c := gen.Real(row, realNodes)
			require.NoError(t, c.Cluster.Validate())
			assert.Equal(t, c.Cluster, gen.Real(row, realNodes).Cluster, "the same arguments")
			if !strings.HasPrefix(row, "openb") { // the pods of the trace are large
				assert.InDelta(t, 30, float64(len(c.Cluster.Pods))/realNodes, 15, "pods a node")
			}

			p := c.Asker(gen.RealKnown, 0)
			require.NoError(t, p.Validate())
			plan, err := preemption.Preempt(c.Cluster, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{})
			require.NoError(t, err)
			assert.Equal(t, preemption.Preempts, plan.Outcome)
			assert.NotEmpty(t, plan.Victims)
		})
	}
}

// Whoever asks, and in whatever way, the same pods leave the same node. Pods of the ways priority, rules and second
// are of another shape each time.
func TestRealAskersMeanTheSame(t *testing.T) {
	for _, row := range gen.RealRows() {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			c := gen.Real(row, realNodes)
			var want []string
			for _, way := range gen.RealWays() {
				anew := way == gen.RealPriority || way == gen.RealRules || way == gen.RealSecond
				assert.Equal(t, !anew, assert.ObjectsAreEqual(c.Asker(way, 0), c.Asker(way, 1)), way)

				got := realAnswer(t, c.Cluster, c.Asker(way, 1))
				if want == nil {
					want = got
				}
				assert.Equal(t, want, got, way)
			}
			assert.Equal(t, want, realAnswer(t, c.Cluster, c.Asker(gen.RealPriority, 999)), "the least priority")
		})
	}
}

// realAnswer returns the book's answer: the node, and the victims in their order.
func realAnswer(t *testing.T, c *outrank.Cluster, p *outrank.Pod) []string {
	plan, err := preemption.Preempt(c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{})
	require.NoError(t, err)
	answer := []string{plan.Node}
	for _, v := range plan.Victims {
		answer = append(answer, fmt.Sprint(v.Pod.Key()))
	}
	return answer
}
