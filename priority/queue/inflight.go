package queue

import (
	"slices"
	"sort"

	"github.com/outrank-go/outrank"
)

// flightLog keeps the events that came in during the attempts under way, so that
// they can be asked about when the pods come back (rule 5.5.2). Events that are
// older than all these attempts are forgotten when further ones come in.
type flightLog struct {
	events []flightEvent // in the order in which they came
}

// flightEvent is an event that concerns the attempts up to a cycle.
type flightEvent struct {
	event ClusterEvent
	cycle int64
	// concerns says which pods the event is about; nil for all.
	concerns func(*outrank.Pod) bool
}

// note keeps an event that concerns all attempts begun so far, of which oldest is
// the first under way. Constant time on average.
func (l *flightLog) note(e flightEvent, oldest int64) {
	l.trim(oldest)
	l.events = append(l.events, e)
}

// trim forgets the events that are older than all attempts under way, when they
// are half of all, so that the time of it is constant on average.
func (l *flightLog) trim(oldest int64) {
	if dead := l.since(oldest); dead > len(l.events)/2 {
		l.events = slices.Delete(l.events, 0, dead)
	}
}

// clear forgets all events.
func (l *flightLog) clear() { l.events = nil }

// since returns the index of the first event that came after an attempt had begun.
func (l *flightLog) since(cycle int64) int {
	return sort.Search(len(l.events), func(i int) bool { return l.events[i].cycle >= cycle })
}

// noteUpdate keeps the update of a pod in flight (rule 5.5.7). A version before that is
// nil is not known.
func (q *Queue) noteUpdate(before, after *outrank.Pod) {
	if before != nil && sameButStatus(before, after) {
		return
	}
	if q.config.old() {
		q.items[keyOf(after)].moved = true
		return
	}
	var concerns func(*outrank.Pod) bool
	if !q.rules.UpdatesShared {
		key := keyOf(after)
		concerns = func(p *outrank.Pod) bool { return keyOf(p) == key && p.UID == after.UID }
	}
	q.note(ClusterEvent{Kind: EventPodUpdated, Pod: after, Before: before}, concerns)
}

// note keeps an event for the attempts under way.
func (q *Queue) note(event ClusterEvent, concerns func(*outrank.Pod) bool) {
	if q.config.old() {
		return // one flag is all that it has (rule 5.9.3)
	}
	oldest := q.pools[inFlight].head()
	if oldest == nil {
		q.log.clear()
		return
	}
	q.log.note(flightEvent{event, q.cycle, concerns}, oldest.Cycle)
}
