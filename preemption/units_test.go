package preemption

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
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
	s.units.groups.each(func(key string, g *groupState) {
		lines = append(lines, fmt.Sprintf("members of %s: %s, fate %+v\n", key, dumpPods(g.pods), g.fate))
	})
	s.units.each(func(u *wholeUnit) {
		lines = append(lines, fmt.Sprintf("unit %s: %p %p %d of %v: %s\n", u.name, u.group, u.composite, u.priority, u.groups, dumpPods(u.pods)))
	})
	s.units.below.each(func(key string, groups []string) {
		lines = append(lines, fmt.Sprintf("below %s: %v\n", key, groups))
	})
	s.pods.each(func(p *podState) {
		if g, ok := s.units.groups.get(p.class.group); ok && p.running && s.node(p.at.name).node != nil && !slices.Contains(g.pods, p) {
			lines = append(lines, fmt.Sprintf("%s is missing from its group\n", p.pod.Key()))
		}
	})
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func drawGroup(t *rapid.T, name string) *outrank.PodGroup {
	g := &outrank.PodGroup{Name: name, Parent: drawParent(t)}
	g.Disruption = rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(7)}).Draw(t, "priority")
	return g
}

func drawComposite(t *rapid.T, name string) *outrank.CompositePodGroup {
	g := &outrank.CompositePodGroup{Name: name, Parent: drawParent(t)}
	g.Disruption = rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(7)}).Draw(t, "priority")
	return g
}

func drawParent(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "c0", "c1", "c2", "c3"}).Draw(t, "parent")
}

// What a pod counts as by its group and the groups above it.
func TestUnitsOfPods(t *testing.T) {
	composite := func(name, parent string, mode outrank.DisruptionMode, priority int32) *outrank.CompositePodGroup {
		return &outrank.CompositePodGroup{Name: name, Parent: parent, Disruption: mode, Priority: outrank.Priority(priority)}
	}
	single, all := outrank.DisruptPod, outrank.DisruptPodGroup
	c := &outrank.Cluster{
		Release: withUnits(t), Nodes: []*outrank.Node{{Name: "n"}, {Name: "m"}},
		Composites: []*outrank.CompositePodGroup{
			composite("top", "", single, 9), composite("middle", "top", all, 3), composite("low", "middle", single, 4), composite("gap", "gone", all, 5),
		},
		Groups: []*outrank.PodGroup{
			{Name: "alone", Disruption: all, Priority: outrank.Priority(6)},
			{Name: "plain", Priority: outrank.Priority(2)}, {Name: "unsaid", Disruption: all},
			{Name: "under", Parent: "low", Disruption: single}, {Name: "beside", Parent: "middle", Disruption: all, Priority: outrank.Priority(1)},
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
		rank     unitRank
		unit     string
		with     string
	}{
		{"-n", 50, podUnit, "", ""},
		{"alone-n", 6, groupUnit, "podgroup default/alone", "default/alone-m default/alone-n"},
		{"plain-n", 2, groupUnit, "", ""},
		{"unsaid-n", 0, groupUnit, "podgroup default/unsaid", "default/unsaid-m default/unsaid-n"},
		{"under-m", 9, compositeUnit, "compositepodgroup default/middle", "default/beside-m default/beside-n default/under-m default/under-n"},
		{"beside-n", 9, compositeUnit, "compositepodgroup default/middle", "default/beside-m default/beside-n default/under-m default/under-n"},
		{"gapped-n", 5, compositeUnit, "compositepodgroup default/gap", "default/gapped-m default/gapped-n"},
		{"unknown-n", 50, groupUnit, "", ""},
	}
	s, err := NewSnapshot(c)
	require.NoError(t, err)
	for _, test := range tests {
		p, _ := s.pods.get(outrank.NewKey("", test.pod))
		got := s.units.of(p)
		assert.Equal(t, test.priority, got.priority, test.pod)
		assert.Equal(t, test.rank, got.rank, test.pod)
		if test.unit == "" {
			assert.Nil(t, got.whole, test.pod)
			continue
		}
		assert.Equal(t, test.unit, got.whole.name)
		assert.Equal(t, test.with, dumpPods(got.whole.pods), test.pod)
	}
	// Without the second gate groups have nothing above them, without the first no part.
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	s, err = NewSnapshot(c)
	require.NoError(t, err)
	p, _ := s.pods.get("default/under-m")
	assert.Equal(t, unitTerms{0, groupUnit, nil}, s.units.of(p))
	for _, r := range outrank.Releases() {
		c.Release = r
		s, err = NewSnapshot(c)
		require.NoError(t, err)
		assert.Empty(t, dumpUnits(s))
		p, _ = s.pods.get("default/under-m")
		assert.Equal(t, unitTerms{50, podUnit, nil}, s.units.of(p), "%v", r)
	}
}
