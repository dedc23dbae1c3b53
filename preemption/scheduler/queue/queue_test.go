package queue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

func TestQueueSteps(t *testing.T) {
	node := func(name string) func(p *outrank.Pod) { return func(p *outrank.Pod) { p.NodeName = name } }
	nominated := func(p *outrank.Pod) { p.NominatedNodeName = "n1" }
	reborn := func(p *outrank.Pod) { p.UID = "2" }
	urgent := func(p *outrank.Pod) { p.Priority = outrank.Priority(9) }
	requests := func(cpu string) func(p *outrank.Pod) {
		return func(p *outrank.Pod) {
			urgent(p)
			p.Containers = []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
		}
	}
	for _, c := range []struct {
		name, reason string
		config       Config
		steps        []step
	}{
		{name: "order", reason: "priority, then the time of entering, then the name", steps: []step{
			{0, add("p1-c"), "1 0 0 0"},
			{0, add("p1-b"), "2 0 0 0"},
			{1, add("p1-a"), "3 0 0 0"},
			{2, add("p5-x"), "4 0 0 0"},
			{3, add("none"), "5 0 0 0"},
			{3, add("p-1-x"), "6 0 0 0"},
			{4, pop("p5-x"), "5 0 0 1"},
			{4, pop("p1-b"), "4 0 0 2"},
			{4, pop("p1-c"), "3 0 0 3"},
			{4, pop("p1-a"), "2 0 0 4"},
			{4, pop("none"), "1 0 0 5"},
			{4, pop("p-1-x"), "0 0 0 6"},
			{4, popNone, "0 0 0 6"},
			{4, done("p1-b", true), "0 0 0 5"},
			{4, done("p1-b", false), "0 0 0 5"},
		}},
		{name: "unschedulable until an event", reason: "an event that cannot help leaves it there", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"},
			{0, fail("p1", fit), "0 0 1 0"},
			{20, popNone, "0 0 1 0"},
			{20, moveAll(EventNodeDeleted, 0), "0 0 1 0"},
			{20, moveAll(EventNodeAdded, 1), "1 0 0 0"},
			{20, pop("p1"), "0 0 0 1"},
		}},
		{name: "event during backoff", reason: "it moves to backoff, and is ready at its very end", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"},
			{0.5, fail("p1", fit), "0 0 1 0"},
			{0.5, ready(300.5), "0 0 1 0"},
			{0.7, moveAll(EventNodeAdded, 1), "0 1 0 0"},
			{0.7, ready(1.5), "0 1 0 0"},
			{1.4, popNone, "0 1 0 0"},
			{1.4, flush(0), "0 1 0 0"},
			{1.5, flush(1), "1 0 0 0"},
			{1.6, ready(1.6), "1 0 0 0"},
			{1.6, pop("p1"), "0 0 0 1"},
			{1.6, ready(-1), "0 0 0 1"},
		}},
		{name: "event during the attempt", reason: "one that may help may have come too late for the attempt", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, add("p2"), "2 0 0 0"},
			{0, pop("p2"), "1 0 0 1"},
			{0, moveAll(EventNodeUpdated, 0), "1 0 0 1"},
			{0, pop("p1"), "0 0 0 2"},
			{0, moveAll(EventNodeDeleted, 0), "0 0 0 2"},
			{0, fail("p2", fit), "0 1 0 1"},
			{0, fail("p1", fit), "0 1 1 0"},
			{1, pop("p2"), "0 0 1 1"},
			{1, fail("p2", fit), "0 0 2 0"},
		}},
		{name: "event during the attempt that cannot help", reason: "the filters that failed are asked, once they are known", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, moveAll(EventAssignedPodDeleted, 0), "0 0 0 1"},
			{0, fail("p1", "TaintToleration"), "0 0 1 0"},
		}},
		{name: "events of a long attempt", reason: "each attempt is asked about all since it began, and about none before", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"}, {0, add("p3"), "3 0 0 0"},
			{0, pop("p3"), "2 0 0 1"},
			{0, moveAll(EventNodeAdded, 0), "2 0 0 1"},
			{0, pop("p2"), "1 0 0 2"},
			{0, moveAll(EventNodeDeleted, 0), "1 0 0 2"},
			{0, pop("p1"), "0 0 0 3"},
			{0, moveAll(EventAssignedPodDeleted, 0), "0 0 0 3"},
			{0, done("p1", true), "0 0 0 2"},
			{0, fail("p2", "NodeName"), "0 0 1 1"},
			{0, fail("p3", "NodeName"), "0 1 1 0"},
		}},
		{name: "error", reason: "no filter is known whose event it could wait for", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"},
			{0, fail("p1"), "0 1 0 0"},
		}},
		{name: "errors are counted apart", reason: "an error begins at 1 s however often the pod did not fit, and the other way round", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"}, {0, activate(1, "p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"}, {0, activate(1, "p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"}, {0, ready(1), "0 1 0 0"}, {0, activate(1, "p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"}, {0, ready(2), "0 1 0 0"}, {0, activate(1, "p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"}, {0, moveAll(EventNodeAdded, 1), "0 1 0 0"}, {0, ready(4), "0 1 0 0"}, {0, activate(1, "p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"}, {0, ready(1), "0 1 0 0"},
		}},
		{name: "backoff doubles", reason: "1, 2, 4, 8, 10, 10 seconds by attempts", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"}, {0, ready(1), "0 1 0 0"},
			{1, pop("p1"), "0 0 0 1"}, {1, fail("p1"), "0 1 0 0"}, {1, ready(3), "0 1 0 0"},
			{3, pop("p1"), "0 0 0 1"}, {3, fail("p1"), "0 1 0 0"}, {3, ready(7), "0 1 0 0"},
			{7, pop("p1"), "0 0 0 1"}, {7, fail("p1"), "0 1 0 0"}, {7, ready(15), "0 1 0 0"},
			{15, pop("p1"), "0 0 0 1"}, {15, fail("p1"), "0 1 0 0"}, {15, ready(25), "0 1 0 0"},
			{25, pop("p1"), "0 0 0 1"}, {25, fail("p1"), "0 1 0 0"}, {25, ready(35), "0 1 0 0"},
		}},
		{name: "time-out", reason: "5 minutes, and not a moment earlier", steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"},
			{1, fail("p1", fit), "0 0 1 0"},
			{300.9, flush(0), "0 0 1 0"},
			{300.9, ready(301), "0 0 1 0"},
			{301, pop("p1"), "0 0 0 1"},
		}},
		{name: "another time-out", reason: "a minute", config: Config{UnschedulableTimeout: time.Minute}, steps: []step{
			{0, add("p1"), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"},
			{0, fail("p1", fit), "0 0 1 0"},
			{59.9, flush(0), "0 0 1 0"},
			{60, flush(1), "1 0 0 0"},
		}},
		{name: "time-out shorter than backoff", reason: "backoff still holds",
			config: Config{UnschedulableTimeout: time.Second, InitialBackoff: 3 * time.Second}, steps: []step{
				{0, add("p1"), "1 0 0 0"},
				{0, pop("p1"), "0 0 0 1"},
				{0, fail("p1", fit), "0 0 1 0"},
				{2, popNone, "0 0 1 0"},
				{2, ready(3), "0 0 1 0"},
				{3, pop("p1"), "0 0 0 1"},
			}},
		{name: "next ready of both pools", reason: "the earlier one, and never before now", steps: []step{
			{0, ready(-1), "0 0 0 0"},
			{0, add("p2"), "1 0 0 0"}, {0, pop("p2"), "0 0 0 1"}, {0, fail("p2", fit), "0 0 1 0"},
			{299.5, add("p1"), "1 0 1 0"}, {299.5, pop("p1"), "0 0 1 1"}, {299.5, fail("p1"), "0 1 1 0"},
			{299.5, ready(300), "0 1 1 0"},
			{299.5, remove(waiting("p2"), true), "0 1 0 0"},
			{299.5, ready(300.5), "0 1 0 0"},
			{400, ready(400), "0 1 0 0"},
		}},
		{name: "expired backoff competes by priority", reason: "it does not go before what is active already", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"},
			{2, add("p2"), "1 1 0 0"},
			{2, pop("p2"), "1 0 0 1"},
			{2, pop("p1"), "0 0 0 2"},
		}},
		{name: "put back later than another came", reason: "re-entering counts for the order", steps: []step{
			{0, add("p1-a"), "1 0 0 0"}, {0, pop("p1-a"), "0 0 0 1"},
			{1, add("p1-b"), "1 0 0 1"}, {2, fail("p1-a"), "1 1 0 0"},
			{9, pop("p1-b"), "1 0 0 1"},
		}},
		{name: "add what is inside", reason: "it is active at once, once", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {1, add("p1"), "1 0 0 0"},
			{1, addIfNotPresent("p1", false), "1 0 0 0"},
			{1, pop("p1"), "0 0 0 1"},
			{1, addIfNotPresent("p1", false), "0 0 0 1"},
			{1, add("p1"), "1 0 0 0"},
			{1, failRefused("p1"), "1 0 0 0"},
			{1, done("p1", false), "1 0 0 0"},
			{1, pop("p1"), "0 0 0 1"}, {1, fail("p1", fit), "0 0 1 0"},
			{1, addIfNotPresent("p1", false), "0 0 1 0"},
			{1, add("p1"), "1 0 0 0"},
			{1, pop("p1"), "0 0 0 1"}, {1, fail("p1"), "0 1 0 0"},
			{1, ready(2), "0 1 0 0"}, // the first error
			{1, add("p1"), "1 0 0 0"},
		}},
		{name: "another UID", reason: "it replaces the pod before it, which has no say any more", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{1, addPod(with("p1", reborn)), "1 0 0 0"},
			{1, failRefused("p1"), "1 0 0 0"},
			{1, done("p1", false), "1 0 0 0"},
			{1, remove(waiting("p1"), false), "1 0 0 0"},
			{1, activate(0, "p1"), "1 0 0 0"},
			{1, pop("p1"), "0 0 0 1"}, {1, fail("p1"), "0 1 0 0"},
			{1, ready(2), "0 1 0 0"}, // its first failure
			{1, addIfNotPresent("p1", true), "1 0 0 0"},
			{1, update(with("p1", reborn)), "1 0 0 0"},
			{1, remove(with("p1", reborn), true), "0 0 0 0"},
		}},
		{name: "deleted in flight", reason: "it does not come back by itself, and the old attempt cannot end a new one", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, remove(waiting("p1"), true), "0 0 0 0"},
			{0, remove(waiting("p1"), false), "0 0 0 0"},
			{0, failRefused("p1"), "0 0 0 0"},
			{1, add("p1"), "1 0 0 0"},
			{1, failRefused("p1"), "1 0 0 0"},
			{1, func(d *desk) {
				old := d.attempts["p1"]
				pop("p1")(d)
				require.False(d, d.q.Done(old))
			}, "0 0 0 1"},
			{1, done("p1", true), "0 0 0 0"},
			{1, failRefused("p1"), "0 0 0 0"},
		}},
		{name: "deleted in each pool", reason: "from wherever it is", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"}, {0, add("p3"), "3 0 0 0"},
			{0, pop("p3"), "2 0 0 1"}, {0, pop("p2"), "1 0 0 2"},
			{0, fail("p2", fit), "1 0 1 1"}, {0, fail("p3"), "1 1 1 0"},
			{0, remove(waiting("p1"), true), "0 1 1 0"},
			{0, remove(waiting("p2"), true), "0 1 0 0"},
			{0, remove(waiting("p3"), true), "0 0 0 0"},
			{900, popNone, "0 0 0 0"},
		}},
		{name: "update", reason: "active is sorted anew, backoff stays, unknown is added", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"},
			{0, update(with("p1", urgent)), "2 0 0 0"},
			{0, pop("p1"), "1 0 0 1"},
			{0, fail("p1"), "1 1 0 0"},
			{0, update(waiting("p1")), "1 1 0 0"},
			{0, update(waiting("p3")), "2 1 0 0"},
			{0, pop("p3"), "1 1 0 1"},
			{1, pop("p2"), "1 0 0 2"},
		}},
		{name: "update of an unschedulable pod", reason: "its spec may help, its status not", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{0, update(with("p1", nominated)), "0 0 1 0"},
			{0, update(with("p1", urgent)), "0 1 0 0"},
			{1, pop("p1"), "0 0 0 1"}, {1, fail("p1", fit), "0 0 1 0"},
			{9, update(with("p1", requests("2"))), "0 0 1 0"}, // more than before
			{9, update(with("p1", requests("1"))), "1 0 0 0"},
			{9, pop("p1"), "0 0 0 1"}, {9, fail("p1", fit), "0 0 1 0"},
			{9, update(with("p1", func(p *outrank.Pod) { requests("1")(p); node("n1")(p) })), "0 0 1 0"}, // its node's name is not what failed
			{90, func(d *desk) { update(d.q.Pending().Unschedulable[0].Pod)(d) }, "1 0 0 0"},             // changed in place, perhaps
		}},
		{name: "update in flight", reason: "a change of the spec counts as a move, and the newer version comes back", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, update(with("p1", nominated)), "0 0 0 1"},
			{0, fail("p1", fit), "0 0 1 0"},
			{0, func(d *desk) { require.Equal(d, "n1", d.q.Pending().Unschedulable[0].Pod.NominatedNodeName) }, "0 0 1 0"},
			{2, moveAll(EventNodeAdded, 1), "1 0 0 0"},
			{2, pop("p1"), "0 0 0 1"},
			{2, update(with("p1", node("n1"))), "0 0 0 1"},
			{2, fail("p1", fit), "0 0 1 0"}, // what changed is not what failed
			{7, moveAll(EventNodeAdded, 1), "1 0 0 0"},
			{7, pop("p1"), "0 0 0 1"},
			{7, update(with("p1", urgent)), "0 0 0 1"},
			{7, update(with("p1", node("n1"))), "0 0 0 1"},
			{7, fail("p1", fit), "0 1 0 0"}, // changed back, but each change counts
			{17, flush(1), "1 0 0 0"},
			{17, pop("p1"), "0 0 0 1"},
			{17, func(d *desk) { update(d.attempts["p1"].Pod)(d) }, "0 0 0 1"}, // changed in place, perhaps
			{17, fail("p1", fit), "0 1 0 0"},
			{37, pop("p1"), "0 0 0 1"},
			{37, update(with("p1", urgent)), "0 0 0 1"},
			{37, fail("p1", fit), "0 1 0 0"},
			{37, func(d *desk) { require.EqualValues(d, 9, d.q.Pending().Backoff[0].Pod.PriorityValue()) }, "0 1 0 0"},
			{99, pop("p1"), "0 0 0 1"},
			{99, fail("p1", fit), "0 0 1 0"}, // that was another attempt
		}},
		{name: "activate", reason: "it skips backoff; in flight it counts as a move", steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "0 1 0 0"},
			{0, add("p2"), "1 1 0 0"}, {0, pop("p2"), "0 1 0 1"}, {0, fail("p2", fit), "0 1 1 0"},
			{0, activate(2, "p1", "p2", "p3", "p1"), "2 0 0 0"},
			{0, pop("p2"), "1 0 0 1"}, {0, pop("p1"), "0 0 0 2"},
			{0, activate(0, "p2"), "0 0 0 2"},
			{0, fail("p2", fit), "0 1 0 1"}, {0, fail("p1", fit), "0 1 1 0"},
		}},
		{name: "caller's order", reason: "ties still go by the default", config: Config{
			Compare: func(a, b *Entry) int { return len(a.Pod.Name) - len(b.Pod.Name) },
		}, steps: []step{
			{0, add("p9-long"), "1 0 0 0"}, {0, add("p1"), "2 0 0 0"}, {0, add("p2"), "3 0 0 0"},
			{0, pop("p2"), "2 0 0 1"}, {0, pop("p1"), "1 0 0 2"}, {0, pop("p9-long"), "0 0 0 3"},
		}},
		{name: "caller's hint", reason: "it sees what the pod failed with, and the event", config: Config{
			Helps: func(e *Entry, event ClusterEvent) bool { return e.FailedFilters[0] == string(event.Kind) },
		}, steps: []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", "z", "mine", "z"), "0 0 1 0"},
			{5, moveAll(EventNodeAdded, 0), "0 0 1 0"},
			{5, moveAll("mine", 1), "1 0 0 0"},
		}},
		{name: "time goes backwards", reason: "nothing is lost", steps: []step{
			{9, add("p1"), "1 0 0 0"}, {9, pop("p1"), "0 0 0 1"}, {9, fail("p1"), "0 1 0 0"},
			{0, popNone, "0 1 0 0"}, {0, ready(10), "0 1 0 0"}, {10, pop("p1"), "0 0 0 1"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			c.config.NoEarlyPop = true // earlypop_test.go has the default
			q, err := New(c.config)
			require.NoError(t, err)
			(&desk{T: t, q: q}).run(c.steps)
		})
	}
}

