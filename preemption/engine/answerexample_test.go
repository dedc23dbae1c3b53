package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

func ExamplePlan_String() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	fmt.Println(must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now})))
	// Output:
	// default/urgent: preempts on n1
	//   victims: default/batch (priority 10)
	//   as things are: 2 NodeResourcesFit: Insufficient cpu
}

// A filter that breaks in a dry run is the error that the search for victims ends in.
func ExamplePlan_Err() {
	snap := must(engine.NewSnapshot(sample()))
	eval := must(engine.New(preemption.Config{Filters: []*preemption.Filter{breaking{on: map[string]bool{"n1": true, "n2": true}}.filter()}}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	fmt.Println(plan.Outcome)
	fmt.Println(plan.Err())
	// Output:
	// nothing-helps
	// out of order
}

func ExamplePlan_String_explained() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	fmt.Println(must(eval.Explain(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now})))
	// Output:
	// default/urgent: preempts on n1
	//   victims: default/batch (priority 10)
	//   as things are: 2 NodeResourcesFit: Insufficient cpu
	//   candidates: n1 [default/batch], n2 [default/cache]; decided by: lower priority of the most important victim
}

func ExampleGroupPlan_String() {
	snap, eval := must(engine.NewSnapshot(grouped())), must(engine.New(preemption.Config{}))
	fmt.Println(must(eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: training(), Now: now})))
	// Output:
	// group default/train: preempts
	//   status: pod group preemption: found a placement for podgroup, preempting 3 victims
	//   placement: default/train-0 on n1, default/train-1 on n1
	//   victims: default/shop (2 pods), default/batch
	//   as things are: no place for default/train-0: 2 NodeResourcesFit: Insufficient cpu; minCount (2) cannot be satisfied: 0 scheduled, 1 remaining
}

// PLAN_JSON.md beside this package says what each field means.
func ExamplePlan_MarshalJSON() {
	snap, eval := must(engine.NewSnapshot(sample())), must(engine.New(preemption.Config{}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	if err := enc.Encode(plan); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "apiVersion": "outrank/v1",
	//   "kind": "Plan",
	//   "pod": {
	//     "namespace": "default",
	//     "name": "urgent",
	//     "priority": 1000
	//   },
	//   "outcome": "preempt",
	//   "node": "n1",
	//   "victims": [
	//     {
	//       "pod": {
	//         "namespace": "default",
	//         "name": "batch",
	//         "priority": 10,
	//         "node": "n1",
	//         "startTime": "2026-01-10T11:00:00Z"
	//       },
	//       "violated": [],
	//       "blocks": {
	//         "code": "unschedulable",
	//         "filter": "NodeResourcesFit",
	//         "reasons": [
	//           "Insufficient cpu"
	//         ]
	//       }
	//     }
	//   ],
	//   "score": {
	//     "violations": 0,
	//     "topPriority": 10,
	//     "prioritySum": 10,
	//     "shiftedPrioritySum": 2147483658,
	//     "victims": 1,
	//     "start": "2026-01-10T11:00:00Z"
	//   },
	//   "clearedNominations": [],
	//   "feasible": 0,
	//   "turnedDown": [
	//     {
	//       "nodes": 2,
	//       "code": "unschedulable",
	//       "filter": "NodeResourcesFit",
	//       "reasons": [
	//         "Insufficient cpu"
	//       ]
	//     }
	//   ],
	//   "unhelpful": []
	// }
}

// A program keeps the words, and tells the pod what kube-scheduler would.
func ExampleIneligibility_Message() {
	var logged preemption.Plan
	logged.Outcome, logged.Ineligible = preemption.NotEligible, preemption.PolicyNever
	fmt.Println(logged.Outcome, logged.Ineligible)
	fmt.Println(logged.Ineligible.Message())
	// Output:
	// not-eligible policy-never
	// not eligible due to preemptionPolicy=Never.
}
