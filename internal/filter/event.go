package filter

// The events that help pods which a filter kept off a node, by the names that package
// preemption/scheduler/queue has for them.
const (
	EventNodeAdded          = "NodeAdded"
	EventNodeUpdated        = "NodeUpdated"
	EventNodeDeleted        = "NodeDeleted"
	EventAssignedPodAdded   = "AssignedPodAdded"
	EventAssignedPodUpdated = "AssignedPodUpdated"
	EventAssignedPodDeleted = "AssignedPodDeleted"
	EventStorageChanged     = "StorageChanged"
)
