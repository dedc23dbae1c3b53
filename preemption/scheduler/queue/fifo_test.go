package queue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

func TestFIFOSteps(t *testing.T) {
	reborn := func(p *outrank.Pod) { p.UID = "2" }
	for _, c := range []struct {
		name, reason string
		steps        []step
	}{
		{"order", "as they came, whatever their priority, and whatever the time says", []step{
			{9, ready(-1), "0 0 0 0"},
			{9, add("p1"), "1 0 0 0"}, {8, add("p9"), "2 0 0 0"}, {7, add("p5"), "3 0 0 0"},
			{7, ready(7), "3 0 0 0"},
			{7, pop("p1"), "2 0 0 1"}, {7, pop("p9"), "1 0 0 2"}, {7, pop("p5"), "0 0 0 3"},
			{7, popNone, "0 0 0 3"}, {7, ready(-1), "0 0 0 3"},
		}},
		{"put back", "to the end, and ready at once, often", []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"},
			{0, pop("p1"), "1 0 0 1"}, {0, fail("p1", fit), "2 0 0 0"},
			{0, pop("p2"), "1 0 0 1"}, {0, pop("p1"), "0 0 0 2"},
			{0, fail("p1", fit), "1 0 0 1"}, {0, pop("p1"), "0 0 0 2"},
			{0, done("p1", true), "0 0 0 1"}, {0, failRefused("p1"), "0 0 0 1"},
		}},
		{"add, update", "a pod inside keeps its place; in flight, adding puts it at the end", []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"},
			{0, add("p1"), "2 0 0 0"}, {0, addIfNotPresent("p1", false), "2 0 0 0"},
			{0, update(waiting("p1")), "2 0 0 0"}, {0, update(waiting("p3")), "3 0 0 0"},
			{0, pop("p1"), "2 0 0 1"}, {0, update(with("p1", func(p *outrank.Pod) { p.NominatedNodeName = "n1" })), "2 0 0 1"},
			{0, fail("p1"), "3 0 0 0"},
			{0, func(d *desk) { require.Equal(d, "n1", d.q.Pending().Active[2].Pod.NominatedNodeName) }, "3 0 0 0"},
			{0, pop("p2"), "2 0 0 1"}, {0, add("p2"), "3 0 0 0"}, {0, failRefused("p2"), "3 0 0 0"},
			{0, pop("p3"), "2 0 0 1"}, {0, pop("p1"), "1 0 0 2"}, {0, pop("p2"), "0 0 0 3"},
		}},
		{"another UID", "the new pod goes to the end", []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"},
			{0, addPod(with("p1", reborn)), "2 0 0 0"},
			{0, remove(waiting("p1"), false), "2 0 0 0"},
			{0, pop("p2"), "1 0 0 1"}, {0, pop("p1"), "0 0 0 2"},
			{0, remove(with("p1", reborn), true), "0 0 0 1"}, {0, failRefused("p1"), "0 0 0 1"},
		}},
		{"nothing to move", "there is one pool", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, moveAll("", 0), "0 0 0 1"}, {0, activate(0, "p1"), "0 0 0 1"},
			{0, fail("p1", fit), "1 0 0 0"}, {0, moveAll("", 0), "1 0 0 0"}, {0, activate(0, "p1"), "1 0 0 0"},
			{900, flush(0), "1 0 0 0"}, {900, assigned(waiting("p1"), 0), "1 0 0 0"},
			{900, func(d *desk) { require.Zero(d, d.q.AssignedPodUpdated(waiting("p1"), d.now)) }, "1 0 0 0"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			(&desk{T: t, q: NewFIFO()}).run(c.steps)
		})
	}
}
