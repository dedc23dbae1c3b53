package preemption_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The units that are put back, and those that stay away (rules 12.9.8 and 12.9.10).
func TestGroupReprieve(t *testing.T) {
	node := func(name string) *outrank.Node {
		n := memberNode(name)
		n.Allocatable = allocatableOf("1")
		return n
	}
	resident := func(name, node, group string, priority int32) *outrank.Pod {
		return memberPod(name, node, group, "1", priority)
	}
	two, three := []*outrank.Node{node("n1"), node("n2")}, []*outrank.Node{node("n1"), node("n2"), node("n3")}
	leavesWhole := []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup}}
	low := outrank.Priority(0)
	for _, test := range []struct {
		name      string
		c         *outrank.Cluster
		pods      []*outrank.Pod
		victims   [][]string
		violated  int
		placement []string
	}{
		{
			name:      "single pods: who is where the pod is placed leaves, be it the more important one",
			c:         &outrank.Cluster{Nodes: two, Pods: []*outrank.Pod{resident("a", "n1", "", 2), resident("b", "n2", "", 1)}},
			pods:      []*outrank.Pod{resident("p", "", "", 9)},
			victims:   [][]string{{"a"}},
			placement: []string{"p on n1"},
		},
		{
			name:      "a group goes as a whole",
			c:         &outrank.Cluster{Nodes: three, Groups: leavesWhole, Pods: []*outrank.Pod{resident("a", "n1", "g", 2), resident("b", "n2", "g", 1), resident("c", "n3", "", 3)}},
			pods:      []*outrank.Pod{resident("p", "", "", 9)},
			victims:   [][]string{{"a", "b"}},
			placement: []string{"p on n1"},
		},
		{
			name: "the priority of the group counts for its pods",
			c: &outrank.Cluster{
				Nodes: two, Groups: []*outrank.PodGroup{{Name: "g", Priority: low}},
				Pods: []*outrank.Pod{resident("a", "n1", "g", 20), resident("b", "n2", "", 1)},
			},
			pods:      []*outrank.Pod{resident("p", "", "", 9)},
			victims:   [][]string{{"a"}},
			placement: []string{"p on n1"},
		},
		{
			name: "a budget keeps the lesser pod",
			c: &outrank.Cluster{
				Nodes: two, Pods: []*outrank.Pod{resident("a", "n1", "", 2), resident("b", "n2", "", 1)},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("app", "b")}},
			},
			pods:      []*outrank.Pod{resident("p", "", "", 9)},
			victims:   [][]string{{"a"}},
			placement: []string{"p on n1"},
		},
		{
			name: "a budget has its pod put back before the more important one",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{memberNode("n1")}, Pods: []*outrank.Pod{resident("a", "n1", "", 2), resident("b", "n1", "", 1)},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("app", "b")}},
			},
			pods:      []*outrank.Pod{resident("p", "", "", 9)},
			victims:   [][]string{{"a"}},
			placement: []string{"p on n1"},
		},
		{
			name: "victims violate budgets, pod by pod",
			c: &outrank.Cluster{
				Nodes: two, Groups: leavesWhole, Pods: []*outrank.Pod{resident("a", "n1", "g", 0), resident("b", "n2", "g", 0)},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("app", "b")}},
			},
			pods:      []*outrank.Pod{resident("p", "", "", 9)},
			victims:   [][]string{{"a", "b"}},
			violated:  1,
			placement: []string{"p on n1"},
		},
		{
			name: "all or none",
			c:    &outrank.Cluster{Nodes: two, Pods: []*outrank.Pod{resident("a", "n1", "", 9), resident("b", "n2", "", 1)}},
			pods: []*outrank.Pod{resident("p", "", "", 9), resident("q", "", "", 9)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.c.Release = withGroups(t)
			plan, err := preemption.PreemptGroup(test.c, preemption.GroupRequest{Pods: test.pods, Now: now}, preemption.Config{})
			require.NoError(t, err)
			assert.Equal(t, test.victims, unitNames(plan))
			assert.Equal(t, test.placement, at(plan.Placement))
			violated := 0
			for _, v := range plan.Victims {
				violated += min(1, len(v.Violated))
				assert.Equal(t, v.Pod.NodeName, v.Node)
			}
			assert.Equal(t, test.violated, violated)
		})
	}
}

// The pods keep the places that they got with all others away, though a node further on would do without
// victims (rule 12.9.8).
func TestGroupStaysWhereItIs(t *testing.T) {
	g := twoMembers(t, 2, memberPod("x", "a", "", "1", 1))
	g.cluster.Nodes[1].Unschedulable = true
	g.cluster.Nodes[1].Allocatable = allocatableOf("9")
	assert.Equal(t, [][]string{{"x"}}, unitNames(g.plan(t)))
	g.cluster.Nodes[1].Unschedulable = false
	assert.Equal(t, []string{"p on a", "q on b"}, at(g.plan(t).Placement), "as things are")
	plan := g.whereRefused(t)
	assert.Equal(t, []string{"p on a", "q on a"}, at(plan.Nominations), "with everybody away")
	assert.Equal(t, [][]string{{"x"}}, unitNames(plan))
	assert.Equal(t, []string{"pod group preemption: found a placement for podgroup, preempting 1 victims"}, plan.Status.Reasons)
}

