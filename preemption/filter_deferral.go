package preemption

import (
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
)

// deferral is a question about a pod on a node whose resize is deferred (group 7.19).
// The zero value is any other question.
type deferral struct {
	asked bool
	// resident is the pod as its node counts it, nil where the node does not.
	resident *podState
}

// deferralOf finds out whether a question is about a deferred resize (rule 7.19.1). A
// pod that the snapshot has as pending waits for a node.
func (s *Snapshot) deferralOf(pod *outrank.Pod) deferral {
	if !s.rules.DeferredResizes || !pod.ResizeDeferred || pod.NodeName == "" {
		return deferral{}
	}
	p, known := s.pods.of(pod)
	if known && !p.running {
		return deferral{}
	}
	return deferral{true, p}
}

// checkAsker is checkPreemptor for a single pod, which may run on the node that has to
// make room for its resize.
func (s *Snapshot) checkAsker(pod *outrank.Pod) error {
	err := s.checkPreemptor(pod)
	if errors.Is(err, decision.ErrState) {
		if p, ok := s.pods.of(pod); ok && s.makesRoomFor(pod, p) {
			return nil
		}
	}
	return err
}

// makesRoomFor reports whether a pod that runs may ask for room on its node.
func (s *Snapshot) makesRoomFor(pod *outrank.Pod, as *podState) bool {
	return s.deferralOf(pod).asked && as.node() == pod.NodeName
}

// lacks returns what the node has to have left of a resource: the request or, of a
// pod that the node counts already, what is not counted yet (rule 7.19.4).
func (d *deferral) lacks(need *need, n *nodeState) int64 {
	if d.resident == nil || d.resident.node() != n.name {
		return need.value
	}
	return max(0, need.value-need.in(&d.resident.takes))
}

// settled reports whether the node may hold as much as it likes of a resource: one beside
// cpu, memory and ephemeral storage of which it counts all that the pod requests (rule
// 7.19.11).
func (d *deferral) settled(need *need, n *nodeState) bool {
	return d.resident != nil && !need.standard() && d.lacks(need, n) == 0
}

// hopeless reports whether the node could not offer enough of a resource if it held
// nothing else (rules 7.7.5 and 7.19.11).
func (d *deferral) hopeless(need *need, n *nodeState, offer int64) bool {
	if need.standard() {
		return need.value > offer
	}
	return d.lacks(need, n) > offer
}
