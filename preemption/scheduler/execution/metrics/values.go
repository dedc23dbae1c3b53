package metrics

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Values are the values of a [Meter] at one moment.
type Values struct {
	// PreemptionAttempts counts how often preemption was asked to make room (PostFilter), whatever it
	// answered.
	PreemptionAttempts uint64
	// PreemptionVictims counts the plans for pods whose execution was begun, by their number of victims.
	PreemptionVictims Histogram[int]
	// ScheduleAttempts counts the attempts to schedule a pod, by how they ended.
	ScheduleAttempts map[Attempt]uint64
	// AttemptDurations has the durations of the attempts that were measured, by how they ended.
	AttemptDurations map[Attempt]Histogram[time.Duration]
	// PodAttempts counts the pods that were scheduled, by how many attempts they took.
	PodAttempts Histogram[int]
	// PodDurations has the times that scheduled pods waited, by the number of attempts; the key 15 stands
	// for 15 and more.
	PodDurations map[int]Histogram[time.Duration]
	// Pending counts the pods in each part of the queue. It is nil until Meter.SetQueue is called. Families
	// leaves pods in flight out and, before v1.37, the parts Incomplete and Waiting.
	Pending *queue.Parts[int]
	// Alone counts the pods of Pending that are queued by themselves, and Groups counts the groups.
	Alone, Groups queue.Parts[int]
	// Incoming counts the pods that have entered each part of the queue, nil until
	// Meter.SetQueue is called.
	Incoming []queue.Incoming
	// Executions counts the plans that were executed asynchronously, while the next attempts went on. The
	// key is how the execution ended in the view of the release: success or error (rule 14.5.10).
	Executions map[string]uint64

	// The fields from here on are about groups and exist since v1.37 (rule 14.5.11). Families leaves them
	// out if the release has no groups.

	// GroupAttempts counts how often a group asked preemption to make room, by the answer.
	GroupAttempts map[preemption.Code]uint64
	// GroupVictims counts the plans that were made for groups, by their number of victim pods.
	GroupVictims Histogram[int]
	// Disruptions counts plans by the number of their victims that are groups or pods of groups. The key is
	// the kind of preemptor.
	Disruptions map[string]Histogram[int]
	// Violations counts the victims that violated a budget, by the kind of preemptor.
	Violations map[string]uint64
	// Evaluations has the durations of finding victims, and ExecutionDurations the durations of executing
	// plans.
	Evaluations, ExecutionDurations map[PreemptionStep]Histogram[time.Duration]
}

// PreemptionStep is the key under which the duration of a step of preemption is counted. By is the kind of
// preemptor: pod, podgroup or compositepodgroup. Result is how the step ended.
type PreemptionStep struct {
	By     string
	Result preemption.Code
}

// Attempt is the key under which attempts to schedule a pod are counted.
type Attempt struct {
	// Result says how the attempts ended: scheduled, unschedulable or error. Profile is the name of the
	// scheduler.
	Result, Profile string
}

// succeeded and failed are the labels for how the execution of a plan ended.
const (
	succeeded = "success"
	failed    = "error"
)
