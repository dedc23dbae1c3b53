package preemption_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// groupCase is a cluster with the pods of a group that wait.
type groupCase struct {
	cluster *outrank.Cluster
	pods    []*outrank.Pod
	config  preemption.Config
	// refused and place are as in the request.
	refused bool
	place   preemption.PlaceFunc
}

// twoMembers is a gang of the pods p and q, of one cpu each, of the priority 9, before nodes of two cpus.
func twoMembers(t *testing.T, nodes int, running ...*outrank.Pod) *groupCase {
	t.Helper()
	c := &outrank.Cluster{
		Release: withGroups(t), Pods: running,
		Groups: []*outrank.PodGroup{{Name: "pre", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(9)}},
	}
	for i := range nodes {
		c.Nodes = append(c.Nodes, memberNode(string(rune('a'+i))))
	}
	return &groupCase{cluster: c, pods: []*outrank.Pod{memberPod("p", "", "pre", "1", 9), memberPod("q", "", "pre", "1", 9)}}
}

// memberNode is a node of two cpus in a zone of its own.
func memberNode(name string) *outrank.Node {
	return &outrank.Node{Name: name, Labels: map[string]string{"zone": name}, Allocatable: allocatableOf("2")}
}

func allocatableOf(cpu string) resource.List { return resource.MustList("cpu", cpu, "pods", "9") }

// memberPod is labelled with its name.
func memberPod(name, node, group, cpu string, priority int32, options ...podOption) *outrank.Pod {
	p := &outrank.Pod{
		Name: name, NodeName: node, Group: group, Priority: &priority, StartTime: now.Add(-time.Hour), Labels: map[string]string{"app": name},
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
	for _, option := range options {
		option(p)
	}
	return p
}

func (g *groupCase) ask() (*preemption.GroupPlan, error) {
	return preemption.PreemptGroup(g.cluster, preemption.GroupRequest{Pods: g.pods, Now: now, Refused: g.refused, Place: g.place}, g.config)
}

// plan returns the plan of a case, which must not fail.
func (g *groupCase) plan(t *testing.T) *preemption.GroupPlan {
	t.Helper()
	plan, err := g.ask()
	require.NoError(t, err)
	return plan
}

// whereRefused returns the plan of a group for which the caller has found no place.
func (g *groupCase) whereRefused(t *testing.T) *preemption.GroupPlan {
	t.Helper()
	other := *g
	other.refused = true
	return other.plan(t)
}

// unitNames lists the victims unit by unit.
func unitNames(plan *preemption.GroupPlan) [][]string {
	var all [][]string
	for u := range plan.Units() {
		all = append(all, victimNames(u))
	}
	return all
}

// at lists assignments as text.
func at(assignments []preemption.Assignment) []string {
	var all []string
	for _, a := range assignments {
		all = append(all, shortName(a.Pod)+" on "+a.Node)
	}
	return all
}

// The group fits, waits, may not preempt, has no possible victim, or finds no place whichever pods leave. Each
// has its text by rule 12.9.11.
func TestGroupOutcomes(t *testing.T) {
	low := func() *outrank.Pod { return memberPod("x", "a", "", "1", 1) }
	high := memberPod("x", "a", "", "1", 9)
	never := func(g *groupCase) {
		g.cluster.Groups[0].PreemptionPolicy = outrank.PreemptNever
		for _, p := range g.pods {
			p.PreemptionPolicy = outrank.PreemptNever
		}
	}
	for _, test := range []struct {
		name       string
		group      *groupCase
		change     func(g *groupCase)
		outcome    preemption.Outcome
		ineligible preemption.Ineligibility
		code       preemption.Code
		says       []string
	}{
		{"it fits, of which nothing is said", twoMembers(t, 1), nil, preemption.Fits, "", preemption.Success, nil},
		{"it fits though it could not preempt", twoMembers(t, 1), never, preemption.Fits, preemption.PolicyNever, preemption.Success, nil},
		{
			"it preempts", twoMembers(t, 1, low()), nil, preemption.Preempts, "", preemption.Success,
			[]string{"pod group preemption: found a placement for podgroup, preempting 1 victims"},
		},
		{
			"it may not", twoMembers(t, 1, low()), never, preemption.NotEligible, preemption.PolicyNever, preemption.Unschedulable,
			[]string{"pod group preemption: not eligible due to preemptionPolicy=Never."},
		},
		{
			"nobody may (rule 13.1.5)", twoMembers(t, 1, low()),
			func(g *groupCase) { g.config.Profile.Off = []string{preemption.DefaultPreemption} },
			preemption.NotEligible, preemption.Disabled, preemption.Unschedulable, []string{"pod group preemption: not eligible because preemption is disabled."},
		},
		{
			"there is nobody to take", twoMembers(t, 1, high), nil, preemption.NothingHelps, "", preemption.UnschedulableAndUnresolvable,
			[]string{"pod group preemption: No preemption victims found for incoming preemptor"},
		},
		{
			"there is no place whoever leaves", twoMembers(t, 1, low()), func(g *groupCase) { g.cluster.Nodes[0].Allocatable = allocatableOf("1") },
			preemption.NothingHelps, "", preemption.Unschedulable, []string{"pod group preemption: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.change != nil {
				test.change(test.group)
			}
			plan := test.group.plan(t)
			assert.Equal(t, test.outcome, plan.Outcome)
			assert.Equal(t, test.ineligible, plan.Ineligible)
			assert.Equal(t, test.code, plan.Status.Code)
			assert.Equal(t, test.says, plan.Status.Reasons)
			assert.Equal(t, outrank.Key("default/pre"), plan.Group)
			assert.Equal(t, now, plan.Now)
			assert.Equal(t, test.outcome == preemption.Fits || test.outcome == preemption.Preempts, plan.Placement != nil)
		})
	}
}

