package execution_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// The group waits for the room that is made for it: all its pods go back, those with a
// place with the nomination.
func TestFailGroup(t *testing.T) { // rules 15.5.1 to 15.5.4
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	q, err := queue.New(queue.Config{Release: withGroups(t)})
	require.NoError(t, err)
	q.PutGroup(gang().Group.PodGroup)
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, q.Add(gangPod(name), now))
	}
	entry, _ := q.TryPop(now)
	cluster, nominator, meter := &executiontest.Recorder{}, &execution.Nominator{}, &metrics.Meter{}
	nominator.Add(gangPod("c"), "n7")
	h := newExecutor(t, execution.Config{Actions: cluster.Actions(), Nominator: nominator})
	plan := gangPlan([]string{"a", "b"}, "v")
	verdict, err := h.Fail(context.Background(), execution.Failure{Entry: entry, Queue: q, Now: now, Plan: plan})
	require.NoError(t, err)
	const said = "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, pod group preemption: found a placement for podgroup, preempting 2 victims"
	var want []string
	for _, pod := range []struct{ name, nomination string }{{"a", "nominated to n1"}, {"b", "nominated to n2"}, {"c", "nomination kept"}} {
		want = append(want, "latest default/"+pod.name, "event Warning FailedScheduling default/"+pod.name+": "+said,
			"update status default/"+pod.name+" (PodScheduled=False Unschedulable: "+said+"; "+pod.nomination+")")
	}
	want = append(want, "update group default/gang (PodGroupInitiallyScheduled=False Unschedulable: "+said+")")
	assert.Equal(t, want, textsOf(cluster))
	results := verdict.Members
	require.Len(t, results, 3)
	for i := range results {
		meter.AddFailure("default-scheduler", &results[i], nil)
	}
	assert.Equal(t, outrank.PodConditionType("PodGroupInitiallyScheduled"), verdict.Condition.Type)
	assert.Nil(t, verdict.Pod)
	assert.Equal(t, []string{"GangScheduling"}, results[2].Filters)
	assert.Equal(t, "n1 n2 n7", strings.Join([]string{nominator.NodeOf("default/a"), nominator.NodeOf("default/b"), nominator.NodeOf("default/c")}, " "))
	assert.Equal(t, "0 active, 3 in backoff, 0 unschedulable, 0 gated, 0 in flight", q.Counts().String())
	back := q.Pending().Backoff[0]
	assert.Equal(t, 1, back.Refusals)
	assert.Equal(t, 1, back.Group.Members[0].Refusals)
	v := meter.Values()
	assert.EqualValues(t, 3, v.ScheduleAttempts[metrics.Attempt{Result: "unschedulable", Profile: "default-scheduler"}])
	assert.Zero(t, v.PreemptionAttempts, "that is for pods")
}

func TestFailGroupWithout(t *testing.T) { // rules 15.5.2 and 15.5.3
	refusal := &preemption.Refusal{Nodes: []preemption.Count{
		{Status: preemption.Status{Code: preemption.Unschedulable, Filter: "NodeResourcesFit", Reasons: []string{"Insufficient cpu"}}, Nodes: 2},
		{Status: preemption.Status{Code: preemption.Unschedulable, Filter: "NodePorts"}, Nodes: 1},
	}}
	says := func(text string) preemption.Status {
		return preemption.Unschedulable.Because(groupPrefix + text)
	}
	ongoing := []preemption.Assignment{{Pod: gangPod("a"), Node: "n5"}, {Pod: gangPod("b")}}
	keep, drop := execution.Nomination{}, execution.Nomination{Override: true}
	for name, c := range map[string]struct {
		f       execution.Failure
		a, b    execution.Nomination
		reason  string
		message string
	}{
		"nothing helps": {execution.Failure{Plan: &preemption.GroupPlan{Outcome: preemption.NothingHelps, TurnedDown: refusal, Status: says("no")}},
			drop, drop, "Unschedulable", "no place: 2 NodeResourcesFit: Insufficient cpu, 1 NodePorts: , pod group preemption: no"},
		"never": {execution.Failure{Plan: &preemption.GroupPlan{Outcome: preemption.NotEligible, Status: says("not eligible due to preemptionPolicy=Never.")}},
			keep, keep, "Unschedulable", "pod group preemption: not eligible due to preemptionPolicy=Never."},
		"ongoing": {execution.Failure{Plan: &preemption.GroupPlan{Outcome: preemption.NotEligible, Nominations: ongoing, Status: says("ongoing")}},
			execution.Nomination{Override: true, Node: "n5"}, drop, "Unschedulable", "pod group preemption: ongoing"},
		"not carried out": {execution.Failure{Plan: gangPlan([]string{"a"}, "v"), Err: errBusy},
			keep, keep, "Unschedulable", "minCount (2) cannot be satisfied: 0 scheduled, 1 remaining, pod group preemption: busy"},
		"error": {execution.Failure{Err: errBusy}, drop, drop, "SchedulerError", "busy"},
	} {
		cluster := &executiontest.Recorder{}
		h := newExecutor(t, execution.Config{Actions: cluster.Actions()})
		c.f.Entry = gang("a", "b")
		verdict, err := h.Fail(context.Background(), c.f)
		require.NoError(t, err, name)
		results := verdict.Members
		assert.Equal(t, []execution.Nomination{c.a, c.b}, []execution.Nomination{results[0].Nomination, results[1].Nomination}, name)
		for _, r := range results {
			assert.Equal(t, c.reason, r.Condition.Reason, name)
			assert.Equal(t, c.message, r.Condition.Message, name)
		}
		if name == "nothing helps" {
			assert.Equal(t, []string{"NodePorts", "NodeResourcesFit"}, results[0].Filters)
		}
		if name == "error" {
			assert.Empty(t, results[0].Filters)
		}
		calls := textsOf(cluster)
		assert.Equal(t, "update group default/gang (PodGroupInitiallyScheduled=False "+c.reason+": "+c.message+")", calls[len(calls)-1], name)
	}
}

