package execution_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
	"github.com/outrank-go/outrank/priority/queue"
)

func linesOf(records []slog.Record) (texts []string) {
	for _, record := range records {
		text := fmt.Sprint(int(-record.Level), " ", record.Message)
		if record.Level == slog.LevelError {
			text = "error " + record.Message
		}
		record.Attrs(func(a slog.Attr) bool {
			text += " " + a.String()
			return true
		})
		texts = append(texts, text)
	}
	return texts
}

func TestLogRecordsOfAPlan(t *testing.T) {
	pod := waitingPod("p", 9)
	turned := []preemption.Count{{Status: preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodePorts, Reasons: []string{"no"}}, Nodes: 1}}
	contradicts := []preemption.Count{{Status: preemption.Contradiction.Because("no"), Nodes: 1}}
	for name, c := range map[string]struct {
		plan *preemption.Plan
		want []string
	}{
		"no plan":        {nil, nil},
		"fits":           {&preemption.Plan{Pod: pod, Outcome: preemption.Fits}, nil},
		"never":          {&preemption.Plan{Pod: pod, Outcome: preemption.NotEligible, Ineligible: preemption.PolicyNever}, []string{"5 Pod is not eligible for preemption pod=default/p reason=not eligible due to preemptionPolicy=Never."}},
		"by the caller":  {&preemption.Plan{Pod: pod, Outcome: preemption.NotEligible, Ineligible: "quota"}, []string{"5 Pod is not eligible for preemption pod=default/p reason=quota"}},
		"off":            {&preemption.Plan{Pod: pod, Outcome: preemption.NotEligible, Ineligible: preemption.Disabled}, nil},
		"nothing tried":  {&preemption.Plan{Pod: pod, Outcome: preemption.NothingHelps}, []string{"3 Preemption will not help schedule pod on any node pod=default/p", "2 No preemption candidate is found; preemption is not helpful for scheduling pod=default/p"}},
		"nothing helps":  {&preemption.Plan{Pod: pod, Outcome: preemption.NothingHelps, Unhelpful: turned}, []string{"2 No preemption candidate is found; preemption is not helpful for scheduling pod=default/p"}},
		"contradictions": {&preemption.Plan{Pod: pod, Outcome: preemption.NothingHelps, Unhelpful: contradicts}, nil},
		"victims":        {&preemption.Plan{Pod: pod, Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n"}}, []string{"2 the target node for the preemption is determined node=n pod=default/p"}},
	} {
		assert.Equal(t, c.want, linesOf(execution.LogRecords(c.plan)), name)
	}
}

func TestLogRecordsOfAnExecution(t *testing.T) {
	run := func(config execution.Config, plan *preemption.Plan) []string {
		e, err := execution.NewExecutor(config)
		require.NoError(t, err)
		report, _ := e.Execute(context.Background(), plan)
		return linesOf(report.LogRecords())
	}
	plan := func() *preemption.Plan {
		p := evicting("p", runningPod("a", "uid-a"), runningPod("b", "uid-b"))
		p.ClearedNominations = []*outrank.Pod{waitingPod("low", 1)}
		return p
	}
	fails := func(op string, err error) *executiontest.Recorder {
		return &executiontest.Recorder{Do: func(c executiontest.Call) error {
			if c.Op == op {
				return err
			}
			return nil
		}}
	}
	busy := errors.New("busy")
	assert.Equal(t, []string{
		"2 Preemptor Pod preempted victim Pod preemptor=default/p victim=default/a node=n1",
		"2 Preemptor Pod preempted victim Pod preemptor=default/p victim=default/b node=n1",
		"error Cannot clear 'NominatedNodeName' field err=pod default/low: not found",
	}, run(execution.Config{Actions: fails("clear nomination", preemption.ErrNotFound), Order: execution.Synchronous}, plan()))
	assert.Equal(t, []string{
		"2 Start the preemption asynchronously preemptor=default/p node=n1 numVictims=2 numVictimsToDelete=2",
		"error Cannot clear 'NominatedNodeName' field from lower priority pods on the same target node node=n1 err=pod default/low: busy",
		"2 Preemptor Pod preempted victim Pod preemptor=default/p victim=default/a node=n1",
		"2 Preemptor Pod preempted victim Pod preemptor=default/p victim=default/b node=n1",
		"2 Async Preemption finished completely preemptor=default/p node=n1 result=error",
	}, run(execution.Config{Actions: fails("clear nomination", busy), Order: execution.Asynchronous}, plan()))
	assert.Empty(t, run(execution.Config{Actions: &executiontest.Recorder{}}, old.of(plan())), "a variant")
	var none *execution.Report
	assert.Empty(t, none.LogRecords())
}

func TestLogRecordsOfAFailure(t *testing.T) {
	pod := waitingPod("p", 9)
	pod.UID = "old"
	failed := execution.Failure{Entry: queue.Entry{Pod: pod}, Err: errors.New("odd")}
	for name, c := range map[string]struct {
		result execution.Result
		want   []string
	}{
		"back":     {execution.Requeued, nil},
		"gone":     {execution.Gone, []string{`0 Pod doesn't exist in informer cache pod=default/p err=pod "p" not found`}},
		"replaced": {execution.Replaced, []string{"2 Pod was recreated while handling scheduling failure. Skip requeueing and status updates. pod=default/p oldUID=old"}},
	} {
		r := &execution.FailureResult{Result: c.result, Pod: pod}
		r.Kind = execution.SchedulerFailed
		lines, err := failed.LogRecords(r)
		require.NoError(t, err)
		assert.Equal(t, append([]string{"error Error scheduling pod; retrying pod=default/p err=odd"}, c.want...), linesOf(lines), name)
	}
	bound := *pod
	bound.NodeName = "n"
	turned := execution.Failure{Entry: queue.Entry{Pod: pod}, Plan: &preemption.Plan{Pod: pod, Outcome: preemption.NotEligible, Ineligible: preemption.PolicyNever,
		TurnedDown: []preemption.Count{{Status: preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodePorts, Reasons: []string{"no"}}, Nodes: 1}}}}
	r := &execution.FailureResult{Result: execution.Bound, Pod: &bound}
	r.Kind = execution.NoFit
	lines, err := turned.LogRecords(r)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	assert.Contains(t, linesOf(lines)[0], "2 Unable to schedule pod; no fit; waiting pod=default/p err=0/1 nodes are available: 1 no. ")
	assert.Equal(t, "0 Pod has been assigned to node. Abort adding it back to queue. pod=default/p node=n", linesOf(lines)[1])
	r.Kind = execution.NoNodes
	_, err = turned.LogRecords(r)
	require.ErrorIs(t, err, preemption.ErrState, "the result of another failure")
	r.Kind = execution.NodeRefused
	_, err = turned.LogRecords(r)
	require.ErrorIs(t, err, preemption.ErrState, "the result of another failure")
	nowhere := execution.Failure{Entry: turned.Entry, Plan: &preemption.Plan{Pod: pod, Outcome: preemption.NothingHelps}}
	r.Kind = execution.NoNodes
	lines, err = nowhere.LogRecords(r)
	require.NoError(t, err)
	assert.Equal(t, "2 Unable to schedule pod; no nodes are registered to the cluster; waiting pod=default/p", linesOf(lines)[0])
	_, err = (&execution.Failure{}).LogRecords(r)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	lines, err = turned.LogRecords(nil)
	require.NoError(t, err)
	assert.Empty(t, lines)
}