// Nobody leaves if the group may not preempt, or while earlier victims are leaving (rules 12.9.2, 12.9.6 and
// 12.9.7).
func TestGroupWaitsOrMayNot(t *testing.T) {
	leaving := memberPod("x", "a", "", "2", 1)
	leaving.DeletionTimestamp, leaving.DisruptionReason = now, outrank.PreemptionByScheduler
	g := twoMembers(t, 1, leaving)
	assert.Equal(t, [][]string{{"x"}}, unitNames(g.plan(t)))
	g.pods[1].NominatedNodeName = "a"
	plan := g.plan(t)
	assert.Equal(t, preemption.VictimsTerminating, plan.Ineligible)
	assert.Equal(t, preemption.Success, plan.Status.Code)
	assert.Equal(t, []string{"p on ", "q on a"}, at(plan.Nominations))
	assert.Equal(t, []string{"pod group preemption: ongoing preemption on nominated nodes"}, plan.Status.Reasons)

	g.cluster.Groups[0].PreemptionPolicy = outrank.PreemptNever
	_, err := g.ask()
	require.ErrorContains(t, err, "pod default/p: spec.preemptionPolicy: not that of the group default/pre", "the pods say otherwise")
	for _, p := range g.pods {
		p.PreemptionPolicy = outrank.PreemptNever
	}
	plan = g.plan(t)
	assert.Equal(t, preemption.Unschedulable, plan.Status.Code)
	assert.Equal(t, []string{"pod group preemption: not eligible due to preemptionPolicy=Never."}, plan.Status.Reasons)

	g.cluster.Release = withGates(t, "GenericWorkload")
	g.cluster.Groups[0].PreemptionPolicy = ""
	assert.Equal(t, preemption.PolicyNever, g.plan(t).Ineligible, "the pods say it where the group does not count")
	g.cluster.Release = outrank.V1_37
	_, err = g.ask()
	require.ErrorContains(t, err, "only with the feature gate GenericWorkload", "groups are switched off")
	g.cluster.Release = outrank.V1_36
	_, err = g.ask()
	require.ErrorContains(t, err, "by the rules of v1.36", "groups do not preempt at all (rule 12.9.1)")
}

