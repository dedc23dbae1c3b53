package queue

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/internal/release"
)

// Incoming is how many pods have entered a part of a queue for one reason (upstream's
// metric queue_incoming_pods_total).
type Incoming struct {
	// Queue is the part: active, backoff, unschedulable or gated.
	Queue string
	// Event is what happened, as the release names it (group 5.7).
	Event string
	// Pods is how many, Grouped how many of them came in groups of pods that are queued
	// as one, and Groups how many groups these were (rule 5.8.12).
	Pods, Grouped, Groups uint64
}

// arrivals is how much entered a part of the queue.
type arrivals struct{ pods, grouped, groups uint64 }

func (a *arrivals) add(b arrivals) {
	a.pods, a.grouped, a.groups = a.pods+b.pods, a.grouped+b.grouped, a.groups+b.groups
}

// arrivals is what an item counts as that enters.
func (it *item) arrivals() arrivals {
	n := uint64(it.size())
	if it.group != nil {
		return arrivals{n, n, 1}
	}
	return arrivals{pods: n}
}

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

// causeOf is what an event counts as. Kinds that are not known count as one.
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

// poolNames are those of the parts that are counted.
var poolNames = map[pool]string{
	active: "active", backoff: "backoff", errorBackoff: "backoff", unschedulable: "unschedulable", gated: "gated",
}

// arrive counts what enters a pool.
func (c *core) arrive(to pool, why cause, a arrivals) {
	if to != inFlight {
		c.incoming[to][why].add(a)
	}
}

// Incoming returns how many pods have entered each part of the queue so far and why,
// sorted by part and event, without what has not happened. A pod counts each time,
// but not while it stays where it is. Takes constant time.
func (c *core) Incoming() []Incoming {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []Incoming
	for p, counts := range c.incoming {
		for why, a := range counts {
			if a.pods > 0 {
				list = append(list, Incoming{poolNames[pool(p)], cause(why).name(&c.rules), a.pods, a.grouped, a.groups})
			}
		}
	}
	slices.SortFunc(list, func(a, b Incoming) int { return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Event, b.Event)) })
	merged := list[:0]
	for _, in := range list {
		if n := len(merged); n > 0 && merged[n-1].Queue == in.Queue && merged[n-1].Event == in.Event {
			merged[n-1].Pods += in.Pods
			merged[n-1].Grouped, merged[n-1].Groups = merged[n-1].Grouped+in.Grouped, merged[n-1].Groups+in.Groups
			continue
		}
		merged = append(merged, in)
	}
	return slices.Clip(merged)
}
