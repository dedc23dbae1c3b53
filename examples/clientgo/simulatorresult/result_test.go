package simulatorresult_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/simulatorresult"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func pod(name string, priority int32, node string) *outrank.Pod {
	asks := []outrank.Container{{Requests: resource.MustList("cpu", "1")}}
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: asks, NodeName: node}
}

func planFor(priority int32) *preemption.Plan {
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "9")},
			{Name: "n2", Allocatable: resource.MustList("cpu", "1", "pods", "9")},
		},
		Pods: []*outrank.Pod{pod("a", 50, "n1"), pod("b", 10, "n2")},
	})
	if err != nil {
		panic(err)
	}
	evaluator, err := engine.New(preemption.Config{})
	if err != nil {
		panic(err)
	}
	plan, err := evaluator.Preempt(context.Background(), snap, preemption.Request{Pod: pod("urgent", priority, ""), Now: time.Unix(0, 0)})
	if err != nil {
		panic(err)
	}
	return plan
}

func ExamplePostFilter() {
	value, err := simulatorresult.PostFilter("Outrank", planFor(100), []string{"n1", "n2"})
	fmt.Println(simulatorresult.PostFilterKey, value, err)
	// Output: scheduler-simulator/postfilter-result {"n1":{},"n2":{"Outrank":"preemption victim"}} <nil>
}

// Where nobody leaves no node is nominated.
func TestNoNomination(t *testing.T) {
	for name, plan := range map[string]*preemption.Plan{"nothing helps": planFor(1), "no plan": nil} {
		value, err := simulatorresult.PostFilter("Outrank", plan, []string{"n1"})
		require.NoError(t, err, name)
		require.Equal(t, `{"n1":{}}`, value, name)
	}
}
