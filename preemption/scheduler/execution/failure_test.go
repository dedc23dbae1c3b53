package execution_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/resource"
)

func countOf(nodes int, filter string, reasons ...string) preemption.Count {
	return preemption.Count{Status: preemption.Status{Code: preemption.Unschedulable, Filter: filter, Reasons: reasons}, Nodes: nodes}
}

func turnedDown(outcome preemption.Outcome, counts ...preemption.Count) *preemption.Plan {
	p := planFor(victimsNamed("a")...)
	p.Outcome, p.TurnedDown = outcome, counts
	if outcome != preemption.Preempts {
		p.Candidate = preemption.Candidate{}
	}
	return p
}

func TestVerdict(t *testing.T) {
	short := countOf(2, preemption.NodeResourcesFit, "Insufficient cpu")
	both := countOf(1, preemption.NodeResourcesFit, "Insufficient cpu", "Insufficient memory")
	taint := countOf(10, preemption.TaintToleration, "node(s) had untolerated taint(s)")
	absent := preemption.Count{Status: preemption.UnschedulableAndUnresolvable.Because("node(s) didn't satisfy plugin(s) [NodeAffinity]"), Nodes: 1}
	excluded := absent
	excluded.Status.ExcludedBy = preemption.NodeAffinity
	never := turnedDown(preemption.NotEligible, short)
	never.Ineligible = preemption.PolicyNever
	helpless := turnedDown(preemption.NothingHelps, short, taint)
	helpless.Unhelpful = []preemption.Count{countOf(2, "", "No preemption victims found for incoming pod")}
	lost := turnedDown(preemption.NothingHelps, countOf(3, preemption.VolumeBinding, "pod has unbound immediate PersistentVolumeClaims"))
	lost.Refused = lost.TurnedDown[0].Status
	unclaimed := turnedDown(preemption.NothingHelps, countOf(3, "DynamicResources", `resourceclaim "a" is being deleted`))
	unclaimed.Refused = unclaimed.TurnedDown[0].Status
	contrary := turnedDown(preemption.NothingHelps, short, taint)
	contrary.Unhelpful = []preemption.Count{
		countOf(1, "", "No preemption victims found for incoming pod"),
		{Status: preemption.Contradiction.Because(`expected at least one victim pod on node "n1"`), Nodes: 1},
	}
	vetoed := turnedDown(preemption.NothingHelps, short)
	vetoed.Unhelpful = append([]preemption.Count{countOf(1, "", "an extender dropped the node")}, contrary.Unhelpful[1:]...)
	off := turnedDown(preemption.NotEligible, short)
	off.Ineligible = preemption.Disabled
	for name, c := range map[string]struct {
		why        string
		failure    execution.Failure
		reason     string
		filters    []string
		nomination execution.Nomination
		message    string
	}{
		"no nodes": {
			"nothing was filtered, so preemption was not tried", execution.Failure{Plan: &preemption.Plan{Outcome: preemption.NothingHelps}},
			"Unschedulable", nil, execution.Nomination{Override: true}, "no nodes available to schedule pods",
		},
		"no nodes, not eligible": {
			"the same whatever the pod", execution.Failure{Plan: &preemption.Plan{Outcome: preemption.NotEligible, Ineligible: preemption.PolicyNever}},
			"Unschedulable", nil, execution.Nomination{Override: true}, "no nodes available to schedule pods",
		},
		"preempting": {
			"a victim makes room: where, and how many", execution.Failure{Plan: turnedDown(preemption.Preempts, short, both)},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{Override: true, Node: "n1"},
			"0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims",
		},
		"preempting, uncounted": {
			"a plan made by hand: there is a node, or there would be no victims", execution.Failure{Plan: turnedDown(preemption.Preempts)},
			"Unschedulable", nil, execution.Nomination{Override: true, Node: "n1"},
			"0/0 nodes are available: preemption: found a potential placement for pod on node n1, preempting 1 victims",
		},
		"execution failed": {
			"victims of the nominated node may still leave", execution.Failure{Plan: turnedDown(preemption.Preempts, short), Err: errBusy},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. preemption: busy",
		},
		"not eligible": {
			"the nomination stays", execution.Failure{Plan: never},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
		},
		"nothing helps": {
			"the nomination goes; texts are in their own order, 10 before 2", execution.Failure{Plan: helpless},
			"Unschedulable", []string{preemption.NodeResourcesFit, preemption.TaintToleration}, execution.Nomination{Override: true},
			"0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 Insufficient cpu. preemption: 0/12 nodes are available: " +
				"10 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
		},
		"a node contradicts itself": {
			"preemption ends in an error, whatever the other nodes say", execution.Failure{Plan: ofRelease(outrank.V1_36, contrary)},
			"Unschedulable", []string{preemption.NodeResourcesFit, preemption.TaintToleration}, execution.Nomination{},
			`0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 Insufficient cpu. preemption: expected at least one victim pod on node "n1"`,
		},
		"an extender failed": {
			"the pod was turned down all the same", execution.Failure{Plan: ofRelease(outrank.V1_36, turnedDown(preemption.NothingHelps, short)), Err: errBusy},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. preemption: busy",
		},
		"extenders leave no candidate": {
			"a candidate that was there makes the contradiction of another node no error", execution.Failure{Plan: vetoed},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. preemption: no candidate node for preemption",
		},
		"extenders leave no candidate, v1.36": {
			"it is an answer and not an error, so that the step for devices is heard, too", execution.Failure{Plan: ofRelease(outrank.V1_36, vetoed)},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: no candidate node for preemption",
		},
		"preemption is off": {
			"the step for devices is still there, and has nothing to say", execution.Failure{Plan: off},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{}, "0/2 nodes are available: 2 Insufficient cpu.",
		},
		"preemption is off, v1.36": {
			"the step for devices is still there, and speaks", execution.Failure{Plan: ofRelease(outrank.V1_36, off)},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{}, "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate",
		},
		"there is no way out at all": {
			"nobody is asked who could keep the nomination", execution.Failure{Plan: off, Ways: []execution.WayOut{}},
			"Unschedulable", []string{preemption.NodeResourcesFit}, execution.Nomination{Override: true}, "0/2 nodes are available: 2 Insufficient cpu.",
		},
		"a claim that cannot be used": {
			"what ended the attempt is said once, its filter is the one that failed, and the step for devices fails (rule 15.3.9)", execution.Failure{Plan: lost},
			"Unschedulable", []string{preemption.VolumeBinding}, execution.Nomination{},
			"0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
		},
		"a claim that cannot be used, v1.36": {
			"it fails there, too", execution.Failure{Plan: ofRelease(outrank.V1_36, lost)},
			"Unschedulable", []string{preemption.VolumeBinding}, execution.Nomination{},
			"0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
		},
		"a claim that cannot be used, and no step for devices": {
			"preemption is asked", execution.Failure{Plan: lost, Ways: []execution.WayOut{{Name: "preemption", Plan: lost}}},
			"Unschedulable", []string{preemption.VolumeBinding}, execution.Nomination{Override: true},
			"0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
		},
		"claims that the filter for devices refuses": {
			"it has noted something about the pod, so that preemption is asked", execution.Failure{Plan: unclaimed},
			"Unschedulable", []string{"DynamicResources"}, execution.Nomination{Override: true},
			`0/3 nodes are available: resourceclaim "a" is being deleted. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.`,
		},
		"without a filter": {
			"a node that no filter saw", execution.Failure{Plan: turnedDown(preemption.NothingHelps, absent)},
			"Unschedulable", nil, execution.Nomination{Override: true},
			"0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
		},
		"excluded": {
			"a node that no filter saw because of one (rule 15.2.3): events of that one may help",
			execution.Failure{Plan: turnedDown(preemption.NothingHelps, excluded, short)},
			"Unschedulable", []string{preemption.NodeAffinity, preemption.NodeResourcesFit}, execution.Nomination{Override: true},
			"0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity], 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
		},
		"refused": {
			"a step after the filters said no", execution.Failure{Refused: &preemption.Status{Code: preemption.Unschedulable, Filter: "Quota", Reasons: []string{"too much"}}},
			"Unschedulable", []string{"Quota"}, execution.Nomination{Override: true}, "0/1 nodes are available: 1 too much.",
		},
		"refused by mistake": {
			"a step broke", execution.Failure{Refused: &preemption.Status{Code: preemption.Contradiction, Filter: "Quota", Reasons: []string{"lost"}}},
			"SchedulerError", nil, execution.Nomination{Override: true}, "Quota: lost",
		},
		"error": {
			"the pod has nothing to do with it", execution.Failure{Err: errBusy},
			"SchedulerError", nil, execution.Nomination{Override: true}, "busy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.failure.Entry = entryOf(pendingPod("p"))
			v, err := c.failure.Verdict()
			require.NoError(t, err)
			assert.Equal(t, c.reason == "SchedulerError", v.Err != nil, c.why)
			assert.Equal(t, c.filters, v.Filters, c.why)
			assert.Equal(t, c.nomination, v.Nomination, c.why)
			assert.Equal(t, outrank.PodCondition{Type: "PodScheduled", Status: "False", Reason: c.reason, Message: c.message}, v.Condition)
			assert.Equal(t, outrank.Event{
				Type: "Warning", Reason: "FailedScheduling", Action: "Scheduling", Pod: c.failure.Entry.Pod, Message: c.message,
			}, v.Event)
		})
	}
}

func TestFailuresThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		failure execution.Failure
		want    error
	}{
		"no pod":               {execution.Failure{Err: errBusy}, outrank.ErrInvalid},
		"no reason":            {execution.Failure{Entry: entryOf(pendingPod("p"))}, outrank.ErrInvalid},
		"two reasons":          {execution.Failure{Entry: entryOf(pendingPod("p")), Err: errBusy, Refused: &preemption.Status{Code: preemption.Unschedulable}}, outrank.ErrInvalid},
		"the plan of a group":  {execution.Failure{Entry: entryOf(pendingPod("p")), Plan: gangPlan([]string{"a"})}, outrank.ErrInvalid},
		"a plan that is nil":   {execution.Failure{Entry: entryOf(pendingPod("p")), Plan: (*preemption.Plan)(nil)}, outrank.ErrInvalid},
		"it fits":              {execution.Failure{Entry: entryOf(pendingPod("p")), Plan: &preemption.Plan{Outcome: preemption.Fits}}, preemption.ErrState},
		"refused with success": {execution.Failure{Entry: entryOf(pendingPod("p")), Refused: &preemption.Status{}}, preemption.ErrState},
	} {
		t.Run(name, func(t *testing.T) {
			r := &executiontest.Recorder{}
			_, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Fail(context.Background(), c.failure)
			require.ErrorIs(t, err, c.want)
			require.Empty(t, r.Calls())
		})
	}
	_, err := (&execution.Executor{}).Fail(context.Background(), execution.Failure{Entry: entryOf(pendingPod("p")), Err: errBusy})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