// A placed pod that was nominated before counts twice: on its node, and as nominated to it (rule 12.9.9).
func TestEarlierNominationsCountTwice(t *testing.T) {
	g := twoMembers(t, 1, memberPod("x", "a", "", "1", 1))
	g.cluster.Nodes[0].Allocatable = allocatableOf("3")
	require.Empty(t, g.whereRefused(t).Victims)
	g.pods[1].NominatedNodeName = "a"
	assert.Equal(t, preemption.Fits, g.plan(t).Outcome)
	assert.Empty(t, g.whereRefused(t).Victims, "p does not see q where it stands, and q not itself")
	g.pods[0].NominatedNodeName = "a"
	assert.Equal(t, [][]string{{"x"}}, unitNames(g.whereRefused(t)), "q sees p twice")
}

// A victim says which pod of the group fails if the victim comes back, and with what.
func TestGroupVictimsSayWhomTheyBlock(t *testing.T) {
	g := twoMembers(t, 2, memberPod("x", "a", "", "2", 2), memberPod("y", "b", "", "1", 1, binds(80, "", "")))
	g.pods[0].Containers[0].Requests, g.pods[1].Containers[0].Requests = allocatableOf("2"), allocatableOf("1")
	binds(80, "", "")(g.pods[1])
	plan := g.plan(t)
	require.Equal(t, [][]string{{"x"}, {"y"}}, unitNames(plan))
	assert.Same(t, g.pods[0], plan.Victims[0].Blocked)
	assert.Equal(t, "NodeResourcesFit: Insufficient cpu", plan.Victims[0].Blocks.String())
	assert.Same(t, g.pods[1], plan.Victims[1].Blocked)
	assert.Equal(t, preemption.NodePorts, plan.Victims[1].Blocks.Filter)
}

// The filters of a placed pod go on with what they counted when it got its place. Pods that were placed later
// were not there then (rule 12.9.9).
func TestGroupCountsAreThoseOfThePlacement(t *testing.T) {
	g := twoMembers(t, 2, memberPod("x", "b", "", "1", 1))
	for _, p := range g.pods {
		p.Labels = map[string]string{"app": "web"}
		spread("zone")(p)
	}
	labels("app", "web")(g.cluster.Pods[0])
	plan := g.whereRefused(t)
	require.Equal(t, []string{"p on a", "q on b"}, at(plan.Placement))
	// With x back zone b has one pod and q would be the second, while p was alone in a: as q counted zone a
	// with p, one ahead is allowed.
	assert.Empty(t, plan.Victims)

	g.cluster.Pods[0].NodeName = "a"
	// p counted nobody: with x back it would be the second in a, while nobody stood in b.
	assert.Equal(t, [][]string{{"x"}}, unitNames(g.whereRefused(t)))
}