// An entry has the pod's past attempts, and belongs to the caller.
func TestQueueEntry(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	pod := waiting("p1")
	require.NoError(t, q.Add(pod, noon))
	e, _ := q.TryPop(noon.Add(time.Second))
	require.Equal(t, Entry{Pod: pod, Attempts: 1, FirstEnqueued: noon, Enqueued: noon, Cycle: 1}, e)

	filters := []string{"b", "a", "b"}
	e.FailedFilters = filters
	at := noon.Add(time.Minute)
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, at))
	require.Equal(t, []string{"b", "a", "b"}, filters, "the caller's slice stays as it was")
	want := Entry{Pod: pod, Attempts: 1, Refusals: 1, FirstEnqueued: noon, Enqueued: at, BackoffEnd: at.Add(time.Second), FailedFilters: []string{"a", "b"}, Cycle: 1}
	p := q.Pending()
	require.Equal(t, []Entry{want}, p.Unschedulable)
	require.Equal(t, "0 active, 0 in backoff, 1 unschedulable, 0 gated, 0 in flight", p.String())
	p.Unschedulable[0].FailedFilters[0] = "mine"
	require.Equal(t, []Entry{want}, q.Pending().Unschedulable, "a listing belongs to the caller")

	newer := with("p1", func(p *outrank.Pod) { p.NominatedNodeName = "n1" })
	require.Equal(t, 1, q.Activate(newer))
	e, _ = q.TryPop(at)
	require.Equal(t, 2, e.Attempts)
	require.EqualValues(t, 2, e.Cycle)
	e.Pod = newer
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, at))
	require.Same(t, newer, q.Pending().Backoff[0].Pod, "the version that was put back")
}

