package queuepair

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// kinds maps a resource of the reference and what happens to it to the kind of event in this library.
var kinds = map[fwk.EventResource]map[fwk.ActionType]ourqueue.ClusterEventKind{
	fwk.Node: {
		fwk.Add: ourqueue.EventNodeAdded, fwk.Update: ourqueue.EventNodeUpdated, fwk.Delete: ourqueue.EventNodeDeleted,
	},
	fwk.AssignedPod: {
		fwk.Add: ourqueue.EventAssignedPodAdded, fwk.Update: ourqueue.EventAssignedPodUpdated, fwk.Delete: ourqueue.EventAssignedPodDeleted,
	},
	fwk.UnscheduledPod: {
		fwk.Add: ourqueue.EventUnscheduledPodAdded, fwk.Update: ourqueue.EventUnscheduledPodUpdated, fwk.Delete: ourqueue.EventUnscheduledPodDeleted,
	},
	fwk.TargetPod: {fwk.Update: ourqueue.EventPodUpdated},
}

// storage are the resources whose events are all of the kind EventStorageChanged.
var storage = map[fwk.EventResource]bool{
	fwk.PersistentVolume: true, fwk.PersistentVolumeClaim: true, fwk.StorageClass: true, fwk.CSINode: true, fwk.CSIDriver: true,
	fwk.CSIStorageCapacity: true, fwk.VolumeAttachment: true,
}

// KindOf returns the kind that this library has for an event of the reference. If it has none, the kind is the
// name of the resource, and the event may help every pod.
func KindOf(e fwk.ClusterEvent) ourqueue.ClusterEventKind {
	switch {
	case e.Resource == fwk.WildCard:
		return ""
	case storage[e.Resource]:
		return ourqueue.EventStorageChanged
	}
	action := e.ActionType
	if action&fwk.Update != 0 && action&(fwk.Add|fwk.Delete) == 0 {
		action = fwk.Update
	}
	if kind := kinds[e.Resource][action]; kind != "" {
		return kind
	}
	return ourqueue.ClusterEventKind(e.Resource)
}

// happened is an event of the reference with its objects.
type happened struct {
	events         []fwk.ClusterEvent
	before, object any
	// whole are the events of the whole update that the events are part of: kube-scheduler tells its queue of
	// each property that has changed by itself, and our queue of all in one event.
	whole []fwk.ClusterEvent
}

// eventOf returns this library's event for an event of the reference, and notes in about which one it stands for.
// No two results are equal, because each has an object of its own.
func (p *Pair) eventOf(event fwk.ClusterEvent, before, object any) ourqueue.ClusterEvent {
	e := ourqueue.ClusterEvent{Kind: KindOf(event)}
	switch o := latest(before, object).(type) {
	case *corev1.Pod:
		e.Pod = p.pod(o)
		if b, ok := before.(*corev1.Pod); ok && object != nil {
			e.Before = p.pod(b)
		}
	case *corev1.Node:
		e.Node = p.node(o)
		if b, ok := before.(*corev1.Node); ok && object != nil {
			e.NodeBefore = p.node(b)
		}
	default:
		if e.Storage = convert.StorageChange(before, object); e.Storage == nil {
			e.Storage = &ourqueue.StorageChange{} // only makes the event unequal to all others
		}
	}
	p.about[e] = happened{[]fwk.ClusterEvent{event}, before, object, wholeOf(event, before, object)}
	return e
}

// wholeOf returns all events of the update that an event is part of.
func wholeOf(event fwk.ClusterEvent, before, object any) []fwk.ClusterEvent {
	switch o := object.(type) {
	case *corev1.Node:
		if b, ok := before.(*corev1.Node); ok {
			return framework.NodeSchedulingPropertiesChange(o, b)
		}
	case *corev1.Pod:
		if b, ok := before.(*corev1.Pod); ok {
			return framework.PodSchedulingPropertiesChange(o, b, false)
		}
	}
	return []fwk.ClusterEvent{event}
}

func latest(before, object any) any {
	if object == nil {
		return before
	}
	return object
}

// pod converts a pod. The result has the API's object as its Value.
func (p *Pair) pod(pod *corev1.Pod) *outrank.Pod {
	ours, err := convert.Pod(pod)
	if err != nil {
		p.problem("pod %s/%s is not understood: %v", pod.Namespace, pod.Name, err)
		return &outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID), Value: pod}
	}
	ours.Value = pod
	return ours
}

func (p *Pair) node(node *corev1.Node) *outrank.Node {
	ours, err := convert.Node(node)
	if err != nil {
		p.problem("node %s is not understood: %v", node.Name, err)
		return &outrank.Node{Name: node.Name}
	}
	return ours
}
