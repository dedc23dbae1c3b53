package execution_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

var withResizes = func() outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	if err != nil {
		panic(err)
	}
	return r
}()

// growing is a pod on node n1 whose resize to 3 cpu is deferred.
func growing() *outrank.Pod {
	p := &outrank.Pod{Name: "p", UID: "uid-p", NodeName: "n1", Priority: outrank.Priority(100), ResizeDeferred: true}
	p.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "3"), AllocatedResources: resource.MustList("cpu", "2")}}
	return p
}

func calls(r *executiontest.Recorder) []string {
	var out []string
	for _, c := range r.Calls() {
		out = append(out, c.String())
	}
	return out
}

// A plan for a resize evicts and nominates nobody, in any order of the steps, and is not
// carried out once the resize is not deferred any more (rule 7.19.9).
func TestResizesAreCarriedOut(t *testing.T) {
	for _, way := range ways {
		t.Run(fmt.Sprint(way.variant, way.order), func(t *testing.T) {
			var n execution.Nominator
			plan := way.of(planFor(victimsNamed("a")...))
			plan.Pod, plan.Resize = growing(), true
			r := &executiontest.Recorder{}
			report, err := newExecutor(t, execution.Config{Actions: r.Actions(), Order: way.order, Nominator: &n}).Execute(context.Background(), plan)
			require.NoError(t, err)
			assert.Equal(t, execution.Completed, report.Result)
			assert.False(t, report.Nominated)
			assert.Zero(t, n.Len())
			assert.Len(t, evictionsOf(r), 1)
			for _, c := range r.Calls() {
				assert.NotEqual(t, "nominate", c.Op)
			}

			for name, change := range map[string]func(*outrank.Pod){
				"settled": func(p *outrank.Pod) { p.ResizeDeferred = false }, "elsewhere": func(p *outrank.Pod) { p.NodeName = "n2" },
			} {
				latest := growing()
				change(latest)
				r := &executiontest.Recorder{Find: func(outrank.Key) (*outrank.Pod, bool) { return latest, true }}
				report, err := newExecutor(t, execution.Config{Actions: r.Actions(), Order: way.order}).Execute(context.Background(), plan)
				require.NoError(t, err)
				assert.Equal(t, execution.Bound, report.Result, name)
				assert.Empty(t, evictionsOf(r))
			}
		})
	}
}

// After a failure the pod goes back to the queue, and nothing is made known (rule
// 7.19.10), whatever it was that failed.
func TestFailuresOfResizes(t *testing.T) {
	short := countOf(1, preemption.NodeResourcesFit, "Insufficient cpu")
	plan := turnedDown(preemption.Preempts, short)
	plan.Pod, plan.Resize = growing(), true
	fits := preemption.Plan{Pod: growing(), Resize: true, Outcome: preemption.Fits, Feasible: 1}
	permit := attempt.Permit(&fits)
	for name, c := range map[string]struct {
		failure execution.Failure
		want    []string
	}{
		"preempting": {execution.Failure{Plan: plan}, []string{preemption.NodeResourcesFit}},
		"it fits":    {execution.Failure{Refused: &permit}, []string{preemption.DeferredPodScheduling}},
		"an error":   {execution.Failure{Err: errBusy, Node: "n1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &executiontest.Recorder{}
			var n execution.Nominator
			h := newExecutor(t, execution.Config{Actions: r.Actions(), Nominator: &n})
			q := must(queue.New(queue.Config{Release: withResizes}))
			_, err := q.FollowResize(growing(), now)
			require.NoError(t, err)
			c.failure.Entry, _ = q.TryPop(now)
			c.failure.Queue = q
			result, err := h.Fail(context.Background(), c.failure)
			require.NoError(t, err)
			assert.True(t, result.Resize)
			assert.Equal(t, execution.Requeued, result.Result)
			assert.Equal(t, execution.Nomination{}, result.Nomination)
			assert.Zero(t, result.Event)
			assert.Zero(t, result.Condition)
			assert.Equal(t, []string{"latest default/p"}, calls(r))
			pending := q.Pending()
			back := append(pending.Unschedulable, pending.Backoff...)
			require.Len(t, back, 1)
			assert.Equal(t, c.want, back[0].FailedFilters)
			assert.Zero(t, n.Len())
		})
	}
}

