package reference

import (
	"math/big"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// A pod that is on its node already may want room for a resize in place that its node
// has deferred (group 7.19).

// wantsResize: the gate is on, the pod has a node, and the cluster does not know it as
// one that still waits.
func (a *attempt) wantsResize() bool {
	if !a.rules.DeferredResizes || !a.pod.ResizeDeferred || a.pod.NodeName == "" {
		return false
	}
	for _, p := range a.cluster.Pods {
		if p.Key() == a.pod.Key() && !p.Finished() && p.NodeName == "" {
			return false
		}
	}
	return true
}

// setupForResize switches off all filters but the three that such a pod is asked by,
// and the second of them for any other pod.
func (a *attempt) setupForResize() {
	setup := *a.setup
	setup.Off = slices.Clone(setup.Off)
	for _, f := range filters {
		its := f.name == filter.NodeName || f.name == filter.DeferredPodScheduling || f.name == filter.NodeResourcesFit
		if a.resize && !its || !a.resize && f.name == filter.DeferredPodScheduling {
			setup.Off = append(setup.Off, f.name)
		}
	}
	a.setup = &setup
}

// filterDeferred: the pod stays where it is, and the node may have asked that nobody
// leave for the sake of a resize.
func (s *scene) filterDeferred() Status {
	if s.a.pod.NodeName != s.node.Name {
		return unresolvable(filter.DeferredPodScheduling, "pod assigned to different node")
	}
	if len(s.node.ResizePreemptionDisabled) > 0 {
		return unresolvable(filter.DeferredPodScheduling, "node had resize preemption disabled")
	}
	return Status{}
}

// missing is what has to be free of a resource for the pod: all that it requests, but
// for what the node counts for it already.
func (s *scene) missing(name resource.Name, want int64) *big.Int {
	missing := big.NewInt(want)
	for _, o := range s.pods {
		if s.a.isItself(o.pod) {
			missing.Sub(missing, big.NewInt(o.requests(s.a.cluster.Release).Amount(name)))
		}
	}
	if missing.Sign() < 0 {
		return new(big.Int)
	}
	return missing
}

// isItself: the pod is the preemptor, which is never its own victim.
func (a *attempt) isItself(p *outrank.Pod) bool { return a.resize && p.Key() == a.pod.Key() }
