package execution_test

import (
	"context"
	"slices"
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

// The attempt that was popped ends in either queue, with the latest version, the filters and the
// time.
func TestQueuesFitTheFailurePath(t *testing.T) {
	priorities, err := queue.New(queue.Config{})
	require.NoError(t, err)
	for name, waiting := range map[string]*queue.Queue{"queue": priorities, "fifo": queue.NewFIFO()} {
		t.Run(name, func(t *testing.T) {
			pod, latest := pendingPod("p", withUID("uid-p")), pendingPod("p", withUID("uid-p"), withPriority(77))
			require.NoError(t, waiting.Add(pod, now))
			entry, ok := waiting.TryPop(now)
			require.True(t, ok)
			r := &executiontest.Recorder{Find: func(outrank.Key) (*outrank.Pod, bool) { return latest, true }}
			handler := newExecutor(t, execution.Config{Actions: r.Actions()})
			failure := execution.Failure{
				Entry: entry, Queue: waiting, Now: now.Add(5 * time.Second),
				Plan: turnedDown(preemption.NothingHelps, countOf(1, preemption.NodePorts, "taken"), countOf(2, preemption.NodePorts, "taken")),
			}
			_, err := handler.Fail(context.Background(), failure)
			require.NoError(t, err)
			inside := waiting.Pending()
			all := slices.Concat(inside.Active, inside.Backoff, inside.Unschedulable, inside.InFlight)
			require.Len(t, all, 1)
			assert.Same(t, latest, all[0].Pod)
			assert.Equal(t, []string{preemption.NodePorts}, all[0].FailedFilters)
			assert.Equal(t, failure.Now, all[0].Enqueued)
			assert.Equal(t, entry.Cycle, all[0].Cycle)

			result, err := handler.Fail(context.Background(), failure)
			require.ErrorIs(t, err, queue.ErrNotInFlight, "the attempt has ended")
			assert.Equal(t, execution.Requeued, result.Result)

			failure.Entry, ok = waiting.TryPop(now.Add(time.Hour))
			require.True(t, ok)
			r.Find = func(outrank.Key) (*outrank.Pod, bool) { return nil, false }
			_, err = handler.Fail(context.Background(), failure)
			require.NoError(t, err)
			assert.Equal(t, queue.Parts[int]{}, waiting.Counts(), "the attempt of a pod that is gone ends as well")
		})
	}
}

// How a failure leaves the queue, the nominator and the pod's status, by what
// has become of the pod in the meantime.
func TestFail(t *testing.T) {
	never := turnedDown(preemption.NotEligible, countOf(1, preemption.NodeResourcesFit, "Insufficient cpu"))
	hopeless := turnedDown(preemption.NothingHelps, countOf(1, preemption.NodeResourcesFit, "Insufficient cpu"))
	preempts := turnedDown(preemption.Preempts, countOf(1, preemption.NodeResourcesFit, "Insufficient cpu"))
	gone := func(outrank.Key) (*outrank.Pod, bool) { return nil, false }
	as := func(change ...func(*outrank.Pod)) func(outrank.Key) (*outrank.Pod, bool) {
		return func(outrank.Key) (*outrank.Pod, bool) { return pendingPod("p", change...), true }
	}
	for name, c := range map[string]struct {
		why     string
		failure execution.Failure
		change  func(*executiontest.Recorder)
		result  execution.Result
		node    string // nominated to, afterwards; "memory" before
		want    string
		err     error
	}{
		"set": {"room is being made on n1", execution.Failure{Plan: preempts}, nil, execution.Requeued, "n1",
			"latest p|event p|update status p", nil},
		"cleared": {"no room to be had", execution.Failure{Plan: hopeless}, nil, execution.Requeued, "",
			"latest p|event p|update status p", nil},
		"kept in memory": {"not eligible: left as it is", execution.Failure{Plan: never}, nil, execution.Requeued, "memory",
			"latest p|event p|update status p", nil},
		"kept as written": {"the pod itself has been told in the meantime", execution.Failure{Plan: never},
			func(r *executiontest.Recorder) { r.Find = as(withUID("uid-p"), withNomination("n5")) }, execution.Requeued, "n5",
			"latest p|event p|update status p", nil},
		"scheduler error": {"cleared", execution.Failure{Err: errBusy}, nil, execution.Requeued, "",
			"latest p|event p|update status p", nil},
		"gone": {"nothing goes back, and there is no status", execution.Failure{Plan: preempts},
			func(r *executiontest.Recorder) { r.Find = gone }, execution.Gone, "", "latest p|event p", nil},
		"reborn": {"another pod has its name, which no event is to be about", execution.Failure{Plan: preempts},
			func(r *executiontest.Recorder) { r.Find = as(withUID("other")) }, execution.Replaced, "", "latest p", nil},
		"bound": {"it has been scheduled after all", execution.Failure{Plan: preempts},
			func(r *executiontest.Recorder) { r.Find = as(withNode("n7")) }, execution.Bound, "", "latest p|event p", nil},
		"fetching fails": {"it goes back as it was", execution.Failure{Plan: preempts},
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "latest p") }, execution.Requeued, "n1",
			"latest p!|event p|update status p", errBusy},
		"queue fails": {"the rest is done", execution.Failure{Plan: preempts},
			nil, execution.Requeued, "n1",
			"latest p|event p|update status p", queue.ErrNotInFlight},
		"status fails": {"reported", execution.Failure{Plan: preempts},
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "update status p") }, execution.Requeued, "n1",
			"latest p|event p|update status p!", errBusy},
		"status not found": {"gone by now, which is no failure", execution.Failure{Plan: preempts},
			func(r *executiontest.Recorder) { r.Do = failOn(preemption.ErrNotFound, "update status p") }, execution.Requeued, "n1",
			"latest p|event p|update status p!", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var n execution.Nominator
			r := &executiontest.Recorder{}
			if c.change != nil {
				c.change(r)
			}
			q, entry := popped(t, queue.Config{}, pendingPod("p", withUID("uid-p")))
			if c.failure.Entry, c.failure.Queue = entry, q; name == "queue fails" {
				q.Done(entry)
			}
			n.Add(c.failure.Entry.Pod, "memory")
			result, err := newExecutor(t, execution.Config{Actions: r.Actions(), Nominator: &n}).Fail(context.Background(), c.failure)
			require.ErrorIs(t, err, c.err, c.why)
			require.NoError(t, checkNominator(&n))
			assert.Equal(t, c.result, result.Result, c.why)
			assert.Equal(t, c.node, n.NodeOf("default/p"), c.why)
			assert.Equal(t, c.want, strings.Join(story(r), "|"), c.why)
			inside := q.Counts()
			back := inside.Backoff + inside.Unschedulable
			assert.Equal(t, result.Result == execution.Requeued && name != "queue fails", back == 1, "%v", inside)
			assert.Zero(t, inside.InFlight)
		})
	}
}

