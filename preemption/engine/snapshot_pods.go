package engine

import (
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// PutPod takes over a version of a pod as an informer delivers it, whether the pod is new, has changed, was
// delivered before, or has run to its end:
//
//  1. A pod with another UID than the known pod of its name is a new pod: the known one is gone, with its
//     nomination. Two pods count as the same if one of them has no UID.
//  2. A pod that has finished is removed, if it was known at all.
//  3. A version of the same UID that lacks what no pod ever loses, its node, its
//     start or its deletion, is older than the known one, and ignored.
//  4. If the version names a node, the pod runs there, wherever it was before.
//  5. If the version has no node and the pod was put on its node by [Snapshot.Bind], the version replaces the
//     known one there: the binding is not written yet.
//  6. With any other version the pod is pending. If neither the version nor the known one names a nomination,
//     the snapshot's nomination stays, because it may not be written yet. Otherwise the nomination is the
//     version's own, even if it is empty.
//
// It returns the version that was known before, or nil for a new pod or if the given version is ignored.
//
// A pod that is gone is not remembered: an older version that comes after its end adds it again. A version
// should be another object than the one that the snapshot holds. The same object may come again, unless the
// caller has changed in place what the snapshot has counted of it. The error is then [preemption.ErrState],
// and the caller has to restore the object before anything else happens to the pod. Changes in place of
// fields that are not counted, of the node, and of the phase at the end of the pod are accepted. Other errors
// are those of [outrank.Pod.Validate]. Time is linear in the pods on the nodes concerned. [Snapshot.Undo]
// takes the change back.
func (s *Snapshot) PutPod(p *outrank.Pod) (replaced *outrank.Pod, err error) {
	if s == nil {
		return nil, errNoSnapshot
	}
	return s.writes().PutPod(p)
}

// RemovePod removes the pod with this key (namespace/name), running or pending.
// Error: [preemption.ErrNotFound].
func (s *Snapshot) RemovePod(key outrank.Key) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemovePod(key)
}

// Bind puts a pending pod on a node, and ends its nomination. Both must exist; whether the pod fits is not
// checked. With an empty node it takes a pod off its node, for a binding that failed in the end: the pod is
// pending from then on, without a nomination. Errors: [preemption.ErrNotFound]; [preemption.ErrState] for a
// pod that has a node, and, with an empty node, for one that has none. Time is linear in the pods on the
// node. [Snapshot.Undo] takes the change back.
func (s *Snapshot) Bind(key outrank.Key, node string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Bind(key, node)
}

// Nominate nominates a pending pod to a node, on which room was made for it. An empty node ends the
// nomination. Errors: [preemption.ErrNotFound]; [preemption.ErrState] for a pod that has a node.
func (s *Snapshot) Nominate(key outrank.Key, node string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Nominate(key, node)
}

// Pods iterates over all pods: first those on the nodes, node by node in the order of [Snapshot.Nodes] and on
// each by importance; then those on nodes that the snapshot does not hold, by the name of the node and by
// importance; then the pending ones, by key. The loop may change the snapshot, and may or may not see its
// changes to pods that are still to come. Time is linear in the number of pods, plus that of sorting the
// pending ones.
func (s *Snapshot) Pods() iter.Seq[*outrank.Pod] {
	return s.reads().Pods()
}

// Pod finds a pod by its key ([outrank.Pod.Key]).
func (s *Snapshot) Pod(key outrank.Key) (*outrank.Pod, bool) {
	return s.reads().Pod(key)
}

// NodeOf returns the name of the node that a pod runs on. It is empty for a pod that is pending or unknown.
func (s *Snapshot) NodeOf(key outrank.Key) string {
	return s.reads().NodeOf(key)
}

// NominationOf returns the name of the node that a pending pod is nominated to. It is empty without a
// nomination.
func (s *Snapshot) NominationOf(key outrank.Key) string {
	return s.reads().NominationOf(key)
}

// PodsOn lists the pods on a node by importance (group 4.3), a missing start
// time counting as later than any. The slice is the caller's.
func (s *Snapshot) PodsOn(node string) []*outrank.Pod {
	return s.reads().PodsOn(node)
}

// NominatedTo lists the pending pods nominated to a node, by importance. The slice is the
// caller's.
func (s *Snapshot) NominatedTo(node string) []*outrank.Pod {
	return s.reads().NominatedTo(node)
}

// Nominated iterates over the pending pods nominated to nodes that the snapshot holds, each with the name of
// its node: node by node in the order of [Snapshot.Nodes], and on each by importance. The loop must not
// change the snapshot. Time is linear in these pods and in the nodes, of most of which only one word is read.
func (s *Snapshot) Nominated() iter.Seq2[*outrank.Pod, string] {
	return s.reads().Nominated()
}

// Used returns how much of a resource the pods on a node take: millicores of cpu, units of any other
// resource, and their number for "pods". It saturates at the largest int64. It is 0 for resources that no
// node accounts for.
func (s *Snapshot) Used(node string, name resource.Name) int64 {
	return s.reads().Used(node, name)
}
