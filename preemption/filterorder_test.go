package preemption_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	builtins "github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The rooms below cannot know the words of this package and have lists of their own, which are the same.
func TestWordsAreThoseOfTheRoomsBelow(t *testing.T) {
	words := []string{
		preemption.NodeUnschedulable, preemption.NodeName, preemption.TaintToleration, preemption.NodeAffinity, preemption.NodePorts,
		preemption.DeferredPodScheduling, preemption.NodeResourcesFit, preemption.VolumeRestrictions, preemption.NodeVolumeLimits,
		preemption.VolumeBinding, preemption.VolumeZone, preemption.PodTopologySpread, preemption.InterPodAffinity, preemption.NodeDeclaredFeatures,
	}
	assert.Equal(t, builtins.Names(), words)
	for _, name := range words {
		off := preemption.Config{Profile: preemption.Profile{Off: []string{name}, OffOnNodes: []string{name}}}
		assert.NoError(t, off.Validate(), "%s can be switched off", name)
		own := preemption.Config{Filters: []*preemption.Filter{{Name: name, Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}}}
		assert.ErrorContains(t, own.Validate(), name, "a caller's filter cannot have the name")
	}
	for i, name := range []string{rank.Violations, rank.TopPriority, rank.PrioritySum, rank.Victims, rank.Start} {
		assert.Equal(t, preemption.Rank{Name: name}, preemption.DefaultRanks()[i])
	}
}

// A node has the answer of the first filter that turns the pod down, in the order of the release (rules 7.1.3, 7.1.4
// and 7.1.7). Which of them do is found by asking each alone, with all others switched off.
func TestPropertyTheFirstFilterAnswers(t *testing.T) {
	shape := gen.Full()
	shape.Nominated = 0 // a node is asked twice where pods are nominated to it
	failed := map[string]bool{}
	seeded.AtLeast(t, 150) // with fewer, some filter turns nobody down
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
		c.Release = rapid.SampledFrom([]outrank.Release{outrank.V1_36, outrank.V1_37}).Draw(t, "release")
		order := builtins.Names()
		if c.Release == outrank.V1_37 {
			order[0], order[1] = order[1], order[0]
		}
		statuses := func(off []string) map[string]preemption.Status {
			plan, err := preemption.Explain(c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{Profile: preemption.Profile{Off: off}})
			require.NoError(t, err)
			by := map[string]preemption.Status{}
			if plan.Refused.Code != preemption.Success {
				return by // no node was asked (rule 7.15.4)
			}
			for _, n := range plan.Nodes {
				by[n.Node] = n.Status
			}
			return by
		}

		// first has the first filter by which each node turns the pod down.
		first := map[string]string{}
		for _, name := range order {
			for node, s := range statuses(slices.DeleteFunc(slices.Clone(order), func(other string) bool { return other == name })) {
				if s.Filter == name {
					failed[name] = true
					if first[node] == "" {
						first[node] = name
					}
				}
			}
		}
		for node, s := range statuses(nil) {
			if s.Filter != "" {
				require.Equal(t, first[node], s.Filter, node)
			}
		}
	})
	for _, name := range builtins.Names() {
		if name != preemption.DeferredPodScheduling { // no preemptor that is drawn runs
			assert.True(t, failed[name], "%s turns nobody down", name)
		}
	}
}

// Where two filters turn a node down the first answers: by v1.36 the one of cordoned nodes, by v1.37 no filter is asked
// about a node that the pod does not name (rules 7.1.7 and 7.15.8).
func TestACordonedNodeThatThePodDoesNotName(t *testing.T) {
	for _, test := range []struct {
		release outrank.Release
		want    preemption.Status
	}{
		{outrank.V1_36, preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: preemption.NodeUnschedulable, Reasons: []string{"node(s) were unschedulable"}}},
		{outrank.V1_37, preemption.Status{Code: preemption.UnschedulableAndUnresolvable, ExcludedBy: preemption.NodeName}},
	} {
		c := &outrank.Cluster{Release: test.release, Nodes: []*outrank.Node{{Name: "n1", Unschedulable: true}, {Name: "n2"}}}
		plan, err := preemption.Explain(c, preemption.Request{Pod: &outrank.Pod{Name: "p", NodeName: "n2"}, Now: gen.Now}, preemption.Config{})
		require.NoError(t, err)
		got := plan.Nodes[0].Status
		if test.want.Filter == "" {
			got.Reasons = nil // they name no filter
		}
		assert.Equal(t, test.want, got, test.release.String())
	}
}