// A guard is asked about the group as a whole, until a turn changes nothing (rules 13.6.8 to 13.6.10).
func TestGroupsWithAGuard(t *testing.T) {
	residents := func() []*outrank.Pod {
		return []*outrank.Pod{memberPod("x", "a", "", "1", 3), memberPod("y", "a", "", "1", 2), memberPod("z", "b", "", "2", 1)}
	}
	t.Run("all that are let go leave, and come back where nobody needs them", func(t *testing.T) {
		g := twoMembers(t, 2, residents()...)
		g.config.Guard = guardOf(func(gone []string) string { return "" })
		plan := g.plan(t)
		assert.Equal(t, [][]string{{"x"}, {"y"}}, unitNames(plan))
		assert.Equal(t, "guarded", plan.Victims[0].Rule)
	})
	t.Run("one that it keeps is not charged to budgets either", func(t *testing.T) {
		g := twoMembers(t, 2, residents()...)
		g.cluster.Budgets = []*outrank.PodDisruptionBudget{{Name: "b", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{
			MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.Exists}},
		}}}
		g.config.Guard = guardOf(keeping("x", "y"))
		plan := g.plan(t)
		assert.Equal(t, [][]string{{"z"}}, unitNames(plan))
		assert.Equal(t, []string{"p on b", "q on b"}, at(plan.Placement))
		assert.Empty(t, plan.Victims[0].Violated)
	})
	t.Run("those that stay are asked about again", func(t *testing.T) {
		g := twoMembers(t, 2, residents()...)
		g.config.Guard = guardOf(func(gone []string) string { // y only after x
			if slices.Contains(gone, "y") && !slices.Contains(gone, "x") {
				return "y alone"
			}
			return ""
		})
		assert.Equal(t, [][]string{{"x"}, {"y"}}, unitNames(g.plan(t)))
	})
	t.Run("without a place because of those that it keeps, the guard is the answer", func(t *testing.T) {
		g := twoMembers(t, 2, residents()...)
		g.config.Guard = guardOf(keeping("y", "z"))
		plan := g.plan(t)
		assert.Equal(t, preemption.NothingHelps, plan.Outcome)
		assert.Equal(t, []string{"pod group preemption: Guard: z stays"}, plan.Status.Reasons, "the least important that it kept")
		assert.Equal(t, "Guard: z stays", plan.Unhelpful.Guard.String())
		assert.Equal(t, "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining", plan.Unhelpful.Reason)
	})
	t.Run("without a place even then, it has no part in the answer", func(t *testing.T) {
		g := twoMembers(t, 2, residents()...)
		g.cluster.Groups[0].MinCount, g.cluster.Nodes[1].Allocatable = 2, allocatableOf("0")
		g.cluster.Nodes[0].Allocatable = allocatableOf("1")
		g.config.Guard = guardOf(keeping("z"))
		plan := g.plan(t)
		assert.Equal(t, preemption.Success, plan.Unhelpful.Guard.Code)
		assert.Equal(t, []string{"pod group preemption: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"}, plan.Status.Reasons)
	})
	t.Run("a unit comes back only if the others may stay away, and those that the guard alone keeps are tried again", func(t *testing.T) {
		g := twoMembers(t, 2, residents()...)
		g.cluster.Nodes[0].Allocatable = allocatableOf("4")   // room for all of a
		g.config.Guard = guardOf(func(gone []string) string { // x is away only beside z
			if slices.Contains(gone, "z") && !slices.Contains(gone, "x") {
				return "z without x"
			}
			return ""
		})
		assert.Empty(t, g.whereRefused(t).Victims, "x waits for z, and comes back in the second turn")
	})
	t.Run("one that the guard kept for the sake of another is tried again, and then the filters decide", func(t *testing.T) {
		g := twoMembers(t, 1, memberPod("x", "a", "", "1", 3), memberPod("y", "a", "", "1", 2))
		g.cluster.Nodes[0].Allocatable = allocatableOf("3")
		g.config.Guard = guardOf(func(gone []string) string { // y is away only beside x
			if slices.Contains(gone, "y") && !slices.Contains(gone, "x") {
				return "y without x"
			}
			return ""
		})
		plan := g.whereRefused(t)
		require.Equal(t, [][]string{{"x"}}, unitNames(plan), "the guard keeps x at first, and once y is back there is no room for it beside p")
		assert.Same(t, g.pods[1], plan.Victims[0].Blocked)
	})
}

// A placing function may put a pod where the pod's own filters never would. What they said before the first
// node counts when units are put back, so that all of them stay away (rule 12.9.8).
func TestPlacedWhereTheFiltersWouldNot(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(p *outrank.Pod)
		blocks string
	}{
		{
			"a volume is missing",
			func(p *outrank.Pod) {
				p.Volumes = []outrank.Volume{{Claim: "c", State: outrank.ClaimVolumeMissing, MissingVolume: "v"}}
			},
			`VolumeZone: persistentvolume "v" not found`,
		},
		{
			"the pod names another node",
			nodeTerms(field(outrank.In, "b")),
			"node(s) didn't satisfy plugin(s) [NodeAffinity]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := 0
			g := twoMembers(t, 2, memberPod("x", "b", "", "0", 1))
			g.place = func(_ context.Context, _ preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
				if calls++; calls == 1 {
					return nil, &preemption.Refusal{Reason: "no place"}, nil
				}
				return []preemption.Assignment{{Pod: pods[0], Node: "a"}, {Pod: pods[1], Node: "a"}}, nil, nil
			}
			test.change(g.pods[0])
			plan := g.plan(t)
			require.Equal(t, [][]string{{"x"}}, unitNames(plan))
			assert.Same(t, g.pods[0], plan.Victims[0].Blocked)
			assert.Equal(t, test.blocks, plan.Victims[0].Blocks.String())
		})
	}
}

// A pod that has ended is nominated to no node, and takes no room where a group was placed (rule 12.9.9).
func TestEndedPodsAreNotNominated(t *testing.T) {
	g := twoMembers(t, 1, memberPod("x", "a", "", "0", 1))
	g.cluster.Pods = append(g.cluster.Pods, memberPod("ended", "", "", "2", 10, nominatedTo("a"), func(p *outrank.Pod) { p.Phase = outrank.PhaseFailed }))
	assert.Empty(t, g.whereRefused(t).Victims, "p and q fill the node")
}
