package outrank

import (
	"fmt"
	"log/slog"
)

// EventType says whether an event is ordinary or a warning.
type EventType string

// The types of events that Kubernetes knows.
const (
	EventNormal  EventType = "Normal"
	EventWarning EventType = "Warning"
)

// Event is a message about a pod for people, as kubectl describe shows it. It
// carries no time; the caller adds it when it posts the event.
type Event struct {
	Type EventType
	// Reason is one word for programs. Action is what was being done, empty
	// where the reference names none.
	Reason, Action string
	// Pod is the pod that the event is about. Related is the other pod
	// concerned, nil if there is none.
	Pod, Related *Pod
	// Message is for people.
	Message string
}

// String returns the event in one line, such as
// "Normal Preempted default/batch: Preempted by pod default/web on node n1".
func (e Event) String() string {
	return fmt.Sprintf("%s %s %s: %s", e.Type, e.Reason, eventKey(e.Pod), e.Message)
}

// LogValue returns the event as a group of attributes for log/slog.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("type", string(e.Type)), slog.String("reason", e.Reason), slog.String("action", e.Action),
		slog.String("pod", eventKey(e.Pod)),
	}
	if e.Related != nil {
		attrs = append(attrs, slog.String("related", string(e.Related.Key())))
	}
	return slog.GroupValue(append(attrs, slog.String("message", e.Message))...)
}

// eventKey returns the key of a pod, or "(nil)" for an event without one.
func eventKey(p *Pod) string {
	if p == nil {
		return "(nil)"
	}
	return string(p.Key())
}

// PodConditionType is the type of a pod's condition.
type PodConditionType string

// The conditions that preemption sets.
const (
	// DisruptionTarget says that the pod is about to be terminated because of a
	// disruption. It is set before the pod is deleted. A scheduler tells the
	// victims of preemption by its reason; see Pod.DisruptionReason.
	DisruptionTarget PodConditionType = "DisruptionTarget"
	// PodScheduled says whether the pod has a node.
	PodScheduled PodConditionType = "PodScheduled"
)

// ConditionStatus says whether a condition holds.
type ConditionStatus string

// The statuses that preemption sets.
const (
	ConditionTrue  ConditionStatus = "True"
	ConditionFalse ConditionStatus = "False"
)

// PodCondition is a condition to set on a pod. It carries no time; the caller adds
// it when it writes the condition.
type PodCondition struct {
	Type   PodConditionType
	Status ConditionStatus
	// Reason is one word for programs, Message is for people.
	Reason, Message string
}

// String returns the condition in one line, such as
// "PodScheduled=False Unschedulable: 0/2 nodes are available".
func (c PodCondition) String() string {
	return fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
}
