package preemption

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
)

func countOf(nodes int, filter string, reasons ...string) Count {
	return Count{Status: Status{Code: Unschedulable, Filter: filter, Reasons: reasons}, Nodes: nodes}
}

func turnedDown(outcome Outcome, counts ...Count) *Plan {
	p := planFor(victimsNamed("a")...)
	p.Outcome, p.TurnedDown = outcome, counts
	if outcome != Preempt {
		p.Candidate = Candidate{}
	}
	return p
}

func TestVerdict(t *testing.T) {
	short := countOf(2, NodeResourcesFit, "Insufficient cpu")
	both := countOf(1, NodeResourcesFit, "Insufficient cpu", "Insufficient memory")
	taint := countOf(10, TaintToleration, "node(s) had untolerated taint(s)")
	absent := Count{Status: Status{Code: UnschedulableAndUnresolvable, Reasons: []string{notFilteredText[0]}}, Nodes: 1}
	never := turnedDown(NotEligible, short)
	never.Ineligible = PolicyNever
	helpless := turnedDown(NothingHelps, short, taint)
	helpless.Unhelpful = []Count{countOf(2, "", noVictimsText[0])}
	for name, c := range map[string]struct {
		why        string
		failure    Failure
		kind       FailureKind
		reason     string
		filters    []string
		nomination Nomination
		message    string
	}{
		"no nodes": {
			"nothing was filtered, so preemption was not tried", Failure{Plan: &Plan{Outcome: NothingHelps}},
			NoNodes, "Unschedulable", nil, Nomination{Change: DropNomination}, "no nodes available to schedule pods",
		},
		"no nodes, not eligible": {
			"the same whatever the pod", Failure{Plan: &Plan{Outcome: NotEligible, Ineligible: PolicyNever}},
			NoNodes, "Unschedulable", nil, Nomination{Change: DropNomination}, "no nodes available to schedule pods",
		},
		"preempting": {
			"a victim makes room: nothing to complain of beyond the filters", Failure{Plan: turnedDown(Preempt, short, both)},
			NoFit, "Unschedulable", []string{NodeResourcesFit}, Nomination{SetNomination, "n1"},
			"0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.",
		},
		"preempting, uncounted": {
			"a plan made by hand: there is a node, or there would be no victims", Failure{Plan: turnedDown(Preempt)},
			NoFit, "Unschedulable", nil, Nomination{SetNomination, "n1"}, "0/0 nodes are available:",
		},
		"carrying out failed": {
			"victims of the nominated node may still leave", Failure{Plan: turnedDown(Preempt, short), CarryErr: errBusy},
			NoFit, "Unschedulable", []string{NodeResourcesFit}, Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. preemption: busy",
		},
		"not eligible": {
			"the nomination stays", Failure{Plan: never},
			NoFit, "Unschedulable", []string{NodeResourcesFit}, Nomination{},
			"0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
		},
		"nothing helps": {
			"the nomination goes; texts are in their own order, 10 before 2", Failure{Plan: helpless},
			NoFit, "Unschedulable", []string{NodeResourcesFit, TaintToleration}, Nomination{Change: DropNomination},
			"0/12 nodes are available: 10 node(s) had untolerated taint(s), 2 Insufficient cpu. preemption: 0/12 nodes are available: " +
				"10 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
		},
		"without a filter": {
			"a node that no filter saw", Failure{Plan: turnedDown(NothingHelps, absent)},
			NoFit, "Unschedulable", nil, Nomination{Change: DropNomination},
			"0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
		},
		"refused": {
			"a step after the filters said no", Failure{Refused: &Status{Code: Unschedulable, Filter: "Quota", Reasons: []string{"too much"}}},
			NodeRefused, "Unschedulable", []string{"Quota"}, Nomination{Change: DropNomination}, "0/1 nodes are available: 1 too much.",
		},
		"refused by mistake": {
			"a step broke", Failure{Refused: &Status{Code: Contradiction, Filter: "Quota", Reasons: []string{"lost"}}},
			SchedulerBroke, "SchedulerError", nil, Nomination{Change: DropNomination}, "Quota: lost",
		},
		"error": {
			"the pod has nothing to do with it", Failure{Err: errBusy},
			SchedulerBroke, "SchedulerError", nil, Nomination{Change: DropNomination}, "busy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.failure.Pod = pendingPod("p")
			v, err := c.failure.Verdict()
			require.NoError(t, err)
			assert.Equal(t, c.kind, v.Kind, c.why)
			assert.Equal(t, c.filters, v.Filters, c.why)
			assert.Equal(t, c.nomination, v.Nomination, c.why)
			assert.Equal(t, Condition{Type: "PodScheduled", Status: "False", Reason: c.reason, Message: c.message}, v.Condition)
			assert.Equal(t, Event{
				Type: "Warning", Reason: "FailedScheduling", Action: "Scheduling", Pod: c.failure.Pod, Message: c.message,
			}, v.Event)
			assert.Equal(t, c.kind == SchedulerBroke, v.Result == ResultError)
		})
	}
}

func TestFailuresThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		failure Failure
		want    error
	}{
		"no pod":               {Failure{Err: errBusy}, outrank.ErrInvalid},
		"no reason":            {Failure{Pod: pendingPod("p")}, outrank.ErrInvalid},
		"two reasons":          {Failure{Pod: pendingPod("p"), Err: errBusy, Plan: turnedDown(Preempt)}, outrank.ErrInvalid},
		"it fits":              {Failure{Pod: pendingPod("p"), Plan: &Plan{Outcome: Fits}}, ErrState},
		"refused with success": {Failure{Pod: pendingPod("p"), Refused: &Status{}}, ErrState},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Recorder{}
			_, err := HandleFailure(context.Background(), FailureParts{Actions: r, Queue: r}, c.failure)
			require.ErrorIs(t, err, c.want)
			require.Empty(t, r.Calls())
		})
	}
	_, err := HandleFailure(context.Background(), FailureParts{}, Failure{Pod: pendingPod("p"), Err: errBusy})
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

func TestLongMessages(t *testing.T) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("x", 3000), "wide": strings.Repeat("é", 1500), "odd": "x" + strings.Repeat("é", 1500),
		"just right": strings.Repeat("x", 1024), "one over": strings.Repeat("x", 1025),
	} {
		t.Run(name, func(t *testing.T) {
			f := Failure{Pod: pendingPod("p"), Err: errors.New(text)}
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

// How a failure leaves the queue, the nominator and the pod's status, by what
// has become of the pod in the meantime.
func TestAftermath(t *testing.T) {
	never := turnedDown(NotEligible, countOf(1, NodeResourcesFit, "Insufficient cpu"))
	hopeless := turnedDown(NothingHelps, countOf(1, NodeResourcesFit, "Insufficient cpu"))
	preempts := turnedDown(Preempt, countOf(1, NodeResourcesFit, "Insufficient cpu"))
	gone := func(string) (*outrank.Pod, bool) { return nil, false }
	as := func(change ...func(*outrank.Pod)) func(string) (*outrank.Pod, bool) {
		return func(string) (*outrank.Pod, bool) { return pendingPod("p", change...), true }
	}
	for name, c := range map[string]struct {
		why     string
		failure Failure
		change  func(*Recorder)
		requeue Requeue
		node    string // nominated to, afterwards; "memory" before
		want    string
		err     error
	}{
		"set": {"room is being made on n1", Failure{Plan: preempts}, nil, Requeued, "n1",
			"latest p|requeue p|event p|update status p", nil},
		"cleared": {"no room to be had", Failure{Plan: hopeless}, nil, Requeued, "",
			"latest p|requeue p|event p|update status p", nil},
		"kept in memory": {"not eligible: left as it is", Failure{Plan: never}, nil, Requeued, "memory",
			"latest p|requeue p|event p|update status p", nil},
		"kept as written": {"the pod itself has been told in the meantime", Failure{Plan: never},
			func(r *Recorder) { r.Find = as(withNomination("n5")) }, Requeued, "n5",
			"latest p|requeue p|event p|update status p", nil},
		"scheduler error": {"cleared", Failure{Err: errBusy}, nil, Requeued, "",
			"latest p|requeue p|event p|update status p", nil},
		"gone": {"nothing goes back, and there is no status", Failure{Plan: preempts},
			func(r *Recorder) { r.Find = gone }, NotRequeuedGone, "", "latest p|done p|event p", nil},
		"reborn": {"another pod has its name", Failure{Plan: preempts},
			func(r *Recorder) { r.Find = as(withUID("other")) }, NotRequeuedGone, "", "latest p|done p|event p", nil},
		"bound": {"it has been scheduled after all", Failure{Plan: preempts},
			func(r *Recorder) { r.Find = as(withNode("n7")) }, NotRequeuedBound, "", "latest p|done p|event p", nil},
		"fetching fails": {"it goes back as it was", Failure{Plan: preempts},
			func(r *Recorder) { r.Do = failOn(errBusy, "latest p") }, Requeued, "n1",
			"latest p!|requeue p|event p|update status p", errBusy},
		"queue fails": {"the rest is done", Failure{Plan: preempts},
			func(r *Recorder) { r.Do = failOn(errBusy, "requeue p") }, Requeued, "n1",
			"latest p|requeue p!|event p|update status p", errBusy},
		"status fails": {"reported", Failure{Plan: preempts},
			func(r *Recorder) { r.Do = failOn(errBusy, "update status p") }, Requeued, "n1",
			"latest p|requeue p|event p|update status p!", errBusy},
		"status not found": {"gone by now, which is no failure", Failure{Plan: preempts},
			func(r *Recorder) { r.Do = failOn(ErrNotFound, "update status p") }, Requeued, "n1",
			"latest p|requeue p|event p|update status p!", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var n Nominator
			r := &Recorder{}
			if c.change != nil {
				c.change(r)
			}
			c.failure.Pod = pendingPod("p", withUID("uid-p"))
			n.Add(c.failure.Pod, "memory")
			a, err := HandleFailure(context.Background(), FailureParts{Actions: r, Queue: r, Nominator: &n}, c.failure)
			require.ErrorIs(t, err, c.err, c.why)
			require.NoError(t, n.check())
			assert.Equal(t, c.requeue, a.Requeue, c.why)
			assert.Equal(t, c.node, n.NodeOf("default/p"), c.why)
			assert.Equal(t, c.want, strings.Join(story(r), "|"), c.why)
		})
	}
}

func TestAftermathTakesTheLatestVersion(t *testing.T) {
	r, latest := &Recorder{}, pendingPod("p", withPriority(77))
	r.Find = func(string) (*outrank.Pod, bool) { return latest, true }
	f := Failure{Pod: pendingPod("p"), Plan: turnedDown(Preempt, countOf(1, NodePorts, "taken"))}
	a, err := HandleFailure(context.Background(), FailureParts{Actions: r, Queue: r}, f)
	require.NoError(t, err)
	assert.Same(t, latest, a.Pod)
	for _, c := range r.Calls() {
		switch c.Op {
		case OpRequeue:
			assert.Same(t, latest, c.Pod)
			assert.Equal(t, []string{NodePorts}, c.Filters)
		case OpUpdate:
			assert.Same(t, latest, c.Pod)
			assert.Equal(t, Nomination{SetNomination, "n1"}, c.Nomination)
		}
	}
}

// A context that has ended stops no step that saves the pod.
func TestAftermathOfAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &Recorder{}
	_, err := HandleFailure(ctx, FailureParts{Actions: r, Queue: r}, Failure{Pod: pendingPod("p"), Err: errBusy})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"requeue p", "event p", "update status p"}, story(r))
}

