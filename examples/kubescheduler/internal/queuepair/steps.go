package queuepair

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// Add adds a pod. A pod on a node is added because its resize is deferred.
func (p *Pair) Add(ctx context.Context, pod *corev1.Pod) {
	now := p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.Add(ctx, pod)
	ours := p.pod(pod)
	if ours.NodeName == "" {
		p.check("Add", p.ours.Add(ours, now))
		return
	}
	_, err := p.ours.FollowResize(ours, now)
	p.check("FollowResize", err)
}

// Update replaces a pod by a newer version.
func (p *Pair) Update(ctx context.Context, before, pod *corev1.Pod) {
	now := p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.Update(ctx, before, pod)
	ours := p.pod(pod)
	events := framework.PodSchedulingPropertiesChange(pod, before, true)
	p.updates[ours] = happened{events, before, pod, events}
	if ours.NodeName == "" {
		p.check("Update", p.ours.Update(ours, now))
		return
	}
	_, err := p.ours.FollowResize(ours, now)
	p.check("FollowResize", err)
}

// Delete takes a pod out.
func (p *Pair) Delete(logger klog.Logger, pod *corev1.Pod) {
	p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.Delete(logger, pod)
	p.ours.Remove(named(pod))
	delete(p.flying, pod.UID)
	delete(p.binding, pod.UID)
}

// named returns a pod with the fields by which queues find it.
func named(pod *corev1.Pod) *outrank.Pod {
	return &outrank.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)}
}

// Activate makes pods active.
func (p *Pair) Activate(logger klog.Logger, pods map[string]*corev1.Pod) {
	p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.Activate(logger, pods)
	var list []*outrank.Pod
	for _, key := range slices.Sorted(maps.Keys(pods)) {
		list = append(list, named(pods[key]))
	}
	p.ours.Activate(list...)
}

// AddUnschedulablePodIfNotPresent ends an attempt that failed.
func (p *Pair) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo, cycle int64) error {
	now := p.lock()
	defer p.mu.Unlock()
	pod := info.Pod
	e := p.flying[pod.UID]
	e.FailedFilters = slices.Collect(maps.Keys(info.UnschedulablePlugins))
	e.PendingFilters = slices.Collect(maps.Keys(info.PendingPlugins))
	e.Pod = p.pod(pod)
	err := p.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
	p.check("AddUnschedulableIfNotPresent", p.ours.AddUnschedulableIfNotPresent(e, now))
	if len(e.FailedFilters)+len(e.PendingFilters) == 0 {
		p.counts["queue: attempts that ended in an error"]++
	}
	delete(p.flying, pod.UID)
	delete(p.binding, pod.UID)
	return err
}

// Done ends an attempt. The scheduler also calls it before a pod is bound. The binding may still fail, so that
// for our queue such an attempt ends with the binding.
func (p *Pair) Done(uid types.UID) {
	p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.Done(uid)

	e, ok := p.flying[uid]
	if !ok || p.binding[uid] {
		return
	}
	if assumed, _ := p.scheduler.Cache.IsAssumedPod(e.Pod.Value.(*corev1.Pod)); assumed {
		p.binding[uid] = true
		return
	}
	p.ours.Done(e)
	delete(p.flying, uid)
}

// MoveAllToActiveOrBackoffQueue passes an event on.
func (p *Pair) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, before, object any, may queue.PreEnqueueCheck) {
	now := p.lock()
	defer p.mu.Unlock()

	// An event without an object is the end of a pod. It is ordinary news unless the pod gives up room that the
	// scheduler had reserved for it.
	pod, _ := before.(*corev1.Pod)
	if pod == nil || object != nil || may == nil && !p.binding[pod.UID] {
		p.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, before, object, may)
		ours := p.eventOf(event, before, object)
		p.counts["queue: events "+string(ours.Kind)]++
		p.ours.MoveAll(ours, now)
		return
	}

	was := p.waitsAs(pod)
	p.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, before, object, may)
	ours := p.eventOf(event, before, object)
	p.ours.RoomGivenUp(ours.Pod, now)
	if may == nil {
		p.counts["queue: room given up by a pod on its node"]++
		return
	}

	// In the reference the event may move the very pod that gave the room up; our queue leaves it out, so that it
	// is told of the event once more.
	p.counts["queue: room given up"]++
	if was != "" && was != p.waitsAs(pod) {
		p.counts["queue: moved by its own room: 5.4.10"]++
		p.only = pod.UID
		p.ours.MoveAll(ours, now)
		p.only = ""
	}
}

// AddPodGroup adds a group of pods.
func (p *Pair) AddPodGroup(logger klog.Logger, group *schedulingv1beta1.PodGroup) {
	p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.AddPodGroup(logger, group)
	ours, err := convert.PodGroup(group)
	p.check("PodGroup", err)
	p.ours.PutGroup(ours)
}

// UpdatePodGroup replaces a group by a newer version.
func (p *Pair) UpdatePodGroup(logger klog.Logger, group *schedulingv1beta1.PodGroup) {
	p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.UpdatePodGroup(logger, group)
	ours, err := convert.PodGroup(group)
	p.check("PodGroup", err)
	p.ours.PutGroup(ours)
}

// DeletePodGroup removes a group.
func (p *Pair) DeletePodGroup(logger klog.Logger, group *schedulingv1beta1.PodGroup) {
	p.lock()
	defer p.mu.Unlock()
	p.SchedulingQueue.DeletePodGroup(logger, group)
	ours, err := convert.PodGroup(group)
	p.check("PodGroup", err)
	p.ours.RemoveGroup(ours)
}
