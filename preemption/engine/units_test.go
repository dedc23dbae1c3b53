package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// What a pod counts as by its group and the groups above it.
func TestUnitsOfPods(t *testing.T) {
	composite := func(name, parent string, mode outrank.DisruptionMode, priority int32) *outrank.CompositePodGroup {
		return &outrank.CompositePodGroup{Name: name, Parent: parent, DisruptionMode: mode, Priority: outrank.Priority(priority)}
	}
	single, all := outrank.DisruptPod, outrank.DisruptPodGroup
	c := &outrank.Cluster{
		Release: withUnits(t), Nodes: []*outrank.Node{{Name: "n"}, {Name: "m"}},
		Composites: []*outrank.CompositePodGroup{
			composite("top", "", single, 9), composite("middle", "top", all, 3), composite("low", "middle", single, 4), composite("gap", "gone", all, 5),
		},
		Groups: []*outrank.PodGroup{
			{Name: "alone", DisruptionMode: all, Priority: outrank.Priority(6)},
			{Name: "plain", Priority: outrank.Priority(2)}, {Name: "unsaid", DisruptionMode: all},
			{Name: "under", Parent: "low", DisruptionMode: single}, {Name: "beside", Parent: "middle", DisruptionMode: all, Priority: outrank.Priority(1)},
			{Name: "gapped", Parent: "gap"},
		},
	}
	for _, group := range []string{"", "alone", "plain", "unsaid", "under", "beside", "gapped", "unknown"} {
		for _, node := range []string{"n", "m", "nowhere"} {
			c.Pods = append(c.Pods, &outrank.Pod{Name: group + "-" + node, NodeName: node, Group: group, Priority: outrank.Priority(50)})
		}
	}
	tests := []struct {
		pod      string
		priority int32
		rank     state.UnitRank
		unit     string
		with     string
	}{
		{"-n", 50, state.PodUnit, "", ""},
		{"alone-n", 6, state.GroupUnit, "podgroup default/alone", "default/alone-m default/alone-n"},
		{"plain-n", 2, state.GroupUnit, "", ""},
		{"unsaid-n", 0, state.GroupUnit, "podgroup default/unsaid", "default/unsaid-m default/unsaid-n"},
		{"under-m", 9, state.CompositeUnit, "compositepodgroup default/middle", "default/beside-m default/beside-n default/under-m default/under-n"},
		{"beside-n", 9, state.CompositeUnit, "compositepodgroup default/middle", "default/beside-m default/beside-n default/under-m default/under-n"},
		{"gapped-n", 5, state.CompositeUnit, "compositepodgroup default/gap", "default/gapped-m default/gapped-n"},
		{"unknown-n", 50, state.GroupUnit, "", ""},
	}
	s, err := NewSnapshot(c)
	require.NoError(t, err)
	for _, test := range tests {
		p, _ := s.of.PodStates.Get(outrank.NewKey("", test.pod))
		got := s.of.Units.Of(p)
		assert.Equal(t, test.priority, got.Priority, test.pod)
		assert.Equal(t, test.rank, got.Rank, test.pod)
		if test.unit == "" {
			assert.Nil(t, got.Whole, test.pod)
			continue
		}
		assert.Equal(t, test.unit, got.Whole.Name)
		assert.Equal(t, test.with, dumpPods(got.Whole.Pods), test.pod)
	}
	// Without the second gate groups have nothing above them, without the first no part.
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	s, err = NewSnapshot(c)
	require.NoError(t, err)
	p, _ := s.of.PodStates.Get("default/under-m")
	assert.Equal(t, state.UnitTerms{Priority: 0, Rank: state.GroupUnit, Whole: nil}, s.of.Units.Of(p))
	for _, r := range outrank.Releases() {
		c.Release = r
		s, err = NewSnapshot(c)
		require.NoError(t, err)
		assert.Empty(t, dumpUnits(s))
		p, _ = s.of.PodStates.Get("default/under-m")
		assert.Equal(t, state.UnitTerms{Priority: 50, Rank: state.PodUnit, Whole: nil}, s.of.Units.Of(p), "%v", r)
	}
}
