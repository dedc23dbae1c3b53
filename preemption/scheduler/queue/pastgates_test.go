package queue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Rule 5.5.6: that time has moved another pod may help the pods in flight, too.
func TestTimeOutCountsForPodsInFlight(t *testing.T) {
	fresh(t).run([]step{
		{0, add("p1"), ""}, {0, pop("p1"), ""}, {0, fail("p1", fit), "0 0 1 0"},
		{200, add("p2"), ""}, {200, pop("p2"), "0 0 1 1"},
		{299, flush(0), "0 0 1 1"},
		{300, flush(1), "1 0 0 1"},
		{300, fail("p2", fit), "1 1 0 0"},
		{310, pop("p2"), ""}, {310, pop("p1"), "0 0 0 2"},
		{310, flush(0), "0 0 0 2"},
		{310, fail("p2", fit), "0 0 1 1"},
	})
}

// Rule 5.2.9: where backoff does not end early, gates are asked after it.
func TestGatesWithoutEarlyPop(t *testing.T) {
	held := map[string]bool{}
	hold := func(hold bool) func(*desk) { return func(*desk) { held["p1"] = hold } }
	q, err := New(Config{NoEarlyPop: true, Gates: []Gate{{Name: "own", Holds: func(p *outrank.Pod) bool { return held[p.Name] }}}})
	require.NoError(t, err)
	(&desk{T: t, q: q}).run([]step{
		{0, add("p1"), ""}, {0, pop("p1"), ""}, {0, hold(true), ""},
		{0, fail("p1"), "0 1 0 0"},
		{1, flush(0), "0 0 0 0 gated 1"},
		{1, hold(false), ""}, {1, activate(1, "p1"), "1 0 0 0"},
		{1, pop("p1"), ""}, {1, fail("p1"), "0 1 0 0"}, {1, hold(true), ""},
		{2, activate(0, "p1"), "0 0 0 0 gated 1"},
	})
}

// Rule 5.5.7: an update of a pod in flight, and what it means for another one.
func TestUpdatesOfPodsInFlight(t *testing.T) {
	for release, other := range map[outrank.Release]string{outrank.V1_36: "0 1 1 0", outrank.V1_37: "0 2 0 0"} {
		q, err := New(Config{Release: release})
		require.NoError(t, err)
		(&desk{T: t, q: q}).run([]step{
			{0, add("p1"), ""}, {0, add("p2"), ""}, {0, pop("p2"), ""}, {0, pop("p1"), "0 0 0 2"},
			{0, update(with("p1", urgentNow)), ""},
			{0, update(waiting("p1")), ""}, // as it was
			{0, fail("p1", fit), "0 1 0 1"},
			{0, fail("p2", fit), other},
		})
	}
}

// Rule 5.4.11, for a pod that was held meanwhile.
func TestPendingPodLetIn(t *testing.T) {
	held := map[string]bool{}
	hold := func(hold bool) func(*desk) { return func(*desk) { held["p1"] = hold } }
	q, err := New(Config{Gates: []Gate{{Name: "own", Holds: func(p *outrank.Pod) bool { return held[p.Name] }}}})
	require.NoError(t, err)
	pending := func(d *desk) {
		e := d.attempts["p1"]
		e.PendingFilters = []string{fit}
		require.NoError(d, d.q.AddUnschedulableIfNotPresent(e, d.now))
	}
	(&desk{T: t, q: q}).run([]step{
		{0, add("p1"), ""}, {0, pop("p1"), ""}, {0, hold(true), ""},
		{0, moveAll(EventNodeAdded, 0), ""}, {0, pending, "0 0 0 0 gated 1"},
		{0, hold(false), ""},
		{0, moveAll(EventNodeAdded, 1), "1 0 0 0"},
		{0, pop("p1"), ""}, {0, hold(true), ""},
		{0, moveAll(EventNodeAdded, 0), ""}, {0, pending, "0 0 0 0 gated 1"},
		{0, hold(false), ""},
		{0, moveAll(EventAssignedPodAdded, 1), "0 1 0 0"},
	})
}
