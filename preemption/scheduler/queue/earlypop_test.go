package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Backoff as it is by default: it goes by whole seconds and may end early (rules
// 5.3.3 to 5.3.7).
func TestEarlyPop(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		config       Config
		steps        []step
	}{
		{name: "nothing else to pop", reason: "the pod in backoff need not wait", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{0.25, moveAll(EventNodeAdded, 1), "0 1 0 0"},
			{0.25, ready(0.25), "0 1 0 0"},
			{0.25, flush(0), "0 1 0 0"},
			{0.25, pop("p1"), "0 0 0 1"},
			{0.25, ready(-1), "0 0 0 1"},
		}},
		{name: "another is active", reason: "whoever is in backoff comes after it, whatever the priority", steps: []step{
			{0, add("p9"), "1 0 0 0"}, {0, pop("p9"), "0 0 0 1"}, {0, fail("p9", fit), "0 0 1 0"},
			{0, moveAll(EventNodeAdded, 1), "0 1 0 0"},
			{0, add("p1"), "1 1 0 0"},
			{0, pop("p1"), "0 1 0 1"},
			{0, pop("p9"), "0 0 0 2"},
		}},
		{name: "several in backoff", reason: "the one whose second is over first; in one second, priority decides", steps: []step{
			{0.75, add("p1"), "1 0 0 0"}, {0.75, pop("p1"), "0 0 0 1"},
			{0.75, add("p2"), "1 0 0 1"}, {0.75, pop("p2"), "0 0 0 2"},
			{0.75, add("p3"), "1 0 0 2"}, {0.75, pop("p3"), "0 0 0 3"},
			{0.75, moveAll(EventNodeAdded, 0), "0 0 0 3"},
			{0.75, fail("p1", fit), "0 1 0 2"},
			{0.875, fail("p2", fit), "0 2 0 1"},
			{1, fail("p3", fit), "0 3 0 0"},
			{1, pop("p2"), "0 2 0 1"},
			{1, pop("p1"), "0 1 0 2"},
			{1, pop("p3"), "0 0 0 3"},
		}},
		{name: "after an error", reason: "whatever broke is given the time to recover", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"},
			{0, ready(2), "0 1 0 0"},
			{1.99, popNone, "0 1 0 0"},
			{2, pop("p1"), "0 0 0 1"},
		}},
		{name: "error and no room", reason: "only the one without room is popped early", steps: []step{
			{0, add("p9"), "1 0 0 0"}, {0, pop("p9"), "0 0 0 1"}, {0, fail("p9"), "0 1 0 0"},
			{0, add("p1"), "1 1 0 0"}, {0, pop("p1"), "0 1 0 1"},
			{0, moveAll(EventNodeAdded, 0), "0 1 0 1"}, {0, fail("p1", fit), "0 2 0 0"},
			{0, func(d *desk) {
				require.Equal(d, "p9", d.q.Pending().Backoff[0].Pod.Name, "both are listed, the more important first")
			}, "0 2 0 0"},
			{0, pop("p1"), "0 1 0 1"},
			{0, popNone, "0 1 0 1"},
		}},
		{name: "whole seconds", reason: "failed at 0.0 s and waiting 1 s, it is due at 2.0 s", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{1.99, moveAll(EventNodeAdded, 1), "0 1 0 0"},
			{1.99, flush(0), "0 1 0 0"},
			{2, flush(1), "1 0 0 0"},
		}},
		{name: "late in a second", reason: "failed at 0.75 s, its end is cut to 1 s, so that it is due at 2 s, too", steps: []step{
			{0.75, add("p1"), "1 0 0 0"}, {0.75, pop("p1"), "0 0 0 1"}, {0.75, fail("p1", fit), "0 0 1 0"},
			{0.75, func(d *desk) {
				require.Equal(d, noon.Add(time.Second), d.q.Pending().Unschedulable[0].BackoffEnd)
			}, "0 0 1 0"},
			{1.75, moveAll(EventNodeAdded, 1), "0 1 0 0"},
			{2, flush(1), "1 0 0 0"},
		}},
		{name: "moved when it is over", reason: "it is active at once", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{2, moveAll(EventNodeAdded, 1), "1 0 0 0"},
		}},
		{name: "early pop counts as an attempt", reason: "the next backoff is twice as long", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, moveAll(EventNodeAdded, 0), "0 0 0 1"}, {0, fail("p1", fit), "0 1 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{2.99, moveAll(EventNodeAdded, 1), "0 1 0 0"},
			{2.99, flush(0), "0 1 0 0"},
			{3, flush(1), "1 0 0 0"},
		}},
		{name: "time-out shorter than backoff", reason: "backoff still holds, to the end of its second",
			config: Config{UnschedulableTimeout: time.Second, InitialBackoff: 3 * time.Second}, steps: []step{
				{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
				{3.5, flush(0), "0 0 1 0"},
				{3.5, ready(4), "0 0 1 0"},
				{4, flush(1), "1 0 0 0"},
			}},
		{name: "turned off", reason: "backoff lasts to its end, and no longer", config: Config{NoEarlyPop: true}, steps: []step{
			{0.5, add("p1"), "1 0 0 0"}, {0.5, pop("p1"), "0 0 0 1"},
			{0.5, moveAll(EventNodeAdded, 0), "0 0 0 1"}, {0.5, fail("p1", fit), "0 1 0 0"},
			{0.5, popNone, "0 1 0 0"},
			{1.4, popNone, "0 1 0 0"},
			{1.5, pop("p1"), "0 0 0 1"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			q, err := New(c.config)
			require.NoError(t, err)
			(&desk{T: t, q: q}).run(c.steps)
		})
	}
}
