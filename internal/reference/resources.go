package reference

import (
	"math/big"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// filterResources: there must be a slot for one more pod, and every request
// must fit into the room that the others leave (group 7.7). All shortages are
// named. Where a request is larger than the whole node, no eviction helps.
// Names that nodes keep no account of are not looked at.
func (s *scene) filterResources() Status {
	status := Status{}
	fail := func(code Code, reason string) {
		status.Code = max(status.Code, code)
		status.Plugin = filter.NodeResourcesFit
		status.Reasons = append(status.Reasons, reason)
	}
	if int64(len(s.pods))+1 > s.node.Allocatable.Amount(resource.Pods) {
		fail(Unschedulable, "Too many pods")
	}
	requests := s.a.pod.Requests()
	for _, name := range requests.Names() {
		want := requests.Amount(name)
		if !name.Counted() || want <= 0 || s.a.setup.ignores(string(name)) {
			continue
		}
		whole, missing := s.node.Allocatable.Amount(name), s.missing(name, want)
		standard := name == resource.CPU || name == resource.Memory || name == resource.EphemeralStorage
		switch {
		case !standard && missing.Sign() == 0: // the node counts all of it for the pod
		case standard && want > whole || !standard && missing.Cmp(big.NewInt(whole)) > 0:
			fail(UnschedulableAndUnresolvable, "Insufficient "+string(name))
		case missing.Cmp(s.free(name)) > 0:
			fail(Unschedulable, "Insufficient "+string(name))
		}
	}
	return status
}

// free is the node's allocatable amount less the requests of the pods on it. It
// is negative on a node that holds too much.
func (s *scene) free(name resource.Name) *big.Int {
	left := big.NewInt(s.node.Allocatable.Amount(name))
	for _, o := range s.pods {
		left.Sub(left, big.NewInt(o.requests(s.a.cluster.Release).Amount(name)))
	}
	return left
}

// requests: a pod on its node may be in the middle of a resize, one that is
// expected there cannot be (rules 2.2.1 and 2.2.11).
func (o occupant) requests(r outrank.Release) resource.List {
	if o.nominated {
		return o.pod.Requests()
	}
	return o.pod.RunningRequests(r)
}

// filterDeferred: the pod stays where it is, and the node may have asked that nobody
// leave for the sake of a resize.
func (s *scene) filterDeferred() Status {
	if s.a.pod.NodeName != s.node.Name {
		return unresolvable(filter.DeferredPodScheduling, "pod assigned to different node")
	}
	if len(s.node.DisableResizePreemption) > 0 {
		return unresolvable(filter.DeferredPodScheduling, "node had resize preemption disabled")
	}
	return Status{}
}

// missing is the amount of a resource that has to be free for the pod: its
// request, less the node's present account of the pod.
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
