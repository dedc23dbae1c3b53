package engine

import (
	"iter"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// PutPod takes a pod in as an informer delivers it, whether it is new, changed,
// delivered before, or has run to its end:
//
//  1. A pod with another UID than the known one of its name is another pod: the
//     known one is gone, with its nomination. Two pods are the same if one of
//     them has no UID.
//  2. A pod that has finished is gone, if it was known at all.
//  3. A version of the same UID that lacks what no pod ever loses, its node, its
//     start or its deletion, is older than the known one, and ignored.
//  4. A version that names a node runs there, wherever the pod was before.
//  5. A version without a node of a pod that was put on its node by
//     [Snapshot.Bind] takes the place of the known one there: the binding is not
//     written yet.
//  6. Any other version is pending. If neither it nor the known one names a
//     nomination, that of the snapshot stays, because it may not be written yet.
//     Otherwise the version's own counts, none included.
//
// It returns the version that was known before: nil for a new pod, and if the given version
// is ignored.
//
// A pod that is gone is not remembered: an older version that comes after its end
// adds it again. A version should be another object than the one that the snapshot holds. That object may
// come again, too, unless the caller has changed in place what the snapshot has counted of it. The error is
// then [preemption.ErrState], and the caller has to restore the object before anything else happens to the
// pod. Changes of what is not counted, of the node and of the end of the pod are taken in. Other errors are
// those of [outrank.Pod.Validate]. Time is linear in the pods on the nodes concerned.
// [Snapshot.Undo] takes the change back.
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

// Bind puts a pending pod on a node, and ends its nomination. It checks that both are there, and does not
// ask whether the pod fits. With an empty node it takes a pod off its node, for a binding that
// failed in the end: the pod is pending from then on, without a nomination. Errors:
// [preemption.ErrNotFound]; [preemption.ErrState] for a pod that has a node, and, with an
// empty node, for one that has none. Time is linear in the pods on the node. [Snapshot.Undo]
// takes the change back.
func (s *Snapshot) Bind(key outrank.Key, node string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Bind(key, node)
}

// Nominate notes that room was made for a pending pod on a node; an empty node ends that.
// Errors: [preemption.ErrNotFound]; [preemption.ErrState] for a pod that has a node.
func (s *Snapshot) Nominate(key outrank.Key, node string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().Nominate(key, node)
}

// Pods iterates over all pods: first those on the nodes, node by node in the order
// of [Snapshot.Nodes] and on each by importance; then those on nodes that the
// snapshot does not hold, by the name of the node and by importance; then the
// pending ones, by key. The loop may change the snapshot, and may or may not see what it changes about pods
// that are still to come. Time is linear in the number of pods, beside that of
// sorting the pending ones.
func (s *Snapshot) Pods() iter.Seq[*outrank.Pod] {
	return s.reads().Pods()
}

// Pod finds a pod by its key ([outrank.Pod.Key]).
func (s *Snapshot) Pod(key outrank.Key) (*outrank.Pod, bool) {
	return s.reads().Pod(key)
}

// NodeOf returns the name of the node that a pod runs on, empty for a pod that is pending
// or unknown.
func (s *Snapshot) NodeOf(key outrank.Key) string {
	return s.reads().NodeOf(key)
}

// NominationOf returns the name of the node that a pending pod is nominated to, empty
// without a nomination.
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

// Nominated iterates over the pending pods nominated to nodes that the snapshot holds, each with
// the name of its node: node by node in the order of [Snapshot.Nodes], and on each by importance. The loop
// must not change the snapshot. Time is linear in the nodes, of each of which one word is read, and in
// these pods.
func (s *Snapshot) Nominated() iter.Seq2[*outrank.Pod, string] {
	return s.reads().Nominated()
}

// Used returns what the pods on a node take of a resource: millicores of cpu,
// units of any other resource, and their number under "pods". It saturates at
// the largest int64. It is 0 for resources that no node accounts for.
func (s *Snapshot) Used(node string, name resource.Name) int64 {
	return s.reads().Used(node, name)
}
