package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of the cluster
)

// A snapshot of the cluster that a snapshot is written back to decides alike,
// whatever was bound, nominated and taken off its node before; and no object of the
// caller's is changed by that.
func TestPropertyClusterDecidesAlike(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		snap, ctx, e := newSnapshot(t, c), context.Background(), newEvaluator(t, preemption.Config{})
		before, err := json.Marshal(c)
		require.NoError(t, err)
		move(t, snap)
		again := newSnapshot(t, snap.Cluster())
		after, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "the caller's objects")

		want, wantErr := e.Explain(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
		got, gotErr := e.Explain(ctx, again, preemption.Request{Pod: p, Now: gen.Now})
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(gotErr))
		where := cmpopts.IgnoreFields(outrank.Pod{}, "NodeName", "NominatedNodeName")
		if diff := testdiff.Diff(want, got, where); diff != "" {
			t.Fatalf("explanation (-snapshot +snapshot of its cluster):\n%s", diff)
		}
	})
}

// move binds, nominates and takes off some pods.
func move(t *rapid.T, snap *engine.Snapshot) {
	var nodes []string
	for n := range snap.Nodes() {
		nodes = append(nodes, n.Name)
	}
	var keys []outrank.Key
	for p := range snap.Pods() {
		keys = append(keys, p.Key())
	}
	if len(nodes) == 0 {
		return
	}
	for _, key := range keys {
		node := rapid.SampledFrom(nodes).Draw(t, "node")
		switch rapid.IntRange(0, 5).Draw(t, "move") {
		case 0:
			if snap.NodeOf(key) != "" {
				require.NoError(t, snap.Bind(key, ""))
			}
			require.NoError(t, snap.Bind(key, node))
		case 1:
			if snap.NodeOf(key) == "" {
				require.NoError(t, snap.Nominate(key, node))
			}
		case 2:
			if snap.NodeOf(key) != "" {
				require.NoError(t, snap.Bind(key, ""))
			}
		}
	}
}

// The order of Pods is the documented one, and stopping early is fine.
func TestPodsInOrder(t *testing.T) {
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "b"}, {Name: "a"}},
		Pods: []*outrank.Pod{
			{Name: "waits-2"}, {Name: "waits-1", NominatedNodeName: "a", Priority: outrank.Priority(-9)},
			{Name: "lost-low", NodeName: "gone"}, {Name: "lost-high", NodeName: "gone", Priority: outrank.Priority(1)}, {Name: "lost", NodeName: "away"},
			{Name: "low", NodeName: "a"}, {Name: "high", NodeName: "a", Priority: outrank.Priority(1)}, {Name: "first", NodeName: "b"},
			{Name: "over", NodeName: "a", Phase: outrank.PhaseFailed},
		},
		Namespaces: []*outrank.Namespace{{Name: "z"}, {Name: "y"}},
		Groups:     []*outrank.PodGroup{{Name: "h"}, {Name: "g"}},
	})
	var names []string
	for p := range snap.Pods() {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"first", "high", "low", "lost", "lost-high", "lost-low", "waits-1", "waits-2"}, names)
	for n := range names {
		seen := 0
		for range snap.Pods() {
			if seen++; seen > n {
				break
			}
		}
		assert.Equal(t, n+1, seen)
	}
	for ns := range snap.Namespaces() {
		assert.Equal(t, "y", ns.Name)
		break
	}
	for g := range snap.Groups() {
		assert.Equal(t, "g", g.Name)
		break
	}
}
