package queue

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// The queue of v1.13, step by step (group 5.9).
func TestQueueOfV113(t *testing.T) {
	old := Config{Variant: outrank.VariantV1_13}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"a pod that does not fit waits, and an event of any kind lets it go on at once", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{0, moveAll(EventNodeDeleted, 1), "1 0 0 0"},
		}},
		{"after a move during the attempt it goes straight back, whatever the move was about", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, moveAll(EventNodeDeleted, 0), "0 0 0 1"}, {0, fail("p1", fit), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
		}},
		{"a pod on a node is a move also where no pod wants to be near it", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"},
			{0, assigned(waiting("other"), 0), "0 0 0 1"}, {0, fail("p1", fit), "1 0 0 0"},
		}},
		{"the next pop forgets the move", []step{
			{0, add("p1"), "1 0 0 0"}, {0, add("p2"), "2 0 0 0"}, {0, pop("p2"), "1 0 0 1"},
			{0, moveAll(EventNodeAdded, 0), "1 0 0 1"}, {0, pop("p1"), "0 0 0 2"}, {0, fail("p2", fit), "0 0 1 1"},
		}},
		{"the next pop forgets it also for a pod that wants to be near the one that was placed", []step{
			{0, addPod(with("p1", nearOther)), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, assigned(waiting("other"), 0), "0 0 0 1"},
			{0, add("p2"), "1 0 0 1"}, {0, pop("p2"), "0 0 0 2"}, {0, fail("p1", fit), "0 0 1 1"},
		}},
		{"time has it tried again after a minute", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{59.9, flush(0), "0 0 1 0"}, {59.9, ready(60), "0 0 1 0"}, {60, flush(1), "1 0 0 0"},
		}},
		{"an error lets it try again at once", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1"), "1 0 0 0"},
		}},
		{"room that is given up moves nobody", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"}, {0, givenUp("p0", 0), "0 0 1 0"},
		}},
		{"a pod that was changed is tried at once", []step{
			{0, add("p1"), "1 0 0 0"}, {0, pop("p1"), "0 0 0 1"}, {0, fail("p1", fit), "0 0 1 0"},
			{0, update(with("p1", nominatedNow)), "0 0 1 0"}, {0, update(with("p1", urgentNow)), "1 0 0 0"},
			{0, pop("p1"), "0 0 0 1"}, {0, update(with("p1", nominatedNow)), "0 0 0 1"}, {0, fail("p1", fit), "1 0 0 0"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := New(old)
			require.NoError(t, err)
			(&desk{T: t, q: q, attempts: map[string]Entry{}}).run(c.steps)
		})
	}
}

// nearOther has a pod want to be near all pods of its namespace.
func nearOther(p *outrank.Pod) {
	p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{TopologyKey: "host", LabelSelector: &outrank.LabelSelector{}}}
}

// A queue follows the variant of its configuration, and one without priorities any.
func TestFollows(t *testing.T) {
	simple, err := New(Config{Variant: outrank.VariantSimplified})
	require.NoError(t, err)
	for _, c := range []struct {
		queue *Queue
		want  string
	}{{&Queue{}, "100"}, {simple, "001"}, {NewFIFO(), "111"}, {nil, "000"}} {
		got := ""
		for v := range outrank.VariantSimplified + 1 {
			if c.queue.Follows(v) {
				got += "1"
			} else {
				got += "0"
			}
		}
		require.Equal(t, c.want, got)
	}
}

// oldQueue is the queue of v1.13 in a few words: two pools and one flag.
type oldQueue struct {
	active        []string // in order of arrival
	unschedulable map[string]time.Time
	moved         bool
}

func (o *oldQueue) flush(now time.Time) {
	var due []string
	for p, since := range o.unschedulable {
		if now.Sub(since) >= time.Minute {
			due = append(due, p)
		}
	}
	slices.SortFunc(due, func(p, q string) int { return o.unschedulable[p].Compare(o.unschedulable[q]) })
	for _, p := range due {
		o.moved = true
		o.add(p)
	}
}

func (o *oldQueue) add(p string) {
	delete(o.unschedulable, p)
	o.active = append(o.active, p)
}

// anyOf draws one of the attempts under way, if there is any.
func anyOf(t *rapid.T, flight map[string]Entry) (Entry, bool) {
	if len(flight) == 0 {
		return Entry{}, false
	}
	return flight[rapid.SampledFrom(slices.Sorted(maps.Keys(flight))).Draw(t, "attempt")], true
}

func namesOfEntries(entries []Entry) (names []string) {
	for _, e := range entries {
		names = append(names, e.Pod.Name)
	}
	return names
}

// Whatever happens, the same pods are active and unschedulable as in that queue.
func TestPropertyQueueOfV113(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, err := New(Config{Variant: outrank.VariantV1_13})
		require.NoError(t, err)
		model := oldQueue{unschedulable: map[string]time.Time{}}
		flight, now := map[string]Entry{}, time.Unix(1_000_000, 0)
		for i := range 4 {
			name := fmt.Sprint("p", i)
			require.NoError(t, q.Add(waiting(name), now))
			model.add(name)
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 20 * time.Second, time.Minute}).Draw(t, "after"))
			switch rapid.SampledFrom([]string{"pop", "pop", "fail", "fail", "error", "move", "assign", "flush", "given up"}).Draw(t, "step") {
			case "pop":
				e, ok := q.TryPop(now)
				model.flush(now)
				require.Equal(t, len(model.active) > 0, ok)
				if ok {
					require.Contains(t, model.active, e.Pod.Name)
					model.active = slices.DeleteFunc(model.active, func(p string) bool { return p == e.Pod.Name })
					model.moved, flight[e.Pod.Name] = false, e
				}
			case "fail":
				if e, ok := anyOf(t, flight); ok {
					e.FailedFilters = []string{rapid.SampledFrom([]string{fit, "NodeName", "own"}).Draw(t, "filter")}
					require.NoError(t, q.AddUnschedulableIfNotPresent(e, now))
					if delete(flight, e.Pod.Name); model.moved {
						model.add(e.Pod.Name)
					} else {
						model.unschedulable[e.Pod.Name] = now
					}
				}
			case "error":
				if e, ok := anyOf(t, flight); ok {
					require.NoError(t, q.AddUnschedulableIfNotPresent(e, now))
					delete(flight, e.Pod.Name)
					model.add(e.Pod.Name)
				}
			case "move":
				q.MoveAll(ClusterEvent{Kind: rapid.SampledFrom(append([]ClusterEventKind{""}, eventKinds...)).Draw(t, "event")}, now)
				model.moved = true
				for p := range model.unschedulable {
					model.add(p)
				}
			case "assign":
				q.AssignedPodAdded(waiting("other"), now)
				model.moved = true
			case "given up":
				q.RoomGivenUp(waiting("other"), now)
			case "flush":
				q.Flush(now)
				model.flush(now)
			}
			pending := q.Pending()
			require.Empty(t, pending.Backoff)
			require.ElementsMatch(t, slices.Collect(maps.Keys(model.unschedulable)), namesOfEntries(pending.Unschedulable))
			require.ElementsMatch(t, model.active, namesOfEntries(pending.Active))
		}
	})
}
