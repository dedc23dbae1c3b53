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

// PutPod is engine.Snapshot.PutPod. Comments here and below refer to the items of the list there.
func (s *Snapshot) PutPod(p *outrank.Pod) (replaced *outrank.Pod, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	known, ok := s.PodStates.Of(p)
	if !ok {
		s.putNew(p)
		return nil, nil
	}

	// Removing a pod subtracts what its object says now. If that is not what was added, the sums would stay
	// wrong.
	if known.Pod == p && s.changedInPlace(known) {
		return nil, errInPlace(p)
	}

	switch {
	case p.Finished() || !SamePod(known.Pod, p): // items 1 and 2
		s.Drop(known)
		s.putNew(p)
	case older(p, known.Pod): // item 3
		return nil, nil
	default:
		s.putVersion(known, p)
	}
	return known.Pod, nil
}

// putNew puts a pod whose name is not in the snapshot where its own fields say, unless it has finished.
func (s *Snapshot) putNew(p *outrank.Pod) {
	if !p.Finished() {
		s.Put(s.NewPodState(p, p.NodeName, p.NominatedNodeName, s.ClassOf(p)))
	}
}

// putVersion puts another version of a known pod where it belongs (items 4 to 6).
func (s *Snapshot) putVersion(known *PodState, p *outrank.Pod) {
	// If neither version names a node or a nomination, the snapshot may know one that is not written yet, by
	// Bind or Nominate.
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

	// The same object may have changed in fields that are not counted. Filters read these, so that the node
	// is summarized anew.
	switch {
	case p != known.Pod || node != known.Node() || nominated != known.Nominated():
		s.replace(known, s.NewPodState(p, node, nominated, s.ClassOf(p)))
	case known.At != nil:
		s.refresh(s.writable(known.At.Name))
	}
}

// older reports whether a version of a pod is older than the known one, because it lacks something that no
// pod ever loses (item 3). A version without a UID never counts as older.
func older(version, known *outrank.Pod) bool {
	if version.UID == "" || version.UID != known.UID {
		return false
	}
	return known.NodeName != "" && version.NodeName == "" ||
		known.Terminating() && !version.Terminating() ||
		!known.StartTime.IsZero() && version.StartTime.IsZero()
}

// Known returns the state of a pod. ok is false if the snapshot has no pod of its name, or another one with
// that name.
func (s *Snapshot) Known(pod *outrank.Pod) (*PodState, bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || !SamePod(p.Pod, pod) {
		return nil, false
	}
	return p, true
}
