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

// Observe takes in what an informer delivers, by the table of the package comment: an
// object that is new (old is nil), has changed, or is gone (new is nil). It returns how many pods
// were moved to be tried again. The objects are those of package outrank: a *Pod, *Node,
// *PodDisruptionBudget, *Namespace, *PodGroup or *CompositePodGroup. An object may be delivered
// again, and an object that goes need not be known.
//
// The error wraps [outrank.ErrInvalid] for anything else and for two objects of different kinds or names.
// The errors of an object's Validate are returned, too, and then nothing is changed. It takes the time of
// the methods of snapshot and queue that the table names; an event that moves pods looks at all that wait.
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

// kindOf returns the first object that is not nil, and an empty struct if all are.
func kindOf(objects ...any) any {
	for _, o := range objects {
		if o != nil {
			return o
		}
	}
	return struct{}{}
}

// both calls f with two objects of one type and name, of which at most one is nil.
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

// observer takes in one event.
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

// moveAll tells the queue of an event.
func (o *observer) moveAll(e queue.ClusterEvent) int { return o.queue.MoveAll(e, o.now) }

// pod takes in an event about a pod.
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

// podWaits takes in a pod without a node, in a new version if old is not nil. A change of it
// is an event for the pod alone, which the queue judges. Other pods hear only of a nomination that
// it had in its own status and has no longer (rules 5.4.5, 5.4.8 and 5.4.19).
func (o *observer) podWaits(old, new *outrank.Pod) (int, error) {
	snap, key := o.snap, new.Key()
	_, known := snap.Pod(key)
	if _, err := snap.PutPod(new); err != nil {
		return 0, err
	}

	switch {
	case snap.NodeOf(key) != "":
		return 0, nil // it was bound, and this version does not know that yet
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
		// The failure path may have put this very version back already. Seeing the same pointer again,
		// the queue would think that the pod was changed in place, perhaps in something that helps it.
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

// podCame takes in a pod without a node that is new. It may be the one that a group lacked, which
// concerns others only where groups are queued (rule 5.4.19).
func (o *observer) podCame(pod *outrank.Pod) (int, error) {
	_ = o.nominator.Add(pod, "") // news of a pod is no error
	err := o.queue.Add(pod, o.now)
	if !o.groups {
		return 0, err
	}
	return o.moveAll(queue.ClusterEvent{Kind: queue.EventUnscheduledPodAdded, Pod: pod}), err
}

// roomGivenUp tells the queue that a pod that waits does not want its nominated node any more.
func (o *observer) roomGivenUp(pod *outrank.Pod, node string) int {
	waited := *pod
	waited.NodeName, waited.NominatedNodeName = "", node
	return o.queue.RoomGivenUp(&waited, o.now)
}

// podPlaced takes in a pod that has a node now.
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

	moved := o.queue.AssignedPodAdded(new, o.now)
	moved += o.moveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodAdded, Pod: new})
	_, err := o.queue.FollowResize(new, o.now)
	return moved, err
}

// podChanged takes in a new version of a pod on a node.
func (o *observer) podChanged(old, new *outrank.Pod) (int, error) {
	if _, err := o.snap.PutPod(new); err != nil {
		return 0, err
	}

	// What does not change what others may be placed by is no event for them.
	moved := 0
	if release := o.snap.Release(); !maps.Equal(old.Labels, new.Labels) || !reflect.DeepEqual(old.RunningRequests(release), new.RunningRequests(release)) {
		moved += o.queue.AssignedPodUpdated(new, o.now)
		moved += o.moveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodUpdated, Pod: new, Before: old})
	}
	_, err := o.queue.FollowResize(new, o.now)
	return moved, err
}

// podGone takes in the end of a pod, which need not be known.
func (o *observer) podGone(pod *outrank.Pod) (int, error) {
	snap, key := o.snap, pod.Key()
	known, ok := snap.Pod(key)
	if ok && known.UID != pod.UID && known.UID != "" && pod.UID != "" {
		return 0, nil // it was gone already, and another has its name
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

	// The executor hears of it before the queue, whose gate asks the executor.
	was := cmp.Or(o.nominator.NodeOf(key), pod.NominatedNodeName)
	o.nominator.Remove(pod)
	o.executor.Gone(pod)
	o.queue.Remove(pod)

	switch {
	case pod.Finished() && !ok:
		return 0, nil // others were told when it ended
	case pod.NodeName != "":
		return o.moveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Pod: pod}), nil
	case was != "" && o.queued(pod):
		return o.roomGivenUp(pod, was), nil
	}
	return 0, nil
}

// node takes in an event about a node.
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

// noNewsForPods reports whether a node changed in nothing that pods are told of: its images, the
// version of its kubelet, its policy for supplemental groups, or that it was cordoned, which helps
// nobody (rule 5.4.20).
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

// unlessMissing is nil for the error about an object that is not known.
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
