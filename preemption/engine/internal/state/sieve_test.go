package state_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// The sieve lets a node through wherever some of its pods of the lowest priority make enough room within
// the bound, whatever has changed since the block was first looked at.
func TestPropertyWithinLeavesNobodyOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.SampledFrom([]int64{0, 1, 2, 3, 50, 51, 1 << 40})
		pod := func(i int) *outrank.Pod {
			p := &outrank.Pod{
				Name: fmt.Sprint(i), NodeName: fmt.Sprint("n", i%3), Priority: outrank.Priority(rapid.SampledFrom([]int32{0, 0, 0, 1}).Draw(t, "priority")),
				Containers: []outrank.Container{{Requests: resource.List{resource.CPU: resource.NewMilli(amount.Draw(t, "cpu")), resource.Memory: resource.New(amount.Draw(t, "memory"))}}},
			}
			if at := rapid.IntRange(0, 300).Draw(t, "start"); at > 0 {
				p.StartTime = time.Unix(int64(at), 0)
			}
			return p
		}
		c := &outrank.Cluster{}
		for i := range 3 {
			c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.List{
				resource.CPU: resource.NewMilli(amount.Draw(t, "cpu")), resource.Memory: resource.New(amount.Draw(t, "memory")), resource.Pods: resource.New(100),
			}})
		}
		for i := range rapid.IntRange(0, 24).Draw(t, "pods") {
			c.Pods = append(c.Pods, pod(i))
		}
		all := []*state.Snapshot{snapshotOf(t, c)}
		for range 6 {
			snap := rapid.SampledFrom(all).Draw(t, "snapshot")
			for range rapid.IntRange(1, 10).Draw(t, "questions") {
				asksWithin(t, snap)
			}
			if i := rapid.IntRange(0, 30).Draw(t, "changed"); i < 27 {
				_, err := snap.PutPod(pod(i)) // of the pods that are there, or another one
				require.NoError(t, err)
			} else {
				all = append(all, snap.Clone())
			}
		}
	})
}

// asksWithin chooses pods of the lowest priority of a node, asks the sieve for the room that they make, and
// expects the node in its answer.
func asksWithin(t *rapid.T, s *state.Snapshot) {
	_, _, err := s.Digests(context.Background())
	require.NoError(t, err)
	n := s.NodeStates[rapid.IntRange(0, 2).Draw(t, "node")]
	sum := s.Summaries.At(n.Slot)
	asks, victims, start := sum.Free, int64(0), int64(math.MaxInt64)
	for i := len(n.Rows) - int(sum.LowPods); i < len(n.Rows); i++ {
		if victims < state.TopK && rapid.Bool().Draw(t, "victim") {
			victims, start = victims+1, min(start, n.SortKeys[i].Sec)
			for k, v := range n.Rows[i] {
				asks[k] += v
			}
		}
	}
	if victims == 0 {
		return
	}
	for k := range asks {
		asks[k] -= rapid.SampledFrom([]int64{0, 0, 1, 100}).Draw(t, "less")
	}
	if rapid.Bool().Draw(t, "no start") {
		start = math.MinInt64
	}
	if victims < state.TopK && rapid.Bool().Draw(t, "with one more") {
		victims, start = victims+1, math.MaxInt64
	}
	within := s.Sieve(0).Within(sum.Lowest, victims, start, &asks)
	require.NotZero(t, within&(1<<n.Slot), "node %d, %d victims since %d, asks %v", n.Slot, victims, start, asks)
}
