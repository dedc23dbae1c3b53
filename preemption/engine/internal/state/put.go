package state

import "github.com/outrank-go/outrank"

// PutNode is engine.Snapshot.PutNode.
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

// PutPod is engine.Snapshot.PutPod.
func (s *Snapshot) PutPod(p *outrank.Pod) (replaced *outrank.Pod, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	known, ok := s.PodStates.Of(p)
	if !ok {
		s.putNew(p)
		return nil, nil
	}
	if known.Pod == p && s.changedInPlace(known) {
		return nil, errInPlace(p)
	}

	switch {
	case p.Finished() || !SamePod(known.Pod, p):
		s.Drop(known)
		s.putNew(p)
	case older(p, known.Pod):
		return nil, nil
	default:
		s.putVersion(known, p)
	}
	return known.Pod, nil
}

// putNew puts a pod of which nothing is known where it says, unless it has finished.
func (s *Snapshot) putNew(p *outrank.Pod) {
	if !p.Finished() {
		s.Put(s.NewPodState(p, p.NodeName, p.NominatedNodeName, s.ClassOf(p)))
	}
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

// Known returns what the snapshot knows of this very pod.
func (s *Snapshot) Known(pod *outrank.Pod) (*PodState, bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || !SamePod(p.Pod, pod) {
		return nil, false
	}
	return p, true
}
