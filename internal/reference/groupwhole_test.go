package reference_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/resource"
)

// withGroups is v1.37 with all gates of groups.
func withGroups(t *testing.T) outrank.Release {
	t.Helper()
	r, err := outrank.V1_37.With(map[string]bool{
		"GenericWorkload": true, "CompositePodGroup": true, "TopologyAwareWorkloadScheduling": true, "PodGroupPreemptionPolicy": true,
	})
	require.NoError(t, err)
	return r
}

// groupScene is a group of pods named p and q, of one cpu each, of the priority 9.
func groupScene(t *testing.T, nodes int, running ...*outrank.Pod) reference.GroupInput {
	c := &outrank.Cluster{
		Release: withGroups(t), Pods: running,
		Groups: []*outrank.PodGroup{{Name: "pre", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(9)}},
	}
	for i := range nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: string(rune('a' + i)), Labels: map[string]string{"zone": string(rune('a' + i))}, Allocatable: resource.MustList("cpu", "2", "pods", "9"),
		})
	}
	in := reference.GroupInput{Cluster: c, Now: gen.Now}
	for _, name := range []string{"p", "q"} {
		in.Pods = append(in.Pods, memberPod(name, "", "pre", "1", 9))
	}
	return in
}

func memberPod(name, node, group, cpu string, priority int32) *outrank.Pod {
	return &outrank.Pod{
		Name: name, NodeName: node, Group: group, Priority: &priority, StartTime: gen.Now.Add(-time.Hour), Labels: map[string]string{"app": name},
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
}

func unitNames(d reference.GroupDecision) [][]string {
	var all [][]string
	for _, u := range d.Victims {
		all = append(all, keys(u.Pods))
	}
	return all
}

// The pods keep the places that they got with all others away, though a node
// further on would do without victims.
func TestGroupStaysWhereItIs(t *testing.T) {
	in := groupScene(t, 2, memberPod("x", "a", "", "1", 1))
	in.Cluster.Nodes[1].Unschedulable = true
	in.Cluster.Nodes[1].Allocatable = resource.MustList("cpu", "9", "pods", "9")
	d := reference.DecideGroup(in)
	assert.Equal(t, [][]string{{"default/x"}}, unitNames(d))
	in.Cluster.Nodes[1].Unschedulable = false
	d = reference.DecideGroup(in)
	assert.Equal(t, map[string]string{"default/p": "a", "default/q": "b"}, d.Placement, "as things are")
	assert.Equal(t, map[string]string{"default/p": "a", "default/q": "a"}, d.Nominations, "with everybody away")
	assert.Equal(t, [][]string{{"default/x"}}, unitNames(d))
	assert.Equal(t, []string{"pod group preemption: found a placement for podgroup, preempting 1 victims"}, d.Status.Reasons)
}

// A pod that was nominated before counts on its node and as nominated to it.
func TestEarlierNominationsCountTwice(t *testing.T) {
	in := groupScene(t, 1, memberPod("x", "a", "", "1", 1))
	in.Cluster.Nodes[0].Allocatable = resource.MustList("cpu", "3", "pods", "9")
	require.Empty(t, reference.DecideGroup(in).Victims)
	in.Pods[1].NominatedNodeName = "a"
	d := reference.DecideGroup(in)
	assert.Equal(t, reference.Success, d.Fit.Code)
	assert.Empty(t, d.Victims, "p does not see q where it stands, and q not itself")
	in.Pods[0].NominatedNodeName = "a"
	d = reference.DecideGroup(in)
	assert.Equal(t, [][]string{{"default/x"}}, unitNames(d), "q sees p twice")
}

// The top of a tree counts, and groups without enough places lose those they had.
func TestTreeIsPlaced(t *testing.T) {
	in := groupScene(t, 1)
	in.Cluster.Groups = []*outrank.PodGroup{
		{Name: "g", Parent: "top", Policy: outrank.GangPolicy, MinCount: 3}, {Name: "h", Parent: "top", Policy: outrank.BasicPolicy},
	}
	top := &outrank.CompositePodGroup{Name: "top", Policy: outrank.BasicPolicy, Priority: outrank.Priority(9)}
	in.Cluster.Composites = []*outrank.CompositePodGroup{top}
	in.Pods = []*outrank.Pod{
		memberPod("p", "", "g", "1", 9), memberPod("q", "", "g", "1", 9), memberPod("r", "", "g", "1", 9), memberPod("s", "", "h", "1", 9),
	}
	d := reference.DecideGroup(in)
	require.NoError(t, d.Err)
	assert.Equal(t, map[string]string{"default/s": "a"}, d.Placement, "g has no place for its third pod")
	top.Policy, top.MinGroupCount = outrank.GangPolicy, 2
	d = reference.DecideGroup(in)
	assert.Equal(t, []string{"minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"}, d.Fit.Reasons)
	in.Pods[3].Priority = outrank.Priority(8)
	assert.Error(t, reference.DecideGroup(in).Err, "not the priority of the top")
	in.Pods[3].Priority, top.Parent = outrank.Priority(9), "top"
	assert.Error(t, reference.DecideGroup(in).Err, "a circle")
}

// Where nobody may be pushed out, and while victims are on their way, nobody is.
func TestGroupWaitsOrMayNot(t *testing.T) {
	leaving := memberPod("x", "a", "", "2", 1)
	leaving.DeletionTimestamp, leaving.DisruptionReason = gen.Now, outrank.PreemptionByScheduler
	in := groupScene(t, 1, leaving)
	assert.Equal(t, [][]string{{"default/x"}}, unitNames(reference.DecideGroup(in)))
	in.Pods[1].NominatedNodeName = "a"
	d := reference.DecideGroup(in)
	assert.True(t, d.Ongoing)
	assert.Equal(t, map[string]string{"default/p": "", "default/q": "a"}, d.Nominations)
	assert.Equal(t, []string{"pod group preemption: ongoing preemption on nominated nodes"}, d.Status.Reasons)
	in.Cluster.Groups[0].PreemptionPolicy = outrank.PreemptNever
	assert.Error(t, reference.DecideGroup(in).Err, "the pods say otherwise")
	for _, p := range in.Pods {
		p.PreemptionPolicy = outrank.PreemptNever
	}
	d = reference.DecideGroup(in)
	assert.Equal(t, reference.Unschedulable, d.Status.Code)
	assert.Equal(t, []string{"pod group preemption: not eligible due to preemptionPolicy=Never."}, d.Status.Reasons)
	in.Cluster.Release = outrank.V1_37
	assert.Error(t, reference.DecideGroup(in).Err, "groups are switched off")
}

// A single pod that preempts takes whole units, also their pods elsewhere.
func TestPodPushesUnitsOut(t *testing.T) {
	c := groupScene(t, 2, memberPod("x", "a", "low", "2", 50), memberPod("y", "b", "low", "1", 60), memberPod("z", "a", "", "1", 3)).Cluster
	c.Nodes[0].Allocatable = resource.MustList("cpu", "3", "pods", "9")
	c.Groups = append(c.Groups, &outrank.PodGroup{Name: "low", DisruptionMode: outrank.DisruptPodGroup, Parent: "above"})
	c.Composites = []*outrank.CompositePodGroup{{Name: "above", Priority: outrank.Priority(2)}}
	c.Budgets = []*outrank.PodDisruptionBudget{{Name: "none", Selector: &outrank.LabelSelector{
		MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.In, Values: []string{"x", "y"}}},
	}}}
	p := memberPod("pre", "", "", "1", 9)
	d := reference.Decide(reference.Input{Cluster: c, Pod: p, Now: gen.Now})
	require.Equal(t, []string{"b"}, d.Feasible)
	p = memberPod("pre", "", "", "2", 9)
	d = reference.Decide(reference.Input{Cluster: c, Pod: p, Now: gen.Now})
	require.Len(t, d.Candidates, 2)
	assert.Equal(t, []string{"default/y", "default/x"}, keys(d.Candidates[0].Victims), "z is more important than the unit")
	assert.Equal(t, 2, d.Candidates[0].Violations)
	c.Release = outrank.V1_37
	d = reference.Decide(reference.Input{Cluster: c, Pod: p, Now: gen.Now})
	assert.Empty(t, d.Candidates, "the group means nothing, and z is not enough")
}
