package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
)

// ClusterEventKind is what happened in the cluster.
type ClusterEventKind string

// The kinds of events. Any other kind, also the empty one, may help every pod.
const (
	EventNodeAdded   ClusterEventKind = "NodeAdded"
	EventNodeUpdated ClusterEventKind = "NodeUpdated"
	EventNodeDeleted ClusterEventKind = "NodeDeleted"
	// An assigned pod is a pod that has a node. It counts as deleted, too, when
	// it has ended.
	EventAssignedPodAdded   ClusterEventKind = "AssignedPodAdded"
	EventAssignedPodUpdated ClusterEventKind = "AssignedPodUpdated"
	EventAssignedPodDeleted ClusterEventKind = "AssignedPodDeleted"
	// EventStorageChanged is about volumes, claims, storage classes and what
	// drivers report of a node.
	EventStorageChanged ClusterEventKind = "StorageChanged"
	// An unscheduled pod is a pod without a node that is not the one that is asked
	// about (rule 5.4.14).
	EventUnscheduledPodAdded   ClusterEventKind = "UnscheduledPodAdded"
	EventUnscheduledPodUpdated ClusterEventKind = "UnscheduledPodUpdated"
	EventUnscheduledPodDeleted ClusterEventKind = "UnscheduledPodDeleted"
	// EventPodUpdated is about the very pod that waits, the target pod, and for a pod in
	// flight about any that was in flight (rule 5.5.7). Update asks about it; no caller
	// has to.
	EventPodUpdated ClusterEventKind = "PodUpdated"
)

// ClusterEvent is a change in the cluster that may help pods that wait.
type ClusterEvent struct {
	Kind ClusterEventKind
	// Node and Pod are the changed object in its latest version, nil if the
	// caller does not give it. A pod with its node says what the event means for
	// anti-affinity (rule 5.4.12), and one without a node whether it was nominated;
	// the rest is for a caller's own [Config.Helps].
	Node *outrank.Node
	Pod  *outrank.Pod
	// NodeBefore is the version of the node before an update; nil if it is not known.
	NodeBefore *outrank.Node
	// Before is the version of the pod before an update; nil if it is not known. For
	// EventPodUpdated it is the one that the last attempt was made with.
	Before *outrank.Pod
}

// helpers lists by filter the events that may help a pod which the filter kept
// off a node, because they change what the filter looks at (upstream's
// EventsToRegister). What a change of the pod itself may help is in looksAt.
var helpers = map[string][]ClusterEventKind{
	filter.NodeUnschedulable:     {EventNodeAdded, EventNodeUpdated},
	filter.NodeName:              {EventNodeAdded},
	filter.TaintToleration:       {EventNodeAdded, EventNodeUpdated},
	filter.NodeAffinity:          {EventNodeAdded, EventNodeUpdated},
	filter.NodeDeclaredFeatures:  {EventNodeAdded, EventNodeUpdated},
	filter.DeferredPodScheduling: {EventNodeAdded, EventNodeUpdated},
	filter.NodePorts:             {EventNodeAdded, EventAssignedPodDeleted},
	filter.NodeResourcesFit:      {EventNodeAdded, EventNodeUpdated, EventAssignedPodUpdated, EventAssignedPodDeleted},
	filter.VolumeRestrictions:    {EventNodeAdded, EventAssignedPodDeleted, EventStorageChanged},
	filter.NodeVolumeLimits:      {EventNodeAdded, EventNodeUpdated, EventAssignedPodDeleted, EventStorageChanged},
	filter.VolumeBinding:         {EventNodeAdded, EventNodeUpdated, EventStorageChanged},
	filter.VolumeZone:            {EventNodeAdded, EventNodeUpdated, EventStorageChanged},
	filter.PodTopologySpread: {EventNodeAdded, EventNodeUpdated, EventNodeDeleted,
		EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted},
	filter.InterPodAffinity: {EventNodeAdded, EventNodeUpdated,
		EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted},
}

var eventKinds = []ClusterEventKind{
	EventNodeAdded, EventNodeUpdated, EventNodeDeleted,
	EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted, EventStorageChanged,
	EventUnscheduledPodAdded, EventUnscheduledPodUpdated, EventUnscheduledPodDeleted,
}

