package metrics

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Values are the values of a [Meter] at one moment.
type Values struct {
	// PreemptionAttempts counts how often preemption was asked to make room (every
	// PostFilter), whatever the answer.
	PreemptionAttempts uint64
	// PreemptionVictims has the number of victims of each plan that was begun.
	PreemptionVictims Histogram[int]
	// ScheduleAttempts counts the attempts to schedule a pod, by how they ended.
	ScheduleAttempts map[Attempt]uint64
	// AttemptDurations has the durations of these attempts, as far as they were measured.
	AttemptDurations map[Attempt]Histogram[time.Duration]
	// PodAttempts has the number of attempts of each pod that was scheduled.
	PodAttempts Histogram[int]
	// PodDurations has the times that these pods waited, by the number of attempts; 15 stands
	// for 15 and more.
	PodDurations map[int]Histogram[time.Duration]
	// Pending counts the pods in each part of the queue, nil until Meter.SetQueue is called. Families
	// leaves those in flight out, and before v1.37 the parts Incomplete and Waiting.
	Pending *queue.Parts[int]
	// Alone counts those of these pods that are not in a group, and Groups counts the groups.
	Alone, Groups queue.Parts[int]
	// Incoming counts the pods that have entered each part of the queue, nil until
	// Meter.SetQueue is called.
	Incoming []queue.Incoming
	// Executions counts the plans that were carried out beside the next attempts, by how
	// that ended as the release counts it: success or error (rule 14.5.10).
	Executions map[string]uint64

	// The fields from here on are about groups and come with v1.37 (rule 14.5.11). Families leaves them
	// out if the release has no groups.

	// GroupAttempts counts how often a group asked preemption to make room, by the answer.
	GroupAttempts map[preemption.Code]uint64
	// GroupVictims has the number of pods in each plan that was made for a group.
	GroupVictims Histogram[int]
	// Disruptions has the number of groups and pods of groups among the victims of each plan, by the kind
	// of preemptor.
	Disruptions map[string]Histogram[int]
	// Violations counts the pods that violated a budget, by the kind of preemptor.
	Violations map[string]uint64
	// Evaluations has the times that it took to find victims, and ExecutionDurations the times that it
	// took to carry plans out.
	Evaluations, ExecutionDurations map[PreemptionStep]Histogram[time.Duration]
}

// PreemptionStep is the key of a duration: the kind of preemptor, which is pod, podgroup or
// compositepodgroup, and the result.
type PreemptionStep struct {
	By     string
	Result preemption.Code
}

// Attempt is the key of attempts to schedule a pod.
type Attempt struct {
	// Result says how the attempts ended: scheduled, unschedulable or error. Profile is the name of the
	// scheduler.
	Result, Profile string
}

// These are the words for how carrying out a plan ended.
const (
	succeeded = "success"
	failed    = "error"
)
