package engine_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// keepsNode is an extender that lets nobody be evicted on one node.
type keepsNode string

func (x keepsNode) extender() preemption.Extender {
	return preemption.Extender{Name: "keeps " + string(x), Process: x.process, Interested: func(pod *outrank.Pod) bool { return pod.Labels["owner"] != "operator" }}
}

func (x keepsNode) process(_ context.Context, _ *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
	return slices.DeleteFunc(candidates, func(p preemption.Candidate) bool { return p.Node == string(x) }), nil
}

// An extender takes a candidate away, and the next best node is chosen.
func ExampleExtender() {
	snap := must(engine.NewSnapshot(sample()))
	for _, extenders := range [][]preemption.Extender{nil, {keepsNode("n1").extender()}} {
		eval := must(engine.New(preemption.Config{Extenders: extenders}))
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now}))
		fmt.Println(plan.Node, plan.Victims)
	}
	// Output:
	// n1 [default/batch]
	// n2 [default/cache]
}
