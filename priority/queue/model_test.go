package queue

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// modelPod is a pod in the plain model: a line in an unsorted list.
type modelPod struct {
	Entry
	place          pool
	arrival        int
	due            time.Time
	moved, updated bool
	// hurried: the caller asked for it whatever is left of its backoff.
	hurried bool
}

func (p *modelPod) key() string { return string(p.Pod.Key()) }

// model says what a queue has to do, by walking over its list each time.
type model struct {
	fifo     bool
	pods     []*modelPod
	cycle    int64
	arrivals int
	closed   bool
}

func (m *model) find(pod *outrank.Pod) *modelPod {
	for _, p := range m.pods {
		if p.key() == string(pod.Key()) && p.Pod.UID == pod.UID {
			return p
		}
	}
	return nil
}

func (m *model) flight(e Entry) *modelPod {
	p := m.find(e.Pod)
	if p == nil || p.place != inFlight || p.Cycle != e.Cycle {
		return nil
	}
	return p
}

func (m *model) remove(key string) {
	m.pods = slices.DeleteFunc(m.pods, func(p *modelPod) bool { return p.key() == key })
}

func (m *model) enter(pod *outrank.Pod, now time.Time) {
	m.remove(string(pod.Key()))
	p := &modelPod{Entry: Entry{Pod: pod, FirstEnqueued: now, Enqueued: now}}
	m.pods = append(m.pods, p)
	m.put(p, active)
}

func (m *model) put(p *modelPod, where pool) {
	p.place = where
	if where == active {
		m.arrivals++
		p.arrival = m.arrivals
	}
}

func (m *model) revive(p *modelPod, now time.Time) {
	if now.Before(p.BackoffEnd) {
		m.put(p, backoff)
	} else {
		m.put(p, active)
	}
}

func (m *model) reviveAll(now time.Time, helps func(p *modelPod) bool) int {
	count := 0
	for _, p := range m.pods {
		if p.place == unschedulable && helps(p) {
			m.revive(p, now)
			count++
		}
	}
	return count
}

func (m *model) flush(now time.Time) int {
	count := 0
	for _, p := range m.pods {
		if p.place == backoff && !now.Before(p.BackoffEnd) || p.place == unschedulable && !now.Before(p.due) {
			m.put(p, active)
			count++
		}
	}
	return count
}

func (m *model) pop() *modelPod {
	waiting := m.in(active)
	if len(waiting) == 0 {
		return nil
	}
	p := waiting[0]
	m.cycle++
	p.place, p.Cycle, p.Attempts, p.FailedFilters = inFlight, m.cycle, p.Attempts+1, nil
	p.moved, p.updated = false, false
	return p
}

func (m *model) putBack(p *modelPod, e Entry, now time.Time) {
	if !p.updated {
		p.Pod = e.Pod
	}
	p.Enqueued = now
	p.FailedFilters = slices.Compact(slices.Sorted(slices.Values(e.FailedFilters)))
	if m.fifo {
		m.put(p, active)
		return
	}
	wait := []time.Duration{1, 2, 4, 8, 10}[min(p.Attempts, 5)-1]
	p.BackoffEnd, p.due = now.Add(wait*time.Second), now.Add(5*time.Minute)
	if p.moved || len(p.FailedFilters) == 0 {
		m.put(p, backoff)
	} else {
		m.put(p, unschedulable)
	}
}

// in sorts what is in one place, as Pending lists it.
func (m *model) in(where pool) []*modelPod {
	var out []*modelPod
	for _, p := range m.pods {
		if p.place == where {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *modelPod) int {
		var first int
		switch {
		case where == inFlight:
			return cmp.Compare(a.Cycle, b.Cycle)
		case where == backoff:
			first = a.BackoffEnd.Compare(b.BackoffEnd)
		case where == unschedulable:
			first = a.due.Compare(b.due)
		case m.fifo:
			return cmp.Compare(a.arrival, b.arrival)
		}
		return cmp.Or(first, cmp.Compare(*b.Pod.Priority, *a.Pod.Priority), a.Enqueued.Compare(b.Enqueued), cmp.Compare(a.key(), b.key()))
	})
	return out
}

func (m *model) entries(where pool) []Entry {
	out := []Entry{}
	for _, p := range m.in(where) {
		out = append(out, p.Entry)
	}
	return out
}

func (m *model) nextReady(now time.Time) (time.Time, bool) {
	var best time.Time
	for _, p := range m.pods {
		at := map[pool]time.Time{active: now, backoff: p.BackoffEnd, unschedulable: p.due}[p.place]
		if p.place != inFlight && (best.IsZero() || at.Before(best)) {
			best = at
		}
	}
	if !best.IsZero() && best.Before(now) {
		best = now
	}
	return best, !best.IsZero()
}

