package question

import (
	"reflect"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// waited is the last pod that had to wait, with its turn, and the state in which it was decided about.
type waited struct {
	pod      *outrank.Pod
	turn     Turn
	eval     *engine.Evaluator
	snap     *engine.Snapshot
	revision uint64
}

// waitsAgain returns the turn of a pod that waits for the same reasons as the pod before it. Pods of one
// controller come one after the other and ask for the same, and nothing changes while they wait. So one decision
// is enough for hundreds of them.
func (s *scene) waitsAgain(eval *engine.Evaluator, pod *outrank.Pod) (Turn, bool) {
	w := s.waited
	if w == nil || w.eval != eval || w.snap != s.snap || w.revision != s.snap.Revision() || !s.asksAlike(w.pod, pod) {
		return Turn{}, false
	}
	turn := w.turn
	turn.Pod, turn.Victims = NameOf(pod, ""), []Victim{}
	return turn, true
}

// remember keeps the turn of a pod that waits for waitsAgain.
func (s *scene) remember(eval *engine.Evaluator, pod *outrank.Pod, turn Turn) {
	s.waited = &waited{pod, turn, eval, s.snap, s.snap.Revision()}
}

// asksAlike reports whether two pods are the same but for their names, by which nothing is decided. A pod with a
// nomination is asked about by itself, because it has a place that is kept for it.
func (s *scene) asksAlike(a, b *outrank.Pod) bool {
	// Most pods differ in these, which are quickly compared.
	if a.Owner != b.Owner || a.Namespace != b.Namespace || a.PriorityValue() != b.PriorityValue() {
		return false
	}
	if s.snap.NominationOf(a.Key()) != "" || s.snap.NominationOf(b.Key()) != "" {
		return false
	}
	x, y := *a, *b
	x.Name, x.UID, y.Name, y.UID = "", "", "", ""
	return reflect.DeepEqual(&x, &y)
}
