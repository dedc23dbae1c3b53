package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// modelPod is a pod in the plain model: a line in an unsorted list.
type modelPod struct {
	Entry
	place          pool
	arrival        int
	due            time.Time
	moved, updated bool
	// events are those since the attempt began, updates the changes of pods in flight
	// since then that concern it, with the version before.
	events  []ClusterEvent
	updates [][2]*outrank.Pod
	// offers are the rooms given up since then.
	offers []offer
	// flushed is when time had it tried or asked about the last time.
	flushed time.Time
	// hurried: the caller asked for it whatever is left of its backoff.
	hurried bool
	// wasHeld: it was gated since its last attempt.
	wasHeld bool
}

// offer is a room that was given up, and says which pods that concerns.
type offer struct {
	event    ClusterEvent
	concerns func(*modelPod) bool
}

func (p *modelPod) key() string { return string(p.Pod.Key()) }

// model says what a queue has to do, by walking over its list each time.
type model struct {
	fifo    bool
	release outrank.Release
	// opening are the events after which the caller's gate is asked; none means all.
	opening  []ClusterEventKind
	held     map[string]bool // names of pods that the caller's gate holds
	early    bool            // backoff may end early, and goes by whole seconds
	pods     []*modelPod
	cycle    int64
	arrivals int
	// why is what pods move for, arrived counts them by part and reason.
	why     string
	arrived map[[2]string]uint64
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
	p := &modelPod{Entry: Entry{Pod: pod, FirstEnqueued: now, Enqueued: now}, place: poolCount}
	m.why = m.named("UnscheduledPodAdd", "UnschedulablePodAdd")
	m.pods = append(m.pods, p)
	m.put(p, active)
}

func (m *model) put(p *modelPod, where pool) {
	p.Gate = m.gateOf(p, where)
	if p.Gate != "" {
		where = gated
	}
	m.place(p, where)
}

func (m *model) gateOf(p *modelPod, where pool) string {
	switch {
	case m.fifo || where == unschedulable || where == gated || where == inFlight || !m.early && where != active && len(p.Pod.SchedulingGates) == 0:
		return ""
	case len(p.Pod.SchedulingGates) > 0:
		return "SchedulingGates"
	case m.held[p.Pod.Name]:
		return "held"
	}
	return ""
}

// replace sets another version of a pod that is active or in backoff.
func (m *model) replace(p *modelPod, pod *outrank.Pod) {
	p.Pod = pod
	if !m.fifo && len(pod.SchedulingGates) > 0 && slices.Contains([]pool{active, backoff, errorBackoff}, p.place) {
		p.Gate = "SchedulingGates"
		m.place(p, gated)
	}
}

// named picks the name that the release has for what happened.
func (m *model) named(now, before string) string {
	if m.late() {
		return now
	}
	return before
}

// late says that the rules are those from v1.37 on.
func (m *model) late() bool { return m.release.OrDefault() != outrank.V1_36 }

func (m *model) arrive(where pool) {
	if m.arrived == nil {
		m.arrived = map[[2]string]uint64{}
	}
	m.arrived[[2]string{[]string{"active", "backoff", "backoff", "unschedulable", "gated"}[where], m.why}]++
}

// labels are the names of the events, of v1.37 and of v1.36 where that is another one.
var labels = map[ClusterEventKind][]string{
	"": {"Wildcard"}, EventNodeAdded: {"NodeAdd"}, EventNodeUpdated: {"NodeUpdate"}, EventNodeDeleted: {"NodeDelete"},
	EventAssignedPodAdded: {"AssignedPodAdd"}, EventAssignedPodUpdated: {"AssignedPodUpdate"}, EventAssignedPodDeleted: {"AssignedPodDelete"},
	EventStorageChanged:        {"StorageChange"},
	EventUnscheduledPodAdded:   {"UnscheduledPodAdd", "UnschedulablePodAdd"},
	EventUnscheduledPodUpdated: {"UnscheduledPodUpdate", "UnschedulablePodUpdate"},
	EventUnscheduledPodDeleted: {"UnscheduledPodDelete", "UnschedulablePodDelete"},
}

