package joint_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/resource"
)

// roomOfTheLarge has a small pod leave first, and then a large one, with which gone the small one could stay.
func roomOfTheLarge(t *testing.T) (*engine.Snapshot, []*outrank.Pod) {
	make := func(name, node string, priority int32, amounts ...string) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: node, Priority: outrank.Priority(priority), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList(amounts...)}}}
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("memory", "6", "gpu", "2", "pods", "3")}},
		Pods:  []*outrank.Pod{make("large", "n", 0, "memory", "5"), make("small", "n", -10, "memory", "1")},
	})
	require.NoError(t, err)
	return snap, []*outrank.Pod{make("first", "", 100, "memory", "1"), make("second", "", 5, "memory", "3", "gpu", "2")}
}

// Whatever ends the search, nobody leaves who could stay, and nobody needs a victim beside which it would
// fit (rule 25.1.7).
func TestNobodyLeavesWhoCouldStay(t *testing.T) {
	look := func(t *testing.T, plan *joint.Plan) {
		t.Helper()
		require.Len(t, plan.Victims, 1, "%v", plan)
		v := plan.Victims[0]
		assert.Equal(t, "large", v.Pod.Name)
		assert.Equal(t, plan.Placements[0].Pod, v.For, "at its turn nobody else had left")
		assert.Equal(t, []*outrank.Pod{plan.Placements[0].Pod, plan.Placements[1].Pod}, v.Needs)
		assert.Equal(t, 2, plan.OneByOne.Victims)
		assert.False(t, plan.Kept)
	}
	snap, pods := roomOfTheLarge(t)
	eval := must(engine.New(preemption.Config{}))
	for limit := range 40 {
		plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: pods, Now: gen.Now, Limit: limit})
		require.NoError(t, err)
		look(t, plan)
	}

	steps := 0
	whole := &watched{Context: context.Background(), left: math.MaxInt, steps: &steps}
	_, err := joint.Preempt(whole, eval, snap, joint.Request{Pods: pods, Now: gen.Now})
	require.NoError(t, err)
	plans := 0
	for left := range whole.times {
		ctx := &watched{Context: context.Background(), left: left, steps: &steps}
		plan, err := joint.Preempt(ctx, eval, snap, joint.Request{Pods: pods, Now: gen.Now})
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			continue
		}
		look(t, plan)
		plans++
	}
	assert.NotZero(t, plans)
}

// A context that ends while the bound is asked for is neither an answer nor a panic, wherever it ends.
func TestContextEndsTheBound(t *testing.T) {
	c := &outrank.Cluster{}
	for _, node := range []string{"n1", "n2", "n3"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: node, Allocatable: resource.MustList("cpu", "4", "pods", "9")})
		for priority := range int32(4) {
			c.Pods = append(c.Pods, pod(node+string('a'+rune(priority)), node, priority, "1"))
		}
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	pods := []*outrank.Pod{pod("w1", "", 100, "2"), pod("w2", "", 100, "3"), pod("w3", "", 100, "4"), pod("w4", "", 100, "1")}
	eval := must(engine.New(preemption.Config{}))
	interrupted := 0
	for left := 0; left < 400; left += seeded.Sample(3, 1) {
		steps := 0
		plan, err := joint.Preempt(&watched{Context: context.Background(), left: left, steps: &steps}, eval, snap, joint.Request{Pods: pods, Now: gen.Now})
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			continue
		}
		interrupted++
		require.True(t, plan.Interrupted)
		require.Equal(t, 10, plan.Total.Victims, "one pod of each node fits beside none, and ten units are short")
		after(t, eval, snap, plan)
	}
	assert.NotZero(t, interrupted)
}
