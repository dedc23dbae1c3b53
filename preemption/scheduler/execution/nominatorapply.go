package execution

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// nominationLog has the pods whose nominations have changed, the latest last. A point in it is
// the number of all changes before it, so that points stay valid when the log forgets the oldest changes.
type nominationLog struct {
	keys []outrank.Key
	// start is the point before keys: the number of changes that are forgotten.
	start uint64
}

// fewNominations is the number of changes that the log keeps if there are few nominations.
const fewNominations = 1024

// note notes a change. The log keeps more changes the more nominations there are: beyond that it is no
// slower to look at all of them.
func (l *nominationLog) note(key outrank.Key, nominations int) {
	if most := fewNominations + 2*nominations; len(l.keys) >= most {
		gone := len(l.keys) / 2
		l.start += uint64(gone)
		l.keys = slices.Clone(l.keys[gone:])
	}
	l.keys = append(l.keys, key)
}

// end is the point after all changes.
func (l *nominationLog) end() uint64 { return l.start + uint64(len(l.keys)) }

// since returns the changes after a point; not ok where the log has not all of them.
func (l *nominationLog) since(point uint64) ([]outrank.Key, bool) {
	if point < l.start || point > l.end() {
		return nil, false
	}
	return l.keys[point-l.start:], true
}

// ApplyTo brings the nominations of a snapshot in line with these. When another pod is
// filtered afterwards, the pods nominated to a node with the same or a higher priority
// count as if they ran there, and the pod has to pass with them and without them
// (rules 7.16.1 and 7.16.2). What [engine.Evaluator.Feasible] goes by is the
// nomination that the snapshot has after that.
//
//  1. A pending pod that the snapshot has nominated to one of its nodes loses
//     that nomination if it has none here, or one to another node.
//  2. Every pod nominated here to a node of the snapshot is nominated to it
//     there. A pod that the snapshot does not know is added as pending.
//
// So the nominator has to know all nominations: a caller begins with Add(pod, "")
// for every pending pod. A nomination has no effect where its node is not in the
// snapshot, where the pod runs in the snapshot already, or where the snapshot has
// a pod of its name with another UID.
//
// An error is that of [outrank.Pod.Validate] about a pod to be added, and leaves
// the snapshot as it was. No other call may use the snapshot at the same time.
//
// Time is that of what has changed, here and in the snapshot, since this nominator was last
// applied to the snapshot or to the one that it was cloned from ([engine.Snapshot.Follow]):
// so it may be called before every attempt, whoever else binds, removes, nominates or undoes.
// The first time, after another nominator, and after thousands of changes, it is linear in the
// nodes of the snapshot and in the nominations.
func (n *Nominator) ApplyTo(snap *engine.Snapshot) error {
	if n == nil {
		return errNoNominator
	}
	if snap == nil {
		return fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	}
	return snap.Follow(n, func(c engine.Changes) (uint64, error) {
		n.mu.RLock()
		defer n.mu.RUnlock()
		return n.log.end(), n.align(snap, c)
	})
}

// align makes the nominations of the snapshot those of the nominator, after these changes of the snapshot.
func (n *Nominator) align(snap *engine.Snapshot, c engine.Changes) error {
	keys, ok := n.log.since(c.Point)
	if c.All || !ok {
		return n.alignAll(snap)
	}
	if len(keys)+len(c.Pods)+len(c.Nodes) == 0 {
		return nil
	}

	// A nomination can differ only if it changed here, or if the snapshot's pod or one of its nodes did.
	var space [8]outrank.Key
	differ := append(space[:0], keys...)
	for i, pod := range c.Pods {
		if (i == 0 || pod != c.Pods[i-1]) && n.concerns(snap, pod) {
			differ = append(differ, pod.Key())
		}
	}
	for _, node := range c.Nodes {
		differ = appendKeys(differ, n.byNode[node])
		differ = appendKeys(differ, snap.NominatedTo(node))
	}
	return n.alignEach(snap, differ)
}

// concerns reports whether a pod of this name has a nomination here or in the snapshot. Most pods that
// change have none, so the key that is looked up is made without allocating.
func (n *Nominator) concerns(snap *engine.Snapshot, pod *outrank.Pod) bool {
	var space [64]byte
	key := append(append(append(space[:0], pod.NamespaceName()...), '/'), pod.Name...)
	return n.byPod[outrank.Key(key)].pod != nil || snap.NominationOf(outrank.Key(key)) != ""
}

// alignAll compares all nominations, here and in the snapshot.
func (n *Nominator) alignAll(snap *engine.Snapshot) error {
	differ := slices.Collect(maps.Keys(n.byPod))
	for node := range snap.Nodes() {
		differ = appendKeys(differ, snap.NominatedTo(node.Name))
	}
	return n.alignEach(snap, differ)
}

// appendKeys appends the keys of pods.
func appendKeys(to []outrank.Key, pods []*outrank.Pod) []outrank.Key {
	for _, pod := range pods {
		to = append(to, pod.Key())
	}
	return to
}

// alignEach compares the nominations of these pods, each once. It does so in the order of their keys, so
// that the first error is always the same.
func (n *Nominator) alignEach(snap *engine.Snapshot, keys []outrank.Key) error {
	if len(keys) > 1 {
		slices.Sort(keys)
		keys = slices.Compact(keys)
	}
	for _, key := range keys {
		if err := n.alignOne(snap, key); err != nil {
			return err
		}
	}
	return nil
}

// alignOne makes the nomination of one pod in the snapshot that of the nominator. Time is linear in the
// pods nominated to its nodes.
func (n *Nominator) alignOne(snap *engine.Snapshot, key outrank.Key) error {
	current, wanted := snap.NominationOf(key), n.byPod[key]
	if current == "" && wanted.pod == nil {
		return nil
	}

	// A nomination of another pod with the name is not wanted in this snapshot.
	known, inSnapshot := snap.Pod(key)
	isWanted := wanted.pod != nil && (!inSnapshot || samePod(known, wanted.pod))
	switch {
	case isWanted && current == wanted.node:
		return nil
	case isWanted && !inSnapshot:
		if _, there := snap.Node(wanted.node); !there {
			return nil
		}
		if _, err := snap.PutPod(wanted.pod); err != nil {
			return err
		}
		return snap.Nominate(key, wanted.node)
	case isWanted:
		switch err := snap.Nominate(key, wanted.node); {
		case err == nil, errors.Is(err, preemption.ErrState):
			return nil // it is nominated now, or runs
		case !errors.Is(err, preemption.ErrNotFound):
			return err
		}
	}

	// The snapshot does not have the wanted node, or no nomination is wanted. One to a node that the
	// snapshot does not have counts nowhere and may stay.
	if _, there := snap.Node(current); !there {
		return nil
	}
	return snap.Nominate(key, "")
}