func ExampleReport_LogRecords() {
	victim := &outrank.Pod{Namespace: "shop", Name: "batch", NodeName: "n1"}
	plan := &preemption.Plan{Outcome: preemption.Preempts, Pod: &outrank.Pod{Namespace: "shop", Name: "web"}}
	plan.Node, plan.Victims = "n1", []preemption.Victim{{Pod: victim}}
	executor, err := execution.NewExecutor(execution.Config{Actions: &executiontest.Recorder{}})
	if err != nil {
		panic(err)
	}
	report, err := executor.Execute(context.Background(), plan)
	if err != nil {
		panic(err)
	}
	for _, l := range append(execution.LogRecords(plan), report.LogRecords()...) {
		fmt.Print(int(-l.Level), " ", l.Message)
		l.Attrs(func(a slog.Attr) bool {
			fmt.Print(" ", a)
			return true
		})
		fmt.Println()
	}
	// Output:
	// 2 the target node for the preemption is determined node=n1 pod=shop/web
	// 2 Start the preemption asynchronously preemptor=shop/web node=n1 numVictims=1 numVictimsToDelete=1
	// 2 Preemptor Pod preempted victim Pod preemptor=shop/web victim=shop/batch node=n1
	// 2 Async Preemption finished completely preemptor=shop/web node=n1 result=success
}
