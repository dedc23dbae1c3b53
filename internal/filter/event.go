package filter

// The kinds of events that may help pods that a filter kept off a node. Package preemption/scheduler/queue has
// the same names.
const (
	EventNodeAdded          = "NodeAdded"
	EventNodeUpdated        = "NodeUpdated"
	EventNodeDeleted        = "NodeDeleted"
	EventAssignedPodAdded   = "AssignedPodAdded"
	EventAssignedPodUpdated = "AssignedPodUpdated"
	EventAssignedPodDeleted = "AssignedPodDeleted"
	EventStorageChanged     = "StorageChanged"
	// EventPodUpdated is an update of the waiting pod itself.
	EventPodUpdated = "PodUpdated"
)
