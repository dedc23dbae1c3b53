package explain

import "github.com/outrank-go/outrank/preemption"

// Trial says what becomes of the pod on a node where something was changed.
type Trial struct {
	Node string
	// Outcome is fits where the node takes the pod, and preempt where it does once Victims have left, too.
	Outcome preemption.Outcome
	Victims List[Pod]
}
