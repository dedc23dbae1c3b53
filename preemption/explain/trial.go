package explain

import "github.com/outrank-go/outrank/preemption"

// Trial is what becomes of the pod with something changed.
type Trial struct {
	// Node takes the pod then: Outcome is fits, or preempt where Victims have to leave it besides.
	Node    string
	Outcome preemption.Outcome
	Victims List[Pod]
}
