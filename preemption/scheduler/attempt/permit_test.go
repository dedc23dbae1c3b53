package attempt_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/resource"
)

func TestOnlyAResizeThatFitsIsKeptWaiting(t *testing.T) {
	assert.Equal(t, preemption.Status{}, attempt.Permit(nil))
	for _, outcome := range []preemption.Outcome{preemption.Fits, preemption.Preempts, preemption.NotEligible, preemption.NothingHelps} {
		for _, resize := range []bool{false, true} {
			got := attempt.Permit(&preemption.Plan{Outcome: outcome, Resize: resize})
			if outcome == preemption.Fits && resize {
				assert.Equal(t, "DeferredPodScheduling: pod resize fits, waiting for Kubelet actuation", got.String())
				assert.Equal(t, preemption.UnschedulableAndUnresolvable, got.Code)
			} else {
				assert.Equal(t, preemption.Status{}, got, "%v %v", outcome, resize)
			}
		}
	}
}

// ExamplePermit asks for room for a pod that is to grow on its node.
func ExamplePermit() {
	release := must(outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true}))
	grows := on(pod("db", 100, "3"), "n1")
	grows.ResizeDeferred = true
	grows.Containers[0].AllocatedResources = resource.MustList("cpu", "2")
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Release: release, Pods: []*outrank.Pod{grows, on(pod("batch", 0, "2"), "n1")}, Nodes: []*outrank.Node{node("n1", "4")},
	}))
	eval := must(engine.New(preemption.Config{}))
	for range 2 {
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: grows, Now: now}))
		if permit := attempt.Permit(plan); permit.Code != preemption.Success {
			fmt.Println(permit)
			return
		}
		fmt.Println(plan.Node, plan.Victims)
		if err := snap.Apply(plan); err != nil {
			panic(err)
		}
	}
	// Output:
	// n1 [default/batch]
	// DeferredPodScheduling: pod resize fits, waiting for Kubelet actuation
}
