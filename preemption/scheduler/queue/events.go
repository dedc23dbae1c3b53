package queue

import (
	"slices"
	"sort"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// ClusterEventKind is what happened in the cluster.
type ClusterEventKind string

// The kinds of events. Any other kind, also the empty one, may help every pod.
const (
	EventNodeAdded   ClusterEventKind = filter.EventNodeAdded
	EventNodeUpdated ClusterEventKind = filter.EventNodeUpdated
	EventNodeDeleted ClusterEventKind = filter.EventNodeDeleted
	// An assigned pod is a pod that has a node. It counts as deleted, too, when
	// it has ended.
	EventAssignedPodAdded   ClusterEventKind = filter.EventAssignedPodAdded
	EventAssignedPodUpdated ClusterEventKind = filter.EventAssignedPodUpdated
	EventAssignedPodDeleted ClusterEventKind = filter.EventAssignedPodDeleted
	// EventStorageChanged is about volumes, claims, storage classes and what
	// drivers report of a node.
	EventStorageChanged ClusterEventKind = filter.EventStorageChanged
	// An unscheduled pod is a pod without a node that is not the one that is asked
	// about (rule 5.4.14).
	EventUnscheduledPodAdded   ClusterEventKind = "UnscheduledPodAdded"
	EventUnscheduledPodUpdated ClusterEventKind = "UnscheduledPodUpdated"
	EventUnscheduledPodDeleted ClusterEventKind = "UnscheduledPodDeleted"
	// EventPodUpdated is an update of the waiting pod itself, and for a pod in flight an update
	// of any pod in flight (rule 5.5.7). Update tells of it; no caller has to.
	EventPodUpdated ClusterEventKind = "PodUpdated"
)

// ClusterEvent is a change in the cluster that may help pods that wait.
type ClusterEvent struct {
	Kind ClusterEventKind
	// Node is the changed node in its latest version. NodeBefore is its version before an update.
	// Either is nil if it is not known.
	Node, NodeBefore *outrank.Node
	// Pod is the changed pod in its latest version, nil if it is not known. A pod that names its node
	// shows what the event means for anti-affinity (rule 5.4.12), and a pod without a node whether it
	// was nominated. The rest is for a caller's own Config.Helps.
	Pod *outrank.Pod
	// Before is the version of the pod before an update, nil if it is not known. For
	// EventPodUpdated it is the one that the last attempt was made with.
	Before *outrank.Pod
}

// helpers has, for each filter, the kinds of events that change what the filter looks at (rule 5.4.4;
// upstream's EventsToRegister). Others cannot help a pod that the filter kept off a node. Changes of the
// pod itself are in looksAt.
var helpers = map[string][]ClusterEventKind{}

// looksAt has, for each filter, what the filter looks at in the pod itself. A change of
// anything else cannot help a pod that the filter kept off a node (rule 5.4.9).
var looksAt = map[string]looked{}

func init() {
	for _, e := range filter.Entries() {
		looksAt[e.Name] = e.LooksAt
		for _, kind := range e.Helped {
			helpers[e.Name] = append(helpers[e.Name], ClusterEventKind(kind))
		}
	}
}

// eventKinds are the kinds of events about which the filters are asked. Any other may help every pod.
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

// flightLog keeps the events that came in during the attempts under way. When a pod comes back they are
// asked about (rule 5.5.2). Events that are older than all these attempts are forgotten when further ones
// come in.
type flightLog struct {
	// events are in the order in which they came, which is that of their cycles.
	events []flightEvent
}

// kind returns the kind that the event counts as. A nominated pod that goes gives up room like a
// pod on a node, and a pod that is not known may have been nominated (rule 5.4.14).
func (event *ClusterEvent) kind() ClusterEventKind {
	if event.Kind == EventUnscheduledPodDeleted && (event.Pod == nil || event.Pod.NominatedNodeName != "") {
		return EventAssignedPodDeleted
	}
	return event.Kind
}

// tellsNeighbour reports whether the event has the pods that decide what it means for
// anti-affinity (rule 5.4.12): the pod that went from its node, or both versions of one that changed.
func (event *ClusterEvent) tellsNeighbour() bool {
	switch {
	case event.Pod == nil || event.Pod.NodeName == "":
		return false
	case event.Kind == EventAssignedPodDeleted:
		return true
	}
	return event.Kind == EventAssignedPodUpdated && event.Before != nil
}

// concernsNode returns the node that the event's pod is on or nominated to.
func (event *ClusterEvent) concernsNode() string {
	if event.Pod.NodeName == "" {
		return event.Pod.NominatedNodeName
	}
	return event.Pod.NodeName
}

// letsPreempt reports whether pods may be pushed out of the node from this event on.
func (event *ClusterEvent) letsPreempt() bool {
	may := func(n *outrank.Node) bool { return n == nil || len(n.DisableResizePreemption) == 0 }
	if event.Kind == EventNodeUpdated && event.NodeBefore != nil {
		return !may(event.NodeBefore) && may(event.Node)
	}
	return may(event.Node)
}

// note keeps an event that concerns all attempts begun so far, of which oldest is
// the first under way. Constant time on average.
func (l *flightLog) note(e flightEvent, oldest int64) {
	l.trim(oldest)
	l.events = append(l.events, e)
}

// trim forgets the events that are older than all attempts under way. It waits until they are more than
// half of all events, so that each event is moved once on average.
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
