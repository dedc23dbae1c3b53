package execution_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/resource"
)

// A nomination that is made, moved or taken back between two attempts, while nothing else happens,
// is what the snapshot has at the next.
func TestApplyToHearsOfWhatHappenedBetweenAttempts(t *testing.T) {
	room := resource.MustList("cpu", "2", "pods", "9")
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: room}, {Name: "n2", Allocatable: room}}})
	require.NoError(t, err)
	var n execution.Nominator
	a := pendingPod("a")
	require.NoError(t, errOf(snap.PutPod(a)))
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return n.Add(a, "") }, ""},
		{func() error { return nil }, ""},
		{func() error { return n.Add(a, "n1") }, "n1"},
		{func() error { return nil }, "n1"},
		{func() error { n.Remove(a); return n.Add(a, "n2") }, "n2"},
		{func() error { n.Remove(a); return nil }, ""},
		{func() error { return n.Add(a, "n2") }, "n2"},
	} {
		require.NoError(t, step.do())
		require.NoError(t, n.ApplyTo(snap))
		assert.Equal(t, step.want, snap.NominationOf(a.Key()))
	}
}

// However nominations come and go one after the other, the snapshot has after each of them what a plain map
// of pods and nodes says. Nothing else changes in between, so that a change that is not passed on stays unknown.
func TestPropertyApplyToHearsOfEachChange(t *testing.T) {
	pods := map[string]*outrank.Pod{"a": pendingPod("a", withUID("1")), "b": pendingPod("b", withUID("2"), withPriority(1))}
	rapid.Check(t, func(t *rapid.T) {
		snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{smallNode("n1"), smallNode("n2")}})
		require.NoError(t, err)
		for _, p := range pods {
			require.NoError(t, errOf(snap.PutPod(p)))
		}
		var n execution.Nominator
		require.NoError(t, n.ApplyTo(snap))

		want := map[string]string{}
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "pod")
			node := rapid.SampledFrom([]string{"n1", "n2", ""}).Draw(t, "node")
			n.Remove(pods[name])
			delete(want, name)
			if node != "" {
				require.NoError(t, n.Add(pods[name], node))
				want[name] = node
			}

			require.NoError(t, n.ApplyTo(snap))
			got := map[string]string{}
			for name, p := range pods {
				if at := snap.NominationOf(p.Key()); at != "" {
					got[name] = at
				}
			}
			require.True(t, maps.Equal(want, got), "%s is nominated to %q, and the snapshot has %v", name, node, got)
		}
	})
}
