package preemption_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Pods that do not preempt as a group are refused, with all of their problems at once (rules 12.9.1, 12.9.2,
// 12.9.6, 12.9.13 and 12.9.14).
func TestWhoIsNoGroup(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(g *groupCase)
		says   []string
	}{
		{"no pods", func(g *groupCase) { g.pods = nil }, []string{"group request: Pods: empty"}},
		{"a nil", func(g *groupCase) { g.pods[1] = nil }, []string{"pod number 2"}},
		{"one that stands there twice", func(g *groupCase) { g.pods[1] = g.pods[0] }, []string{"pod default/p: stands in the group twice"}},
		{"not the priority of the group", func(g *groupCase) { g.pods[1].Priority = outrank.Priority(8) }, []string{"pod default/q: spec.priority: 8, and the group default/pre has 9"}},
		{
			"one that runs counts, too", func(g *groupCase) { g.cluster.Pods = []*outrank.Pod{memberPod("r", "a", "pre", "1", 7)} },
			[]string{"pod default/r: spec.priority: 7, and the group default/pre has 9"},
		},
		{"another scheduler", func(g *groupCase) { g.pods[1].SchedulerName = "other" }, []string{`pod default/q: spec.schedulerName: "other", and default/p has "default-scheduler"`}},
		{"another group", func(g *groupCase) { g.pods[1].Group = "other" }, []string{`pod default/q: spec.schedulingGroup.podGroupName: group "default/other", and default/p has "default/pre"`}},
		{
			"a group of another tree", func(g *groupCase) {
				g.cluster.Groups[0].Parent = "top"
				g.cluster.Composites = []*outrank.CompositePodGroup{composite("top", 9, func(c *outrank.CompositePodGroup) { c.Policy = outrank.BasicPolicy })}
				g.cluster.Groups = append(g.cluster.Groups, group("other", 9))
				g.pods[1].Group = "other"
			},
			[]string{`pod default/q: spec.schedulingGroup.podGroupName: group "default/other", and default/p has "default/pre"`},
		},
		{
			"everything at once", func(g *groupCase) { g.pods[1].Priority, g.pods[1].SchedulerName = outrank.Priority(8), "other" },
			[]string{"spec.priority", "spec.schedulerName"},
		},
		{
			"not the policy of the group", func(g *groupCase) { g.pods[0].PreemptionPolicy = outrank.PreemptNever },
			[]string{"pod default/p: spec.preemptionPolicy: not that of the group default/pre"},
		},
		{
			"without the gate, not the policy of the first pod", func(g *groupCase) {
				g.cluster.Release, g.pods[1].PreemptionPolicy = withGates(t, "GenericWorkload"), outrank.PreemptNever
			},
			[]string{"pod default/q: spec.preemptionPolicy: not that of default/p"},
		},
		{
			"a tree of more than four levels", func(g *groupCase) {
				g.cluster.Groups[0].Parent = "1"
				for _, name := range []string{"1", "2", "3", "4"} {
					g.cluster.Composites = append(g.cluster.Composites, &outrank.CompositePodGroup{Name: name, Parent: string(name[0] + 1), Policy: outrank.BasicPolicy})
				}
			},
			[]string{"podgroup default/pre: spec.parentCompositePodGroupName: more than 4 levels of groups"},
		},
		{
			"a topology, which first fit does not look at", func(g *groupCase) { g.cluster.Groups[0].Topology = []string{"zone"} },
			[]string{`podgroup default/pre: spec.schedulingConstraints.topology: ["zone"] is not followed`},
		},
		{
			"one that runs", func(g *groupCase) { g.cluster.Pods = []*outrank.Pod{memberPod("q", "a", "pre", "1", 9)} },
			[]string{"pod default/q: not in the right state: it runs on node a"},
		},
		{"a selector that cannot be read (rule 7.15.7)", func(g *groupCase) { away("zone", oddSelector)(g.pods[1]) }, []string{"pod default/q: pod affinity term 0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := twoMembers(t, 1)
			test.change(g)
			plan, err := g.ask()
			require.Error(t, err)
			assert.Nil(t, plan)
			for _, says := range test.says {
				assert.ErrorContains(t, err, says)
			}
			assert.True(t, errors.Is(err, outrank.ErrInvalid) != errors.Is(err, preemption.ErrState))
		})
	}
}

// Settings by which a group is not decided are refused by name (rules 8.13, 13.4.9 and 13.5.4).
func TestSettingsThatGroupsDoNotHave(t *testing.T) {
	refuse := func(_ *outrank.Pod, by preemption.Ineligibility, _ preemption.Status) preemption.Ineligibility {
		return by
	}
	for field, config := range map[string]preemption.Config{
		"Variant":            {Variant: outrank.VariantSimplified},
		"Victims":            {Victims: preemption.Exact{}},
		"Victims: a rule":    {Victims: choosing()},
		"Budgets: charged":   {Budgets: preemption.ChargeVictims},
		"Budgets: never":     {Budgets: preemption.NeverViolate},
		"Eligibility.Refuse": {Eligibility: preemption.Eligibility{Refuse: refuse}},
	} {
		g := twoMembers(t, 1)
		g.config = config
		_, err := g.ask()
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, "preempting by a group: preemption config: "+field)
	}
}

// A group without a priority has 0, and pods of a group that is not known speak for themselves (rule 12.9.2).
func TestGroupsThatSayLittle(t *testing.T) {
	g := twoMembers(t, 1)
	g.cluster.Groups[0].Priority = nil
	_, err := g.ask()
	require.ErrorContains(t, err, "spec.priority: 9, and the group default/pre has 0")
	g.cluster.Groups = nil
	plan := g.plan(t)
	assert.Equal(t, preemption.Fits, plan.Outcome)
	assert.Equal(t, outrank.Key("default/pre"), plan.Group)
	g.pods[1].Priority = outrank.Priority(8)
	_, err = g.ask()
	require.ErrorContains(t, err, "spec.priority: 8, and default/p has 9")
}
