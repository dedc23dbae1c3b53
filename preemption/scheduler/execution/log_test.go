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
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
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
	}, run(execution.Config{Actions: fails("clear nomination", preemption.ErrNotFound).Actions(), Order: execution.Synchronous}, plan()))
	assert.Equal(t, []string{
		"2 Start the preemption asynchronously preemptor=default/p node=n1 numVictims=2 numVictimsToDelete=2",
		"error Cannot clear 'NominatedNodeName' field from lower priority pods on the same target node node=n1 err=pod default/low: busy",
		"2 Preemptor Pod preempted victim Pod preemptor=default/p victim=default/a node=n1",
		"2 Preemptor Pod preempted victim Pod preemptor=default/p victim=default/b node=n1",
		"2 Async Preemption finished completely preemptor=default/p node=n1 result=error",
	}, run(execution.Config{Actions: fails("clear nomination", busy).Actions(), Order: execution.Asynchronous}, plan()))
	assert.Empty(t, run(execution.Config{Actions: (&executiontest.Recorder{}).Actions()}, old.of(plan())), "a variant")
	var none *execution.Report
	assert.Empty(t, none.LogRecords())
}

func TestLogRecordsOfAFailure(t *testing.T) {
	pod := waitingPod("p", 9)
	pod.UID = "old"
	logged := func(f execution.Failure, find func(outrank.Key) (*outrank.Pod, bool)) []string {
		f.Entry.Pod = pod
		r := &executiontest.Recorder{Find: find}
		v, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Fail(context.Background(), f)
		require.NoError(t, err)
		return linesOf(v.LogRecords())
	}
	found := func(change func(*outrank.Pod)) func(outrank.Key) (*outrank.Pod, bool) {
		latest := *pod
		change(&latest)
		return func(outrank.Key) (*outrank.Pod, bool) { return &latest, true }
	}
	failed := execution.Failure{Err: errors.New("odd")}
	for name, c := range map[string]struct {
		find func(outrank.Key) (*outrank.Pod, bool)
		want []string
	}{
		"back":     {nil, nil},
		"gone":     {func(outrank.Key) (*outrank.Pod, bool) { return nil, false }, []string{`0 Pod doesn't exist in informer cache pod=default/p err=pod "p" not found`}},
		"bound":    {found(func(p *outrank.Pod) { p.NodeName = "n" }), []string{"0 Pod has been assigned to node. Abort adding it back to queue. pod=default/p node=n"}},
		"replaced": {found(func(p *outrank.Pod) { p.UID = "new" }), []string{"2 Pod was recreated while handling scheduling failure. Skip requeueing and status updates. pod=default/p oldUID=old"}},
	} {
		assert.Equal(t, append([]string{"error Error scheduling pod; retrying pod=default/p err=odd"}, c.want...), logged(failed, c.find), name)
	}
	turned := execution.Failure{Plan: &preemption.Plan{Pod: pod, Outcome: preemption.NotEligible, Ineligible: preemption.PolicyNever,
		TurnedDown: []preemption.Count{{Status: preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodePorts, Reasons: []string{"no"}}, Nodes: 1}}}}
	assert.Contains(t, logged(turned, nil)[0], "2 Unable to schedule pod; no fit; waiting pod=default/p err=0/1 nodes are available: 1 no. ")
	contradicts := execution.Failure{Refused: &preemption.Status{Code: preemption.Contradiction, Filter: "Quota", Reasons: []string{"lost"}}}
	assert.Equal(t, []string{"error Error scheduling pod; retrying pod=default/p err=Quota: lost"}, logged(contradicts, nil))
	nowhere := execution.Failure{Plan: &preemption.Plan{Pod: pod, Outcome: preemption.NothingHelps}}
	assert.Equal(t, []string{"2 Unable to schedule pod; no nodes are registered to the cluster; waiting pod=default/p"}, logged(nowhere, nil))
	var none *execution.Verdict
	assert.Empty(t, none.LogRecords())
	ofGroup, err := (&execution.Failure{Entry: gang("a"), Err: errBusy}).Verdict()
	require.NoError(t, err)
	assert.Empty(t, ofGroup.LogRecords())
}

func ExampleReport_LogRecords() {
	victim := &outrank.Pod{Namespace: "shop", Name: "batch", NodeName: "n1"}
	plan := &preemption.Plan{Outcome: preemption.Preempts, Pod: &outrank.Pod{Namespace: "shop", Name: "web"}}
	plan.Node, plan.Victims = "n1", []preemption.Victim{{Pod: victim}}
	executor, err := execution.NewExecutor(execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
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
