package explain

import "github.com/outrank-go/outrank/preemption"

// Trial says what becomes of the pod on a node after something was changed.
type Trial struct {
	Node string
	// Outcome is fits if the node takes the pod, and preempt if it does once Victims have left as well.
	Outcome preemption.Outcome
	Victims List[Pod]
}
