package execution_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Every way out that was asked says why it does not help, and counts as an attempt
// to preempt where it has a plan (rules 15.3.7 and 14.5.1).
func TestFailureOfSeveralWaysOut(t *testing.T) {
	taken := countOf(1, preemption.NodePorts, "taken")
	nothing, never := turnedDown(preemption.NothingHelps, taken), turnedDown(preemption.NotEligible, taken)
	never.Ineligible = preemption.PolicyNever
	off := turnedDown(preemption.NotEligible, taken)
	off.Ineligible = preemption.Disabled
	devices := execution.WayOut{Name: "devices", Says: "no new claims to deallocate"}
	mine := execution.WayOut{Name: "mine", Says: "nothing to scale up"}
	preempting := func(p *preemption.Plan) execution.WayOut {
		return execution.WayOut{Name: "preemption", Plan: p}
	}
	const (
		nodes     = "0/1 nodes are available: 1 taken."
		unhelpful = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	)
	for _, c := range []struct {
		name     string
		plan     *preemption.Plan
		ways     []execution.WayOut
		want     string
		attempts int
		change   execution.Nomination
	}{
		{"the default scheduler's", nothing, nil, nodes + " " + unhelpful, 1, dropped},
		{"with claims that are in use", nothing, []execution.WayOut{devices, preempting(nothing)}, nodes + " no new claims to deallocate, " + unhelpful, 1, dropped},
		{"preemption alone", nothing, []execution.WayOut{preempting(nothing)}, nodes + " " + unhelpful, 1, dropped},
		{"three", never, []execution.WayOut{mine, preempting(never), preempting(never)},
			nodes + " nothing to scale up, preemption: not eligible due to preemptionPolicy=Never., preemption: not eligible due to preemptionPolicy=Never.", 2, execution.Nomination{}},
		{"one without a word", never, []execution.WayOut{{Name: "silent"}, preempting(never)}, nodes + " preemption: not eligible due to preemptionPolicy=Never.", 1, execution.Nomination{}},
		{"preemption is off", off, nil, nodes, 0, execution.Nomination{}},
		{"preemption is off, among ways out", off, []execution.WayOut{mine, preempting(off)}, nodes + " nothing to scale up", 0, execution.Nomination{}},
		{"no way out at all", off, []execution.WayOut{}, nodes, 0, dropped},
		{"the second helps", turnedDown(preemption.Preempts, taken), []execution.WayOut{preempting(nothing), preempting(turnedDown(preemption.Preempts, taken))},
			nodes + " preemption: found a potential placement for pod on node n1, preempting 1 victims", 2, execution.Nomination{Override: true, Node: "n1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
			r, err := h.Fail(context.Background(), execution.Failure{Entry: entryOf(pendingPod("p")), Plan: c.plan, Ways: c.ways})
			require.NoError(t, err)
			assert.Equal(t, c.want, r.Condition.Message)
			assert.Equal(t, c.attempts, r.Preemptions)
			assert.Equal(t, c.change, r.Nomination)
		})
	}
}

// A way out that helps, and one that ends in an error, is heard alone, in its own words where
// it has any (rule 15.3.7).
func TestWayOutInItsOwnWords(t *testing.T) {
	short := countOf(1, preemption.NodeResourcesFit, "Insufficient cpu")
	nothing, helps := turnedDown(preemption.NothingHelps, short), turnedDown(preemption.Preempts, short)
	for name, c := range map[string]struct {
		failure execution.Failure
		want    string
		change  execution.Nomination
	}{
		"it helps": {execution.Failure{Plan: helps, Ways: []execution.WayOut{
			{Name: "preemption", Plan: nothing}, {Name: "mine", Says: "no room", Found: "room elsewhere", Plan: helps},
		}}, "room elsewhere", execution.Nomination{Override: true, Node: "n1"}},
		"it fails": {execution.Failure{Plan: nothing, Err: errBusy, Ways: []execution.WayOut{
			{Name: "preemption", Plan: nothing}, {Name: "mine", Says: "out of order", Found: "room elsewhere", Plan: nothing},
		}}, "out of order", execution.Nomination{}},
		"it fails without a word": {execution.Failure{Plan: nothing, Err: errBusy, Ways: []execution.WayOut{{Name: "preemption", Plan: nothing}}},
			"preemption: busy", execution.Nomination{}},
		"what it would carry out fails": {execution.Failure{Plan: helps, Err: errBusy, Ways: []execution.WayOut{{Name: "mine", Says: "no room", Plan: helps}}},
			"preemption: busy", execution.Nomination{}},
	} {
		t.Run(name, func(t *testing.T) {
			c.failure.Entry = entryOf(pendingPod("p"))
			v, err := c.failure.Verdict()
			require.NoError(t, err)
			assert.Equal(t, "0/1 nodes are available: 1 Insufficient cpu. "+c.want, v.Condition.Message)
			assert.Equal(t, c.change, v.Nomination)
		})
	}
}

// The pod is told what each of the ways out has to say, until one helps.
func ExampleWayOut() {
	full := preemption.Count{Status: preemption.Unschedulable.Because("full"), Nodes: 1}
	helps := &preemption.Plan{Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n1"}, TurnedDown: []preemption.Count{full}}
	ways := []execution.WayOut{
		{Name: "autoscaler", Says: "no larger machines"},
		{Name: "preemption", Plan: helps, Found: "one pod leaves n1"},
	}
	failure := execution.Failure{Plan: helps, Ways: ways}
	failure.Entry.Pod = &outrank.Pod{Name: "web"}
	verdict, err := failure.Verdict()
	fmt.Println(verdict.Condition.Message, err)
	// Output:
	// 0/1 nodes are available: 1 full. one pod leaves n1 <nil>
}

// dropped is the end of a nomination.
var dropped = execution.Nomination{Override: true}