func TestFailuresAreCounted(t *testing.T) {
	var m Metrics
	r := &Recorder{}
	for _, f := range []Failure{
		{Plan: turnedDown(Preempt, countOf(1, NodePorts, "taken"))},
		{Plan: turnedDown(NotEligible, countOf(1, NodePorts, "taken"))},
		{Plan: turnedDown(NothingHelps, countOf(1, NodePorts, "taken")), Profile: "mine"},
		{Plan: &Plan{Outcome: NothingHelps}},
		{Err: errBusy},
		{Refused: &Status{Code: Unschedulable}},
	} {
		f.Pod = pendingPod("p")
		_, err := HandleFailure(context.Background(), FailureParts{Actions: r, Metrics: &m}, f)
		require.NoError(t, err)
	}
	c := m.Counts()
	assert.Equal(t, uint64(3), c.PreemptionAttempts, "where the pod fitted on none of the nodes")
	assert.Equal(t, map[Attempt]uint64{
		{ResultUnschedulable, DefaultScheduler}: 4, {ResultUnschedulable, "mine"}: 1, {ResultError, DefaultScheduler}: 1,
	}, c.ScheduleAttempts)
}

// Every value that a report may hold says what it is, also a wrong one.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range []fmt.Stringer{
		Interrupted, CarriedOut, PreemptorGone, PreemptorBound, Ending(99),
		Skipped, Evicted, Rejected, WasTerminating, WasEvicted, WasGone, Failed, Deed(99),
		Synchronous, Asynchronous, Order(99), NoNodes, NoFit, NodeRefused, SchedulerBroke, FailureKind(99),
		Requeued, NotRequeuedGone, NotRequeuedBound, Requeue(99),
		Nomination{}, Nomination{SetNomination, "n1"}, Nomination{Change: DropNomination}, Nomination{Change: 99},
		Event{}, Condition{}, Call{}, &Report{},
	} {
		s := text.String()
		assert.NotEmpty(t, s)
		assert.False(t, seen[s], s)
		seen[s] = true
	}
	v := (&ExecutorConfig{Actions: &Recorder{}, Order: 9, Parallel: 5000, Remember: -1}).Validate()
	require.ErrorIs(t, v, outrank.ErrInvalid)
	assert.Equal(t, 3, strings.Count(v.Error(), "\n")+1)
}
