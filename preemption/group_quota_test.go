package preemption_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// How many pods of a group need a place (rule 12.9.3).
func TestHowManyPodsNeedAPlace(t *testing.T) {
	for _, test := range []struct {
		name    string
		policy  outrank.GroupPolicy
		min     int32
		unknown bool
		running int
		// room is the number of pods that find a place beside those that run.
		room      string
		placement []string
		says      string
	}{
		{name: "a gang as many as it says", policy: outrank.GangPolicy, min: 2, room: "2", placement: []string{"p on a", "q on a"}},
		{name: "a gang that is satisfied places the others as well", policy: outrank.GangPolicy, min: 1, room: "2", placement: []string{"p on a", "q on a"}},
		{name: "pods that fit nowhere are passed over", policy: outrank.GangPolicy, min: 1, room: "1", placement: []string{"p on a"}},
		{name: "it gives up as soon as too few are left", policy: outrank.GangPolicy, min: 2, room: "0", says: "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"},
		{name: "before the first, if there are too few", policy: outrank.GangPolicy, min: 3, room: "2", says: "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining"},
		{name: "those that run count", policy: outrank.GangPolicy, min: 3, running: 1, room: "2", placement: []string{"p on a", "q on a"}},
		{name: "one at least has to find a place now", policy: outrank.GangPolicy, min: 1, running: 1, room: "0", says: ""},
		{name: "under the basic policy one is enough", policy: outrank.BasicPolicy, room: "1", placement: []string{"p on a"}},
		{name: "and none is too few", policy: outrank.BasicPolicy, room: "0", says: "minCount (1) cannot be satisfied: 0 scheduled, 0 remaining"},
		{name: "a group that is not known needs a place for each", unknown: true, room: "1", says: ""},
		{name: "so does one whose policy is not", policy: "", room: "1", says: ""},
		{name: "beside those that run", policy: "", running: 1, room: "2", placement: []string{"p on a", "q on a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := twoMembers(t, 1)
			g.cluster.Groups[0].Policy, g.cluster.Groups[0].MinCount = test.policy, test.min
			if test.unknown {
				g.cluster.Groups = nil
			}
			g.cluster.Nodes[0].Allocatable = allocatableOf(test.room)
			if test.running > 0 {
				n := memberNode("z")
				n.Unschedulable = true
				g.cluster.Nodes, g.cluster.Pods = append(g.cluster.Nodes, n), []*outrank.Pod{memberPod("r", "z", "pre", "1", 9)}
			}
			plan := g.plan(t)
			assert.Equal(t, test.placement, at(plan.Placement))
			if test.placement != nil {
				assert.Nil(t, plan.TurnedDown)
				return
			}
			require.NotNil(t, plan.TurnedDown)
			assert.Equal(t, test.says, plan.TurnedDown.Reason)
			// Where the policy has nothing to say, the group is called unschedulable (rule 12.9.11).
			g.cluster.Pods = append(g.cluster.Pods, memberPod("x", "a", "", "0", 1))
			said := test.says
			if said == "" {
				said = "pod group is unschedulable"
			}
			assert.Equal(t, []string{"pod group preemption: " + said}, g.plan(t).Status.Reasons)
		})
	}
}

// The top of a tree counts, and groups without enough places lose those they had (rules 12.9.2, 12.9.4 and
// 12.9.13).
func TestTreeIsPlaced(t *testing.T) {
	g := twoMembers(t, 1)
	g.cluster.Groups = []*outrank.PodGroup{
		{Name: "g", Parent: "top", Policy: outrank.GangPolicy, MinCount: 3}, {Name: "h", Parent: "top", Policy: outrank.BasicPolicy},
	}
	top := &outrank.CompositePodGroup{Name: "top", Policy: outrank.BasicPolicy, Priority: outrank.Priority(9)}
	g.cluster.Composites = []*outrank.CompositePodGroup{top}
	g.pods = []*outrank.Pod{
		memberPod("p", "", "g", "1", 9), memberPod("q", "", "g", "1", 9), memberPod("r", "", "g", "1", 9), memberPod("s", "", "h", "1", 9),
	}
	plan := g.plan(t)
	assert.Equal(t, []string{"s on a"}, at(plan.Placement), "g has no place for its third pod")
	assert.Same(t, top, plan.Composite)
	assert.Equal(t, outrank.Key("default/top"), plan.Group)

	top.Policy, top.MinGroupCount = outrank.GangPolicy, 2
	assert.Equal(t, "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining", g.plan(t).TurnedDown.Reason)
	g.pods[3].Priority = outrank.Priority(8)
	_, err := g.ask()
	require.ErrorContains(t, err, "pod default/s: spec.priority: 8, and the group default/top has 9", "not the priority of the top")
	g.pods[3].Priority, top.Parent = outrank.Priority(9), "top"
	_, err = g.ask()
	require.ErrorIs(t, err, outrank.ErrInvalid, "a circle")
}

