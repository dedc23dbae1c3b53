package attempt

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Observe handles an event that an informer delivers, by the table of the package comment: an
// object is new (old is nil), has changed, or is gone (new is nil). It returns how many pods
// were moved to be tried again. Objects are of package outrank: a *Pod, *Node,
// *PodDisruptionBudget, *Namespace, *PodGroup or *CompositePodGroup. An object may be delivered
// again, and an object that goes need not be known.
//
// The error wraps [outrank.ErrInvalid] for anything else and for two objects of different kinds or names.
// If an object's Validate returns an error, Observe returns it and changes nothing. The time is that of
// the methods of snapshot and queue in the table; an event that moves pods looks at all pods that wait.
func (l *Loop) Observe(old, new any, now time.Time) (moved int, err error) {
	if l == nil || l.executor == nil {
		return 0, fmt.Errorf("event: %w: the loop was not made by New", outrank.ErrInvalid)
	}
	o := observer{
		snap: l.snap, queue: l.queue, nominator: l.nominator, executor: l.executor,
		schedulers: l.schedulers, groups: l.groups, now: now,
	}

	switch kindOf(old, new).(type) {
	case *outrank.Pod:
		return both(old, new, (*outrank.Pod).Key, o.pod)
	case *outrank.Node:
		return both(old, new, func(n *outrank.Node) string { return n.Name }, o.node)
	case *outrank.PodDisruptionBudget:
		return both(old, new, (*outrank.PodDisruptionBudget).Key, o.budget)
	case *outrank.Namespace:
		return both(old, new, func(n *outrank.Namespace) string { return n.Name }, o.namespace)
	case *outrank.PodGroup:
		return both(old, new, (*outrank.PodGroup).Key, o.group)
	case *outrank.CompositePodGroup:
		return both(old, new, (*outrank.CompositePodGroup).Key, o.composite)
	}
	return 0, fmt.Errorf("event: %w: %T and %T are no objects that are looked at", outrank.ErrInvalid, kindOf(old), kindOf(new))
}

// kindOf returns the first object that is not nil, and an empty struct if all are nil.
func kindOf(objects ...any) any {
	for _, o := range objects {
		if o != nil {
			return o
		}
	}
	return struct{}{}
}

// both checks that the objects are of type *T and have the same name, and that at least one is not nil. Then it
// calls f with them.
func both[T any, N comparable](old, new any, name func(*T) N, f func(old, new *T) (int, error)) (int, error) {
	a, isOld := old.(*T)
	b, isNew := new.(*T)
	switch {
	case old != nil && !isOld || new != nil && !isNew:
		return 0, fmt.Errorf("event: %w: %T and %T are of different kinds", outrank.ErrInvalid, kindOf(old), kindOf(new))
	case a == nil && b == nil:
		return 0, fmt.Errorf("event: %w: no object", outrank.ErrInvalid)
	case a != nil && b != nil && name(a) != name(b):
		return 0, fmt.Errorf("event: %w: %v becomes %v, which is another object", outrank.ErrInvalid, name(a), name(b))
	}
	return f(a, b)
}

// observer handles one event.
type observer struct {
	snap      *engine.Snapshot
	queue     *queue.Queue
	nominator *execution.Nominator
	executor  *execution.Executor
	// schedulers are the names of the schedulers whose pods are queued. None means all.
	schedulers []string
	// groups says that groups of pods are queued as one (rule 5.8.1).
	groups bool
	now    time.Time
}

// moveAll tells the queue of an event, and returns how many pods it moved.
func (o *observer) moveAll(e queue.ClusterEvent) int { return o.queue.MoveAll(e, o.now) }

// pod handles an event about a pod.
func (o *observer) pod(old, new *outrank.Pod) (int, error) {
	if new != nil {
		if err := new.Validate(); err != nil {
			return 0, err
		}
	}
	switch {
	case new == nil:
		return o.podGone(old)
	case old != nil && old.UID != new.UID && old.UID != "" && new.UID != "":
		// Another pod has taken the name: one goes, and the other comes.
		gone, err := o.podGone(old)
		if err != nil {
			return gone, err
		}
		come, err := o.pod(nil, new)
		return gone + come, err
	case new.Finished():
		return o.podGone(cmp.Or(old, new))
	case new.NodeName == "":
		return o.podWaits(old, new)
	case old == nil || old.NodeName == "":
		return o.podPlaced(old, new)
	}
	return o.podChanged(old, new)
}

