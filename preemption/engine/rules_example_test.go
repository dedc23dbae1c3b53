package engine_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

func ExampleConfig() {
	protect := preemption.Config{
		Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) {
			return "", victim.Name != "batch"
		}},
	}
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(protect))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

func ExampleConfig_Validate() {
	c := preemption.Config{Victims: preemption.Exact{Limit: -1}, Sample: &preemption.Sample{Percent: 200}}
	fmt.Println(c.Validate())
	// Output:
	// preemption config: Sample.Percent: 200 is more than 100
	// preemption config: Victims.Limit: -1 is negative
}

// The simplified form evicts the least important pods until there is room.
// Today's form then puts back those with which the preemptor still fits.
func ExampleConfig_variant() {
	big := urgent()
	big.Containers[0].Requests = sample().Nodes[0].Allocatable // all of a node's cpu
	delete(big.Containers[0].Requests, "pods")
	snap := must(engine.NewSnapshot(sample()))
	for _, variant := range []outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified} {
		eval := must(engine.New(preemption.Config{Variant: variant}))
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: big, Now: now}))
		fmt.Println(variant, plan.Node, plan.Victims, strings.Contains(plan.String(), "grace"))
	}
	// Output:
	// current n1 [default/web default/batch] false
	// v1.13 n1 [default/web default/batch] false
	// simplified n1 [default/web default/batch] true
}

// The first candidate from the second node on is enough.
func ExampleSample() {
	eval := must(engine.New(preemption.Config{Sample: &preemption.Sample{Percent: 1, Minimum: 1}}))
	plan := must(eval.Preempt(context.Background(), must(engine.NewSnapshot(sample())), preemption.Request{Pod: urgent(), Now: now, Offset: 1}))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

// A scheduler of the caller has filtered already.
func ExampleEvaluator_Preempt_statuses() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	found := map[string]preemption.Status{
		"n1": {Code: preemption.UnschedulableAndUnresolvable, Filter: preemption.TaintToleration},
		"n2": {Code: preemption.Unschedulable, Filter: preemption.NodeResourcesFit},
	}
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{
		Pod: urgent(), Now: now,
		Statuses: func(_ int, node *outrank.Node) (status preemption.Status, asked bool) {
			status, asked = found[node.Name]
			return status, asked
		},
	}))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

// The same statuses in the order of the nodes, for a scheduler that has them in a
// slice.
func ExampleRequest() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	var statuses []preemption.Status
	for n := range snap.Nodes() {
		st := preemption.Unschedulable.Because("Insufficient cpu")
		if n.Name == "n1" {
			st = preemption.UnschedulableAndUnresolvable.Because("under maintenance")
		}
		statuses = append(statuses, st)
	}
	req := preemption.Request{Pod: urgent(), Now: now, Statuses: func(position int, _ *outrank.Node) (preemption.Status, bool) {
		return statuses[position], true
	}}
	plan := must(eval.Preempt(context.Background(), snap, req))
	fmt.Println(plan.Node, plan.Victims, plan.TurnedDown)
	// Output: n2 [default/cache] [1 Insufficient cpu 1 under maintenance]
}

// The work that is lost decides before anything else but the budgets: here the time
// since the last checkpoint, which the caller knows by pod.
func ExampleRank_cost() {
	sinceCheckpoint := map[outrank.Key]time.Duration{"default/batch": 90 * time.Minute, "default/cache": 5 * time.Minute}
	lostWork := preemption.Config{
		Ranks: []preemption.Rank{preemption.ByViolations, {Name: "lost work", Cost: func(victim *outrank.Pod) int64 {
			return int64(sinceCheckpoint[victim.Key()] / time.Second)
		}}, preemption.ByTopPriority},
	}
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(lostWork))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Victims, plan.Score.Own)

	// Time goes by, and the cost of pods with it: another evaluator asks anew.
	sinceCheckpoint["default/batch"] = 0
	eval = must(engine.New(lostWork))
	plan = must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Victims, plan.Score.Own)
	// Output:
	// n2 [default/cache] map[lost work:300]
	// n1 [default/batch] map[lost work:0]
}

// A figure in place of the usual ranks: here the last node wins.
func ExampleRank_figure() {
	last := preemption.Rank{Name: "last node", Figure: func(c *preemption.Candidate) int64 {
		return map[string]int64{"n1": -1, "n2": -2}[c.Node]
	}}
	eval := must(engine.New(preemption.Config{Ranks: []preemption.Rank{last}}))
	plan := must(eval.Preempt(context.Background(), must(engine.NewSnapshot(sample())), preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Node, plan.Score.Own)
	// Output: n2 map[last node:-2]
}

// By how much a score is better by one rank.
func ExampleRank_Of() {
	a, b := preemption.Score{Victims: 1}, preemption.Score{Victims: 3}
	fmt.Println(preemption.ByVictims.Of(b) - preemption.ByVictims.Of(a))
	// Output: 2
}

func ExampleScore_Compare() {
	a, b := preemption.Score{TopPriority: 10, Victims: 3}, preemption.Score{TopPriority: 100, Victims: 1}
	order, by := a.Compare(b, nil)
	fmt.Println(order < 0, by)
	// Output: true top-priority
}