// A pod whose resize is not deferred any more does not go back.
func TestSettledResizesDoNotGoBack(t *testing.T) {
	settled := growing()
	settled.ResizeDeferred = false
	r := &executiontest.Recorder{Find: func(outrank.Key) (*outrank.Pod, bool) { return settled, true }}
	h := newExecutor(t, execution.Config{Actions: r.Actions()})
	result, err := h.Fail(context.Background(), execution.Failure{Entry: queue.Entry{Pod: growing()}, Err: errBusy})
	require.NoError(t, err)
	assert.Equal(t, execution.Bound, result.Result)
	assert.Equal(t, []string{"latest default/p"}, calls(r))
}

// A pod on a node whose resize is not deferred fails as any pod does.
func TestFailuresWithoutADeferredResize(t *testing.T) {
	pod := growing()
	pod.ResizeDeferred = false
	v, err := (&execution.Failure{Entry: queue.Entry{Pod: pod}, Err: errBusy}).Verdict()
	require.NoError(t, err)
	assert.False(t, v.Resize)
	assert.Equal(t, execution.Nomination{Override: true}, v.Nomination)
	assert.Equal(t, outrank.PodScheduled, v.Condition.Type)
}

// A resize from the moment that its node defers it to the moment that there is room,
// through the queue, the evaluator, the executor.
func TestAResizeThroughTheQueue(t *testing.T) {
	ctx, now := context.Background(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	low := &outrank.Pod{Name: "low", UID: "uid-low", NodeName: "n1", Priority: outrank.Priority(1)}
	low.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "2")}}
	me := growing()
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Release: withResizes, Pods: []*outrank.Pod{low, me},
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "10")}, {Name: "n2", Allocatable: resource.MustList("cpu", "9", "pods", "10")}},
	})
	require.NoError(t, err)
	q, err := queue.New(queue.Config{Release: withResizes})
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	r := &executiontest.Recorder{Find: snap.Pod}
	executor := newExecutor(t, execution.Config{Actions: r.Actions()})
	attempt := func() *preemption.Plan {
		entry, ok := q.TryPop(now)
		require.True(t, ok)
		plan, err := e.Preempt(ctx, snap, preemption.Request{Pod: entry.Pod, Now: now})
		require.NoError(t, err)
		f := execution.Failure{Entry: entry, Queue: q, Now: now}
		if permit := attempt.Permit(plan); permit.Code != preemption.Success {
			f.Refused = &permit
		} else {
			f.Plan = plan
			_, err := executor.Execute(ctx, plan)
			require.NoError(t, err)
		}
		_, err = executor.Fail(ctx, f)
		require.NoError(t, err)
		assert.Equal(t, queue.Parts[int]{Unschedulable: 1}, q.Counts())
		return plan
	}
	inside, err := q.FollowResize(me, now)
	require.NoError(t, err)
	require.True(t, inside)
	plan := attempt()
	assert.Equal(t, "n1 [default/low]", fmt.Sprint(plan.Node, " ", plan.Victims))
	require.NoError(t, snap.Apply(plan))

	now = now.Add(time.Minute)
	assert.Equal(t, 0, q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Pod: &outrank.Pod{Name: "other", NodeName: "n2"}}, now))
	assert.Equal(t, 1, q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Pod: low}, now))
	assert.Equal(t, preemption.Fits, attempt().Outcome)
	settled := growing()
	settled.ResizeDeferred = false
	inside, err = q.FollowResize(settled, now)
	require.NoError(t, err)
	assert.False(t, inside)
	assert.Equal(t, queue.Parts[int]{}, q.Counts())
	for _, event := range eventsOf(r) {
		assert.Equal(t, "Preempted", event.Reason)
	}
}

func evictionsOf(r *executiontest.Recorder) []executiontest.Call {
	var out []executiontest.Call
	for _, c := range r.Calls() {
		if c.Op == "evict" {
			out = append(out, c)
		}
	}
	return out
}
