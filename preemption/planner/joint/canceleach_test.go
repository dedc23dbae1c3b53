package joint_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// holds judges a plan by sums of cpu alone: nobody leaves for a pod of the same or a lower priority, nobody
// leaves twice, and what runs on a node in the end fits there.
func holds(t *rapid.T, cpuOf func(*outrank.Pod) int64, running []*outrank.Pod, plan *joint.Plan) {
	used, gone := map[string]int64{}, map[string]bool{}
	for _, at := range plan.Placements {
		for _, v := range at.Victims {
			require.Less(t, *v.Priority, *at.Pod.Priority, "%s leaves for %s", v.Name, at.Pod.Name)
			require.False(t, gone[v.Name], "%s leaves twice", v.Name)
			gone[v.Name] = true
		}
		if at.Node != "" {
			used[at.Node] += cpuOf(at.Pod)
		}
	}
	for _, p := range running {
		if !gone[p.Name] {
			used[p.NodeName] += cpuOf(p)
		}
	}
	for node, cpu := range used {
		require.LessOrEqual(t, cpu, int64(4), "cpu on %s", node)
	}
}

// A context may end at any of the looks at it, and a call looks a few hundred times for three nodes and four
// pods. At each of them the call ends with the context's error or with a plan that holds.
func TestPropertyEndsAtEachLook(t *testing.T) {
	whole := func(p *outrank.Pod) int64 {
		q := p.Containers[0].Requests["cpu"]
		return q.MilliValue() / 1000
	}
	draw := func(t *rapid.T, name, node string, lowest int32) *outrank.Pod {
		return pod(name, node, rapid.Int32Range(lowest, lowest+5).Draw(t, "priority"), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "cpu"))
	}
	apart := seeded.Sample(3, 1) // looks of a call; a plain run leaves the others out
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{}
		for _, name := range []string{"n1", "n2", "n3"} {
			c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "9")})
			for room := int64(4); room > 0; {
				p := draw(t, name+"-"+string(rune('0'+room)), name, 0)
				if room -= whole(p); room >= 0 {
					c.Pods = append(c.Pods, p)
				}
			}
		}
		var asking []*outrank.Pod
		for _, name := range []string{"w1", "w2", "w3", "w4"} {
			asking = append(asking, draw(t, name, "", 3))
		}
		steps := 0
		for left, ended := rapid.IntRange(0, apart-1).Draw(t, "first"), true; ended; left += apart {
			snap, err := engine.NewSnapshot(c)
			require.NoError(t, err)
			ctx := &watched{Context: context.Background(), left: left, steps: &steps}
			plan, err := joint.Preempt(ctx, must(engine.New(preemption.Config{})), snap, joint.Request{Pods: asking, Now: clustergen.Now(), Limit: 500})
			ended = ctx.times > left
			require.Less(t, left, math.MaxInt16, "the call ends by itself")
			if err != nil {
				require.ErrorIs(t, err, context.Canceled, "after %d looks", left)
				continue
			}
			holds(t, whole, c.Pods, plan)
		}
	})
}
