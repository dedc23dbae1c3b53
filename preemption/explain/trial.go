package explain

import "github.com/outrank-go/outrank/preemption"

// Trial is what becomes of the pod with something changed.
type Trial struct {
	// Outcome is fits, or preempt where Victims have to leave the node besides.
	Outcome preemption.Outcome
	Victims List[Pod]
}
