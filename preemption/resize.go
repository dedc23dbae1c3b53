package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// A pod that is on its node may want room for a resize in place that its node has deferred (group
// 7.19). It preempts there as any pod does, with the exceptions in this file.

// wantsResize reports whether the pod asks for room for its resize: the release lets such pods preempt, and
// the pod is on a node. If the cluster has the pod as pending, it is not on a node (rule 7.19.1).
func (a *attempt) wantsResize() bool {
	if !a.rules.DeferredResizes || !a.pod.ResizeDeferred || a.pod.NodeName == "" {
		return false
	}
	known := a.known(a.pod)
	return known == nil || known.NodeName != ""
}

// isItself reports whether a pod is the preemptor, which is never its own victim (rule 7.19.6).
func (a *attempt) isItself(p *occupant) bool {
	return a.resize && !p.nominated && sameName(p.pod, a.pod)
}

// beginDeferred reports whether the filter DeferredPodScheduling has anything to say: it has about a pod
// that wants a resize, and about no other (rule 7.19.2).
func (a *attempt) beginDeferred() bool { return a.resize }

// askDeferred turns down every node but the pod's own, because the pod stays where it is, and its own node
// if that lets no pod leave for the sake of a resize (rule 7.19.3).
func (d *dryRun) askDeferred() Status {
	node := d.site.node
	if d.pod.NodeName != node.Name {
		return unresolvableBy(DeferredPodScheduling, "pod assigned to different node")
	}
	if len(node.DisableResizePreemption) > 0 {
		return unresolvableBy(DeferredPodScheduling, "node had resize preemption disabled")
	}
	return Status{}
}

// lacksForResize is lacks for a pod that the node counts already (rules 7.19.4 and 7.19.11). need is at index i
// of the attempt's resources, and whole is all that the node has of it.
func (d *dryRun) lacksForResize(i int, need need, whole int64) Code {
	// The node counts the pod already, so only the rest of the request has to be free.
	missing := need.amount
	for _, p := range d.pods {
		if d.attempt.isItself(p) {
			missing = max(0, missing-d.attempt.amounts(p)[i])
		}
	}

	// Of a standard resource the whole request has to fit on an empty node (rule 7.7.5). Of any other resource
	// only the missing part has to. If nothing of it is missing, the node is never short of it, even if its pods
	// take more than it has (rule 7.19.11).
	standard := slices.Contains([]resource.Name{resource.CPU, resource.Memory, resource.EphemeralStorage}, need.name)
	switch {
	case standard && need.amount > whole:
		return UnschedulableAndUnresolvable
	case !standard && missing == 0:
		return Success
	case !standard && missing > whole:
		return UnschedulableAndUnresolvable

	case missing > d.free(i, whole):
		return Unschedulable
	}
	return Success
}