const groupPrefix = "pod group preemption: "

// A group that was scheduled before keeps its condition, and a tree has several.
func TestConditionsOfGroups(t *testing.T) { // rule 15.5.3
	groups := func(e queue.Entry) []string {
		cluster := &executiontest.Recorder{}
		h := newExecutor(t, execution.Config{Actions: cluster.Actions()})
		_, err := h.Fail(context.Background(), execution.Failure{Entry: e, Err: errBusy})
		require.NoError(t, err)
		var out []string
		for _, c := range cluster.Calls() {
			if c.Op == "update group" {
				out = append(out, string(c.Group)+" "+string(c.Condition.Type))
			}
		}
		return out
	}
	e := gang("a")
	e.Group.PodGroup.Scheduled = true
	assert.Empty(t, groups(e))
	e.Group.PodGroup, e.Group.Composite = nil, &outrank.CompositePodGroup{Name: "tree"}
	other := gangPod("b")
	other.Group = "another"
	e.Group.Members = append(e.Group.Members, queue.Entry{Pod: other})
	assert.Equal(t, []string{
		"default/tree CompositePodGroupInitiallyScheduled", "default/another PodGroupInitiallyScheduled", "default/gang PodGroupInitiallyScheduled",
	}, groups(e))
	e.Group.Composite.Scheduled = true
	assert.Len(t, groups(e), 2)
	// A cluster without groups does without.
	actions := (&executiontest.Recorder{}).Actions()
	actions.UpdateGroupStatus = nil
	_, err := newExecutor(t, execution.Config{Actions: actions}).Fail(context.Background(), execution.Failure{Entry: e, Err: errBusy})
	require.NoError(t, err)
}

func TestFailGroupErrors(t *testing.T) {
	good := execution.Failure{Entry: gang("a", "b"), Err: errBusy}
	cluster := &executiontest.Recorder{Do: func(c executiontest.Call) error {
		if c.Op == "update group" || c.Op == "latest" && c.Pod.Name == "a" {
			return errBusy
		}
		return nil
	}}
	q, err := queue.New(queue.Config{Release: withGroups(t)})
	require.NoError(t, err)
	good.Queue = q
	verdict, err := newExecutor(t, execution.Config{Actions: cluster.Actions()}).Fail(context.Background(), good)
	require.ErrorIs(t, err, errBusy)
	require.ErrorIs(t, err, queue.ErrNotInFlight)
	require.ErrorContains(t, err, "group default/gang: condition PodGroupInitiallyScheduled: busy")
	require.Len(t, verdict.Members, 2, "all steps are taken")

	_, err = (&execution.Executor{}).Fail(context.Background(), good)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	for name, f := range map[string]execution.Failure{
		"no group":  {Err: errBusy},
		"no object": {Entry: queue.Entry{Group: &queue.Group{}}, Err: errBusy},
		"no reason": {Entry: gang("a")},
		"of a pod":  {Entry: gang("a"), Plan: turnedDown(preemption.NothingHelps)},
		"ways":      {Entry: gang("a"), Err: errBusy, Ways: []execution.WayOut{}},
		"refused":   {Entry: gang("a"), Err: errBusy, Refused: &preemption.Status{Code: preemption.Unschedulable}},
		"both":      {Entry: gang("a"), Err: errBusy, Plan: &preemption.GroupPlan{Outcome: preemption.NothingHelps}},
		"nil pod":   {Entry: queue.Entry{Group: &queue.Group{PodGroup: &outrank.PodGroup{}, Members: []queue.Entry{{}}}}, Err: errBusy},
	} {
		_, err = newExecutor(t, execution.Config{Actions: cluster.Actions()}).Fail(context.Background(), f)
		assert.ErrorIs(t, err, outrank.ErrInvalid, name)
	}
	_, err = newExecutor(t, execution.Config{Actions: cluster.Actions()}).Fail(context.Background(), execution.Failure{
		Entry: gang("a"), Plan: &preemption.GroupPlan{Outcome: preemption.Fits},
	})
	require.ErrorIs(t, err, preemption.ErrState)
}

func TestSetAside(t *testing.T) { // rule 15.4.10
	n := &execution.Nominator{}
	pods := map[string]*outrank.Pod{}
	for _, name := range []string{"kept", "deleted", "updated", "renamed", "added", "other"} {
		pods[name] = gangPod(name)
		n.Add(pods[name], "n1")
	}
	all := []*outrank.Pod{nil, pods["kept"], pods["deleted"], pods["updated"], pods["renamed"], pods["added"], gangPod("stranger")}
	back := n.SetAside(all...)
	assert.Equal(t, []*outrank.Pod{pods["other"]}, n.NominatedTo("n1"))
	n.Remove(pods["deleted"])
	newer := gangPod("updated")
	newer.Priority = outrank.Priority(900)
	n.Update(pods["updated"], newer)
	named := gangPod("renamed")
	named.NominatedNodeName = "n3"
	n.Update(pods["renamed"], named)
	n.Add(pods["added"], "n2")
	back()
	assert.Equal(t, []*outrank.Pod{newer, pods["kept"], pods["other"]}, n.NominatedTo("n1"))
	assert.Equal(t, []string{"", "n3", "n2"}, []string{n.NodeOf("default/deleted"), n.NodeOf("default/renamed"), n.NodeOf("default/added")})
	n.Remove(pods["kept"])
	back()
	assert.Equal(t, 4, n.Len(), "it works once")
}
