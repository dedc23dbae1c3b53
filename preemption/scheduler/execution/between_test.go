package execution_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
