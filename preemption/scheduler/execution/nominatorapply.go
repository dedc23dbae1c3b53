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

// nominationLog lists the keys of pods whose nominations have changed, the latest change last. A point in it
// is the number of all changes before it, so that points stay valid when the log forgets the oldest changes.
type nominationLog struct {
	keys []outrank.Key
	// start is the point of keys[0]: the number of changes that were forgotten.
	start uint64
}

// fewNominations is the number of changes that the log keeps if there are few nominations.
const fewNominations = 1024

// note adds a change. The number of changes that the log keeps grows with the number of nominations: looking
// at still more changes would be no faster than comparing all nominations.
func (l *nominationLog) note(key outrank.Key, nominations int) {
	if most := fewNominations + 2*nominations; len(l.keys) >= most {
		gone := len(l.keys) / 2
		l.start += uint64(gone)
		l.keys = slices.Clone(l.keys[gone:])
	}
	l.keys = append(l.keys, key)
}

// end returns the point after all changes.
func (l *nominationLog) end() uint64 { return l.start + uint64(len(l.keys)) }

// since returns the changes after a point. The result is false if the log has forgotten some of them.
func (l *nominationLog) since(point uint64) ([]outrank.Key, bool) {
	if point < l.start || point > l.end() {
		return nil, false
	}
	return l.keys[point-l.start:], true
}

// ApplyTo brings the nominations of a snapshot in line with the nominator. When another pod is filtered
// afterwards, the pods nominated to a node with the same or a higher priority count as if they ran there, and
// the pod has to pass with them and without them (rules 7.16.1 and 7.16.2). [engine.Evaluator.Feasible] goes by
// the nomination that the snapshot then has.
//
//  1. A pending pod that is nominated to a node in the snapshot loses that nomination
//     if the nominator has none for it, or one to another node.
//  2. Every pod that the nominator has nominated to a node of the snapshot gets that nomination
//     there. A pod that the snapshot does not know is added as pending.
//
// So the nominator has to know all nominations: a caller begins with Add(pod, "") for every pending pod. A
// nomination has no effect if its node is not in the snapshot, if the pod runs in the snapshot already, or if
// the snapshot has a pod of its name with another UID.
//
// If [outrank.Pod.Validate] rejects a pod to be added, its error is returned, and the
// snapshot stays as it was. No other call may use the snapshot at the same time.
//
// Time is linear in the changes, of the nominator and of the snapshot, since this nominator was last
// applied to the snapshot or to the snapshot that it was cloned from ([engine.Snapshot.Follow]).
// So it may be called before every attempt, whoever else binds, removes, nominates or undoes.
// At the first call, after another nominator, and after thousands of changes, time is linear in the
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

// align gives the snapshot the nominations of the nominator. c has the changes of the snapshot since the last
// time.
func (n *Nominator) align(snap *engine.Snapshot, c engine.Changes) error {
	keys, ok := n.log.since(c.Point)
	if c.All || !ok {
		return n.alignAll(snap)
	}
	if len(keys)+len(c.Pods)+len(c.Nodes) == 0 {
		return nil
	}

	// A nomination can differ only if it has changed in the nominator, or if the pod or one of the nodes has
	// changed in the snapshot.
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

// concerns reports whether a pod of this name has a nomination, in the nominator or in the snapshot. Most
// pods that change have none, so the key for the look-up is made without allocating.
func (n *Nominator) concerns(snap *engine.Snapshot, pod *outrank.Pod) bool {
	var space [64]byte
	key := append(append(append(space[:0], pod.NamespaceName()...), '/'), pod.Name...)
	return n.byPod[outrank.Key(key)].pod != nil || snap.NominationOf(outrank.Key(key)) != ""
}

// alignAll compares all nominations of the nominator and of the snapshot.
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

// alignOne gives one pod of the snapshot the nomination that it has in the nominator. Time is linear in the
// pods nominated to the old and the new node.
func (n *Nominator) alignOne(snap *engine.Snapshot, key outrank.Key) error {
	current, wanted := snap.NominationOf(key), n.byPod[key]
	if current == "" && wanted.pod == nil {
		return nil
	}

	// If the snapshot has another pod with the name, the nomination does not count in it.
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

	// The snapshot does not have the wanted node, or no nomination is wanted. A nomination to a node that
	// the snapshot does not have has no effect and may stay.
	if _, there := snap.Node(current); !there {
		return nil
	}
	return snap.Nominate(key, "")
}
