package dryrun_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// An attempt that follows pods leaves what the snapshot keeps as it is.
func TestFollowingLeavesTheCountsAlone(t *testing.T) {
	node := func(name, zone string) *outrank.Node {
		return &outrank.Node{Name: name, Labels: map[string]string{"zone": zone}, Allocatable: resource.MustList("cpu", "4", "pods", "9")}
	}
	web := map[string]string{"app": "web"}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "z1"), node("n2", "z2")},
		Pods:  []*outrank.Pod{{Name: "leaves", NodeName: "n1"}, {Name: "like", NodeName: "n2", Labels: web}},
	}
	p := &outrank.Pod{Name: "asks", Labels: web, Priority: outrank.Priority(10), TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: web},
	}}}
	snap, err := state.New(c, state.UsualTraits)
	require.NoError(t, err)
	attempt := func() *dryrun.DryRunner {
		a, err := dryrun.NewAttempt(context.Background(), &dryrun.Terms{}, snap, p, now)
		require.NoError(t, err)
		return dryrun.NewDryRunner(a)
	}
	says := func(w *dryrun.DryRunner) preemption.Code {
		n := snap.NodeState("n1")
		w.Enter(n)
		st := w.CheckWithoutPossible(n, true)
		return st.Code.Public()
	}
	w := attempt()
	require.Equal(t, preemption.Success, says(w))
	like, _ := snap.PodStates.Get("default/like")
	n1 := snap.NodeState("n1")
	for range 2 {
		w.Follow(like, n1, 1)
	}
	assert.Equal(t, preemption.Unschedulable, says(w))
	assert.Equal(t, preemption.Success, says(attempt()))
}
