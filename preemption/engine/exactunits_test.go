package engine_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
)

// The exact victims are the best of all sets of whole units, too. A unit that leaves takes pods of other nodes
// along. If the preemptor has to be spread evenly, these can turn a node away on which nobody counts.
func TestPropertyExactWithUnitsElsewhere(t *testing.T) {
	seeded.AtLeast(t, 400)
	rapid.Check(t, func(t *rapid.T) {
		priority := rapid.Int32Range(0, 3)
		c := &outrank.Cluster{
			Release: withGates(),
			Nodes:   []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a"), node("n3", "2", "b")},
			Groups:  []*outrank.PodGroup{prior(whole("u"), priority.Draw(t, "priority of u")), prior(whole("v"), priority.Draw(t, "priority of v"))},
		}
		for i := range rapid.IntRange(3, 8).Draw(t, "pods") {
			c.Pods = append(c.Pods, pod(fmt.Sprint("p", i), priority.Draw(t, "priority"), "1",
				on(rapid.SampledFrom([]string{"n1", "n2", "n3"}).Draw(t, "node")),
				in(rapid.SampledFrom([]string{"", "u", "v"}).Draw(t, "group")),
				app(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")),
			))
		}
		evenly := outrank.TopologySpreadConstraint{WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: selects("x")}
		config := preemption.Config{Victims: preemption.Exact{}, Ranks: someRanks(rapid.Uint64().Draw(t, "ranks"))}
		exactOnEachNode(t, config, c, pod("preemptor", 9, "1", app("x"), spread(evenly)))
	})
}
