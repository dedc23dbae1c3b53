package queue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// What is held back before the queue (rule 5.2.3).
func TestGates(t *testing.T) {
	gates := func(p *outrank.Pod) { p.SchedulingGates = []string{"example.com/quota"} }
	held := map[string]bool{}
	hold := func(name string, hold bool) func(*desk) {
		return func(*desk) { held[name] = hold }
	}
	gateOf := func(want ...string) func(*desk) {
		return func(d *desk) {
			var is []string
			for _, e := range d.q.Pending().Gated {
				is = append(is, e.Pod.Name+" "+e.Gate)
			}
			require.Equal(d, want, is)
		}
	}
	for _, c := range []struct {
		name, reason string
		steps        []step
	}{
		{"scheduling gates", "no event and no time lets it in, an update without them does", []step{
			{0, addPod(with("p1", gates)), "0 0 0 0 gated 1"},
			{0, popNone, "0 0 0 0 gated 1"},
			{0, ready(-1), "0 0 0 0 gated 1"},
			{0, gateOf("p1 SchedulingGates"), "0 0 0 0 gated 1"},
			{0, moveAll("", 0), "0 0 0 0 gated 1"},
			{0, activate(0, "p1"), "0 0 0 0 gated 1"},
			{0, addIfNotPresent("p1", false), "0 0 0 0 gated 1"},
			{900, flush(0), "0 0 0 0 gated 1"},
			{900, update(with("p1", func(p *outrank.Pod) { gates(p); p.NominatedNodeName = "n1" })), "0 0 0 0 gated 1"},
			{900, update(waiting("p1")), "1 0 0 0"},
			{900, pop("p1"), "0 0 0 1"},
			{900, func(d *desk) {
				require.Equal(d, noon, d.attempts["p1"].Enqueued, "it has not entered anew")
				require.Empty(d, d.attempts["p1"].Gate)
			}, "0 0 0 1"},
		}},
		{"every way in", "they are asked wherever a pod comes in", []step{
			{0, func(d *desk) {
				added, err := d.q.AddIfNotPresent(with("p1", gates), d.now)
				require.True(d, added)
				require.NoError(d, err)
			}, "0 0 0 0 gated 1"},
			{0, update(with("p2", gates)), "0 0 0 0 gated 2"},
			{0, add("p1"), "1 0 0 0 gated 1"},
			{0, remove(waiting("p2"), true), "1 0 0 0"},
		}},
		{"own gate", "it is asked at every event, and when the pod is activated", []step{
			{0, hold("p1", true), "0 0 0 0"}, {0, hold("p2", true), "0 0 0 0"}, {0, hold("p3", true), "0 0 0 0"},
			{0, add("p1"), "0 0 0 0 gated 1"}, {0, add("p2"), "0 0 0 0 gated 2"}, {0, add("p3"), "0 0 0 0 gated 3"},
			{0, gateOf("p3 own", "p2 own", "p1 own"), "0 0 0 0 gated 3"},
			{0, hold("p1", false), "0 0 0 0 gated 3"},
			{0, popNone, "0 0 0 0 gated 3"},
			{0, moveAll(EventNodeDeleted, 1), "1 0 0 0 gated 2"},
			{0, hold("p2", false), "1 0 0 0 gated 2"},
			{0, activate(1, "p2", "p3"), "2 0 0 0 gated 1"},
			{0, hold("p3", false), "2 0 0 0 gated 1"},
			{0, assigned(waiting("x"), 1), "3 0 0 0"},
		}},
		{"scheduling gates come first", "and are named", []step{
			{0, hold("p1", true), "0 0 0 0"},
			{0, addPod(with("p1", gates)), "0 0 0 0 gated 1"},
			{0, gateOf("p1 SchedulingGates"), "0 0 0 0 gated 1"},
			{0, update(waiting("p1")), "0 0 0 0 gated 1"},
			{0, gateOf("p1 own"), "0 0 0 0 gated 1"},
			{0, hold("p1", false), "0 0 0 0 gated 1"},
			{0, activate(1, "p1"), "1 0 0 0"},
		}},
		{"held while it was away", "it comes back as gated, and backoff counts all the same", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, moveAll(EventNodeAdded, 0), "0 0 0 1"},
			{0, hold("p1", true), "0 0 0 1"},
			{0, fail("p1", fit), "0 0 0 0 gated 1"},
			{1, hold("p1", false), "0 0 0 0 gated 1"},
			{1, moveAll(EventAssignedPodDeleted, 1), "0 1 0 0"},
			{1, pop("p1"), "0 0 0 1"},
			{1, fail("p1"), "0 1 0 0"},
		}},
		{"held after an error", "the backoff of the error is cut short afterwards (rule 5.3.8)", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, hold("p1", true), "0 0 0 1"},
			{0, fail("p1"), "0 0 0 0 gated 1"},
			{1, hold("p1", false), "0 0 0 0 gated 1"},
			{1, moveAll("", 1), "0 1 0 0"},
			{1, pop("p1"), "0 0 0 1"},
			{1, fail("p1"), "0 1 0 0"},
			{1, popNone, "0 1 0 0"},
		}},
		{"held while unschedulable", "it is gated once it is moved", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{0, hold("p1", true), "0 0 1 0"},
			{1, moveAll(EventNodeDeleted, 0), "0 0 1 0"},
			{1, moveAll(EventNodeAdded, 0), "0 0 0 0 gated 1"},
			{1, hold("p1", false), "0 0 0 0 gated 1"},
			{9, moveAll(EventNodeDeleted, 1), "1 0 0 0"},
		}},
		{"time-out", "the gates are asked then, too, and again after as long", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{0, hold("p1", true), "0 0 1 0"},
			{300, popNone, "0 0 0 0 gated 1"},
			{300, ready(600), "0 0 0 0 gated 1"},
		}},
		{"let in already", "neither the end of backoff, nor a newer version, nor activation asks again (rule 5.2.10)", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"},
			{0, hold("p1", true), "0 1 0 0"},
			{1, update(with("p1", urgentNow)), "0 1 0 0"},
			{1, activate(1, "p1"), "1 0 0 0"},
			{1, update(waiting("p1")), "1 0 0 0"},
			{1, pop("p1"), "0 0 0 1"}, {1, hold("p1", false), "0 0 0 1"}, {1, fail("p1"), "0 1 0 0"},
			{1, hold("p1", true), "0 1 0 0"},
			{19, flush(1), "1 0 0 0"},
			{19, update(with("p1", gates)), "0 0 0 0 gated 1"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			clear(held)
			q, err := New(Config{Gates: []Gate{
				{Name: "open", Holds: func(*outrank.Pod) bool { return false }},
				{Name: "own", Holds: func(p *outrank.Pod) bool { return held[p.Name] }},
			}})
			require.NoError(t, err)
			(&desk{T: t, q: q}).run(c.steps)
		})
	}
}

// A FIFO looks at no gates.
func TestFIFOHasNoGates(t *testing.T) {
	(&desk{T: t, q: NewFIFO()}).run([]step{
		{0, addPod(with("p1", func(p *outrank.Pod) { p.SchedulingGates = []string{"a"} })), "1 0 0 0"},
		{0, pop("p1"), "0 0 0 1"},
	})
}
