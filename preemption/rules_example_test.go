package preemption_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

func ExampleConfig() {
	protect := preemption.Config{MayEvict: func(_, victim *outrank.Pod) bool {
		return victim.Name != "batch"
	}}
	snap, eval := must(preemption.NewSnapshot(sample())), must(preemption.NewEvaluator(protect))
	plan := must(eval.Preempt(context.Background(), snap, urgent(), now))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

func ExampleConfig_Validate() {
	c := preemption.Config{Workers: -1, Sample: &preemption.Sample{Percent: 200}}
	fmt.Println(c.Validate())
	// Output:
	// preemption config: Workers: -1 is not between 0 and 1024
	// preemption config: Sample.Percent: 200 is not between 0 and 100
}

// The simplified form evicts the least important pods until there is room.
// Today's form then puts back those with which the preemptor still fits.
func ExamplePolicy() {
	big := urgent()
	big.Containers[0].Requests = sample().Nodes[0].Allocatable // all of a node's cpu
	delete(big.Containers[0].Requests, "pods")
	snap := must(preemption.NewSnapshot(sample()))
	for _, policy := range []preemption.Policy{preemption.Current(), preemption.V1_13(), preemption.Simplified()} {
		eval := must(preemption.NewEvaluator(preemption.Config{Policy: policy}))
		plan := must(eval.Preempt(context.Background(), snap, big, now))
		fmt.Println(plan.Node, plan.Victims, plan.Grace != nil)
	}
	// Output:
	// n1 [default/web default/batch] false
	// n1 [default/web default/batch] false
	// n1 [default/web default/batch] true
}

// The first candidate from the second node on is enough.
func ExampleSample() {
	eval := must(preemption.NewEvaluator(preemption.Config{Sample: &preemption.Sample{Percent: 1, Minimum: 1, Offset: 1}}))
	plan := must(eval.Preempt(context.Background(), must(preemption.NewSnapshot(sample())), urgent(), now))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

// A scheduler of the caller has filtered already.
func ExampleEvaluator_PreemptRequest() {
	snap, eval := must(preemption.NewSnapshot(sample())), must(preemption.NewEvaluator(preemption.Config{}))
	plan := must(eval.PreemptRequest(context.Background(), snap, preemption.Request{
		Pod: urgent(), Now: now,
		Statuses: map[string]preemption.Status{
			"n1": preemption.PredicateStatus("PodToleratesNodeTaints"),
			"n2": preemption.PredicateStatus("PodFitsResources"),
		},
	}))
	fmt.Println(plan.Node, plan.Victims)
	// Output: n2 [default/cache]
}

func ExamplePredicateStatus() {
	fmt.Println(preemption.PredicateStatus("PodFitsResources").Code)
	fmt.Println(preemption.PredicateStatus("PodFitsResources", "NodeNotReady").Code)
	// Output:
	// Unschedulable
	// UnschedulableAndUnresolvable
}

// A scorer replaces the ranks: here the last node wins.
func ExampleScorer() {
	last := preemption.Scorer{Name: "last node", Score: func(c *preemption.Candidate) int64 {
		return map[string]int64{"n1": 1, "n2": 2}[c.Node]
	}}
	eval := must(preemption.NewEvaluator(preemption.Config{Scorers: []preemption.Scorer{last}}))
	plan := must(eval.Preempt(context.Background(), must(preemption.NewSnapshot(sample())), urgent(), now))
	fmt.Println(plan.Node, plan.OwnScores)
	// Output: n2 [2]
}

func ExampleScore_Compare() {
	a, b := preemption.Score{TopPriority: 10, Victims: 3}, preemption.Score{TopPriority: 100, Victims: 1}
	order, by := a.Compare(b)
	fmt.Println(order < 0, by)
	// Output: true lower priority of the most important victim
}
