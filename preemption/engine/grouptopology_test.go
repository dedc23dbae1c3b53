package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// racked are nodes of 1 cpu in racks a, b and b, each with a pod of priority 1. A gang of two
// fits in rack b alone, and without regard to racks it is placed on the first two nodes.
func racked(release outrank.Release) *outrank.Cluster {
	c := &outrank.Cluster{Release: release, Groups: []*outrank.PodGroup{
		below(prior(policy("gang", outrank.GangPolicy, 2), 9), "top"), below(prior(policy("other", outrank.BasicPolicy, 0), 9), "top"),
	}, Composites: []*outrank.CompositePodGroup{composite("top", "", 9)}}
	for i, rack := range []string{"a", "b", "b"} {
		n := node([]string{"n1", "n2", "n3"}[i], "1", "z")
		n.Labels["rack"] = rack
		c.Nodes = append(c.Nodes, n)
		c.Pods = append(c.Pods, pod("low-"+n.Name, 1, "1", on(n.Name)))
	}
	return c
}

// A topology is not followed, so that a group with one is an error wherever it counts: for a
// group of the pods that wait, and for a group above it. Where no gate lets it count nothing is
// refused, nor where the caller places the group (rule 12.9.14).
func TestGroupTopologyIsRefused(t *testing.T) {
	const (
		gate   = "TopologyAwareWorkloadScheduling"
		trees  = "CompositePodGroup"
		ofGang = "podgroup default/gang: spec.schedulingConstraints.topology: "
		ofTop  = "compositepodgroup default/top: spec.schedulingConstraints.topology: "
	)
	ofPods := func(c *outrank.Cluster) { c.Groups[0].Topology = []string{"rack"} }
	ofTree := func(c *outrank.Cluster) { c.Composites[0].Topology = []string{"rack"} }
	ofOther := func(c *outrank.Cluster) { c.Groups[1].Topology = []string{"rack"} }
	for _, x := range []struct {
		name  string
		gates []string
		put   func(c *outrank.Cluster)
		want  string // empty for none
	}{
		{"no topology", []string{gate, trees}, func(*outrank.Cluster) {}, ""},
		{"of the group", []string{gate}, ofPods, ofGang},
		{"of the group in a tree", []string{gate, trees}, ofPods, ofGang},
		{"of the tree", []string{gate, trees}, ofTree, ofTop},
		{"of the tree, which does not count", []string{gate}, ofTree, ""},
		{"of a group that does not wait", []string{gate, trees}, ofOther, ""},
		{"of the group, without the gate", nil, ofPods, ""},
		{"of the tree, without the gate", []string{trees}, ofTree, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := racked(withGates(x.gates...))
			x.put(c)
			require.NoError(t, c.Validate())
			snap, e := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
			told := false
			for _, w := range c.Warnings() {
				told = told || w.Field == "spec.schedulingConstraints.topology"
			}
			pods := gang(2)
			plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
			_, errGiven := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now, Place: firstFitIn(e, snap)})
			if x.want == "" {
				require.NoError(t, err)
				require.NoError(t, errGiven)
				assert.Len(t, plan.Victims, 2)
				assert.Equal(t, x.name == "of a group that does not wait", told)
				return
			}
			assert.True(t, told, "%v", c.Warnings())
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.Equal(t, 1, strings.Count(err.Error(), x.want), "%v: said once, of however many pods", err)
			require.NoError(t, errGiven)
			inRack := func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
				return assigned(pods[0], "n2", pods[1], "n3"), nil, nil
			}
			plan, err = e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now, Refused: true, Place: inRack})
			require.NoError(t, err)
			assert.Len(t, plan.Victims, 2)
			require.NoError(t, e.Verify(context.Background(), snap, plan))
		})
	}
	c := racked(outrank.V1_36)
	ofPods(c)
	assert.Empty(t, c.Warnings()) // the release has no groups that preempt
}