func TestQueueWithoutPod(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	for _, q := range []*Queue{q, NewFIFO()} {
		require.ErrorIs(t, q.Add(nil, noon), outrank.ErrInvalid)
		require.ErrorIs(t, q.Update(nil, noon), outrank.ErrInvalid)
		require.ErrorIs(t, q.AddUnschedulableIfNotPresent(Entry{}, noon), outrank.ErrInvalid)
		_, err := q.AddIfNotPresent(nil, noon)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.EqualError(t, err, "queue: AddIfNotPresent: the pod is missing")
		require.False(t, q.Remove(nil))
		require.False(t, q.Done(Entry{}))
		require.Zero(t, q.Activate(nil, nil))
		require.Zero(t, q.AssignedPodAdded(nil, noon))
		require.Zero(t, q.AssignedPodUpdated(nil, noon))
		require.Zero(t, q.Counts())
	}
}

func TestCompareEntries(t *testing.T) {
	at := outrank.Priority
	pod := func(name string, priority *int32) *outrank.Pod { return &outrank.Pod{Name: name, Priority: priority} }
	for _, c := range []struct {
		name string
		a, b *Entry // a comes first
	}{
		{"priority", &Entry{Pod: pod("z", at(1)), Enqueued: noon.Add(1)}, &Entry{Pod: pod("a", nil), Enqueued: noon}},
		{"time of entering", &Entry{Pod: pod("z", nil), Enqueued: noon}, &Entry{Pod: pod("a", at(0)), Enqueued: noon.Add(1)}},
		{"name", &Entry{Pod: pod("a", nil)}, &Entry{Pod: pod("b", nil)}},
		{"no pod", &Entry{Pod: pod("a", at(-1))}, &Entry{}},
		{"nil", &Entry{Pod: pod("a", at(-1))}, nil},
	} {
		require.Negative(t, CompareEntries(c.a, c.b), c.name)
		require.Positive(t, CompareEntries(c.b, c.a), c.name)
		require.Zero(t, CompareEntries(c.a, c.a), c.name)
	}
}
