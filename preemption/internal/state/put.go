package state

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// PutNode takes a node in as an informer delivers it: a new one is added behind
// all others as by [Snapshot.AddNode], and one that is known replaced in its place
// as by [Snapshot.UpdateNode]. The error is that of [outrank.Node.Validate]. Time
// is linear in the pods on the node. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutNode(n *outrank.Node) error {
	s.Begin()
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

// PutPod takes a pod in as an informer delivers it, whether it is new, changed,
// delivered before, or has run to its end:
//
//  1. A pod with another UID than the known one of its name is another pod: the
//     known one is gone, with its nomination. Two pods are the same where one of
//     them has no UID.
//  2. A pod that has finished is gone, if it was known at all.
//  3. A version of the same UID that lacks what no pod ever loses, its node, its
//     start or its deletion, is older than the known one, and ignored.
//  4. A version that names a node runs there, wherever the pod was before.
//  5. A version without a node of a pod that was put on its node by
//     [Snapshot.Bind] takes the place of the known one there: the binding is not
//     written yet. [Snapshot.Unbind] takes it back.
//  6. Any other version is pending. Where neither it nor the known one names a
//     nomination, that of the snapshot stays, because it may not be written yet;
//     else the version's own counts, none included.
//
// A pod that is gone is not remembered: an older version that comes after its end
// adds it again. The very object that the snapshot holds may come again, too. Where the
// caller has changed it in place, what is counted of the pod may be no more what it says: that
// is [ErrState], and the object has to be again what it was before anything else happens to
// the pod. What is not counted holds from then on as it is now, as do its nodes and its end.
// A version is another object. Other errors are those of [outrank.Pod.Validate]. Time is linear in the
// pods on the nodes concerned. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutPod(p *outrank.Pod) error {
	s.Begin()
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
		s.Put(s.NewPodState(p, p.NodeName, p.NominatedNode, s.ClassOf(p)))
	case !older(p, known.Pod):
		s.putVersion(known, p)
	}
	return nil
}

// putVersion puts another version of a known pod where it belongs.
func (s *Snapshot) putVersion(known *PodState, p *outrank.Pod) {
	node, nominated := p.NodeName, p.NominatedNode
	if node == "" && known.Pod.NodeName == "" {
		node = known.Node()
	}
	if nominated == "" && known.Pod.NominatedNode == "" {
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

// Unbind takes a pod off its node: it is pending from now on, without a
// nomination. It takes back a [Snapshot.Bind] that failed in the end. Errors:
// [ErrNotFound]; [ErrState] for a pod without a node. Time is linear in the pods on
// the node. [Snapshot.Undo] takes it back.
func (s *Snapshot) Unbind(key outrank.Key) error {
	p, ok := s.PodStates.Get(key)
	if !ok {
		return fmt.Errorf("%s: %w", phrase.Object("pod", key), decision.ErrNotFound)
	}
	if !p.Running {
		return fmt.Errorf("pod %s: %w: it has no node", key, decision.ErrState)
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
