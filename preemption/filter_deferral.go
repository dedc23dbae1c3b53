package preemption

import (
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// deferral is a question about a pod on a node whose resize is deferred (group 7.19).
// The zero value is any other question.
type deferral struct {
	asked bool
	// resident is the pod as its node counts it, nil where the node does not.
	resident *state.PodState
}

// deferralOf finds out whether a question is about a deferred resize (rule 7.19.1). A
// pod that the snapshot has as pending waits for a node.
func deferralOf(s *state.Snapshot, pod *outrank.Pod) deferral {
	if !s.Rules.DeferredResizes || !pod.ResizeDeferred || pod.NodeName == "" {
		return deferral{}
	}
	p, known := s.PodStates.Of(pod)
	if known && !p.Running {
		return deferral{}
	}
	return deferral{true, p}
}

// checkAsker is CheckPreemptor for a single pod, which may run on the node that has to
// make room for its resize.
func checkAsker(s *state.Snapshot, pod *outrank.Pod) error {
	err := s.CheckPreemptor(pod)
	if errors.Is(err, decision.ErrState) {
		if p, ok := s.PodStates.Of(pod); ok && makesRoomFor(s, pod, p) {
			return nil
		}
	}
	return err
}

// makesRoomFor reports whether a pod that runs may ask for room on its node.
func makesRoomFor(s *state.Snapshot, pod *outrank.Pod, as *state.PodState) bool {
	return deferralOf(s, pod).asked && as.Node() == pod.NodeName
}

// lacks returns what the node has to have left of a resource: the request or, of a
// pod that the node counts already, what is not counted yet (rule 7.19.4).
func (d *deferral) lacks(need *need, n *state.NodeState) int64 {
	if d.resident == nil || d.resident.Node() != n.Name {
		return need.value
	}
	return max(0, need.value-need.in(&d.resident.Takes))
}

// settled reports whether the node may hold as much as it likes of a resource: one beside
// cpu, memory and ephemeral storage of which it counts all that the pod requests (rule
// 7.19.11).
func (d *deferral) settled(need *need, n *state.NodeState) bool {
	return d.resident != nil && !need.standard() && d.lacks(need, n) == 0
}

// hopeless reports whether the node could not offer enough of a resource if it held
// nothing else (rules 7.7.5 and 7.19.11).
func (d *deferral) hopeless(need *need, n *state.NodeState, offer int64) bool {
	if need.standard() {
		return need.value > offer
	}
	return d.lacks(need, n) > offer
}
