package filters

import (
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// deferral is a question about a pod on a node whose resize is deferred (group 7.19).
// The zero value is any other question.
type deferral struct {
	Asked bool
	// Resident is the pod as its node counts it, nil where the node does not.
	Resident *state.PodState
}

// ForResize reports whether the question is about a pod on a node whose resize is deferred (group
// 7.19).
func (q *Question) ForResize() bool { return q.Deferral.Asked }

// DeferralOf finds out whether a question is about a deferred resize (rule 7.19.1). A
// pod that the snapshot has as pending waits for a node.
func DeferralOf(s *state.Snapshot, pod *outrank.Pod) deferral {
	if !s.Rules.DeferredResizes || !pod.ResizeDeferred || pod.NodeName == "" {
		return deferral{}
	}
	p, known := s.PodStates.Of(pod)
	if known && !p.Running {
		return deferral{}
	}
	return deferral{true, p}
}

// CheckAsker is CheckPreemptor for a single pod, which may run on the node that has to
// make room for its resize.
func CheckAsker(s *state.Snapshot, pod *outrank.Pod) error {
	err := s.CheckPreemptor(pod)
	if errors.Is(err, preemption.ErrState) {
		if p, ok := s.Known(pod); ok && MakesRoomFor(s, pod, p) {
			return nil
		}
	}
	return err
}

// MakesRoomFor reports whether a pod that runs may ask for room on its node.
func MakesRoomFor(s *state.Snapshot, pod *outrank.Pod, as *state.PodState) bool {
	return DeferralOf(s, pod).Asked && as.Node() == pod.NodeName
}

// Lacks returns what the node has to have left of a resource: the request or, of a
// pod that the node counts already, what is not counted yet (rule 7.19.4).
func (d *deferral) Lacks(need *Need, n *state.NodeState) int64 {
	if d.Resident == nil || d.Resident.Node() != n.Name {
		return need.Value
	}
	return max(0, need.Value-need.In(&d.Resident.Takes))
}

// Settled reports whether the node may hold as much as it likes of a resource: one beside
// cpu, memory and ephemeral storage of which it counts all that the pod requests (rule
// 7.19.11).
func (d *deferral) Settled(need *Need, n *state.NodeState) bool {
	return d.Resident != nil && !need.standard() && d.Lacks(need, n) == 0
}

// hopeless reports whether the node could not offer enough of a resource if it held
// nothing else (rules 7.7.5 and 7.19.11).
func (d *deferral) hopeless(need *Need, n *state.NodeState, offer int64) bool {
	if need.standard() {
		return need.Value > offer
	}
	return d.Lacks(need, n) > offer
}
