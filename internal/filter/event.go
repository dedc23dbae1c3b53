package filter

// The events that may help pods which a filter kept off a node. The names are those of package
// preemption/scheduler/queue.
const (
	EventNodeAdded          = "NodeAdded"
	EventNodeUpdated        = "NodeUpdated"
	EventNodeDeleted        = "NodeDeleted"
	EventAssignedPodAdded   = "AssignedPodAdded"
	EventAssignedPodUpdated = "AssignedPodUpdated"
	EventAssignedPodDeleted = "AssignedPodDeleted"
	EventStorageChanged     = "StorageChanged"
)
