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
// the number of changes before that point, so that the log may forget the oldest ones.
type nominationLog struct {
	keys  []outrank.Key
	start uint64
}

// fewNominations is how many changes the log keeps where there are few nominations.
const fewNominations = 1024

// note notes a change, where there are so many nominations.
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

// align brings the nominations that may differ after these changes of the snapshot in line.
func (n *Nominator) align(snap *engine.Snapshot, c engine.Changes) error {
	keys, ok := n.log.since(c.Point)
	if c.All || !ok {
		return n.alignAll(snap)
	}
	if len(keys)+len(c.Pods)+len(c.Nodes) == 0 {
		return nil
	}
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

// concerns reports whether a pod of this name has a nomination here or in the snapshot, as few
// of those that change have.
func (n *Nominator) concerns(snap *engine.Snapshot, pod *outrank.Pod) bool {
	var space [64]byte
	key := append(append(append(space[:0], pod.NamespaceName()...), '/'), pod.Name...)
	return n.byPod[outrank.Key(key)].pod != nil || snap.NominationOf(outrank.Key(key)) != ""
}

// alignAll looks at all nominations.
func (n *Nominator) alignAll(snap *engine.Snapshot) error {
	differ := slices.Collect(maps.Keys(n.byPod))
	for node := range snap.Nodes() {
		differ = appendKeys(differ, snap.NominatedTo(node.Name))
	}
	return n.alignEach(snap, differ)
}

func appendKeys(to []outrank.Key, pods []*outrank.Pod) []outrank.Key {
	for _, pod := range pods {
		to = append(to, pod.Key())
	}
	return to
}

// alignEach looks at these pods, each once, in the order of their names: the error is that of
// the first.
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

// alignOne brings the nomination of one pod in line. Time is linear in the pods nominated to
// its nodes.
func (n *Nominator) alignOne(snap *engine.Snapshot, key outrank.Key) error {
	e, has := snap.NominationOf(key), n.byPod[key]
	if e == "" && has.pod == nil {
		return nil
	}
	known, ok := snap.Pod(key)
	wanted := has.pod != nil && (!ok || samePod(known, has.pod))
	switch {
	case wanted && e == has.node:
		return nil
	case wanted && !ok:
		if _, there := snap.Node(has.node); !there {
			return nil
		}
		if _, err := snap.PutPod(has.pod); err != nil {
			return err
		}
		return snap.Nominate(key, has.node)
	case wanted:
		switch err := snap.Nominate(key, has.node); {
		case err == nil, errors.Is(err, preemption.ErrState):
			return nil // it is nominated now, or runs
		case !errors.Is(err, preemption.ErrNotFound):
			return err
		}
	}
	if _, there := snap.Node(e); !there {
		return nil // it counts nowhere
	}
	return snap.Nominate(key, "")
}
