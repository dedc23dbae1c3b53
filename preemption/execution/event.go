package execution

import (
	"fmt"
	"log/slog"

	"github.com/outrank-go/outrank"
)

// EventType says how an event is meant.
type EventType string

// The types of events that Kubernetes knows.
const (
	EventNormal  EventType = "Normal"
	EventWarning EventType = "Warning"
)

// Event is something to tell people about a pod. It carries no time: when it
// happened is for those to say who pass it on.
type Event struct {
	Type EventType
	// Reason is one word for machines, Action what was being done.
	Reason, Action string
	// Pod is whom it is about, Related the other pod that has to do with it, if
	// any.
	Pod, Related *outrank.Pod
	// Message is for people.
	Message string
}

// Reasons and actions of the events of this package.
const (
	ReasonPreempted        = "Preempted"
	ReasonFailedScheduling = "FailedScheduling"
	ActionPreempting       = "Preempting"
	ActionScheduling       = "Scheduling"
)

// String gives the event in one line.
func (e Event) String() string {
	return fmt.Sprintf("%s %s %s: %s", e.Type, e.Reason, keyOfPod(e.Pod), e.Message)
}

// LogValue lets log/slog write the event as a group of attributes.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("type", string(e.Type)), slog.String("reason", e.Reason), slog.String("action", e.Action),
		slog.String("pod", keyOfPod(e.Pod)),
	}
	if e.Related != nil {
		attrs = append(attrs, slog.String("related", e.Related.Key()))
	}
	return slog.GroupValue(append(attrs, slog.String("message", e.Message))...)
}

// preempted is the event about a victim (section 10). A preemptor without a UID
// is named by namespace and name instead.
func preempted(victim, preemptor *outrank.Pod, node string) Event {
	by := preemptor.UID
	if by == "" {
		by = preemptor.Key()
	}
	return Event{
		Type: EventNormal, Reason: ReasonPreempted, Action: ActionPreempting, Pod: victim, Related: preemptor,
		Message: fmt.Sprintf("Preempted by pod %s on node %s", by, node),
	}
}

// Condition is a condition to set on a pod. It carries no time.
type Condition struct {
	// Type is what it is about, Status whether that holds: True or False.
	Type, Status    string
	Reason, Message string
}

// Types of the conditions of this package.
const (
	DisruptionTarget = "DisruptionTarget"
	PodScheduled     = "PodScheduled"
)

// String gives the condition in one line.
func (c Condition) String() string {
	return fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
}

// disruption is the condition of a victim (section 10).
func disruption(scheduler string) Condition {
	return Condition{
		Type: DisruptionTarget, Status: "True", Reason: outrank.PreemptionByScheduler,
		Message: scheduler + ": preempting to accommodate a higher priority pod",
	}
}

func keyOfPod(p *outrank.Pod) string {
	if p == nil {
		return "(nil)"
	}
	return p.Key()
}
