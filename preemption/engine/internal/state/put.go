package state

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// PutNode is preemption.Snapshot.PutNode.
func (s *Snapshot) PutNode(n *outrank.Node) error {
	if err := n.Validate(); err != nil {
		return err
	}
	if slot, ok := s.Slots.Get(n.Name); ok && s.NodeStates[slot].Node != nil {
		s.changeNode(slot, n)
		return nil
	}
	s.setNode(n.Name, n, len(s.Order))
	return nil
}

// PutPod is preemption.Snapshot.PutPod.
func (s *Snapshot) PutPod(p *outrank.Pod) error {
	if err := p.Validate(); err != nil {
		return err
	}
	known, ok := s.PodStates.Of(p)
	if ok && known.Pod == p && s.changedInPlace(known) {
		return errInPlace(p)
	}
	if ok && !SamePod(known.Pod, p) {
		s.Drop(known)
		ok = false
	}
	switch {
	case p.Finished():
		if ok {
			s.Drop(known)
		}
	case !ok:
		s.Put(s.NewPodState(p, p.NodeName, p.NominatedNodeName, s.ClassOf(p)))
	case !older(p, known.Pod):
		s.putVersion(known, p)
	}
	return nil
}

// putVersion puts another version of a known pod where it belongs.
func (s *Snapshot) putVersion(known *PodState, p *outrank.Pod) {
	node, nominated := p.NodeName, p.NominatedNodeName
	if node == "" && known.Pod.NodeName == "" {
		node = known.Node()
	}
	if nominated == "" && known.Pod.NominatedNodeName == "" {
		nominated = known.Nominated()
	}
	if node != "" {
		nominated = ""
	}
	switch {
	case p != known.Pod || node != known.Node() || nominated != known.Nominated():
		s.replace(known, s.NewPodState(p, node, nominated, s.ClassOf(p)))
	case known.At != nil:
		s.refresh(s.writable(known.At.Name)) // filters look at more of it than is counted
	}
}

// older reports whether a version of a pod is older than the known one, as far as
// the two say so themselves.
func older(version, known *outrank.Pod) bool {
	if version.UID == "" || version.UID != known.UID {
		return false
	}
	return known.NodeName != "" && version.NodeName == "" ||
		known.Terminating() && !version.Terminating() ||
		!known.StartTime.IsZero() && version.StartTime.IsZero()
}

// Unbind is preemption.Snapshot.Unbind.
func (s *Snapshot) Unbind(key outrank.Key) error {
	p, ok := s.PodStates.Get(key)
	if !ok {
		return fmt.Errorf("%s: %w", phrase.Object("pod", key), preemption.ErrNotFound)
	}
	if !p.Running {
		return fmt.Errorf("pod %s: %w: it has no node", key, preemption.ErrState)
	}
	s.replace(p, s.Moved(p, "", ""))
	return nil
}

// Known returns what the snapshot knows of this very pod.
func (s *Snapshot) Known(pod *outrank.Pod) (*PodState, bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || !SamePod(p.Pod, pod) {
		return nil, false
	}
	return p, true
}