// A victim that leaves for another reason, or from a node that nobody is nominated to, is not waited for
// (rule 12.9.7).
func TestGroupDoesNotWaitForOthers(t *testing.T) {
	leaving := memberPod("x", "a", "", "2", 1)
	leaving.DeletionTimestamp, leaving.DisruptionReason = now, outrank.TerminationByKubelet
	g := twoMembers(t, 2, leaving)
	g.cluster.Nodes[1].Unschedulable = true
	g.pods[1].NominatedNodeName = "a"
	assert.Equal(t, preemption.Preempts, g.plan(t).Outcome)
	leaving.DisruptionReason, g.pods[1].NominatedNodeName = outrank.PreemptionByScheduler, "b"
	assert.Equal(t, preemption.Preempts, g.plan(t).Outcome)
	g.pods[1].NominatedNodeName = "a"
	assert.Equal(t, preemption.NotEligible, g.plan(t).Outcome)
	leaving.Priority = outrank.Priority(9)
	assert.Empty(t, g.plan(t).Ineligible, "it is no possible victim")
}

// Which units a group may take (rules 12.9.8 and 13.6.7).
func TestPossibleVictimsOfAGroup(t *testing.T) {
	take := func(allowed ...string) preemption.Eligibility {
		return preemption.Eligibility{AnyPriority: true, Take: func(_, v *outrank.Pod) (string, bool) {
			return "by name", slices.Contains(allowed, v.Name)
		}}
	}
	for _, test := range []struct {
		name        string
		running     []*outrank.Pod
		eligibility preemption.Eligibility
		victims     [][]string
	}{
		{"of lower priority", []*outrank.Pod{memberPod("x", "a", "", "1", 8), memberPod("y", "a", "", "1", 9)}, preemption.Eligibility{}, nil},
		{"of lower priority, in the whole cluster", []*outrank.Pod{memberPod("x", "a", "", "1", 8), memberPod("y", "b", "", "2", 8)}, preemption.Eligibility{}, [][]string{{"x"}}},
		{"of any where the caller says so", []*outrank.Pod{memberPod("x", "a", "", "1", 80), memberPod("y", "a", "", "1", 9)}, take("x", "y"), [][]string{{"x"}, {"y"}}},
		{"the caller spares one of a unit, and so all of it", []*outrank.Pod{memberPod("x", "a", "low", "1", 0), memberPod("y", "a", "low", "1", 0)}, take("x"), nil},
		{"none of the group itself", []*outrank.Pod{memberPod("x", "a", "pre", "1", 9)}, take("x"), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := twoMembers(t, 2, test.running...)
			g.cluster.Groups = append(g.cluster.Groups, &outrank.PodGroup{Name: "low", DisruptionMode: outrank.DisruptPodGroup})
			g.cluster.Groups[0].MinCount = 3 // the one that runs counts
			if !slices.ContainsFunc(test.running, func(p *outrank.Pod) bool { return p.Group == "pre" }) {
				g.cluster.Groups[0].MinCount = 2
			}
			g.cluster.Nodes[1].Unschedulable = true
			g.config.Eligibility = test.eligibility
			plan := g.plan(t)
			assert.Equal(t, test.victims, unitNames(plan))
			for _, v := range plan.Victims {
				assert.Equal(t, test.eligibility.AnyPriority, v.Rule == "by name")
			}
		})
	}
}

// A caller that has found no place for the group is believed, and the plan never fits.
func TestGroupThatItsCallerRefuses(t *testing.T) {
	g := twoMembers(t, 1, memberPod("x", "a", "", "1", 1))
	g.cluster.Nodes[0].Allocatable = allocatableOf("9")
	require.Equal(t, preemption.Fits, g.plan(t).Outcome)
	plan := g.whereRefused(t)
	assert.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Empty(t, plan.Victims, "there may be none (rule 12.9.8)")
	assert.Nil(t, plan.TurnedDown)
	assert.Equal(t, []string{"p on a", "q on a"}, at(plan.Nominations))
}
