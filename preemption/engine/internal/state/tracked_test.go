package state_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// registerOf returns a tracker that notes the node of every pod. made counts the states that it begins.
func registerOf(made *int) *preemption.Tracker {
	return &preemption.Tracker{New: func() preemption.ClusterState {
		*made++
		return register{}
	}}
}

// register has the name of each pod's node, by the pod's key.
type register map[outrank.Key]string

func (r register) Add(p *outrank.Pod, n *outrank.Node)    { r[p.Key()] = n.Name }
func (r register) Remove(p *outrank.Pod, _ *outrank.Node) { delete(r, p.Key()) }
func (r register) Clone() preemption.ClusterState         { return maps.Clone(r) }

// A tracker is known by its address. One without a state has nothing to keep.
func TestTracked(t *testing.T) {
	c, _ := gen.Benchmark(10, 3, 0)
	snap := snapshotOf(t, c)
	assert.Nil(t, snap.Tracked(nil))
	assert.Nil(t, snap.Tracked(&preemption.Tracker{}))
	assert.Nil(t, snap.Tracked(&preemption.Tracker{New: func() preemption.ClusterState { return nil }}))
	assert.NotNil(t, new(state.Snapshot).Tracked(registerOf(new(int))))
	made := 0
	a, b := registerOf(&made), registerOf(&made)
	assert.Equal(t, fmt.Sprint(snap.Tracked(a)), fmt.Sprint(snap.Tracked(b)))
	snap.Tracked(a)
	snap.Clone().Tracked(a)
	snap.Scratch().Tracked(a)
	assert.Equal(t, 2, made, "each of the two once")
}

// A snapshot keeps a bounded number of states: those that were asked for last.
func TestTrackedIsBounded(t *testing.T) {
	c, _ := gen.Benchmark(10, 3, 0)
	snap := snapshotOf(t, c)
	made := 0
	trackers := make([]*preemption.Tracker, 40)
	for i := range trackers {
		trackers[i] = registerOf(&made)
		snap.Tracked(trackers[0])
		snap.Tracked(trackers[i])
	}
	assert.Equal(t, 40, made, "the first one was asked for again and again")
	for _, tr := range trackers[25:] {
		snap.Tracked(tr)
	}
	assert.Equal(t, 40, made)
	snap.Tracked(trackers[1])
	assert.Equal(t, 41, made)
}

// A state whose counting was cut short by the context of its call is not kept.
func TestTrackedWithin(t *testing.T) {
	c, _ := gen.Benchmark(100, 30, 0)
	snap := snapshotOf(t, c)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tracker := registerOf(new(int))
	assert.NotNil(t, snap.Within(ctx).Tracked(tracker))
	assert.Equal(t, fmt.Sprint(snapshotOf(t, c).Tracked(tracker)), fmt.Sprint(snap.Tracked(tracker)))
}
