package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// amounts draws a list that may have less than nothing.
func amounts(t *rapid.T, least int64) resource.List {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	out := resource.List{}
	for _, name := range []resource.Name{"cpu", "memory", "example.com/gpu"} {
		if rapid.Bool().Draw(t, "named") {
			out[name] = resource.New(rapid.Int64Range(least, 4).Draw(t, string(name)))
		}
	}
	return out
}

// Whatever a kubelet reports, a pod counts with no less than nothing (rule 2.2.19), and with the
// same by each of the two ways to ask.
func TestPropertyReportedBelowZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		containers := func() (cs []outrank.Container) {
			for range rapid.IntRange(0, 3).Draw(t, "containers") {
				cs = append(cs, outrank.Container{
					Requests: amounts(t, 0), Allocated: amounts(t, -4), Actual: amounts(t, -4),
					Sidecar: rapid.Bool().Draw(t, "sidecar"), Reported: rapid.Bool().Draw(t, "reported"),
				})
			}
			return cs
		}
		p := &outrank.Pod{
			Name: "p", NodeName: "n", Containers: containers(), InitContainers: containers(), Overhead: amounts(t, 0),
			Allocated: amounts(t, -4), Actual: amounts(t, -4), ResizeInfeasible: rapid.Bool().Draw(t, "infeasible"),
		}
		if rapid.Bool().Draw(t, "level") {
			p.Resources = &resource.Requirements{Requests: amounts(t, 0)}
		}
		require.NoError(t, p.Validate())
		for _, r := range outrank.Releases() {
			list := p.RunningRequestsIn(r)
			for _, name := range []resource.Name{"cpu", "memory", "example.com/gpu"} {
				one := p.RunningRequestOfIn(r, name)
				require.GreaterOrEqual(t, one.Sign(), 0, "%s %s", r, name)
				require.True(t, one.Equal(list[name]), "%s %s: %s and %s", r, name, one, list[name])
			}
			snap, err := preemption.NewSnapshot(&outrank.Cluster{
				Release: r, Pods: []*outrank.Pod{p}, Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "9")}},
			})
			require.NoError(t, err)
			require.Equal(t, "n", snap.NodeOf("default/p"))
		}
	})
}
