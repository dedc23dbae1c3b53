package queue

import (
	"time"

	"github.com/outrank-go/outrank"
)

// MoveAll moves the unschedulable pods that the event may help, and the gated pods whose gates let them
// in by now, to active, or to backoff while their backoff is not over (MoveAllToActiveOrBackoffQueue). It
// returns how many it moved. The event is kept for the pods in flight: if it may help one, the pod goes to
// backoff when it is put back. With the variant v1.13 any event helps all unschedulable pods, but a pod on a node
// that was added or changed helps those alone of [Queue.AssignedPodAdded] (rule 5.9.2). Time O(n log n) in the
// unschedulable and gated pods.
func (q *Queue) MoveAll(event ClusterEvent, now time.Time) int {
	if q.config.old() && event.Pod != nil && (event.Kind == EventAssignedPodAdded || event.Kind == EventAssignedPodUpdated) {
		return q.assigned(event.Pod, event.Kind, now)
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	q.note(event, nil)
	q.movedSince = true
	q.splitBatches(&event)
	return q.reviveAll(now, event.Kind, func(it *item) help { return q.helpOf(it, event) })
}

// RoomGivenUp tells the queue of a pod that gives up the room held for it on a node before it runs there.
// It moves the pods that may use the room, as if the pod had been deleted on the node (rule 5.4.8), and
// returns how many it moved. It is to be called
//
//   - when a nominated pod that waits is deleted,
//   - when its nomination changes or is cleared,
//   - when a pod could not be bound, with the NodeName that it was to be bound to;
//     execution.Executor.Fail does so.
//
// If the pod has no NodeName, the call concerns only the pods inside whose priority is not higher: the
// others never left it the room. A pod with a NodeName took up the room for all, so the call concerns all.
// The pod itself is not moved. With the variant v1.13 nothing happens (rule 5.9.4). Time O(n log n)
// in the unschedulable and gated pods.
func (q *Queue) RoomGivenUp(pod *outrank.Pod, now time.Time) int {
	if pod == nil || q.config.old() {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()

	// The call does not concern the pod itself, so it must not share a batch with pods that it concerns.
	event := ClusterEvent{Kind: EventAssignedPodDeleted, Pod: pod}
	key := keyOf(pod)
	q.alone(q.items[key])
	highest, concernsAll := pod.PriorityValue(), pod.NodeName != ""
	concerns := func(p *outrank.Pod) bool {
		return (concernsAll || p.PriorityValue() <= highest) && keyOf(p) != key
	}
	q.note(event, concerns)
	q.splitBatches(&event)
	return q.reviveAll(now, event.Kind, func(it *item) help {
		if !concerns(it.Pod) {
			return noHelp
		}
		return q.helpOf(it, event)
	})
}

// reviveAll moves the unschedulable pods that have help and the gated pods whose gates are asked at an
// event of this kind, and returns how many it moved. Pods that their gates still hold do not count.
func (q *Queue) reviveAll(now time.Time, kind ClusterEventKind, helpFor func(*item) help) int {
	q.why = causeOf[kind]

	// helps[i] is the help of moving[i]: takeOut asks about each item once, and appends the chosen ones in
	// the order in which it asked.
	var helps []help
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

	// No item goes back before all were taken out, so that none is looked at twice.
	count := 0
	for i, it := range moving {
		if q.revive(it, helps[i], now) {
			count += it.size()
		}
	}
	return count
}

// AssignedPodAdded moves, as [Queue.MoveAll] does, the unschedulable pods with a required term of pod affinity
// that the assigned pod matches, whichever filters they failed. It returns how many it moved. Pods in flight
// with such a term count as moved when they come back. A term that selects namespaces by label is taken to
// select all, since the labels are not known here, and matchLabelKeys are ignored: a pod may be tried in vain.
//
// Releases whose plugins have hints ask those instead, which MoveAll does: it moves only pods that failed a filter
// which the assigned pod may help. So does this library's own loop. Time O(n log n) in the pods unschedulable and in
// flight.
func (q *Queue) AssignedPodAdded(pod *outrank.Pod, now time.Time) int {
	return q.assigned(pod, EventAssignedPodAdded, now)
}

// AssignedPodUpdated does what [Queue.AssignedPodAdded] does for a pod whose labels may have changed.
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
	q.moveInFlight(pod)
	return q.reviveAll(now, kind, func(it *item) help {
		if mayNeighbour(it.Pod, pod) {
			return afterBackoff
		}
		return noHelp
	})
}

// moveInFlight marks the pods in flight that want to be near the assigned pod as moved. The queue of v1.13
// marks no single pod: its one flag, movedSince, holds for all pods in flight, and the next pop clears it
// (rule 5.9.3).
func (q *Queue) moveInFlight(assigned *outrank.Pod) {
	if q.config.old() {
		return
	}
	for _, it := range q.pools[inFlight].items {
		it.moved = it.moved || mayNeighbour(it.Pod, assigned)
	}
}

// Activate makes active those of the given pods that are in backoff, unschedulable or gated, unless a gate
// holds them, and returns how many. A pod in flight goes to backoff when it is put back; other pods are
// left alone. This is how pods that lose their nomination to a preemptor are tried again (rules
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
			it.moved = true // rule 5.5.5
		case it.pool != active:
			q.hurry(it)
			if it.pool == active {
				count++
			}
		}
	}
	return count
}

// activateGroup makes active the group that a pod waits with, and returns the number of the group's pods. It
// returns 0 if the group was active before, is held by a gate, or is in flight (rule 5.8.10).
func (q *Queue) activateGroup(it *item) int {
	if it.pool != inGroup || it.groupItem.pool == active {
		return 0
	}
	g := it.groupItem
	q.hurry(g)
	if g.pool != active {
		return 0
	}
	return g.size()
}
