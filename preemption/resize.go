package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// A pod that is on its node may want room for a resize in place that its node has deferred (group
// 7.19). It preempts there as any pod does, but for what this file says.

// wantsResize: the release has such pods preempt, the pod is on a node, and the cluster does not know
// it as one that still waits for a node (rule 7.19.1).
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

// beginDeferred: of other pods nothing is asked (rule 7.19.2).
func (a *attempt) beginDeferred() bool { return a.resize }

// askDeferred: the pod stays where it is, and its node may have asked that nobody leave for the sake
// of a resize (rule 7.19.3).
func (d *dryRun) askDeferred() Status {
	if d.pod.NodeName != d.site.node.Name {
		return unresolvableBy(DeferredPodScheduling, "pod assigned to different node")
	}
	if len(d.site.node.DisableResizePreemption) > 0 {
		return unresolvableBy(DeferredPodScheduling, "node had resize preemption disabled")
	}
	return Status{}
}

// lacksForResize is lacks for a pod that the node counts already. No part of it counts twice: what has
// to be free is the request less what the node counts for the pod. Of a resource beside cpu, memory
// and ephemeral storage the node is never short once it counts all of the request (rules 7.19.4 and
// 7.19.11).
func (d *dryRun) lacksForResize(i int, need need, whole int64) Code {
	missing := need.amount
	for _, p := range d.pods {
		if d.isItself(p) {
			missing = max(0, missing-d.amounts(p)[i])
		}
	}

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
