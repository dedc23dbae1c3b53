package question

import (
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// waited is the last pod that had to wait, with the plan that says why, and the state in which it was decided about.
//
// Pods of one controller come one after the other and ask for the same, and nothing changes while they wait. So one
// decision is enough for hundreds of them.
type waited struct {
	plan     *preemption.Plan
	eval     *engine.Evaluator
	snap     *engine.Snapshot
	revision uint64
}

// waitedFor returns what is kept of a plan by which a pod waits. The snapshot has not changed since it was made.
func waitedFor(plan *preemption.Plan, eval *engine.Evaluator, snap *engine.Snapshot) *waited {
	return &waited{plan, eval, snap, snap.Revision()}
}

// holdsFor reports whether a pod waits for the same reasons: it asks for the same, and nothing has changed since.
// It is false for nil.
func (w *waited) holdsFor(pod *outrank.Pod, eval *engine.Evaluator, snap *engine.Snapshot) bool {
	return w != nil && w.eval == eval && w.snap == snap && w.revision == snap.Revision() && w.alike(pod)
}

// alike reports whether a pod is the same as the one that waited but for its name, by which nothing is decided. A pod
// with a nomination is asked about by itself, because it has a place that is kept for it.
func (w *waited) alike(pod *outrank.Pod) bool {
	// Most pods differ in these, which are quickly compared.
	other := w.plan.Pod
	if other.Owner != pod.Owner || other.Namespace != pod.Namespace || other.PriorityValue() != pod.PriorityValue() {
		return false
	}
	if w.snap.NominationOf(other.Key()) != "" || w.snap.NominationOf(pod.Key()) != "" {
		return false
	}
	x, y := *other, *pod
	x.Name, x.UID, y.Name, y.UID = "", "", "", ""
	return reflect.DeepEqual(&x, &y)
}
