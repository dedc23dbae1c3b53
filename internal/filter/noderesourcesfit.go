package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// nodeResourcesFitEntry draws nothing itself, because every generated pod requests resources and every
// generated node is nearly full.
var nodeResourcesFitEntry = Entry{
	Name:       NodeResourcesFit,
	Fails:      AnyFailure,
	Conclusive: AnyFailure,
	Helped: Hints{
		EventNodeAdded:          comes(hasRoom),
		EventNodeUpdated:        makesRoom,
		EventAssignedPodUpdated: requestsOther,
		EventAssignedPodDeleted: func(w *Waiting, c *Change) bool { return !w.Resizes() || c.Pod.NodeName == w.Pod.NodeName },
		EventPodUpdated:         requestsLess,
	},
}

// hasRoom reports whether the pod would fit the node if no other pod were there. For a pod that waits for its resize
// no other node than its own has room (rules 5.4.17 and 5.4.26). Resources that a profile has the filter ignore count
// here, too, as they do in the reference.
func hasRoom(w *Waiting, n *outrank.Node) bool {
	if w.Resizes() && n.Name != w.Pod.NodeName || n.Allocatable.Amount(resource.Pods) < 1 {
		return false
	}
	for _, need := range fit.Needs(w.Pod, nil, nil) {
		if need.Amount > n.Allocatable.Amount(need.Name) {
			return false
		}
	}
	return true
}

// makesRoom reports whether a node has room for the pod, and more than before of places for pods or of something that
// the pod requests.
func makesRoom(w *Waiting, c *Change) bool {
	if !hasRoom(w, c.Node) {
		return false
	}

	before, after := c.NodeBefore.Allocatable, c.Node.Allocatable
	if after.Amount(resource.Pods) > before.Amount(resource.Pods) {
		return true
	}
	for _, need := range fit.Needs(w.Pod, nil, nil) {
		if after.Amount(need.Name) > before.Amount(need.Name) {
			return true
		}
	}
	return false
}

// requestsOther reports whether a pod on a node comes to request less of something that the waiting pod requests.
// Where the waiting pod waits for its resize, the other has to be on its node, or be the pod itself, and it helps
// also if it comes to request more of anything (rules 5.4.17 and 5.4.26). Requests are those of spec and status
// together.
func requestsOther(w *Waiting, c *Change) bool {
	if w.Resizes() && c.Pod.NodeName != w.Pod.NodeName {
		return false
	}

	before, after := c.PodBefore.RunningRequests(w.Release), c.Pod.RunningRequests(w.Release)
	for name, q := range w.Pod.RunningRequests(w.Release) {
		if name.Counted() && !q.IsZero() && after.Amount(name) < before.Amount(name) {
			return true
		}
	}
	return w.Resizes() && exceeds(after, before)
}

// requestsLess reports whether the waiting pod comes to request less of anything.
func requestsLess(w *Waiting, c *Change) bool {
	return exceeds(c.PodBefore.RunningRequests(w.Release), c.Pod.RunningRequests(w.Release))
}

// exceeds reports whether a list names a resource that the other does not, or more of one.
func exceeds(list, other resource.List) bool {
	for name, q := range list {
		if o, named := other[name]; !named || q.Cmp(o) > 0 {
			return true
		}
	}
	return false
}
