package filters

import (
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// deferral describes a question about a pod that runs on a node while its resize is deferred (group 7.19).
// The zero value stands for any other question.
type deferral struct {
	Asked bool
	// Resident is the pod as its node counts it, nil if the snapshot does not have the pod.
	Resident *state.PodState
}

// ForResize reports whether the question is about a pod whose resize in place is deferred (group 7.19).
func (q *Question) ForResize() bool { return q.Deferral.Asked }

// DeferralOf finds out whether a question is about a deferred resize (rule 7.19.1). It is not if the pod is
// pending in the snapshot: such a pod waits for a node.
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

// CheckAsker returns the error of CheckPreemptor, except that a running pod may ask for room for its deferred
// resize on its own node.
func CheckAsker(s *state.Snapshot, pod *outrank.Pod) error {
	err := s.CheckPreemptor(pod)
	if errors.Is(err, preemption.ErrState) {
		if p, ok := s.Known(pod); ok && MakesRoomFor(s, pod, p) {
			return nil
		}
	}
	return err
}

// MakesRoomFor reports whether a running pod may ask for room on its node. as is its state in the snapshot.
func MakesRoomFor(s *state.Snapshot, pod *outrank.Pod, as *state.PodState) bool {
	return DeferralOf(s, pod).Asked && as.Node() == pod.NodeName
}

// Lacks returns how much of a resource the node must have left: the request or, for a pod that the node
// already counts, the part of the request that is not counted yet (rule 7.19.4).
func (d *deferral) Lacks(need *Need, n *state.NodeState) int64 {
	resident := d.Resident
	if resident == nil || resident.Node() != n.Name {
		return need.Value
	}
	return max(0, need.Value-need.In(&resident.Takes))
}

// Settled reports whether the resource passes without a look at what is taken: the node already counts the
// whole request, and the resource is not cpu, memory or ephemeral storage (rule 7.19.11).
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