func TestHandlingTakesTheLatestVersion(t *testing.T) {
	r, latest := &executiontest.Recorder{}, pendingPod("p", withPriority(77))
	r.Find = func(outrank.Key) (*outrank.Pod, bool) { return latest, true }
	q, entry := popped(t, queue.Config{}, pendingPod("p"))
	f := execution.Failure{Entry: entry, Queue: q, Plan: turnedDown(preemption.Preempts, countOf(1, preemption.NodePorts, "taken"))}
	result, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Fail(context.Background(), f)
	require.NoError(t, err)
	assert.Same(t, latest, result.Pod)
	back := q.Pending().Unschedulable
	require.Len(t, back, 1)
	assert.Same(t, latest, back[0].Pod)
	assert.Equal(t, []string{preemption.NodePorts}, back[0].FailedFilters)
	for _, c := range r.Calls() {
		if c.Op == "update status" {
			assert.Same(t, latest, c.Pod)
			assert.Equal(t, execution.Nomination{Override: true, Node: "n1"}, c.Nomination)
		}
	}
}

// A context that has ended stops no step that saves the pod.
func TestHandlingWithAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &executiontest.Recorder{}
	q, entry := popped(t, queue.Config{}, pendingPod("p"))
	_, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Fail(ctx, execution.Failure{Entry: entry, Queue: q, Err: errBusy})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"event p", "update status p"}, story(r))
	assert.Equal(t, 1, q.Counts().Backoff)
}

// refusedAtOnce is the plan for a pod that was refused before its nodes were asked.
func refusedAtOnce() *preemption.Plan {
	p := turnedDown(preemption.NothingHelps, countOf(1, preemption.VolumeBinding, "a claim is lost"))
	p.Refused = p.TurnedDown[0].Status
	return p
}

func TestFailuresAreCounted(t *testing.T) {
	var m metrics.Meter
	r := &executiontest.Recorder{}
	for i, f := range []execution.Failure{
		{Plan: turnedDown(preemption.Preempts, countOf(1, preemption.NodePorts, "taken"))},
		{Plan: turnedDown(preemption.NotEligible, countOf(1, preemption.NodePorts, "taken"))},
		{Plan: turnedDown(preemption.NothingHelps, countOf(1, preemption.NodePorts, "taken"))},
		{Plan: &preemption.Plan{Outcome: preemption.NothingHelps}},
		{Plan: refusedAtOnce()},
		{Err: errBusy},
		{Refused: &preemption.Status{Code: preemption.Unschedulable}},
	} {
		f.Entry = entryOf(pendingPod("p"))
		done, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Fail(context.Background(), f)
		require.NoError(t, err)
		profile := "" // that is the default scheduler
		if i == 2 {
			profile = "mine"
		}
		m.AddFailure(profile, done, nil)
	}
	c := m.Values()
	assert.Equal(t, uint64(3), c.PreemptionAttempts, "where the pod fitted on none of the nodes, and they were asked (rule 15.3.9)")
	assert.Equal(t, map[metrics.Attempt]uint64{
		{Result: "unschedulable", Profile: outrank.DefaultScheduler}: 5, {Result: "unschedulable", Profile: "mine"}: 1, {Result: "error", Profile: outrank.DefaultScheduler}: 1,
	}, c.ScheduleAttempts)
}
