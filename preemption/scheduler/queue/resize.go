package queue

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/resource"
)

// wantsResize reports whether a pod runs on a node and waits there for room for its resize (rule 5.4.15).
func wantsResize(rules *release.Rules, pod *outrank.Pod) bool {
	return rules.DeferredResizes && pod.NodeName != "" && pod.ResizeDeferred
}

// resizeHelps reports whether an event may help a pod that waits for room for its resize (rule 5.4.17). If the
// event does not tell, it may.
func resizeHelps(e *Entry, event *ClusterEvent) bool {
	if event.Node != nil && event.Node.Name != e.Pod.NodeName || event.Pod != nil && event.concernsNode() != e.Pod.NodeName {
		return false // it happened on another node
	}
	return slices.ContainsFunc(e.FailedFilters, func(name string) bool {
		kinds, known := helpers[name]
		switch {
		case !known:
			return true
		case !slices.Contains(kinds, event.kind()):
			return false
		case name == filter.DeferredPodScheduling:
			return event.letsPreempt()
		case name == filter.NodeResourcesFit:
			return event.givesRoomTo(e.Pod)
		}
		return true
	})
}

// givesRoomTo reports whether the event may have changed the room for the resize of a pod on the
// node. A pod there that comes to request more counts as such a change, too (rule 5.4.17).
func (event *ClusterEvent) givesRoomTo(pod *outrank.Pod) bool {
	switch {
	case event.Kind == EventNodeUpdated && event.Node != nil && event.NodeBefore != nil:
		return grows(event.NodeBefore.Allocatable, event.Node.Allocatable)
	case event.Kind == EventAssignedPodUpdated && event.Pod != nil && event.Before != nil:
		return resized(event.Before, event.Pod, pod)
	}
	return true
}

// resized reports whether a change of a pod's requests may help the resize of the waiting pod on the same
// node. It may if the pod requests less of a resource that the waiting pod requests, or more of any
// resource. If the pod is the waiting one itself, any change may. Requests are taken from spec and status
// together.
func resized(before, after, waiting *outrank.Pod) bool {
	b, a := before.RunningRequests(outrank.V1_37), after.RunningRequests(outrank.V1_37)
	if keyOf(after) == keyOf(waiting) {
		return requestsMore(b, a) || requestsMore(a, b)
	}
	for name := range waiting.RunningRequests(outrank.V1_37) {
		if a.Amount(name) < b.Amount(name) {
			return true
		}
	}
	return requestsMore(b, a)
}

// requestsMore reports whether the later list names a resource that the earlier one does not, or has more
// of one.
func requestsMore(before, after resource.List) bool {
	for name := range after {
		if _, named := before[name]; !named {
			return true
		}
	}
	return grows(before, after)
}

// grows reports whether the later list has more of any resource than the earlier one.
func grows(before, after resource.List) bool {
	for name := range after {
		if after.Amount(name) > before.Amount(name) {
			return true
		}
	}
	return false
}

// ownResizeHelps reports whether a change of the waiting pod itself may help its resize. A change of its
// requests, taken from spec and status together, may.
func ownResizeHelps(filters []string, before, after *outrank.Pod) bool {
	if before == nil || after == nil || looked(preemptionOf).differ(before, after) {
		return true
	}
	return slices.ContainsFunc(filters, func(name string) bool {
		_, known := looksAt[name]
		return !known || name == filter.NodeResourcesFit && resized(before, after, after)
	})
}
