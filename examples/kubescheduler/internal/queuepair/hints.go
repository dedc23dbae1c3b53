package queuepair

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// helps asks the reference's hints about an event for a pod, so that both queues move the same pods. The hints of
// this library have to give the same answers, filter by filter.
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
	for _, name := range e.FailedFilters {
		p.compareHint(name, e, event, asked{p.theirs, info, h})
	}
	return asked{p.theirs, info, h}.helps(h.events, e.FailedFilters)
}

// asked is a question to the reference's hints.
type asked struct {
	queue *queue.PriorityQueue
	pod   *framework.PodInfo
	happened
}

// helps reports whether the hint of one of the plugins says that one of the events may help.
func (a asked) helps(events []fwk.ClusterEvent, plugins []string) bool {
	return slices.ContainsFunc(events, func(event fwk.ClusterEvent) bool {
		return helps(a.queue, a.pod, plugins, event, a.before, a.object)
	})
}

// compareHint compares both hints about one of the filters that the pod failed with.
func (p *Pair) compareHint(name string, e *ourqueue.Entry, event ourqueue.ClusterEvent, a asked) {
	one := *e
	one.FailedFilters = []string{name}
	theirs, ours := a.helps(a.whole, one.FailedFilters), ourqueue.Helps(p.release, &one, event)

	switch what := "queue: hints of " + name; {
	case theirs && ours:
		p.counts[what+" that help"]++
	case !theirs && !ours:
		p.counts[what+" that do not"]++
	case ours && isUnknown(event.Kind):
		p.counts["queue: hints about "+string(event.Kind)+", which has no kind here: 5.4.4"]++
	default:
		p.problem("%s failed with %s, and %+v may help: %t by kube-scheduler's hint, %t by outrank's\n%+v\n%+v",
			e.Pod.UID, name, a.whole, theirs, ours, e.Pod, event)
	}
}

// isUnknown reports whether an event is of a kind that this library does not know: that of an API group which no
// filter looks at. The event may help any pod here, in the reference one whose plugin registers for it (rule 5.4.4).
func isUnknown(kind ourqueue.ClusterEventKind) bool { return strings.Contains(string(kind), "/") }

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
