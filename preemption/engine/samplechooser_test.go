package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// A sample counts the nodes for which the caller's chooser names victims, and no node that it declines: enough
// candidates end the search, and each of them was asked about.
func TestPropertySamplesOfAChooserAgreeWithBook(t *testing.T) {
	t.Parallel()
	shape := gen.Shape{Nodes: 6, PodsPerNode: 3, Budgets: 2}
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(shape).Draw(t, "cluster")
		req := preemption.Request{Pod: gen.Preemptor(shape).Draw(t, "preemptor"), Now: gen.Now, Offset: rapid.IntRange(0, 5).Draw(t, "offset")}
		for range 4 {
			declined := map[string]bool{}
			for _, n := range c.Nodes {
				declined[n.Name] = rapid.Bool().Draw(t, "declined")
			}

			config := preemption.Config{
				Sample: &preemption.Sample{Percent: rapid.IntRange(1, 100).Draw(t, "percent"), Minimum: rapid.IntRange(-1, 4).Draw(t, "minimum")},
				Victims: preemption.Chooser{Name: "All", Choose: func(n preemption.NodeView) []*outrank.Pod {
					if declined[n.Node().Name] {
						return nil
					}
					return n.Possible()
				}},
			}
			got, err := newEvaluator(t, config).Preempt(t.Context(), newSnapshot(t, c), req)
			require.NoError(t, err)
			sameAsBook(t, c, req, config, got)
		}
	})
}
