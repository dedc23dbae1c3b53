package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
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
)

// ClusterEvent is a change in the cluster that may help pods that wait.
type ClusterEvent struct {
	Kind ClusterEventKind
	// Node and Pod are the changed object in its latest version, nil if the
	// caller does not give it. Only a caller's own [Config.Helps] uses them.
	Node *outrank.Node
	Pod  *outrank.Pod
}

// helpers lists by filter the events that may help a pod which the filter kept
// off a node, because they change what the filter looks at (upstream's
// EventsToRegister). A change of the pod itself is for Update.
var helpers = map[string][]ClusterEventKind{
	"NodeUnschedulable":  {EventNodeAdded, EventNodeUpdated},
	"NodeName":           {EventNodeAdded},
	"TaintToleration":    {EventNodeAdded, EventNodeUpdated},
	"NodeAffinity":       {EventNodeAdded, EventNodeUpdated},
	"NodePorts":          {EventNodeAdded, EventAssignedPodDeleted},
	"NodeResourcesFit":   {EventNodeAdded, EventNodeUpdated, EventAssignedPodUpdated, EventAssignedPodDeleted},
	"VolumeRestrictions": {EventNodeAdded, EventAssignedPodDeleted, EventStorageChanged},
	"NodeVolumeLimits":   {EventNodeAdded, EventNodeUpdated, EventAssignedPodDeleted, EventStorageChanged},
	"VolumeBinding":      {EventNodeAdded, EventNodeUpdated, EventStorageChanged},
	"VolumeZone":         {EventNodeAdded, EventNodeUpdated, EventStorageChanged},
	"PodTopologySpread": {EventNodeAdded, EventNodeUpdated, EventNodeDeleted,
		EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted},
	"InterPodAffinity": {EventNodeAdded, EventNodeUpdated,
		EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted},
}

var eventKinds = []ClusterEventKind{
	EventNodeAdded, EventNodeUpdated, EventNodeDeleted,
	EventAssignedPodAdded, EventAssignedPodUpdated, EventAssignedPodDeleted, EventStorageChanged,
}

// Helps reports whether an event may help a pod: whether it changes something
// that one of the filters reads with which the pod failed. The test is coarse:
// a pod may be tried in vain, but no pod that could be helped is left out. An
// unknown event may help any pod. Any event may help a pod that failed with an
// unknown filter or with none. The filters' names are those of package
// preemption. [Config.Helps] is Helps if nothing else is set. Time is linear in
// the pod's filters.
func Helps(e *Entry, event ClusterEvent) bool {
	if e == nil || len(e.FailedFilters) == 0 || !slices.Contains(eventKinds, event.Kind) {
		return true
	}
	return slices.ContainsFunc(e.FailedFilters, func(filter string) bool {
		kinds, known := helpers[filter]
		return !known || slices.Contains(kinds, event.Kind)
	})
}

// MoveAll moves the unschedulable pods that the event may help to active, or to
// backoff while that lasts (MoveAllToActiveOrBackoffQueue). Pods in flight go to
// backoff when they are put back, whatever the event. Time O(n log n) in the
// unschedulable pods.
func (q *Queue) MoveAll(event ClusterEvent, now time.Time) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.moveCycle = q.cycle
	return q.reviveAll(now, func(it *item) bool { return q.config.Helps(&it.Entry, event) })
}

// reviveAll revives the unschedulable pods that are chosen, and returns how many.
func (q *Queue) reviveAll(now time.Time, chosen func(*item) bool) int {
	var moving []*item
	for _, it := range q.pools[unschedulable].items {
		if chosen(it) {
			moving = append(moving, it)
		}
	}
	for _, it := range moving {
		q.revive(it, now)
	}
	return len(moving)
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
	if pod == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, it := range q.pools[inFlight].items {
		it.moved = it.moved || mayNeighbour(it.Pod, pod)
	}
	return q.reviveAll(now, func(it *item) bool { return mayNeighbour(it.Pod, pod) })
}

// AssignedPodUpdated does the same for a pod whose labels may have changed.
func (q *Queue) AssignedPodUpdated(pod *outrank.Pod, now time.Time) int {
	return q.AssignedPodAdded(pod, now)
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
