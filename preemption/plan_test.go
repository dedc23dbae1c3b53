package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// The search for victims ends in an error if filters contradict themselves and there is no candidate (rule
// 8.12).
func TestPlanErr(t *testing.T) {
	broken := func(reasons ...string) preemption.Count {
		return preemption.Count{Status: preemption.Contradiction.Because(reasons...), Nodes: 1}
	}
	short := preemption.Count{Status: preemption.Unschedulable.Because("Insufficient cpu"), Nodes: 3}
	for _, test := range []struct {
		name string
		plan *preemption.Plan
		want string
	}{
		{"no plan", nil, ""},
		{"nothing helps, and no filter is broken", &preemption.Plan{Outcome: preemption.NothingHelps, Unhelpful: []preemption.Count{short}}, ""},
		{"one is", &preemption.Plan{Outcome: preemption.NothingHelps, Unhelpful: []preemption.Count{short, broken("a", "b")}}, "a, b"},
		{"several are, in an order of their own", &preemption.Plan{Outcome: preemption.NothingHelps, Unhelpful: []preemption.Count{broken("b"), short, broken("a")}}, "[a, b]"},
		{"there is a candidate all the same", &preemption.Plan{Outcome: preemption.Preempts, Unhelpful: []preemption.Count{broken("a")}}, ""},
		{
			"extenders dropped the candidates, which is the reason",
			&preemption.Plan{Outcome: preemption.NothingHelps, Unhelpful: []preemption.Count{broken("a"), {Status: preemption.Unschedulable.Because(prose.Dropped), Nodes: 1}}}, "",
		},
	} {
		if err := test.plan.Err(); test.want == "" {
			assert.NoError(t, err, test.name)
		} else {
			assert.EqualError(t, err, test.want, test.name)
		}
	}
}

// A pod that may not preempt is told why, and each code has a word.
func TestMessages(t *testing.T) {
	for i, want := range map[preemption.Ineligibility]string{
		"": "", preemption.PolicyNever: "not eligible due to preemptionPolicy=Never.", "mine": "mine",
		preemption.VictimsTerminating: "not eligible due to a terminating pod on the nominated node.",
		preemption.Nominated:          "not eligible due to the nominated node.",
		preemption.Disabled:           "not eligible because preemption is disabled.",
	} {
		assert.Equal(t, want, i.Message(), "%q", i)
	}
	assert.Equal(t, "success", preemption.Success.String())
	assert.Equal(t, "unschedulable", preemption.Unschedulable.String())
	assert.Equal(t, "success", preemption.Status{Reasons: []string{"of no interest"}}.String())
	assert.Equal(t, "NodePorts: taken, twice", preemption.Status{Code: preemption.Unschedulable, Filter: "NodePorts", Reasons: []string{"taken", "twice"}}.String())
}

// The pods of a group that leaves whole are one unit among the victims.
func TestUnitsOfAGroupPlan(t *testing.T) {
	g, h := &outrank.PodGroup{Name: "g"}, &outrank.PodGroup{Name: "h"}
	top := &outrank.CompositePodGroup{Name: "g"}
	victim := func(name string, group *outrank.PodGroup, composite *outrank.CompositePodGroup) preemption.Victim {
		return preemption.Victim{Pod: &outrank.Pod{Name: name}, Group: group, Composite: composite}
	}
	plan := &preemption.GroupPlan{Victims: []preemption.Victim{
		victim("a", nil, nil), victim("b", nil, nil), victim("c", g, nil), victim("d", g, nil), victim("e", h, nil), victim("f", nil, top), victim("g", nil, top),
	}}
	var got [][]string
	for unit := range plan.Units() {
		var names []string
		for _, v := range unit {
			names = append(names, v.Pod.Name)
		}
		got = append(got, names)
	}
	assert.Equal(t, [][]string{{"a"}, {"b"}, {"c", "d"}, {"e"}, {"f", "g"}}, got)
	for unit := range plan.Units() {
		assert.Len(t, unit, 1)
		break
	}
	for range (*preemption.GroupPlan)(nil).Units() {
		t.Fatal("nobody leaves")
	}
}
