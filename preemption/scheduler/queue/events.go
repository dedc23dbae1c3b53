package queue

import (
	"slices"
	"sort"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// ClusterEventKind says what happened in the cluster, such as "NodeAdded".
type ClusterEventKind string

// The kinds of events. Any other kind, even the empty one, may help every pod.
const (
	EventNodeAdded   ClusterEventKind = filter.EventNodeAdded
	EventNodeUpdated ClusterEventKind = filter.EventNodeUpdated
	EventNodeDeleted ClusterEventKind = filter.EventNodeDeleted
	// An assigned pod is a pod that has a node. A pod that has ended counts as deleted, too.
	EventAssignedPodAdded   ClusterEventKind = filter.EventAssignedPodAdded
	EventAssignedPodUpdated ClusterEventKind = filter.EventAssignedPodUpdated
	EventAssignedPodDeleted ClusterEventKind = filter.EventAssignedPodDeleted
	// EventStorageChanged is a change of volumes, claims, storage classes, or what storage drivers report about
	// a node.
	EventStorageChanged ClusterEventKind = filter.EventStorageChanged
	// An unscheduled pod is a pod without a node, other than the waiting pod that is asked about (rule 5.4.14).
	EventUnscheduledPodAdded   ClusterEventKind = "UnscheduledPodAdded"
	EventUnscheduledPodUpdated ClusterEventKind = "UnscheduledPodUpdated"
	EventUnscheduledPodDeleted ClusterEventKind = "UnscheduledPodDeleted"
	// EventPodUpdated is an update of the waiting pod itself. From v1.37 on, a pod in flight is also asked
	// about updates of the other pods in flight (rule 5.5.7). Queue.Update reports it; callers need not.
	EventPodUpdated ClusterEventKind = filter.EventPodUpdated
)

// ClusterEvent is a change in the cluster that may help pods that wait.
type ClusterEvent struct {
	Kind ClusterEventKind
	// Node is the latest version of the changed node, and NodeBefore its version before an update.
	// Either is nil if it is not known.
	Node, NodeBefore *outrank.Node
	// Pod is the latest version of the changed pod, nil if it is not known.
	Pod *outrank.Pod
	// Storage tells more about EventStorageChanged, nil if nothing is known.
	Storage *StorageChange
	// Before is the version of the pod before an update, nil if it is not known. For
	// EventPodUpdated it is the version before the call of Queue.Update.
	Before *outrank.Pod
}

// eventKinds are the kinds of events that the filters know. An event of any other kind may help every pod.
var eventKinds = []ClusterEventKind{
	EventNodeAdded, EventNodeUpdated, EventNodeDeleted,
	EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted, EventStorageChanged,
	EventUnscheduledPodAdded, EventUnscheduledPodUpdated, EventUnscheduledPodDeleted,
}

// flightEvent is an event that came in while attempts were under way.
type flightEvent struct {
	event ClusterEvent
	// cycle is the number of the last attempt that had begun when the event came.
	cycle int64
	// concerns reports whether the event is about a pod. Nil means all pods.
	concerns func(*outrank.Pod) bool
}

// flightLog keeps the events that came in during the attempts under way. When a pod comes back, the queue
// asks whether one of them may help it (rule 5.5.2). Events older than all attempts under way are forgotten
// when further ones come in.
type flightLog struct {
	// events are in the order in which they came, so that their cycles never decrease.
	events []flightEvent
}

// kind returns the kind that the event counts as. A nominated pod that is deleted gives up room like a
// pod on a node, and a deleted pod that is not known may have been nominated (rule 5.4.14). A pod that waits on its
// node for its resize is updated like any pod on a node (rule 5.4.17).
func (event *ClusterEvent) kind() ClusterEventKind {
	switch {
	case event.Kind == EventUnscheduledPodDeleted && (event.Pod == nil || event.Pod.NominatedNodeName != ""):
		return EventAssignedPodDeleted
	case event.Kind == EventPodUpdated && event.Before != nil && event.Before.NodeName != "":
		return EventAssignedPodUpdated
	}
	return event.Kind
}

// preempts reports whether the event is an update of the waiting pod itself after which it may preempt other pods than
// before (rule 5.4.9).
func (event *ClusterEvent) preempts() bool {
	return event.Kind == EventPodUpdated && event.Pod != nil && event.Before != nil &&
		(event.Pod.PriorityValue() != event.Before.PriorityValue() || event.Pod.PreemptionPolicy != event.Before.PreemptionPolicy)
}

// note keeps an event for the attempts under way. oldest is the number of the first of them. Constant time
// on average.
func (l *flightLog) note(e flightEvent, oldest int64) {
	l.trim(oldest)
	l.events = append(l.events, e)
}

// trim forgets the events that are older than all attempts under way. It waits until more than half of the
// events are that old, so that each event is moved once on average.
func (l *flightLog) trim(oldest int64) {
	if dead := l.since(oldest); dead > len(l.events)/2 {
		l.events = slices.Delete(l.events, 0, dead)
	}
}

// clear forgets all events.
func (l *flightLog) clear() { l.events = nil }

// since returns the index of the first event that came after an attempt with this number had begun.
func (l *flightLog) since(cycle int64) int {
	return sort.Search(len(l.events), func(i int) bool { return l.events[i].cycle >= cycle })
}
