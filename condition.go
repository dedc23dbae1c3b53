package outrank

import "fmt"

// PodConditionType is what a condition of a pod is about.
type PodConditionType string

// The conditions that preemption sets.
const (
	// DisruptionTarget says that the pod is about to be terminated because of a
	// disruption. It is set before the pod is deleted. A scheduler tells the
	// victims of preemption by its reason; see [Pod].DisruptionReason.
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