// Helps reports whether an event may help a pod: whether it changes something
// that one of the filters reads with which the pod failed. The test is coarse:
// a pod may be tried in vain, but no pod that could be helped is left out. An
// unknown event may help any pod. Any event may help a pod that failed with an
// unknown filter or with none. The filters' names are those of package
// preemption. Time is linear in the pod's filters, and where the event gives a pod on
// a node, in the terms of both pods. The rules are those of [outrank.DefaultRelease].
func Helps(e *Entry, event ClusterEvent) bool { return HelpsIn(outrank.DefaultRelease, e, event) }

// HelpsIn is [Helps] by the rules of a release: of terms of anti-affinity, all count
// in v1.36, and any from v1.37 on (rules 5.4.12 and 5.4.13); with the gate for it, a pod
// that waits for its resize is helped by what happens on its own node alone (rule
// 5.4.17). [Config.Helps] is this with [Config.Release] if nothing else is set.
func HelpsIn(r outrank.Release, e *Entry, event ClusterEvent) bool {
	rules := release.Of(release.Release(r))
	return helpsBy(&rules, e, event)
}

func helpsBy(rules *release.Rules, e *Entry, event ClusterEvent) bool {
	if e == nil || len(e.FailedFilters) == 0 {
		return true
	}
	resize := e.Pod != nil && wantsResize(rules, e.Pod)
	if event.Kind == EventPodUpdated && resize {
		return ownResizeHelps(e.FailedFilters, event.Before, event.Pod)
	}
	if event.Kind == EventPodUpdated {
		return ownChangeHelps(e.FailedFilters, event.Before, event.Pod)
	}
	if !slices.Contains(eventKinds, event.Kind) {
		return true
	}
	if resize {
		return resizeHelps(e, &event)
	}
	kind := event.kind()
	return slices.ContainsFunc(e.FailedFilters, func(name string) bool {
		if name == filter.InterPodAffinity && e.Pod != nil && event.tellsNeighbour() {
			return neighbourHelps(rules, e.Pod, &event)
		}
		kinds, known := helpers[name]
		return !known || slices.Contains(kinds, kind)
	})
}

// kind is what the event counts as: a nominated pod that waits and goes gives up room
// as one on a node does.
func (event *ClusterEvent) kind() ClusterEventKind {
	if event.Kind == EventUnscheduledPodDeleted && (event.Pod == nil || event.Pod.NominatedNode != "") {
		return EventAssignedPodDeleted
	}
	return event.Kind
}

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
	q.scatter(&event)
	return q.reviveAll(now, event.Kind, func(it *item) help { return q.helpOf(it, event) })
}

// RoomGivenUp moves the pods that may use the room which a pod had without being on
// the node, as if the pod had been deleted there (rule 5.4.8). A caller tells it
//
//   - when a nominated pod that waits is deleted,
//   - when its nomination changes or is cleared, or the pod is bound elsewhere,
//   - when it could not be bound, which execution.FailureHandler does; the pod then has
//     the NodeName that it was to be bound to.
//
// Of the pods that wait or are in flight, those are asked about that have the
// pod's priority or a lower one: the others never left it the room. A pod with a NodeName
// counted there for all, and all are asked about. The pod itself
// is not moved. With the variant v1.13 nothing happens (rule 5.9.4). Time O(n log n) in the unschedulable and gated pods.
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
	q.scatter(&event)
	return q.reviveAll(now, event.Kind, func(it *item) help {
		if !concerns(it.Pod) {
			return noHelp
		}
		return q.helpOf(it, event)
	})
}

// reviveAll revives the unschedulable pods that there is help for and the gated ones
// that an event of this kind lets in, and returns how many.
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

// mayNeighbour reports whether the assigned pod may satisfy a required pod
// affinity term of the waiting pod.
func mayNeighbour(waiting, assigned *outrank.Pod) bool {
	return slices.ContainsFunc(waiting.Affinity.Pods, func(t outrank.PodAffinityTerm) bool {
		return mayCover(&t, waiting, assigned.NamespaceName()) && t.Selector.Matches(assigned.Labels)
	})
}

// mayCover reports whether a term of the pod may look at the namespace.
func mayCover(t *outrank.PodAffinityTerm, of *outrank.Pod, namespace string) bool {
	if t.NamespaceSelector != nil || slices.Contains(t.Namespaces, namespace) {
		return true
	}
	return len(t.Namespaces) == 0 && of.NamespaceName() == namespace
}
