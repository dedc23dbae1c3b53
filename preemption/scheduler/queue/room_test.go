package queue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Room that a pod had without being on the node (rule 5.4.8).
func TestRoomGivenUp(t *testing.T) {
	lost := func(name string, filters ...string) []step {
		return []step{{0, add(name), ""}, {0, pop(name), ""}, {0, fail(name, filters...), ""}}
	}
	for _, c := range []struct {
		name, reason string
		before       []step
		steps        []step
	}{
		{"same or lower priority", "the others saw no nomination of it", append(append(lost("p1", fit), lost("p5", fit)...), lost("p9", fit)...), []step{
			{2, givenUp("p5-gone", 2), "2 0 1 0"},
			{2, pop("p5"), "1 0 1 1"},
		}},
		{"any priority", "on its node the pod counted for all of them", append(append(lost("p1", fit), lost("p5", fit)...), lost("p9", fit)...), []step{
			{2, notBound("p5", 2), "2 0 1 0"},
			{2, pop("p9"), "1 0 1 1"},
		}},
		{"what failed", "another pod's room helps only against some filters", append(lost("p1", "TaintToleration"), lost("p2", fit)...), []step{
			{2, givenUp("p5", 1), "1 0 1 0"},
			{2, pop("p2"), "0 0 1 1"},
		}},
		{"the pod itself", "it is no news for it", lost("p5", fit), []step{
			{2, givenUp("p5", 0), "0 0 1 0"},
		}},
		{"during backoff", "that holds", lost("p1", fit), []step{
			{1, givenUp("p5", 1), "0 1 0 0"},
		}},
		{"no pod", "nothing happens", lost("p1", fit), []step{
			{2, func(d *desk) { require.Zero(d, d.q.RoomGivenUp(nil, d.now)) }, "0 0 1 0"},
		}},
		{"in flight", "those that it may help go to backoff when they come back", nil, []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p5"), "2 0 0 0"}, {0, add("p6"), "3 0 0 0"}, {0, add("p2"), "4 0 0 0"},
			{0, pop("p6"), "3 0 0 1"}, {0, pop("p5"), "2 0 0 2"}, {0, pop("p2"), "1 0 0 3"}, {0, pop("p1"), "0 0 0 4"},
			{0, givenUp("p5", 0), "0 0 0 4"},
			{0, fail("p6", fit), "0 0 1 3"},
			{0, fail("p5", fit), "0 0 2 2"},
			{0, fail("p2", fit), "0 1 2 1"},
			{0, fail("p1", "NodeName"), "0 1 3 0"},
		}},
		{"in flight, any priority", "so do those of a higher one where the pod counted for all", nil, []step{
			{0, add("p6"), "1 0 0 0"}, {0, add("p5"), "2 0 0 0"}, {0, pop("p6"), "1 0 0 1"}, {0, pop("p5"), "0 0 0 2"},
			{0, notBound("p5", 0), "0 0 0 2"},
			{0, fail("p6", fit), "0 1 0 1"},
			{0, fail("p5", fit), "0 1 1 0"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			fresh(t).run(append(c.before, c.steps...))
		})
	}
}
