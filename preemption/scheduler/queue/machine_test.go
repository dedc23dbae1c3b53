package queue

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// machine drives a queue and its model side by side.
type machine struct {
	model
	q     *Queue
	core  *core
	now   time.Time
	begun []Entry // attempts, over or not
	// rules are those of the classes; nil where nothing is refused in numbers.
	rules *classRules
	// alike has pods differ in little but their names. mostClasses is how many classes
	// there were in a batch at most, turned how often one of a batch answered otherwise
	// than the last time.
	alike               bool
	mostClasses, turned int
}

// pod draws one of few, so that they meet. Pods of the names "near" wait for a
// neighbour; "" and "default" are the same namespace.
func (m *machine) pod(t *rapid.T) *outrank.Pod {
	p := &outrank.Pod{
		Name:              rapid.SampledFrom([]string{"a", "b", "c", "d", "near-a", "near-b"}).Draw(t, "name"),
		Namespace:         rapid.SampledFrom([]string{"", "default", "ops"}).Draw(t, "namespace"),
		UID:               rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(t, "uid"),
		Priority:          outrank.Priority(rapid.Int32Range(-1, 2).Draw(t, "priority")),
		NominatedNodeName: rapid.SampledFrom([]string{"", "n1"}).Draw(t, "nominated"),
	}
	if m.alike {
		p.Name, p.UID = rapid.SampledFrom([]string{"a", "b", "d", "e", "f", "g", "h"}).Draw(t, "one of many"), ""
		p.Priority = outrank.Priority(rapid.SampledFrom([]int32{0, 0, 0, 0, 1}).Draw(t, "like priority"))
	} else if rapid.IntRange(0, 5).Draw(t, "gates") == 0 {
		p.SchedulingGates = []string{"quota"}
	}
	p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "is")}
	if p.Name[0] == 'n' {
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "y"}}}}
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}
	}
	return p
}

func (m *machine) add(t *rapid.T) {
	pod := m.pod(t)
	require.NoError(t, m.q.Add(pod, m.now))
	m.why = m.named("UnscheduledPodAdd", "UnschedulablePodAdd")
	switch p := m.find(pod); {
	case p == nil:
		m.enter(pod, m.now)
	case p.place == active:
		m.replace(p, pod)
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
	before, place := p.Pod, p.place
	m.why = m.named("TargetPodUpdate", "UnschedulablePodUpdate")
	m.replace(p, pod)
	switch place {
	case gated:
		m.revive(p, len(p.PendingFilters) > 0 && p.helpsItself(before, p.PendingFilters), m.now)
	case inFlight:
		p.updated = true
		for _, other := range m.pods {
			if other == p || m.late() && other.place == inFlight {
				other.updates = append(other.updates, [2]*outrank.Pod{before, pod})
			}
		}
	case unschedulable:
		if p.helpsItself(before, p.FailedFilters) {
			m.revive(p, len(p.PendingFilters) > 0 && p.helpsItself(before, p.PendingFilters), m.now)
		}
	}
}

func (m *machine) delete(t *rapid.T) {
	pod := m.pod(t)
	p := m.find(pod)
	require.Equal(t, p != nil, m.q.Remove(pod))
	if p != nil {
		m.remove(p.key())
	}
}

func (m *machine) tryPop(t *rapid.T) {
	if !m.fifo {
		m.flush(m.now)
	}
	want := m.pop(m.early)
	got, ok := m.q.TryPop(m.now)
	require.Equal(t, want != nil, ok)
	if ok {
		m.popped(t, want, got)
	}
}

func (m *machine) popped(t *rapid.T, want *modelPod, got Entry) {
	require.Empty(t, testdiff.Diff(want.Entry, got))
	require.True(t, want.hurried || !got.BackoffEnd.After(m.now), "popped before the end of its backoff")
	for _, p := range m.pods {
		if p == want || p.place == backoff {
			p.hurried = false
		}
	}
	m.begun = append(m.begun, got)
}

func (m *machine) popBlocking(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	want := m.in(active)
	if m.early {
		want = append(want, m.in(backoff)...)
	}
	if len(want) == 0 {
		cancel() // it would wait for ever
	}
	got, err := m.q.Pop(ctx)
	switch {
	case len(want) > 0:
		require.NoError(t, err)
		m.popped(t, m.pop(m.early), got)
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
	e.PendingFilters = rapid.SampledFrom([][]string{nil, nil, nil, {"NodeName"}, {"own"}, {"NodePorts", "NodeName", "NodePorts"}}).Draw(t, "pending")
	if rapid.Bool().Draw(t, "newer") {
		newer := *e.Pod
		newer.NominatedNodeName = "n2"
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
	m.why = "ForceActivate"
	for _, pod := range pods {
		p := m.find(pod)
		switch {
		case m.fifo || p == nil || p.place == active:
		case p.place == inFlight:
			p.moved = true
		default:
			p.hurried = true
			if p.place == backoff || p.place == errorBackoff {
				m.leaveBackoff(p)
			} else {
				m.put(p, active)
			}
			count += map[bool]int{true: 1}[p.place == active]
		}
	}
	require.Equal(t, count, m.q.Activate(pods...))
}

func (m *machine) moveAll(t *rapid.T) {
	event := ClusterEvent{Kind: rapid.SampledFrom(append([]ClusterEventKind{""}, eventKinds...)).Draw(t, "event")}
	if rapid.Bool().Draw(t, "which pod") {
		event.Pod, event.Before = m.neighbour(t), rapid.SampledFrom([]*outrank.Pod{nil, m.neighbour(t)}).Draw(t, "before")
	}
	m.moveFor(t, event)
}

// moveAllForAnything is about an event that may help every pod.
func (m *machine) moveAllForAnything(t *rapid.T) { m.moveFor(t, ClusterEvent{}) }

func (m *machine) moveFor(t *rapid.T, event ClusterEvent) {
	for _, p := range m.pods {
		p.events = append(p.events, event)
	}
	want := m.reviveAll(m.now, event.Kind, func(p *modelPod) (bool, bool) { return m.asked(p, event) })
	require.Equal(t, want, m.q.MoveAll(event, m.now))
}

// neighbour draws a pod on a node that pods wait for, or that keeps them off.
func (m *machine) neighbour(t *rapid.T) *outrank.Pod {
	app := func(name string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{"app": name}}
	}
	p := &outrank.Pod{Name: "neighbour", NodeName: rapid.SampledFrom([]string{"n1", "n1", ""}).Draw(t, "node")}
	p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "neighbour is")}
	p.Affinity.PodAntiAffinity = rapid.SampledFrom([][]outrank.PodAffinityTerm{
		nil, {{LabelSelector: app("x")}}, {{LabelSelector: app("x")}, {LabelSelector: app("z")}},
	}).Draw(t, "neighbour keeps off")
	return p
}

