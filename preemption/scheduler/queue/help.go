package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// helpOf asks Config.Helps how an event helps a pod (rules 5.4.3 and 5.4.11).
func (q *Queue) helpOf(it *item, event ClusterEvent) help {
	if q.config.old() {
		return atOnce // rule 5.9.2
	}
	if !q.config.Helps(&it.Entry, event) {
		return noHelp
	}

	// The event may help some failed filter. If it helps a pending one, the pod need not wait for its
	// backoff. An event of the empty kind does not tell what a pending filter waits for.
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

// opened returns the help for a gated pod that its gates let in: it is tried after its backoff, or at once
// if the event helped one of its pending filters (rule 5.4.11). helpOfEvent is called only for a pod
// with such filters.
func opened(it *item, helpOfEvent func() help) help {
	if len(it.PendingFilters) > 0 {
		return max(afterBackoff, helpOfEvent())
	}
	return afterBackoff
}

// helped returns the strongest help among the events of the pod's attempt, now that its failed
// filters are known (rule 5.5.1). Time is linear in these events.
func (q *Queue) helped(it *item) help {
	most := noHelp
	if it.moved {
		most = afterBackoff // rule 5.5.5
	}

	// Only help for a pending filter is atOnce, so without such filters any help is the strongest possible.
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

// helpOfItself returns how an update of the item's own pod helps it. before is nil if the earlier version is
// not known.
func (q *Queue) helpOfItself(it *item, before, after *outrank.Pod) help {
	if before != nil && sameButStatus(before, after) {
		return noHelp
	}
	return q.helpOf(it, ClusterEvent{Kind: EventPodUpdated, Pod: after, Before: before})
}

// poolFor returns the pool that a pod goes to with this help.
func (it *item) poolFor(h help) pool {
	switch h {
	case atOnce:
		return active
	case afterBackoff:
		return it.backoffPool()
	}
	return unschedulable
}

// mayOpen reports whether the gate that holds the pod is asked again at an event of this kind (rules 5.2.6
// and 5.2.8). A change of the pod itself is not such an event.
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

// noteUpdate keeps the update of a pod in flight (rule 5.5.7). before is nil if the earlier version is not
// known.
func (q *Queue) noteUpdate(before, after *outrank.Pod) {
	if before != nil && sameButStatus(before, after) {
		return
	}
	if q.config.old() {
		q.items[keyOf(after)].moved = true // rule 5.9.3
		return
	}

	// In releases that do not share updates among the pods in flight, the event is about this pod alone.
	var concerns func(*outrank.Pod) bool
	if !q.rules.UpdatesShared {
		key := keyOf(after)
		concerns = func(p *outrank.Pod) bool { return keyOf(p) == key && p.UID == after.UID }
	}
	q.note(ClusterEvent{Kind: EventPodUpdated, Pod: after, Before: before}, concerns)
}