// place puts a pod somewhere whatever the gates say.
func (m *model) place(p *modelPod, where pool) {
	if p.place != where {
		m.arrive(where)
	}
	p.place = where
	p.wasHeld = p.wasHeld || where == gated
	if where == active {
		m.arrivals++
		p.arrival = m.arrivals
	}
}

// backingOff compares whole seconds where backoff goes by them.
func (m *model) backingOff(p *modelPod, now time.Time) bool {
	if p.BackoffEnd.IsZero() {
		return false
	}
	if m.early {
		return now.Unix() <= p.BackoffEnd.Unix()
	}
	return now.Before(p.BackoffEnd)
}

func (m *model) revive(p *modelPod, atOnce bool, now time.Time) bool {
	switch {
	case atOnce:
		p.hurried = true
		m.put(p, active)
	case !m.backingOff(p, now):
		m.put(p, active)
	case len(p.FailedFilters) == 0 && !p.wasHeld:
		m.put(p, errorBackoff)
	default:
		m.put(p, backoff)
	}
	return p.place != gated
}

func (m *model) reviveAll(now time.Time, kind ClusterEventKind, helps func(p *modelPod) (helps, atOnce bool)) int {
	count := 0
	m.why = m.named(labels[kind][0], labels[kind][len(labels[kind])-1])
	for _, p := range m.pods {
		asked := len(m.opening) == 0 || slices.Contains(m.opening, kind) || m.late() && kind == ""
		open := p.place == gated && len(p.Pod.SchedulingGates) == 0 && asked
		helped, atOnce := false, false
		if p.place == unschedulable || open && len(p.PendingFilters) > 0 {
			helped, atOnce = helps(p)
		}
		if (helped || open) && m.revive(p, atOnce, now) {
			count++
		}
	}
	return count
}

// asked says whether an event may help the pod, and whether it may help one of its
// pending filters.
func (m *model) asked(p *modelPod, event ClusterEvent) (helps, atOnce bool) {
	for _, filter := range p.PendingFilters {
		atOnce = atOnce || event.Kind != "" && Helps(m.release, &Entry{Pod: p.Pod, FailedFilters: []string{filter}}, event)
	}
	return Helps(m.release, &p.Entry, event), atOnce
}

// askedAfterwards says so of all that happened during the attempt.
func (m *model) askedAfterwards(p *modelPod) (helps, atOnce bool) {
	helps = p.moved
	add := func(h, now bool) { helps, atOnce = helps || h, atOnce || now }
	for _, u := range p.updates {
		add(changeHelps(u[0], u[1], p.FailedFilters), len(p.PendingFilters) > 0 && changeHelps(u[0], u[1], p.PendingFilters))
	}
	for _, o := range p.offers {
		if o.concerns(p) {
			add(m.asked(p, o.event))
		}
	}
	for _, e := range p.events {
		add(m.asked(p, e))
	}
	return helps, atOnce
}

// asksAgain is when time has a gated pod asked about.
func (m *model) asksAgain(p *modelPod) (time.Time, bool) {
	since := p.Enqueued
	if p.flushed.After(since) {
		since = p.flushed
	}
	return since.Add(5 * time.Minute), m.late() && p.place == gated && len(p.Pod.SchedulingGates) == 0
}

func (m *model) flush(now time.Time) int {
	count, timedOut := 0, false
	defer func() {
		for _, p := range m.pods {
			if timedOut {
				p.events = append(p.events, ClusterEvent{})
			}
		}
	}()
	// A pod that leaves backoff only to be held (rule 5.2.9) may have waited for long
	// enough to be asked about again at once.
	for _, p := range m.pods {
		if (p.place == backoff || p.place == errorBackoff) && !m.backingOff(p, now) {
			m.why = "BackoffComplete"
			m.leaveBackoff(p)
			count += map[bool]int{true: 1}[p.place == active]
		}
	}
	for _, p := range m.pods {
		if p.place == unschedulable && !now.Before(p.due) && !m.backingOff(p, now) {
			m.why, timedOut = "UnschedulableTimeout", true
			p.flushed = now
			m.put(p, active)
			count += map[bool]int{true: 1}[p.place == active]
		} else if again, ok := m.asksAgain(p); ok && !now.Before(again) {
			m.why, timedOut = "UnschedulableTimeout", true
			p.flushed = now
			m.revive(p, false, now)
			count += map[bool]int{true: 1}[p.place == active]
		}
	}
	return count
}