// machine drives a queue and its model side by side.
type machine struct {
	model
	q     SchedulingQueue
	core  *core
	now   time.Time
	begun []Entry // attempts, over or not
}

// pod draws one of few, so that they meet. Pods of the names "near" wait for a
// neighbour; "" and "default" are the same namespace.
func (m *machine) pod(t *rapid.T) *outrank.Pod {
	p := &outrank.Pod{
		Name:          rapid.SampledFrom([]string{"a", "b", "c", "d", "near-a", "near-b"}).Draw(t, "name"),
		Namespace:     rapid.SampledFrom([]string{"", "default", "ops"}).Draw(t, "namespace"),
		UID:           rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(t, "uid"),
		Priority:      outrank.Priority(rapid.Int32Range(-1, 2).Draw(t, "priority")),
		NominatedNode: rapid.SampledFrom([]string{"", "n1"}).Draw(t, "nominated"),
	}
	if p.Name[0] == 'n' {
		p.Affinity.Pods = []outrank.PodAffinityTerm{{Selector: &outrank.LabelSelector{Labels: map[string]string{"app": "x"}}}}
	}
	return p
}

func (m *machine) add(t *rapid.T) {
	pod := m.pod(t)
	require.NoError(t, m.q.Add(pod, m.now))
	switch p := m.find(pod); {
	case p == nil:
		m.enter(pod, m.now)
	case p.place == active:
		p.Pod = pod
	default:
		p.Pod, p.Enqueued, p.hurried = pod, m.now, true
		m.put(p, active)
	}
}

func (m *machine) addIfNotPresent(t *rapid.T) {
	pod := m.pod(t)
	added, err := m.q.AddIfNotPresent(pod, m.now)
	require.NoError(t, err)
	require.Equal(t, m.find(pod) == nil, added)
	if added {
		m.enter(pod, m.now)
	}
}

func (m *machine) update(t *rapid.T) {
	pod := m.pod(t)
	require.NoError(t, m.q.Update(pod, m.now))
	p := m.find(pod)
	if p == nil {
		m.enter(pod, m.now)
		return
	}
	// Of what is drawn, the nomination alone is status.
	helps := pod.Namespace != p.Pod.Namespace || *pod.Priority != *p.Pod.Priority
	p.Pod = pod
	switch p.place {
	case inFlight:
		p.updated, p.moved = true, p.moved || helps
	case unschedulable:
		if helps {
			m.revive(p, m.now)
		}
	}
}

func (m *machine) delete(t *rapid.T) {
	pod := m.pod(t)
	p := m.find(pod)
	require.Equal(t, p != nil, m.q.Delete(pod))
	if p != nil {
		m.remove(p.key())
	}
}

func (m *machine) tryPop(t *rapid.T) {
	if !m.fifo {
		m.flush(m.now)
	}
	want := m.pop()
	got, ok := m.q.TryPop(m.now)
	require.Equal(t, want != nil, ok)
	if ok {
		m.popped(t, want, got)
	}
}

func (m *machine) popped(t *rapid.T, want *modelPod, got Entry) {
	require.Empty(t, gocmp.Diff(want.Entry, got))
	require.True(t, want.hurried || !got.BackoffEnd.After(m.now), "popped before the end of its backoff")
	want.hurried = false
	m.begun = append(m.begun, got)
}

func (m *machine) popBlocking(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	want := m.in(active)
	if len(want) == 0 && !m.closed {
		cancel() // it would wait for ever
	}
	got, err := m.q.Pop(ctx)
	switch {
	case len(want) > 0:
		require.NoError(t, err)
		m.popped(t, m.pop(), got)
	case m.closed:
		require.ErrorIs(t, err, ErrClosed)
	default:
		require.ErrorIs(t, err, context.Canceled)
	}
}

// attempt draws one that was begun, more often one of the last; an entry that
// no queue has given before the first.
func (m *machine) attempt(t *rapid.T) Entry {
	if len(m.begun) == 0 {
		return Entry{Pod: &outrank.Pod{Name: "stranger"}, Cycle: 1}
	}
	back := rapid.IntRange(1, min(len(m.begun), 8)).Draw(t, "attempt from the end")
	return m.begun[len(m.begun)-back]
}

func (m *machine) putBackOne(t *rapid.T) {
	e := m.attempt(t)
	e.FailedFilters = rapid.SliceOfN(rapid.SampledFrom([]string{"NodeResourcesFit", "InterPodAffinity", "NodeName", "own"}), 0, 3).Draw(t, "failed")
	if rapid.Bool().Draw(t, "newer") {
		newer := *e.Pod
		newer.NominatedNode = "n2"
		e.Pod = &newer
	}
	err := m.q.AddUnschedulableIfNotPresent(e, m.now)
	if p := m.flight(e); p != nil {
		require.NoError(t, err)
		m.putBack(p, e, m.now)
		return
	}
	require.ErrorIs(t, err, ErrNotInFlight)
}

