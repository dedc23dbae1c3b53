package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// helpOf asks the hints what an event means for a pod (rules 5.4.3 and 5.4.11).
func (q *Queue) helpOf(it *item, event ClusterEvent) help {
	if q.config.old() {
		return atOnce
	}
	if !q.config.Helps(&it.Entry, event) {
		return noHelp
	}
	if len(it.PendingFilters) == 0 || event.Kind == "" {
		return afterBackoff
	}
	pending := it.Entry
	pending.FailedFilters = pending.PendingFilters
	if q.config.Helps(&pending, event) {
		return atOnce
	}
	return afterBackoff
}

// opened returns what it means for a gated pod that its gates are asked: what waits for
// something of a filter's own does not wait for its backoff where that came (rule 5.4.11).
func opened(it *item, of func() help) help {
	if len(it.PendingFilters) > 0 {
		return max(afterBackoff, of())
	}
	return afterBackoff
}

// helped returns the most that anything means for a pod which happened during its
// attempt, now that it is known what it failed with (rule 5.5.1). Time is linear in
// the events of that time.
func (q *Queue) helped(it *item) help {
	most := noHelp
	if it.moved {
		most = afterBackoff
	}
	// Only a pod that waits for something of its own can be told more than one thing.
	enough := afterBackoff
	if len(it.PendingFilters) > 0 {
		enough = atOnce
	}
	for _, e := range q.log.events[q.log.since(it.Cycle):] {
		if most >= enough {
			break
		}
		if e.concerns == nil || e.concerns(it.Pod) {
			most = max(most, q.helpOf(it, e.event))
		}
	}
	return most
}

// helpOfItself returns what the difference between two versions of the item's pod
// means for it. An earlier version that is nil is not known.
func (q *Queue) helpOfItself(it *item, before, after *outrank.Pod) help {
	if before != nil && sameButStatus(before, after) {
		return noHelp
	}
	return q.helpOf(it, ClusterEvent{Kind: EventPodUpdated, Pod: after, Before: before})
}

// poolFor returns where a pod goes that an event means this for, with a backoff that
// ends at its own time.
func (it *item) poolFor(h help) pool {
	switch h {
	case atOnce:
		return active
	case afterBackoff:
		return it.backoffPool()
	}
	return unschedulable
}

// mayOpen reports whether what holds a pod is asked after an event that is not a
// change of the pod (rules 5.2.6 and 5.2.8).
func (q *Queue) mayOpen(it *item, kind ClusterEventKind) bool {
	if it.heldBySpec() {
		return false
	}
	if kind == "" && q.rules.WildcardsAskGates {
		return true
	}
	return slices.ContainsFunc(q.config.Gates, func(g Gate) bool {
		return g.Name == it.Gate && (len(g.Events) == 0 || slices.Contains(g.Events, kind))
	})
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
