package queuepair

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// helps asks the reference's hints about an event for a pod, so that both queues move the same pods. The hints of
// this library are coarser: they may help more pods, but must not help fewer.
func (p *Pair) helps(e *ourqueue.Entry, event ourqueue.ClusterEvent) bool {
	if p.only != "" && types.UID(e.Pod.UID) != p.only {
		return false
	}
	if len(e.FailedFilters) == 0 || event.Kind == "" {
		return true
	}

	// The hints need the reference's own event. The update of a pod that waits is told to the queue by Update.
	h, ok := p.about[event]
	if event.Kind == ourqueue.EventPodUpdated {
		h, ok = p.updates[event.Pod]
	}
	if !ok {
		p.problem("an event of kind %q is asked about, which nobody told of", event.Kind)
		return false
	}

	info, err := framework.NewPodInfo(e.Pod.Value.(*corev1.Pod))
	p.check("NewPodInfo", err)
	theirs := slices.ContainsFunc(h.events, func(event fwk.ClusterEvent) bool {
		return helps(p.theirs, info, e.FailedFilters, event, h.before, h.object)
	})
	ours := ourqueue.Helps(p.release, e, event)
	p.countBase(e, event, h, info)

	// Only one rule lets our hints help fewer pods: a resize is not helped by another node (rule 5.4.17).
	switch {
	case theirs && !ours && event.Kind == ourqueue.EventNodeAdded && e.Pod.NodeName != "" && event.Node.Name != e.Pod.NodeName:
		p.counts["queue: hints that help a resize in the reference alone, by another node: 5.4.17"]++
	case theirs && !ours:
		p.problem("%s failed with %v and may be helped by %+v with kube-scheduler's hints, not with outrank's", e.Pod.UID, e.FailedFilters, h.events)
	case theirs:
		p.counts["queue: hints that help"]++
	case ours:
		p.counts["queue: hints that help here alone: 5.4.4"]++
	default:
		p.counts["queue: hints that do not help"]++
	}
	return theirs
}

// waitsAs returns what a pod waits for in the reference's queue: an event, or its gates. It is empty if the pod
// waits for neither.
func (p *Pair) waitsAs(pod *corev1.Pod) string {
	info, ok := p.theirs.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
	switch {
	case !ok || !slices.ContainsFunc(p.theirs.UnschedulablePods(), func(o *corev1.Pod) bool { return o.UID == pod.UID }):
		return ""
	case info.Gated():
		return "gates"
	}
	return "an event"
}

func (p *Pair) countBase(e *ourqueue.Entry, event ourqueue.ClusterEvent, h happened, info *framework.PodInfo) {
	all := h.events
	switch o := h.object.(type) {
	case *corev1.Node:
		if b, ok := h.before.(*corev1.Node); ok {
			all = framework.NodeSchedulingPropertiesChange(o, b)
		}
	case *corev1.Pod:
		if b, ok := h.before.(*corev1.Pod); ok && event.Kind != ourqueue.EventPodUpdated {
			all = framework.PodSchedulingPropertiesChange(o, b, false)
		}
	}
	for _, name := range e.FailedFilters {
		theirs := slices.ContainsFunc(all, func(event fwk.ClusterEvent) bool {
			return helps(p.theirs, info, []string{name}, event, h.before, h.object)
		})
		one := *e
		one.FailedFilters = []string{name}
		ours := ourqueue.Helps(p.release, &one, event)
		what := "neither"
		switch {
		case theirs && ours:
			what = "both"
		case theirs:
			what = "THEIRS ALONE"
		case ours:
			what = "ours alone"
		}
		p.counts["queue hints "+name+" "+string(event.Kind)+" "+what]++
	}
}