// leaveBackoff makes a pod active. The gates were asked before where backoff may end
// early.
func (m *model) leaveBackoff(p *modelPod) {
	if m.early {
		m.place(p, active)
	} else {
		m.put(p, active)
	}
}

func (m *model) pop(early bool) *modelPod {
	waiting := m.in(active)
	if len(waiting) == 0 && early {
		waiting = m.in(backoff)
		for _, p := range waiting {
			p.hurried = true
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	p := waiting[0]
	if p.place == backoff {
		m.why = "PopFromBackoffQ"
		m.arrive(active)
	}
	m.cycle++
	p.place, p.Cycle, p.Attempts, p.FailedFilters = inFlight, m.cycle, p.Attempts+1, nil
	p.PendingFilters = nil
	p.moved, p.updated, p.events, p.offers, p.updates = false, false, nil, nil, nil
	return p
}

func (m *model) putBack(p *modelPod, e Entry, now time.Time) {
	if !p.updated {
		p.Pod = e.Pod
	}
	m.why = "ScheduleAttemptFailure"
	p.Enqueued, p.wasHeld = now, false
	p.PendingFilters = slices.Compact(slices.Sorted(slices.Values(e.PendingFilters)))
	p.FailedFilters = slices.Compact(slices.Sorted(slices.Values(slices.Concat(e.FailedFilters, e.PendingFilters))))
	if len(p.FailedFilters) == 0 {
		p.Errors++
	} else {
		p.Refusals++
		p.Errors = 0
	}
	if m.fifo {
		m.put(p, active)
		return
	}
	failures := p.Refusals
	if p.Errors > 0 {
		failures = p.Errors
	}
	wait := []time.Duration{1, 2, 4, 8, 10}[min(failures, 5)-1]
	p.BackoffEnd, p.due = now.Add(wait*time.Second), now.Add(5*time.Minute)
	if m.early {
		p.BackoffEnd = time.Unix(p.BackoffEnd.Unix(), 0).UTC()
	}
	switch helps, atOnce := m.askedAfterwards(p); {
	case len(p.FailedFilters) == 0:
		m.put(p, errorBackoff)
	case atOnce:
		p.hurried = true
		m.put(p, active)
	case helps:
		m.put(p, backoff)
	default:
		m.put(p, unschedulable)
	}
}

// helpsItself: of what is drawn, the nomination is status, and the priority may
// help whatever failed. No filter but an unknown one looks at the way in which the
// default namespace is written.
func (p *modelPod) helpsItself(before *outrank.Pod, filters []string) bool {
	return changeHelps(before, p.Pod, filters)
}

func changeHelps(before, after *outrank.Pod, filters []string) bool {
	other := after.Namespace != before.Namespace || len(after.SchedulingGates) != len(before.SchedulingGates)
	labels := after.Labels["app"] != before.Labels["app"]
	return *after.Priority != *before.Priority || (other || labels) && slices.Contains(filters, "own") ||
		labels && slices.Contains(filters, "InterPodAffinity")
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
		case where == backoff || where == errorBackoff:
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

// inBackoff lists both kinds of backoff as one.
func (m *model) inBackoff() []Entry {
	out := append(m.entries(backoff), m.entries(errorBackoff)...)
	slices.SortStableFunc(out, func(a, b Entry) int {
		return cmp.Or(a.BackoffEnd.Compare(b.BackoffEnd), CompareEntries(&a, &b))
	})
	return out
}

func (m *model) nextReady(now time.Time) (time.Time, bool) {
	var best time.Time
	for _, p := range m.pods {
		over := p.BackoffEnd
		if m.early {
			over = over.Add(time.Second)
		}
		at := map[pool]time.Time{active: now, backoff: over, errorBackoff: over, unschedulable: p.due}[p.place]
		if p.place == backoff && m.early {
			at = now
		}
		if again, ok := m.asksAgain(p); ok && (best.IsZero() || again.Before(best)) {
			best = again
		}
		if p.place != inFlight && p.place != gated && (best.IsZero() || at.Before(best)) {
			best = at
		}
	}
	if !best.IsZero() && best.Before(now) {
		best = now
	}
	return best, !best.IsZero()
}
