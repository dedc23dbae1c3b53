package execution

import "github.com/outrank-go/outrank/preemption"

// WayOutAnswer is what a way out came to: one way to find room for a pod that fits nowhere
// (upstream's PostFilter plugin). Package attempt asks them.
type WayOutAnswer struct {
	// Name is the way's.
	Name string
	// Says is what the pod is told where the way does not help, Found where it does; empty for
	// what preemption says about the plan.
	Says, Found string
	// Plan is its answer; nil where it has none.
	Plan *preemption.Plan
}

// Helps reports whether the way makes room.
func (a *WayOutAnswer) Helps() bool { return a.Plan != nil && a.Plan.Outcome == preemption.Preempts }
