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

// DeferralOf finds out whether a question is about a deferred resize (rule 7.19.1). It is not if
// the snapshot has the pod as pending: such a pod waits for a node.
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

// CheckAsker refuses a pod about which nobody can ask, as CheckPreemptor does. A pod that runs
// may ask for room for its resize, on its own node.
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

// Lacks returns the amount of a resource that the node must have left. It is the request or, for a
// pod that the node counts already, the part that is not counted yet (rule 7.19.4).
func (d *deferral) Lacks(need *Need, n *state.NodeState) int64 {
	resident := d.Resident
	if resident == nil || resident.Node() != n.Name {
		return need.Value
	}
	return max(0, need.Value-need.In(&resident.Takes))
}

// Settled reports whether the node is not short of a resource however much of it is taken. That is so
// if it counts all that the pod requests of a resource beside cpu, memory and ephemeral storage
// (rule 7.19.11).
func (d *deferral) Settled(need *Need, n *state.NodeState) bool {
	return d.Resident != nil && !need.standard() && d.Lacks(need, n) == 0
}

// hopeless reports whether the node could not offer enough of a resource even if no other pod
// were on it (rules 7.7.5 and 7.19.11).
func (d *deferral) hopeless(need *Need, n *state.NodeState, offer int64) bool {
	if need.standard() {
		return need.Value > offer
	}
	return d.Lacks(need, n) > offer
}
