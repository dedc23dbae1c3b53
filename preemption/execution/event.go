package execution

import (
	"cmp"
	"fmt"

	"github.com/outrank-go/outrank"
)

// Reasons and actions of the events of this package.
const (
	reasonPreempted        = "Preempted"
	ReasonFailedScheduling = "FailedScheduling"
	actionPreempting       = "Preempting"
	actionScheduling       = "Scheduling"
)

// Reasons of the condition PodScheduled=False.
const (
	ReasonUnschedulable  = "Unschedulable"
	reasonSchedulerError = "SchedulerError"
)

// preemptedBy is the message of the event about a victim.
func preemptedBy(kind PreemptorType, who, node string) string {
	return "Preempted by " + string(kind) + " " + who + " on node " + node
}

// inMemory ends the message about a victim that waited to be bound (rule 14.4.2).
const inMemory = " (in kube-scheduler memory)."

// victimCondition is the condition of a victim (rule 14.1.4). The scheduler is the
// one that the preemptor names, unless the configuration gives another name.
func (c *Config) victimCondition(preemptor *outrank.Pod, kind PreemptorType) outrank.PodCondition {
	scheduler := cmp.Or(c.Scheduler, preemptor.Scheduler())
	return outrank.PodCondition{
		Type: outrank.DisruptionTarget, Status: outrank.ConditionTrue, Reason: outrank.PreemptionByScheduler,
		Message: scheduler + ": preempting to accommodate a higher priority " + string(kind),
	}
}

// preemptingEvent is the event about the preemptor in the simplified variant.
func preemptingEvent(preemptor *outrank.Pod, victims int, node string) outrank.Event {
	return outrank.Event{
		Type: outrank.EventNormal, Reason: reasonPreempted, Action: actionScheduling, Pod: preemptor,
		Message: fmt.Sprintf("Preempting %d pods on node %s", victims, node),
	}
}
