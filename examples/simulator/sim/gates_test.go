package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
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

// A gate that holds a pod when it is due leaves one pod less to be tried: the
// others are not tried once more for it, also where many are refused at a time.
func TestGateHoldsPodThatIsDue(t *testing.T) {
	for _, oneByOne := range []bool{true, false} {
		closed := false
		config := Config{OneByOne: oneByOne, End: seconds(30), Recreate: Recreate{Rule: RecreateNever}}
		config.Queue.UnschedulableTimeout = seconds(20)
		config.Queue.Gates = []queue.Gate{{Name: "closed", Holds: func(p *outrank.Pod) bool { return closed && p.Name == "held" }}}
		// The last of them is tried after the state has changed, the first two before.
		work := []Work{
			endless(asking("held", 30, "2"), 0), endless(asking("first", 20, "2"), 0),
			endless(asking("fits", 10, "1"), 0), endless(asking("last", 0, "2"), 0),
		}
		s, err := New(nodes(node("n", "1")), work, config)
		require.NoError(t, err)
		require.NoError(t, s.At(seconds(10), Call(func(*Simulation) error { closed = true; return nil })))
		_, err = s.Run(t.Context())
		require.NoError(t, err)
		pending := s.Pending()
		require.Equal(t, []int{1, 0, 1, 1, 0}, []int{
			len(pending.Active), len(pending.Backoff), len(pending.Unschedulable), len(pending.Gated), len(pending.InFlight),
		}, "one by one: %v", oneByOne)
		require.Equal(t, "last", pending.Active[0].Pod.Name)
		require.Equal(t, 1, pending.Active[0].Attempts)
	}
}
