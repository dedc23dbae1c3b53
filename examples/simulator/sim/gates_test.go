package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
)

// A gated pod does not keep the scheduler busy, nor a run from its end; it is
// counted as gated.
func TestRestBesideGatedPods(t *testing.T) {
	gated := asking("gated", 10, "1")
	gated.SchedulingGates = []string{"quota"}
	w := watched(t, nodes(node("n", "4")), []Work{endless(asking("all", 5, "4"), 0), endless(asking("low", 0, "4"), 1), endless(gated, 2)}, Config{})
	w.run(20)
	require.Equal(t, "gated", w.s.Where("default/gated").Pool)
	pending := w.s.Result().Metrics.Pending
	require.Equal(t, 1, pending.Gated)
	require.Equal(t, 1, pending.Unschedulable)

	require.NoError(t, w.s.At(seconds(3), SetGates("default/gated")))
	require.NoError(t, w.s.At(seconds(3), SetGates("default/all", "late"))) // it has a node
	w.run(20)
	require.Equal(t, Running, w.s.Where("default/gated").Phase)
	require.NoError(t, w.s.At(seconds(99), SetGates("default/nobody")))
	require.ErrorIs(t, w.s.Until(t.Context(), seconds(99)), preemption.ErrNotFound)
}