func (m *machine) roomGivenUp(t *rapid.T) {
	pod := m.pod(t)
	if len(m.pods) > 0 && (m.alike || rapid.Bool().Draw(t, "one inside")) {
		pod = rapid.SampledFrom(m.pods).Draw(t, "whose room").Pod
	}
	if rapid.IntRange(0, 3).Draw(t, "not bound") == 0 {
		copied := *pod
		pod, copied.NodeName = &copied, "n1"
	}
	event := ClusterEvent{Kind: EventAssignedPodDeleted, Pod: pod}
	concerns := func(p *modelPod) bool {
		return (pod.NodeName != "" || *p.Pod.Priority <= *pod.Priority) && p.key() != string(pod.Key())
	}
	if m.fifo {
		require.Zero(t, m.q.RoomGivenUp(pod, m.now))
		return
	}
	for _, p := range m.pods {
		if p.place == inFlight {
			p.offers = append(p.offers, offer{event, concerns})
		}
	}
	want := m.reviveAll(m.now, event.Kind, func(p *modelPod) (bool, bool) {
		helps, atOnce := m.asked(p, event)
		return concerns(p) && helps, concerns(p) && atOnce
	})
	require.Equal(t, want, m.q.RoomGivenUp(pod, m.now))
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
	kind := rapid.SampledFrom([]ClusterEventKind{EventAssignedPodAdded, EventAssignedPodUpdated}).Draw(t, "assigned")
	want := m.reviveAll(m.now, kind, func(p *modelPod) (bool, bool) { return helps(p), false })
	if kind == EventAssignedPodUpdated {
		require.Equal(t, want, m.q.AssignedPodUpdated(pod, m.now))
	} else {
		require.Equal(t, want, m.q.AssignedPodAdded(pod, m.now))
	}
}

// turnGate has the caller's gate hold pods of a name, or let them in again.
func (m *machine) turnGate(t *rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b", "near-a"}).Draw(t, "held")
	m.held[name] = !m.held[name]
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
		1, time.Second / 2, time.Second, time.Second, 2 * time.Second, 9 * time.Second, 5 * time.Minute,
	}).Draw(t, "wait"))
}

// check holds the queue to the model after every step, and to what holds
// without one.
func (m *machine) check(t *rapid.T) {
	want := Parts[[]Entry]{m.entries(active), m.inBackoff(), m.entries(unschedulable), m.entries(gated), m.entries(inFlight), nil, nil}
	if diff := testdiff.Diff(want, m.q.Pending()); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	require.Equal(t, want.String(), m.q.Counts().String())
	at, ok := m.q.NextReady(m.now)
	wantAt, wantOK := m.nextReady(m.now)
	require.Equal(t, wantOK, ok)
	require.True(t, wantAt.Equal(at), "next ready at %v, want %v", at, wantAt)
	arrived := map[[2]string]uint64{}
	for _, in := range m.q.Incoming() {
		arrived[[2]string{in.Queue, in.Event}] = in.Pods
	}
	require.Empty(t, testdiff.Diff(m.arrived, arrived, cmpopts.EquateEmpty()))
	m.checkPlaces(t)
}

