package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The priority and the unit of a pod as a victim follow from its group and the groups above it.
func TestUnitsOfPods(t *testing.T) {
	composite := func(name, parent string, mode outrank.DisruptionMode, priority int32) *outrank.CompositePodGroup {
		return &outrank.CompositePodGroup{Name: name, Parent: parent, DisruptionMode: mode, Priority: outrank.Priority(priority)}
	}
	single, all := outrank.DisruptPod, outrank.DisruptPodGroup
	units, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true, "TopologyAwareWorkloadScheduling": true})
	require.NoError(t, err)
	c := &outrank.Cluster{
		Release: units, Nodes: []*outrank.Node{{Name: "n"}, {Name: "m"}},
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
	s := snapshotOf(t, c)
	for _, test := range tests {
		p, _ := s.PodStates.Get(outrank.NewKey("", test.pod))
		got := s.Units.Of(p)
		assert.Equal(t, test.priority, got.Priority, test.pod)
		assert.Equal(t, test.rank, got.Rank, test.pod)
		if test.unit == "" {
			assert.Nil(t, got.Whole, test.pod)
			continue
		}
		assert.Equal(t, test.unit, got.Whole.Name)
		assert.Equal(t, test.with, keysOf(got.Whole.Pods), test.pod)
	}
	// Without CompositePodGroup nothing is above a group. Without GenericWorkload groups have no part
	// in victims.
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	s = snapshotOf(t, c)
	p, _ := s.PodStates.Get("default/under-m")
	assert.Equal(t, state.UnitTerms{Priority: 0, Rank: state.GroupUnit, Whole: nil}, s.Units.Of(p))
	for _, r := range outrank.Releases() {
		c.Release = r
		s = snapshotOf(t, c)
		s.Units.Each(func(u *state.WholeUnit) { assert.Fail(t, "there is a unit", "%v: %s", r, u.Name) })
		p, _ = s.PodStates.Get("default/under-m")
		assert.Equal(t, state.UnitTerms{Priority: 50, Rank: state.PodUnit, Whole: nil}, s.Units.Of(p), "%v", r)
	}
}
