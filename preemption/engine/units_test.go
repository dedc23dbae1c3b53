package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// withUnits is v1.37 with units of victims, and composite groups among them.
func withUnits(t require.TestingT) outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true, "TopologyAwareWorkloadScheduling": true})
	require.NoError(t, err)
	return r
}

// dumpUnits writes down what a snapshot knows of units.
func dumpUnits(s *Snapshot) string {
	var lines []string
	s.of.Units.Groups.Each(func(key string, g *state.GroupState) {
		lines = append(lines, fmt.Sprintf("members of %s: %s, fate %+v\n", key, dumpPods(g.Pods), g.Fate))
	})
	s.of.Units.Each(func(u *state.WholeUnit) {
		lines = append(lines, fmt.Sprintf("unit %s: %p %p %d of %v: %s\n", u.Name, u.Group, u.Composite, u.Priority, u.Groups, dumpPods(u.Pods)))
	})
	s.of.Units.Below.Each(func(key string, groups []string) {
		lines = append(lines, fmt.Sprintf("below %s: %v\n", key, groups))
	})
	s.of.PodStates.Each(func(p *state.PodState) {
		if g, ok := s.of.Units.Groups.Get(p.Class.Group); ok && p.Running && s.of.NodeState(p.At.Name).Node != nil && !slices.Contains(g.Pods, p) {
			lines = append(lines, fmt.Sprintf("%s is missing from its group\n", p.Pod.Key()))
		}
	})
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func drawGroup(t *rapid.T, name string) *outrank.PodGroup {
	g := &outrank.PodGroup{Name: name, Parent: drawParent(t)}
	g.DisruptionMode = rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(7)}).Draw(t, "priority")
	return g
}

func drawComposite(t *rapid.T, name string) *outrank.CompositePodGroup {
	g := &outrank.CompositePodGroup{Name: name, Parent: drawParent(t)}
	g.DisruptionMode = rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(7)}).Draw(t, "priority")
	return g
}

func drawParent(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "c0", "c1", "c2", "c3"}).Draw(t, "parent")
}
