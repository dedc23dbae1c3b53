package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// MoveAll moves the unschedulable pods that the event may help, and the gated ones
// that are let in by now, to active, or to backoff while that lasts
// (MoveAllToActiveOrBackoffQueue). A pod in flight goes to
// backoff when it is put back if the event may help it. The event is kept until
// then. Time O(n log n) in the unschedulable and gated pods.
func (q *Queue) MoveAll(event ClusterEvent, now time.Time) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.note(event, nil)
	q.movedSince = true
	q.splitBatches(&event)
	return q.reviveAll(now, event.Kind, func(it *item) help { return q.helpOf(it, event) })
}

// RoomGivenUp moves the pods that may use the room which a pod had without being on
// the node, as if the pod had been deleted there (rule 5.4.8). A caller tells it
//
//   - when a nominated pod that waits is deleted,
//   - when its nomination changes or is cleared,
//   - when it could not be bound, which execution.Executor.Fail does; the pod then has
//     the NodeName that it was to be bound to.
//
// It concerns the pods that wait or are in flight and have the pod's priority or a lower one: the
// others never left it the room. A pod with a NodeName counted there for all, so it concerns all.
// The pod itself is not moved. With the variant v1.13 nothing happens (rule 5.9.4). Time O(n log n)
// in the unschedulable and gated pods.
func (q *Queue) RoomGivenUp(pod *outrank.Pod, now time.Time) int {
	if pod == nil || q.config.old() {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	event := ClusterEvent{Kind: EventAssignedPodDeleted, Pod: pod}
	q.alone(q.items[keyOf(pod)])
	key, most, toAll := keyOf(pod), pod.PriorityValue(), pod.NodeName != ""
	concerns := func(p *outrank.Pod) bool { return (toAll || p.PriorityValue() <= most) && keyOf(p) != key }
	q.note(event, concerns)
	q.splitBatches(&event)
	return q.reviveAll(now, event.Kind, func(it *item) help {
		if !concerns(it.Pod) {
			return noHelp
		}
		return q.helpOf(it, event)
	})
}

// reviveAll moves the unschedulable pods that have help and the gated pods that an event of
// this kind lets in, and returns how many.
func (q *Queue) reviveAll(now time.Time, kind ClusterEventKind, helpFor func(*item) help) int {
	q.why = causeOf[kind]
	var helps []help // of those that move
	moves := func(h help) bool {
		if h != noHelp {
			helps = append(helps, h)
		}
		return h != noHelp
	}
	moving := q.pools[gated].takeOut(nil, func(it *item) bool {
		return q.mayOpen(it, kind) && moves(opened(it, func() help { return helpFor(it) }))
	})
	moving = q.pools[unschedulable].takeOut(moving, func(it *item) bool { return moves(helpFor(it)) })
	count := 0
	for i, it := range moving {
		if q.revive(it, helps[i], now) {
			count += it.size()
		}
	}
	return count
}

// AssignedPodAdded moves, as [Queue.MoveAll] does, the unschedulable pods that
// have a required pod affinity term that the assigned pod matches, whatever
// they failed with; of the pods in flight, those count as moved. A term that
// selects namespaces by label is taken to select all, since the labels are not
// known here, and matchLabelKeys are not looked at: a pod may be tried in vain.
// A pod that waits for topology spread, or for the room that a pod freed when it
// was updated, is for MoveAll; upstream moves the first kind here. Time
// O(n log n) in the pods unschedulable and in flight.
func (q *Queue) AssignedPodAdded(pod *outrank.Pod, now time.Time) int {
	return q.assigned(pod, EventAssignedPodAdded, now)
}

// AssignedPodUpdated does the same for a pod whose labels may have changed.
func (q *Queue) AssignedPodUpdated(pod *outrank.Pod, now time.Time) int {
	return q.assigned(pod, EventAssignedPodUpdated, now)
}

func (q *Queue) assigned(pod *outrank.Pod, kind ClusterEventKind, now time.Time) int {
	if pod == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.movedSince = true
	for _, it := range q.pools[inFlight].items {
		it.moved = it.moved || mayNeighbour(it.Pod, pod)
	}
	return q.reviveAll(now, kind, func(it *item) help {
		if mayNeighbour(it.Pod, pod) {
			return afterBackoff
		}
		return noHelp
	})
}

// splitBatches takes a batch apart where an event helps some of its pods and not others: help
// from a neighbour depends on labels and terms, which a batch need not share.
func (q *Queue) splitBatches(event *ClusterEvent) {
	if !q.batching || !event.tellsNeighbour() {
		return
	}
	var apart []*item
	for _, it := range q.pools[unschedulable].items {
		if it.batched.members != nil && slices.Contains(it.FailedFilters, filter.InterPodAffinity) && !q.agree(it, event) {
			it.batched.members.each(func(m *item, _ int) { apart = append(apart, m) })
		}
	}
	for _, m := range apart {
		q.alone(m)
	}
}

// agree reports whether an event helps all pods of a batch or none.
func (q *Queue) agree(batch *item, event *ClusterEvent) bool {
	first, same := neighbourHelps(&q.rules, batch.Pod, event), true
	batch.batched.members.each(func(m *item, _ int) {
		same = same && neighbourHelps(&q.rules, m.Pod, event) == first
	})
	return same
}

// Activate makes pods active at once that are in backoff, unschedulable or gated, unless a gate
// holds them, and returns how many. A pod in flight goes to backoff when it is put back; others are
// left alone. Pods that lose their nomination to a preemptor are tried again in this way (rules
// 5.4.7 and 14.3.3). Time O(log n) for each.
func (q *Queue) Activate(pods ...*outrank.Pod) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	count := 0
	q.why = forceActivate
	for _, pod := range pods {
		it := q.find(pod)
		switch {
		case it == nil:
		case it.leaf != "":
			count += q.activateGroup(it)
		case it.pool == inFlight:
			it.moved = true
		case it.pool != active:
			if q.hurry(it); it.pool == active {
				count++
			}
		}
	}
	return count
}

// activateGroup makes the group of a pod active that waits elsewhere, and returns how
// many pods it has; 0 if it is not active then, or was before.
func (q *Queue) activateGroup(it *item) int {
	if it.pool != inGroup || it.of.pool == active {
		return 0
	}
	g := it.of
	if q.hurry(g); g.pool != active {
		return 0
	}
	return g.size()
}
