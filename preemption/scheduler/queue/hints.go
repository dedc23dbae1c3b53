package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
)

// Helps reports whether an event may help a pod by the rules of a release. It asks the queueing hint of each filter
// that the pod failed with, as the reference's plugins answer it; one that is helped is enough (rules 5.4.3 and 5.4.21
// to 5.4.33). The filters' names are those of package preemption.
//
// What is not known may help: any event a pod that failed with an unknown filter or with none, an unknown event
// any pod, and an event that does not have the object that it is about, or the version before an update, whatever a
// filter looks at. A change of the pod's priority or preemption policy may help whatever the pod failed with.
//
// A nil [Config.Helps] means this function with [Config.Release]. Time is linear in the pod's filters and in what they
// look at: the labels, terms, volumes or resources of the objects of the event and of the pod.
func Helps(r outrank.Release, e *Entry, event ClusterEvent) bool {
	rules := release.Of(release.Release(r))
	return newHints(r, &rules).help(e, event)
}

// hints answers Helps for a release. It is for one goroutine at a time: what is asked about is kept in it, so that
// a queue that asks about many pods allocates nothing.
type hints struct {
	waiting filter.Waiting
	change  filter.Change
}

func newHints(r outrank.Release, rules *release.Rules) *hints {
	return &hints{waiting: filter.Waiting{Release: r, Rules: rules}}
}

func (h *hints) help(e *Entry, event ClusterEvent) bool {
	known := event.Kind == EventPodUpdated || slices.Contains(eventKinds, event.Kind)
	if e == nil || len(e.FailedFilters) == 0 || !known || event.preempts() {
		return true
	}

	kind := string(event.kind())
	h.waiting.Pod = e.Pod
	h.change = filter.Change{
		Node: event.Node, NodeBefore: event.NodeBefore, Pod: event.Pod, PodBefore: event.Before, Storage: event.Storage.facts(),
	}

	// One filter that may be helped is enough.
	for _, name := range e.FailedFilters {
		if f := filter.Of(name); f == nil || f.Helps(kind, &h.waiting, &h.change) {
			return true
		}
	}
	return false
}

// wantsResize reports whether a pod runs on a node and waits there for room for its resize (rule 5.4.15).
func wantsResize(rules *release.Rules, pod *outrank.Pod) bool {
	return (&filter.Waiting{Pod: pod, Rules: rules}).Resizes()
}