// queued reports whether the pod is one that this scheduler places.
func (o *observer) queued(pod *outrank.Pod) bool {
	return len(o.schedulers) == 0 || slices.Contains(o.schedulers, pod.Scheduler())
}

// podWaits handles a pod without a node, in a new version if old is not nil. The queue judges whether the
// change helps the pod itself. Other pods are only told that room was given up, if the nomination in the
// pod's own status was changed or cleared (rules 5.4.5, 5.4.8 and 5.4.19).
func (o *observer) podWaits(old, new *outrank.Pod) (int, error) {
	snap, key := o.snap, new.Key()
	_, known := snap.Pod(key)
	if _, err := snap.PutPod(new); err != nil {
		return 0, err
	}

	switch {
	case snap.NodeOf(key) != "":
		return 0, nil // the pod was bound, and this version is older than that
	case !o.queued(new):
		return 0, nil
	case old == nil:
		return o.podCame(new)
	case known && reflect.DeepEqual(old, new):
		return 0, nil // the same version again
	}

	o.nominator.Update(old, new)
	version := new
	if onlyNominated(old, new) {
		// The failure path may have put this very version back already. If the queue saw the same pointer
		// again, it would take the pod to be changed in place, perhaps in something that helps it.
		made := *new
		version = &made
	}
	err := o.queue.Update(version, o.now)
	if was := old.NominatedNodeName; was != "" && was != new.NominatedNodeName {
		return o.roomGivenUp(old, was), err
	}
	return 0, err
}

// onlyNominated reports whether two versions of a pod differ in its nomination at most.
func onlyNominated(old, new *outrank.Pod) bool {
	made := *old
	made.NominatedNodeName = new.NominatedNodeName
	return reflect.DeepEqual(&made, new)
}

// podCame handles a new pod without a node. It may be the pod that a group lacked, so other pods are told
// of it where groups are queued (rule 5.4.19).
func (o *observer) podCame(pod *outrank.Pod) (int, error) {
	_ = o.nominator.Add(pod, "") // without a node, Add returns no error
	err := o.queue.Add(pod, o.now)
	if !o.groups {
		return 0, err
	}
	return o.moveAll(queue.ClusterEvent{Kind: queue.EventUnscheduledPodAdded, Pod: pod}), err
}

// roomGivenUp tells the queue that a waiting pod no longer holds room on a node that it was nominated to.
func (o *observer) roomGivenUp(pod *outrank.Pod, node string) int {
	waited := *pod
	waited.NodeName, waited.NominatedNodeName = "", node
	return o.queue.RoomGivenUp(&waited, o.now)
}

// podPlaced handles a pod that has a node now and, as far as the event tells, had none before.
func (o *observer) podPlaced(old, new *outrank.Pod) (int, error) {
	_, waited := o.snap.Pod(new.Key())
	waited = old != nil || waited && o.snap.NodeOf(new.Key()) == ""
	if _, err := o.snap.PutPod(new); err != nil {
		return 0, err
	}

	o.nominator.Remove(new)
	if waited {
		o.queue.Remove(new)
	}

	moved := o.moveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodAdded, Pod: new})
	_, err := o.queue.FollowResize(new, o.now)
	return moved, err
}

// podChanged handles a new version of a pod on a node.
func (o *observer) podChanged(old, new *outrank.Pod) (int, error) {
	if _, err := o.snap.PutPod(new); err != nil {
		return 0, err
	}

	// Only a change of labels or requests can make a difference to other pods.
	moved := 0
	if release := o.snap.Release(); !maps.Equal(old.Labels, new.Labels) || !reflect.DeepEqual(old.RunningRequests(release), new.RunningRequests(release)) {
		moved = o.moveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodUpdated, Pod: new, Before: old})
	}
	_, err := o.queue.FollowResize(new, o.now)
	return moved, err
}

