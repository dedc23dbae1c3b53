package execution

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// Reasons and actions of the events of this package.
const (
	reasonPreempted        = "Preempted"
	reasonFailedScheduling = "FailedScheduling"
	actionPreempting       = "Preempting"
	actionScheduling       = "Scheduling"
)

// Reasons of the condition PodScheduled=False.
const (
	reasonUnschedulable  = "Unschedulable"
	reasonSchedulerError = "SchedulerError"
)

// preemptedBy returns the message of the event about a victim.
func preemptedBy(kind string, who, node string) string {
	var space [128]byte
	text := append(append(space[:0], "Preempted by "...), kind...)
	text = append(append(append(text, ' '), who...), " on node "...)
	return string(append(text, node...))
}

// inMemory ends the message of the event about a victim that waited to be bound (rule 14.4.2).
const inMemory = " (in kube-scheduler memory)."

// victimCondition returns the condition of a victim (rule 14.1.4). The scheduler in it is the
// one that the preemptor names, unless the configuration gives another name.
func (e *Executor) victimCondition(preemptor *outrank.Pod, kind string) outrank.PodCondition {
	scheduler := e.scheduler
	if scheduler == "" {
		scheduler = preemptor.Scheduler()
	}
	message := preemptedForPod // a constant for the usual case, which saves the concatenation
	if scheduler != outrank.DefaultScheduler || kind != byPod {
		message = scheduler + preemptedFor + kind
	}
	return outrank.PodCondition{
		Type: outrank.DisruptionTarget, Status: outrank.ConditionTrue, Reason: outrank.PreemptionByScheduler, Message: message,
	}
}

const (
	preemptedFor    = ": preempting to accommodate a higher priority "
	preemptedForPod = outrank.DefaultScheduler + preemptedFor + byPod
)

// preemptingEvent returns the event about the preemptor in the simplified variant.
func preemptingEvent(preemptor *outrank.Pod, victims int, node string) outrank.Event {
	return outrank.Event{
		Type: outrank.EventNormal, Reason: reasonPreempted, Action: actionScheduling, Pod: preemptor,
		Message: fmt.Sprintf("Preempting %d pods on node %s", victims, node),
	}
}