func (m *machine) done(t *rapid.T) {
	e := m.attempt(t)
	p := m.flight(e)
	require.Equal(t, p != nil, m.q.Done(e))
	if p != nil {
		m.remove(p.key())
	}
}

func (m *machine) activate(t *rapid.T) {
	pods := []*outrank.Pod{m.pod(t), m.pod(t), m.pod(t)}
	count := 0
	for _, pod := range pods {
		p := m.find(pod)
		switch {
		case m.fifo || p == nil || p.place == active:
		case p.place == inFlight:
			p.moved = true
		default:
			p.hurried = true
			m.put(p, active)
			count++
		}
	}
	require.Equal(t, count, m.q.Activate(pods...))
}

func (m *machine) moveAll(t *rapid.T) {
	event := ClusterEvent{Kind: rapid.SampledFrom(append([]ClusterEventKind{""}, eventKinds...)).Draw(t, "event")}
	for _, p := range m.pods {
		p.moved = true
	}
	want := m.reviveAll(m.now, func(p *modelPod) bool { return Helps(&p.Entry, event) })
	require.Equal(t, want, m.q.MoveAll(event, m.now))
}

func (m *machine) assigned(t *rapid.T) {
	pod := m.pod(t)
	pod.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")}
	helps := func(p *modelPod) bool {
		return p.Pod.Name[0] == 'n' && pod.Labels["app"] == "x" && p.Pod.NamespaceName() == pod.NamespaceName()
	}
	for _, p := range m.pods {
		p.moved = p.moved || helps(p)
	}
	want := m.reviveAll(m.now, helps)
	if rapid.Bool().Draw(t, "updated") {
		require.Equal(t, want, m.q.AssignedPodUpdated(pod, m.now))
	} else {
		require.Equal(t, want, m.q.AssignedPodAdded(pod, m.now))
	}
}

func (m *machine) flushBoth(t *rapid.T) {
	want := 0
	if !m.fifo {
		want = m.flush(m.now)
	}
	require.Equal(t, want, m.q.Flush(m.now))
}

func (m *machine) wait(t *rapid.T) {
	m.now = m.now.Add(rapid.SampledFrom([]time.Duration{
		1, time.Second, time.Second, 2 * time.Second, 9 * time.Second, 5 * time.Minute,
	}).Draw(t, "wait"))
}

func (m *machine) close(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "close") == 0 {
		m.q.Close()
		m.closed = true
	}
}

// check holds the queue to the model after every step, and to what holds
// without one.
func (m *machine) check(t *rapid.T) {
	want := Pending{m.entries(active), m.entries(backoff), m.entries(unschedulable), m.entries(inFlight)}
	if diff := gocmp.Diff(want, m.q.Pending()); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	require.Equal(t, want.String(), m.q.Counts().String())
	at, ok := m.q.NextReady(m.now)
	wantAt, wantOK := m.nextReady(m.now)
	require.Equal(t, wantOK, ok)
	require.True(t, wantAt.Equal(at), "next ready at %v, want %v", at, wantAt)
	m.checkPlaces(t)
}

// checkPlaces: every pod is in one place and knows it, and no pod comes before
// the one above it in the heap.
func (m *machine) checkPlaces(t *rapid.T) {
	total := 0
	for where := range poolCount {
		h := &m.core.pools[where]
		total += len(h.items)
		for i, it := range h.items {
			require.Equal(t, where, it.pool)
			require.Equal(t, i, it.at)
			require.Same(t, it, m.core.items[it.key])
			require.GreaterOrEqual(t, h.order(it, h.items[(max(i, 1)-1)/2]), 0)
		}
	}
	require.Len(t, m.core.items, total)
}

func (m *machine) run(t *rapid.T) {
	m.now = noon
	t.Repeat(map[string]func(*rapid.T){
		"": m.check, "add": m.add, "add if not present": m.addIfNotPresent, "update": m.update, "delete": m.delete,
		"try pop": m.tryPop, "try pop again": m.tryPop, "pop": m.popBlocking, "put back": m.putBackOne, "put back again": m.putBackOne,
		"done": m.done, "activate": m.activate, "move all": m.moveAll, "assigned": m.assigned,
		"flush": m.flushBoth, "wait": m.wait, "wait again": m.wait, "close": m.close,
	})
}

// Queue does what a plain list does that is walked over each time.
func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, err := New(Config{})
		require.NoError(t, err)
		(&machine{q: q, core: &q.core}).run(t)
	})
}

// So does FIFO.
func TestFIFOAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := NewFIFO()
		(&machine{model: model{fifo: true}, q: q, core: &q.core}).run(t)
	})
}
