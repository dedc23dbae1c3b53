package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// A filter that answers otherwise each time has said about the nominated node what it said first: there nothing would
// help, so that the pod does not wait for the one that leaves.
func TestFirstAnswerOfTheNominatedNodeCounts(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "1", "a")},
		Pods:  []*outrank.Pod{pod("leaves", 1, "1", on("n1"), leaving(outrank.PreemptionByScheduler)), pod("low", 1, "1", on("n2"))},
	}
	for _, codes := range [][]preemption.Code{
		{preemption.Unschedulable, preemption.UnschedulableAndUnresolvable}, {preemption.UnschedulableAndUnresolvable, preemption.Unschedulable},
	} {
		asked := 0
		fickle := &preemption.Filter{Name: "Fickle", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
			if n.Name != "n1" {
				return preemption.Status{}
			}
			asked++
			return preemption.Status{Code: codes[min(asked, 2)-1]}
		}}
		e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{fickle}})
		plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1", nominated("n1")), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, codes[0] == preemption.Unschedulable, plan.Ineligible == preemption.VictimsTerminating, "%v: %q", codes, plan.Ineligible)
	}
}
