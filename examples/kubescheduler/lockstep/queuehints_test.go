package lockstep

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/queuepair"
	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Filters of the test. Each is registered for some events, with a hint that looks at
// labels.
const (
	alpha = "Alpha" // a node or the end of a pod with the label that the pod has
	beta  = "Beta"  // any node, and a change of the pod's own label
	gamma = "Gamma" // storage
	hold  = "Hold"  // a check before the queue; asked again when a node comes or the pod changes
)

const (
	wants = "wants"
	own   = "own"
)

var (
	nodeAdded    = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}
	nodeUpdated  = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeLabel}
	nodeDeleted  = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}
	podDeleted   = framework.EventAssignedPodDelete
	podAdded     = framework.EventAssignedPodAdd
	storage      = fwk.ClusterEvent{Resource: fwk.PersistentVolume, ActionType: fwk.Add}
	anything     = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All}
	ownUpdate    = fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodLabel}
	anyOwnUpdate = fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.Update}
	happenings   = []fwk.ClusterEvent{nodeAdded, nodeUpdated, nodeDeleted, podDeleted, podAdded, storage, anything}
	listensTo    = map[string][]fwk.ClusterEvent{
		alpha: {nodeAdded, nodeUpdated, podDeleted},
		beta:  {nodeAdded, ownUpdate},
		gamma: {storage},
		hold:  {nodeAdded, anyOwnUpdate},
	}
)

// hint is a filter's answer to an event that it listens to: the labels are those
// of the pod that waits, of the object, and of the object before.
func hint(filter string, kind ourqueue.ClusterEventKind, pod, object, before map[string]string) bool {
	switch {
	case filter == alpha:
		return object == nil || object[wants] == pod[wants]
	case filter == beta && kind == ourqueue.EventPodUpdated:
		return object[own] != before[own]
	}
	return true
}

// hintMap registers the hints with the reference.
func hintMap() queue.QueueingHintMap {
	m := queue.QueueingHintMap{}
	for _, filter := range []string{alpha, beta, gamma, hold} {
		for _, h := range listensTo[filter] {
			m[h] = append(m[h], &queue.QueueingHintFunction{PluginName: filter, QueueingHintFn: func(_ klog.Logger, pod *corev1.Pod, before, object any) (fwk.QueueingHint, error) {
				if object == nil {
					object = before
				}
				if hint(filter, queuepair.KindOf(h), pod.Labels, labelsOf(object), labelsOf(before)) {
					return fwk.Queue, nil
				}
				return fwk.QueueSkip, nil
			}})
		}
	}
	gates := fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodSchedulingGatesEliminated}
	m[gates] = append(m[gates], &queue.QueueingHintFunction{PluginName: schedulinggates.Name, QueueingHintFn: func(klog.Logger, *corev1.Pod, any, any) (fwk.QueueingHint, error) {
		return fwk.Queue, nil
	}})
	return m
}

func labelsOf(object any) map[string]string {
	switch o := object.(type) {
	case *corev1.Pod:
		if o != nil {
			return o.Labels
		}
	case *corev1.Node:
		if o != nil {
			return o.Labels
		}
	}
	return nil
}

// helps asks the same hints for the library.
func helps(e *ourqueue.Entry, event ourqueue.ClusterEvent) bool {
	if len(e.FailedFilters) == 0 || event.Kind == "" {
		return true
	}
	for _, filter := range e.FailedFilters {
		for _, h := range listensTo[filter] {
			if queuepair.KindOf(h) == event.Kind && hint(filter, event.Kind, e.Pod.Labels, ourLabels(&event), before(&event)) {
				return true
			}
		}
	}
	return false
}

func ourLabels(event *ourqueue.ClusterEvent) map[string]string {
	switch {
	case event.Pod != nil:
		return event.Pod.Labels
	case event.Node != nil:
		return event.Node.Labels
	}
	return nil
}

func before(event *ourqueue.ClusterEvent) map[string]string {
	if event.Before == nil {
		return nil
	}
	return event.Before.Labels
}

// holding is the check before the queue, for both.
type holding map[string]bool

func (h holding) Name() string { return hold }

func (h holding) PreEnqueue(_ context.Context, pod *corev1.Pod) *fwk.Status {
	if h[pod.Name] {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "held")
	}
	return nil
}

func (h holding) gate() ourqueue.Gate {
	return ourqueue.Gate{Name: hold, Holds: func(p *outrank.Pod) bool { return h[p.Name] }, Events: []ourqueue.ClusterEventKind{ourqueue.EventNodeAdded}}
}
