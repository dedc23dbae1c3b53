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

// PutPod is engine.Snapshot.PutPod. The items that are named here and below are those of its list.
func (s *Snapshot) PutPod(p *outrank.Pod) (replaced *outrank.Pod, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	known, ok := s.PodStates.Of(p)
	if !ok {
		s.putNew(p)
		return nil, nil
	}

	// A pod is counted out by its object as it is then. Where that is not what was counted in, the sums
	// would stay wrong.
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
	// Where neither version names a node, or a nomination, the snapshot may know of one that is not
	// written yet (Bind and Nominate).
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

	// The very object that is known may have changed in fields that are not counted. Filters read these,
	// too, so that the node is summarized anew.
	switch {
	case p != known.Pod || node != known.Node() || nominated != known.Nominated():
		s.replace(known, s.NewPodState(p, node, nominated, s.ClassOf(p)))
	case known.At != nil:
		s.refresh(s.writable(known.At.Name))
	}
}

// older reports whether a version of a pod is older than the known one: whether it lacks something that
// no pod ever loses (item 3). Versions without a UID are never older.
func older(version, known *outrank.Pod) bool {
	if version.UID == "" || version.UID != known.UID {
		return false
	}
	return known.NodeName != "" && version.NodeName == "" ||
		known.Terminating() && !version.Terminating() ||
		!known.StartTime.IsZero() && version.StartTime.IsZero()
}

// Known returns the state of a pod, unless another pod has its name.
func (s *Snapshot) Known(pod *outrank.Pod) (*PodState, bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || !SamePod(p.Pod, pod) {
		return nil, false
	}
	return p, true
}
