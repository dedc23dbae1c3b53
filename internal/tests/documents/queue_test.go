package documents

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// waits is a pod that waits since its last attempt, or since it came.
type waits struct {
	pod   *outrank.Pod
	since time.Time
}

// oldQueue is the queue of v1.13 (PriorityQueue). moved is its receivedMoveRequest: pods were moved since the last
// pod was popped.
type oldQueue struct {
	active, unschedulable map[string]waits
	moved                 bool
}

// move lets the unschedulable pods go on for which accept holds.
func (q *oldQueue) move(accept func(waits) bool) (count int) {
	for name, w := range q.unschedulable {
		if accept(w) {
			q.active[name] = w
			delete(q.unschedulable, name)
			count++
		}
	}
	return count
}

// flush lets pods go on that have waited for a minute. Here the full minute is enough (rule 5.9.5).
func (q *oldQueue) flush(at time.Time) {
	if q.move(func(w waits) bool { return at.Sub(w.since) >= time.Minute }) > 0 {
		q.moved = true
	}
}

// pop takes out the first active pod, nil if there is none.
func (q *oldQueue) pop() *outrank.Pod {
	if len(q.active) == 0 {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Values(q.active)), func(a, b waits) int {
		return cmp.Or(-cmp.Compare(rank(a.pod), rank(b.pod)), a.since.Compare(b.since), cmp.Compare(a.pod.Name, b.pod.Name))
	})
	delete(q.active, first.pod.Name)
	q.moved = false
	return first.pod
}

// desk takes the same steps with both queues.
type desk struct {
	*testing.T
	*rand.Rand
	port   oldQueue
	ours   *queue.Queue
	flight []queue.Entry
	at     time.Time
}

// step is one operation about a pod, which is not in flight unless the operation says so.
type step struct {
	name string
	do   func(d *desk, p *outrank.Pod)
	// inFlight says that the operation does not concern the pod.
	inFlight bool
}

var steps = []step{
	{"Add", (*desk).add, false},
	{"AddIfNotPresent", (*desk).addIfNotPresent, false},
	{"Pop", (*desk).pop, true},
	{"Pop", (*desk).pop, true},
	{"AddUnschedulableIfNotPresent", (*desk).putBack, true},
	{"AddUnschedulableIfNotPresent", (*desk).putBack, true},
	{"MoveAllToActiveQueue", (*desk).moveAll, true},
	{"Delete", (*desk).remove, false},
	{"Update", (*desk).update, false},
	{"AssignedPodAdded", (*desk).assigned, true},
}

func (d *desk) add(p *outrank.Pod) {
	since := d.at
	if w, there := d.port.active[p.Name]; there {
		since = w.since
	}
	d.port.active[p.Name] = waits{p, since}
	delete(d.port.unschedulable, p.Name)
	require.NoError(d, d.ours.Add(p, d.at))
}

func (d *desk) addIfNotPresent(p *outrank.Pod) {
	_, active := d.port.active[p.Name]
	if _, waiting := d.port.unschedulable[p.Name]; !active && !waiting {
		d.port.active[p.Name] = waits{p, d.at}
	}
	_, err := d.ours.AddIfNotPresent(p, d.at)
	require.NoError(d, err)
}

// pop pops the first pod. There the flush has a clock of its own; here a pop flushes first.
func (d *desk) pop(*outrank.Pod) {
	d.port.flush(d.at)
	want := d.port.pop()
	got, ok := d.ours.TryPop(d.at)
	require.Equal(d, want != nil, ok, "popped")
	if ok {
		require.Equal(d, want.Name, got.Pod.Name, "popped")
		d.flight = append(d.flight, got)
	}
}

// putBack ends an attempt. A pod that fits nowhere waits, unless pods were moved meanwhile; after an error, and
// where pods were moved, the pod is active at once.
func (d *desk) putBack(*outrank.Pod) {
	if len(d.flight) == 0 {
		return
	}
	i := d.IntN(len(d.flight))
	entry := d.flight[i]
	d.flight = slices.Delete(d.flight, i, i+1)
	pool := d.port.active
	if !in(d.Rand, 5) {
		entry.FailedFilters = []string{"NodeResourcesFit"}
		if !d.port.moved {
			pool = d.port.unschedulable
		}
	}
	pool[entry.Pod.Name] = waits{entry.Pod, d.at}
	require.NoError(d, d.ours.AddUnschedulableIfNotPresent(entry, d.at))
}

