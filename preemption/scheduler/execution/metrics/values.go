package metrics

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Values are the values of a [Meter] at one moment.
type Values struct {
	// PreemptionAttempts is how often preemption was asked to make room (every
	// PostFilter), whatever the answer.
	PreemptionAttempts uint64
	// PreemptionVictims is the number of victims of each plan that was begun.
	PreemptionVictims Histogram[int]
	// ScheduleAttempts is how attempts to schedule a pod ended.
	ScheduleAttempts map[Attempt]uint64
	// AttemptDurations is how long these attempts took, as far as that was measured.
	AttemptDurations map[Attempt]Histogram[time.Duration]
	// PodAttempts is how many attempts the pods took that were scheduled, and
	// PodDurations how long they waited for it, by the number of attempts; 15 stands
	// for that and more.
	PodAttempts  Histogram[int]
	PodDurations map[int]Histogram[time.Duration]
	// Pending is how many pods wait in each part of the queue, nil until Meter.SetQueue is called;
	// Alone is how many of them wait by themselves, and Groups how many groups wait. Those in flight are not
	// looked at, and releases before v1.37 do not have the parts Incomplete and Waiting.
	Pending       *queue.Parts[int]
	Alone, Groups queue.Parts[int]
	// Incoming is how many pods have entered each part of the queue, nil until
	// Meter.SetQueue is called.
	Incoming []queue.Incoming
	// Executions is how many plans were carried out beside the next attempts, by how
	// that ended as the release counts it: success or error (rule 14.5.10).
	Executions map[string]uint64

	// What follows is there from v1.37 on where groups are (rule 14.5.11), and left out of Families
	// where the release has no groups. GroupAttempts is how often a group asked preemption to make
	// room, by what that said, and GroupVictims the number of pods of each plan that was made.
	GroupAttempts map[preemption.Code]uint64
	GroupVictims  Histogram[int]
	// Disruptions is how many of the victims of a plan were groups or pods of groups, and
	// Violations how many pods violated a budget, by what preempted.
	Disruptions map[string]Histogram[int]
	Violations  map[string]uint64
	// Evaluations is how long it took to find the victims, ExecutionDurations how long to carry
	// the plans out.
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
	// Result is how they ended: scheduled, unschedulable or error. Profile is the name of the
	// scheduler.
	Result, Profile string
}

// How carrying out a plan ended.
const (
	succeeded = "success"
	failed    = "error"
)