func TestLongMessages(t *testing.T) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("x", 3000), "wide": strings.Repeat("é", 1500), "odd": "x" + strings.Repeat("é", 1500),
		"just right": strings.Repeat("x", 1024), "one over": strings.Repeat("x", 1025),
	} {
		t.Run(name, func(t *testing.T) {
			f := execution.Failure{Entry: entryOf(pendingPod("p")), Err: errors.New(text)}
			v, err := f.Verdict()
			require.NoError(t, err)
			assert.Equal(t, text, v.Condition.Message, "the condition has all of it")
			cut := v.Event.Message
			assert.True(t, utf8.ValidString(cut))
			if len(text) <= 1024 {
				assert.Equal(t, text, cut)
				return
			}
			assert.LessOrEqual(t, len(cut), 1024)
			assert.Greater(t, len(cut), 1024-utf8.UTFMax)
			assert.Equal(t, text[:len(cut)-4]+" ...", cut)
		})
	}
}

// Every value that a report may hold says what it is.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range []fmt.Stringer{
		execution.Nomination{}, execution.Nomination{Override: true, Node: "n1"}, execution.Nomination{Override: true},
		outrank.Event{}, outrank.PodCondition{}, executiontest.Call{}, &execution.Report{},
	} {
		s := text.String()
		assert.NotEmpty(t, s)
		assert.False(t, seen[s], s)
		seen[s] = true
	}
	_, v := execution.NewExecutor(execution.Config{Actions: (&executiontest.Recorder{}).Actions(), Order: "soon", Parallel: 5000, Remember: -1, Tries: -1})
	require.ErrorIs(t, v, outrank.ErrInvalid)
	assert.Equal(t, 4, strings.Count(v.Error(), "\n")+1)
}

// A pod of a DaemonSet, which names its node by a field, waits for events about
// nodes also where its node has no room: NodeAffinity left the others out (rule
// 15.2.3).
func TestFiltersOfAPodThatNamesItsNode(t *testing.T) {
	p := pendingPod("agent")
	p.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "4")}}
	p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
		MatchFields: []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{"n1"}}},
	}}}
	room := resource.MustList("cpu", "1", "pods", "10")
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: room}, {Name: "n2", Allocatable: room}}})
	require.NoError(t, err)
	decider, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	plan, err := decider.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: now})
	require.NoError(t, err)
	failure := execution.Failure{Entry: entryOf(p), Plan: plan}
	v, err := failure.Verdict()
	require.NoError(t, err)
	assert.Equal(t, []string{preemption.NodeAffinity, preemption.NodeResourcesFit}, v.Filters)
}

// A verdict names the filters in the order of the alphabet and each once,
// however the nodes are counted.
func TestFiltersOfAVerdict(t *testing.T) {
	count := func(nodes int, filter, reason string) preemption.Count {
		return preemption.Count{Nodes: nodes, Status: preemption.Status{
			Code: preemption.Unschedulable, Filter: filter, Reasons: []string{reason},
		}}
	}
	for _, c := range []struct {
		name   string
		counts []preemption.Count
		want   []string
	}{
		{"in no order", []preemption.Count{count(3, "c", "1"), count(2, "a", "2"), count(1, "b", "3")}, []string{"a", "b", "c"}},
		{"the same apart", []preemption.Count{count(3, "b", "1"), count(2, "a", "2"), count(1, "b", "3")}, []string{"a", "b"}},
		{"the same in a row", []preemption.Count{count(3, "a", "1"), count(2, "a", "2")}, []string{"a"}},
		{"without a filter", []preemption.Count{count(3, "b", "1"), count(2, "", "2"), count(1, "a", "3")}, []string{"a", "b"}},
		{"none", []preemption.Count{count(1, "", "1")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := execution.Failure{
				Entry: entryOf(&outrank.Pod{Name: "p"}),
				Plan:  &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: c.counts},
			}
			v, err := f.Verdict()
			require.NoError(t, err)
			assert.Equal(t, c.want, v.Filters)
		})
	}
}
