package queue

import (
	"github.com/outrank-go/outrank/internal/release"
)

// cause is why a pod enters a part of the queue.
type cause uint8

const (
	otherCause cause = iota
	wildcardCause
	nodeAdd
	nodeUpdate
	nodeDelete
	assignedPodAdd
	assignedPodUpdate
	assignedPodDelete
	storageChange
	unscheduledPodAdd
	unscheduledPodUpdate
	unscheduledPodDelete
	targetPodUpdate
	attemptFailure
	backoffComplete
	earlyPop
	forceActivate
	timeOut
	causeCount
)

// causeNames are the names from v1.37 on.
var causeNames = [causeCount]string{
	otherCause: "Other", wildcardCause: "Wildcard",
	nodeAdd: "NodeAdd", nodeUpdate: "NodeUpdate", nodeDelete: "NodeDelete",
	assignedPodAdd: "AssignedPodAdd", assignedPodUpdate: "AssignedPodUpdate", assignedPodDelete: "AssignedPodDelete",
	storageChange:     "StorageChange",
	unscheduledPodAdd: "UnscheduledPodAdd", unscheduledPodUpdate: "UnscheduledPodUpdate", unscheduledPodDelete: "UnscheduledPodDelete",
	targetPodUpdate: "TargetPodUpdate",
	attemptFailure:  "ScheduleAttemptFailure", backoffComplete: "BackoffComplete", earlyPop: "PopFromBackoffQ",
	forceActivate: "ForceActivate", timeOut: "UnschedulableTimeout",
}

// causeOf has the cause that a kind of event counts as. Kinds that are not known are
// otherCause.
var causeOf = map[ClusterEventKind]cause{
	"":                         wildcardCause,
	EventNodeAdded:             nodeAdd,
	EventNodeUpdated:           nodeUpdate,
	EventNodeDeleted:           nodeDelete,
	EventAssignedPodAdded:      assignedPodAdd,
	EventAssignedPodUpdated:    assignedPodUpdate,
	EventAssignedPodDeleted:    assignedPodDelete,
	EventStorageChanged:        storageChange,
	EventUnscheduledPodAdded:   unscheduledPodAdd,
	EventUnscheduledPodUpdated: unscheduledPodUpdate,
	EventUnscheduledPodDeleted: unscheduledPodDelete,
	EventPodUpdated:            targetPodUpdate,
}

// name is the cause's name in a release (rule 5.7.3).
func (c cause) name(rules *release.Rules) string {
	if !rules.PodEventsByKind {
		switch c {
		case unscheduledPodAdd:
			return "UnschedulablePodAdd"
		case unscheduledPodUpdate, targetPodUpdate:
			return "UnschedulablePodUpdate"
		case unscheduledPodDelete:
			return "UnschedulablePodDelete"
		}
	}
	return causeNames[c]
}

// arrivals is how much entered a part of the queue.
type arrivals struct{ pods, grouped, groups uint64 }

func (a *arrivals) add(b arrivals) {
	a.pods, a.grouped, a.groups = a.pods+b.pods, a.grouped+b.grouped, a.groups+b.groups
}
