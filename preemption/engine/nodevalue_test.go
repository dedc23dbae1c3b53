package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// rack is a caller's record of a node.
type rack struct{ powered bool }

// A rule of the caller's reads what the caller hung on the node: of the version that the
// snapshot has at the moment, in clones and after Undo as well, and also where the answers are
// kept.
func TestNodeValueGoesAlong(t *testing.T) {
	ask := func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
		if n.Value.(*rack).powered {
			return preemption.Status{}
		}
		return preemption.UnschedulableAndUnresolvable.Because("node(s) without power")
	}
	for name, rule := range map[string]*preemption.Filter{
		"without a key": {Name: "Power", Node: ask}, "with a key": {Name: "Power", Key: func(*outrank.Pod) string { return "" }, Node: ask},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := sample()
			for _, n := range cluster.Nodes {
				n.Value = &rack{powered: n.Name == "n1"}
			}
			snap := must(engine.NewSnapshot(cluster))
			eval := must(engine.New(preemption.Config{Filters: []*preemption.Filter{rule}}))
			goes := func(snap *engine.Snapshot) string {
				return must(eval.Preempt(t.Context(), snap, preemption.Request{Pod: urgent(), Now: now})).Node
			}
			require.Equal(t, "n1", goes(snap))

			clone, mark := snap.Clone(), snap.Mark()
			for i, powered := range []bool{false, true} {
				n := *cluster.Nodes[i]
				n.Value = &rack{powered}
				require.NoError(t, snap.PutNode(&n))
			}
			require.Equal(t, "n2", goes(snap))
			require.Equal(t, "n1", goes(clone))
			require.NoError(t, snap.Undo(mark))
			require.Equal(t, "n1", goes(snap))

			n, _ := clone.Node("n1")
			require.Same(t, cluster.Nodes[0].Value, n.Value)
			require.Same(t, cluster.Nodes[0].Value, snap.Cluster().Nodes[0].Value)
		})
	}
}