// podGone handles the end of a pod. The snapshot need not know the pod.
func (o *observer) podGone(pod *outrank.Pod) (int, error) {
	snap, key := o.snap, pod.Key()
	known, ok := snap.Pod(key)
	if ok && known.UID != pod.UID && known.UID != "" && pod.UID != "" {
		return 0, nil // the pod was gone already, and another pod has its name
	}
	if ok {
		// The pod may have been bound without an event that told of it.
		if node := snap.NodeOf(key); node != "" && pod.NodeName == "" {
			bound := *pod
			bound.NodeName = node
			pod = &bound
		}
		if err := snap.RemovePod(key); err != nil {
			return 0, err
		}
	}

	// The executor is told before the queue, because a gate of the queue asks the executor.
	was := cmp.Or(o.nominator.NodeOf(key), pod.NominatedNodeName)
	o.nominator.Remove(pod)
	o.executor.Gone(pod)
	o.queue.Remove(pod)

	switch {
	case pod.Finished() && !ok:
		return 0, nil // other pods were told when this one ended
	case pod.NodeName != "":
		return o.moveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Pod: pod}), nil
	case was != "" && o.queued(pod):
		return o.roomGivenUp(pod, was), nil
	}
	return 0, nil
}

// node handles an event about a node.
func (o *observer) node(old, new *outrank.Node) (int, error) {
	if new == nil {
		if err := o.snap.RemoveNode(old.Name); err != nil {
			return 0, unlessMissing(err)
		}
		return o.moveAll(queue.ClusterEvent{Kind: queue.EventNodeDeleted, Node: old}), nil
	}
	if err := o.snap.PutNode(new); err != nil {
		return 0, err
	}
	switch {
	case old == nil:
		return o.moveAll(queue.ClusterEvent{Kind: queue.EventNodeAdded, Node: new}), nil
	case noNewsForPods(old, new):
		return 0, nil
	}
	return o.moveAll(queue.ClusterEvent{Kind: queue.EventNodeUpdated, Node: new, NodeBefore: old}), nil
}

// noNewsForPods reports whether a change of a node can help no pod, so that none is told of it. That is so for
// its images, the version of its kubelet, its policy for supplemental groups, and for being cordoned
// (rule 5.4.20).
func noNewsForPods(old, new *outrank.Node) bool {
	x, y := *old, *new
	for _, n := range []*outrank.Node{&x, &y} {
		n.Images, n.KubeletVersion, n.StrictGroups = nil, "", false
	}
	if y.Unschedulable {
		x.Unschedulable = true
	}
	return reflect.DeepEqual(&x, &y)
}

// unlessMissing returns the error, but nil if it says that an object is not known.
func unlessMissing(err error) error {
	if errors.Is(err, preemption.ErrNotFound) {
		return nil
	}
	return err
}

// The other objects move no pods.

func (o *observer) budget(old, new *outrank.PodDisruptionBudget) (int, error) {
	if new == nil {
		return 0, unlessMissing(o.snap.RemoveBudget(old.Key()))
	}
	return 0, o.snap.PutBudget(new)
}

func (o *observer) namespace(old, new *outrank.Namespace) (int, error) {
	if new == nil {
		return 0, unlessMissing(o.snap.RemoveNamespace(old.Name))
	}
	return 0, o.snap.PutNamespace(new)
}

func (o *observer) group(old, new *outrank.PodGroup) (int, error) {
	if new == nil {
		o.queue.RemoveGroup(old)
		return 0, unlessMissing(o.snap.RemoveGroup(old.Key()))
	}
	err := o.snap.PutGroup(new)
	if err == nil {
		o.queue.PutGroup(new)
	}
	return 0, err
}

func (o *observer) composite(old, new *outrank.CompositePodGroup) (int, error) {
	if new == nil {
		o.queue.RemoveComposite(old)
		return 0, unlessMissing(o.snap.RemoveComposite(old.Key()))
	}
	err := o.snap.PutComposite(new)
	if err == nil {
		o.queue.PutComposite(new)
	}
	return 0, err
}
