package queue

import (
	"github.com/outrank-go/outrank/internal/release"
)

// cause is the reason why a pod enters a part of the queue (group 5.7).
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
	storageChanges
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

// causeNames has the names of the causes from v1.37 on.
var causeNames = [causeCount]string{
	otherCause: "Other", wildcardCause: "Wildcard",
	nodeAdd: "NodeAdd", nodeUpdate: "NodeUpdate", nodeDelete: "NodeDelete",
	assignedPodAdd: "AssignedPodAdd", assignedPodUpdate: "AssignedPodUpdate", assignedPodDelete: "AssignedPodDelete",
	storageChanges:    "StorageChange",
	unscheduledPodAdd: "UnscheduledPodAdd", unscheduledPodUpdate: "UnscheduledPodUpdate", unscheduledPodDelete: "UnscheduledPodDelete",
	targetPodUpdate: "TargetPodUpdate",
	attemptFailure:  "ScheduleAttemptFailure", backoffComplete: "BackoffComplete", earlyPop: "PopFromBackoffQ",
	forceActivate: "ForceActivate", timeOut: "UnschedulableTimeout",
}

// causeOf maps each kind of event to its cause. Any other kind counts as otherCause, the zero value.
var causeOf = map[ClusterEventKind]cause{
	"":                         wildcardCause,
	EventNodeAdded:             nodeAdd,
	EventNodeUpdated:           nodeUpdate,
	EventNodeDeleted:           nodeDelete,
	EventAssignedPodAdded:      assignedPodAdd,
	EventAssignedPodUpdated:    assignedPodUpdate,
	EventAssignedPodDeleted:    assignedPodDelete,
	EventStorageChanged:        storageChanges,
	EventUnscheduledPodAdded:   unscheduledPodAdd,
	EventUnscheduledPodUpdated: unscheduledPodUpdate,
	EventUnscheduledPodDeleted: unscheduledPodDelete,
	EventPodUpdated:            targetPodUpdate,
}

// name returns the cause's name in a release (rule 5.7.3).
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

// arrivals counts what entered a part of the queue: all pods, the pods among them that came in a group, and
// the groups.
type arrivals struct{ pods, grouped, groups uint64 }

func (a *arrivals) add(b arrivals) {
	a.pods += b.pods
	a.grouped += b.grouped
	a.groups += b.groups
}