// checkPlaces: every pod is in one place and knows it, and no pod comes before
// the one above it in the heap.
func (m *machine) checkPlaces(t *rapid.T) {
	total, batches := 0, 0
	for where := range poolCount {
		h := &m.core.pools[where]
		total += h.count
		for i, it := range h.items {
			require.Equal(t, where, it.pool)
			require.Equal(t, i, it.index)
			if it.members == nil {
				require.Same(t, it, m.core.items[it.key])
				require.False(t, it.inBatch)
			} else {
				batches += len(it.members.list)
				m.checkMembers(t, it)
			}
			require.GreaterOrEqual(t, h.order(it, h.items[(max(i, 1)-1)/2]), 0)
		}
	}
	require.Len(t, m.core.items, total)
	for _, r := range m.core.byClass {
		batches -= len(r.batches)
	}
	require.Zero(t, batches, "every batch is on the byClass of its classes")
}

// checkMembers: the members know where they are, and are sorted.
func (m *machine) checkMembers(t *rapid.T, batch *item) {
	var last *item
	size := 0
	m.mostClasses = max(m.mostClasses, len(batch.members.list))
	batch.members.each(func(it *item, _ int) {
		require.Same(t, it, m.core.items[it.key])
		require.True(t, it.inBatch)
		require.Same(t, batch, m.core.leader(it))
		require.True(t, last == nil || last.class != it.class || compareMembers(last, it) < 0)
		require.LessOrEqual(t, compareMembers(batch.members.head, it), 0)
		require.Equal(t, *batch.Pod.Priority, *it.Pod.Priority)
		require.Empty(t, batch.PendingFilters)
		last = it
		size++
	})
	require.Equal(t, size, batch.size())
	require.Same(t, batch.Pod, batch.members.head.Pod)
	require.LessOrEqual(t, len(batch.members.list), mostParts)
	require.True(t, slices.IsSortedFunc(batch.members.list, func(a, b batchPart) int { return compareClasses(a.classBatches, b.classBatches) }))
	for _, p := range batch.members.list {
		require.Same(t, p.classBatches, m.core.byClass[p.classBatches.class])
	}
}

func (m *machine) run(t *rapid.T) {
	m.now = noon
	steps := map[string]func(*rapid.T){
		"": m.check, "add": m.add, "add if not present": m.addIfNotPresent, "update": m.update, "delete": m.delete,
		"try pop": m.tryPop, "try pop again": m.tryPop, "pop": m.popBlocking, "put back": m.putBackOne, "put back again": m.putBackOne,
		"done": m.done, "activate": m.activate, "move all": m.moveAll, "room given up": m.roomGivenUp, "assigned": m.assigned,
		"turn gate": m.turnGate, "flush": m.flushBoth, "wait": m.wait, "wait again": m.wait,
	}
	if m.rules != nil {
		steps["refuse"], steps["refuse again"], steps["refuse once more"] = m.refuse, m.refuse, m.refuse
	}
	if m.alike {
		steps["add more"], steps["add even more"], steps["move all again"] = m.add, m.add, m.moveAllForAnything
		steps["round"], steps["another round"] = m.round, m.round
		steps["room among the refused"] = m.roomAmongTheRefused
		for range rapid.IntRange(0, 8).Draw(t, "pods at first") {
			m.add(t)
		}
	}
	if m.held == nil {
		delete(steps, "turn gate")
	}
	t.Repeat(steps)
}

// Queue does what a plain list does that is walked over each time.
func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, runQueue)
}

// runQueue drives a queue and its model.
func runQueue(t *rapid.T) {
	early := rapid.Bool().Draw(t, "early")
	held := map[string]bool{}
	release := rapid.SampledFrom(append(outrank.Releases(), grouped(t, "GenericWorkload"))).Draw(t, "release")
	opening := rapid.SampledFrom([][]ClusterEventKind{nil, {EventNodeAdded, EventAssignedPodDeleted}}).Draw(t, "opening")
	q, err := New(Config{Release: release, NoEarlyPop: !early, Gates: []Gate{
		{Name: "held", Events: opening, Holds: func(p *outrank.Pod) bool { return held[p.Name] }},
	}})
	require.NoError(t, err)
	(&machine{model: model{release: release, opening: opening, early: early, held: held}, q: q, core: &q.core, rules: &classRules{}}).run(t)
}

// So does FIFO.
func TestFIFOAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := NewFIFO()
		(&machine{model: model{fifo: true, held: map[string]bool{}}, q: q, core: &q.core, rules: &classRules{}}).run(t)
	})
}