func (d *desk) moveAll(*outrank.Pod) {
	d.port.move(func(waits) bool { return true })
	d.port.moved = true
	d.ours.MoveAll(queue.ClusterEvent{Kind: queue.EventNodeDeleted}, d.at)
}

func (d *desk) remove(p *outrank.Pod) {
	delete(d.port.active, p.Name)
	delete(d.port.unschedulable, p.Name)
	d.ours.Remove(p)
}

// update replaces a pod. One that waits lets only a change beyond its status go on.
func (d *desk) update(p *outrank.Pod) {
	was, waiting := d.port.unschedulable[p.Name]
	switch w, active := d.port.active[p.Name]; {
	case active:
		d.port.active[p.Name] = waits{p, w.since}
	case waiting && rank(was.pod) == rank(p):
		d.port.unschedulable[p.Name] = waits{p, was.since}
	case waiting:
		delete(d.port.unschedulable, p.Name)
		d.port.active[p.Name] = waits{p, was.since}
	default:
		d.port.active[p.Name] = waits{p, d.at}
	}
	require.NoError(d, d.ours.Update(p, d.at))
}

// assigned moves the pods that want to be near a pod that came to a node. It counts as a move for all in flight.
func (d *desk) assigned(*outrank.Pod) {
	app := one(d.Rand, "x", "y")
	d.port.move(func(w waits) bool { return len(w.pod.Affinity.PodAffinity) > 0 && app == "x" })
	d.port.moved = true
	d.ours.AssignedPodAdded(&outrank.Pod{Name: "on", NodeName: "n", Labels: map[string]string{"app": app}}, d.at)
}

// pod draws one of six pods. Those behind the fourth want to be near pods of the app x.
func (d *desk) pod() *outrank.Pod {
	number := d.IntN(6)
	p := &outrank.Pod{Name: fmt.Sprint("p", number), Priority: outrank.Priority(int32(d.IntN(3)))}
	if number > 3 {
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{TopologyKey: host, LabelSelector: labelled("app", "x")}}
	}
	return p
}

// run takes thirty steps. Both queues have the same pods in the same pools after each of them.
func (d *desk) run(sequence int) {
	for range 30 {
		d.at = d.at.Add(time.Duration(d.IntN(25)) * time.Second)
		p, s := d.pod(), one(d.Rand, steps...)
		flies := slices.ContainsFunc(d.flight, func(e queue.Entry) bool { return e.Pod.Name == p.Name })
		if flies && !s.inFlight {
			continue
		}
		s.do(d, p)

		d.port.flush(d.at)
		d.ours.Flush(d.at)
		pending := d.ours.Pending()
		require.ElementsMatch(d, slices.Collect(maps.Keys(d.port.active)), entryNames(pending.Active), "active after %s in sequence %d", s.name, sequence)
		require.ElementsMatch(d, slices.Collect(maps.Keys(d.port.unschedulable)), entryNames(pending.Unschedulable), "unschedulable after %s in sequence %d", s.name, sequence)
		require.Equal(d, len(d.flight), d.ours.Counts().InFlight, "in flight after %s in sequence %d", s.name, sequence)
	}
}

func entryNames(entries []queue.Entry) (names []string) {
	for _, e := range entries {
		names = append(names, e.Pod.Name)
	}
	return names
}

func TestQueueOfV113(t *testing.T) {
	for i := range *cases {
		ours, err := queue.New(queue.Config{Variant: outrank.VariantV1_13})
		require.NoError(t, err)
		port := oldQueue{active: map[string]waits{}, unschedulable: map[string]waits{}}
		d := &desk{T: t, Rand: rand.New(rand.NewPCG(*seed, uint64(i))), port: port, ours: ours, at: now}
		d.run(i)
	}
}