// The groups of a tree go by the least key of a group of pods in them, whatever the order of the question
// (rules 12.9.4 and 12.9.5).
func TestOrderOfTrees(t *testing.T) {
	g := twoMembers(t, 1)
	g.cluster.Groups = []*outrank.PodGroup{
		{Name: "b", Parent: "top", Policy: outrank.BasicPolicy},
		{Name: "a", Parent: "mid", Policy: outrank.BasicPolicy}, {Name: "c", Parent: "mid", Policy: outrank.BasicPolicy},
	}
	g.cluster.Composites = []*outrank.CompositePodGroup{
		{Name: "mid", Parent: "top", Policy: outrank.GangPolicy, MinGroupCount: 2}, {Name: "top", Policy: outrank.BasicPolicy, Priority: outrank.Priority(9)},
	}
	g.pods = []*outrank.Pod{memberPod("p", "", "b", "1", 9), memberPod("q", "", "c", "1", 9), memberPod("r", "", "a", "1", 9)}
	g.cluster.Nodes[0].Allocatable = allocatableOf("3")
	assert.Equal(t, []string{"r on a", "q on a", "p on a"}, at(g.plan(t).Placement), "mid comes first because of a")
	g.cluster.Nodes[0].Allocatable = allocatableOf("1")
	assert.Equal(t, []string{"p on a"}, at(g.plan(t).Placement), "the place of r is free again")
	g.cluster.Groups = append(g.cluster.Groups, &outrank.PodGroup{Name: "d", Parent: "mid", Policy: outrank.BasicPolicy})
	g.cluster.Composites[0].MinGroupCount = 3
	g.cluster.Nodes[0].Allocatable = allocatableOf("9")
	assert.Equal(t, []string{"p on a"}, at(g.plan(t).Placement), "d has no pods, and none of the three")
}

// A tree preempts with the priority of its top (rule 12.9.13), and without the gate its groups by themselves.
func TestTreePreempts(t *testing.T) {
	g := twoMembers(t, 1, memberPod("x", "a", "", "2", 8))
	g.cluster.Groups[0].Parent, g.cluster.Groups[0].Priority = "top", outrank.Priority(1)
	g.cluster.Composites = []*outrank.CompositePodGroup{composite("top", 9, func(c *outrank.CompositePodGroup) { c.Policy = outrank.BasicPolicy })}
	plan := g.plan(t)
	assert.Equal(t, preemption.Preempts, plan.Outcome)
	g.cluster.Release = withGates(t, "GenericWorkload")
	_, err := g.ask()
	require.ErrorContains(t, err, "spec.priority: 9, and the group default/pre has 1")
}

// A placing function may leave out a group of a tree that does without it (rule 12.9.3).
func TestPlacedTreesWithoutSomeGroups(t *testing.T) {
	for _, test := range []struct {
		name string
		// wanted is how many groups the one at the top needs.
		wanted int32
		says   string
	}{
		{name: "one is enough", wanted: 1},
		{name: "both are needed", wanted: 2, says: "1 of 2 pods have a node, and nothing says why: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := placing(t, func(_ context.Context, _ preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
				return []preemption.Assignment{{Pod: pods[0], Node: "a"}}, nil, nil
			})
			g.cluster.Groups = []*outrank.PodGroup{{Name: "g", Parent: "top", Policy: outrank.BasicPolicy}, {Name: "h", Parent: "top", Policy: outrank.BasicPolicy}}
			g.cluster.Composites = []*outrank.CompositePodGroup{composite("top", 9, func(c *outrank.CompositePodGroup) {
				c.Policy, c.MinGroupCount = outrank.GangPolicy, test.wanted
			})}
			g.pods[0].Group, g.pods[1].Group = "g", "h"
			plan, err := g.ask()
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"p on a"}, at(plan.Placement))
		})
	}
}
