package execution

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Failure is an attempt to schedule a pod or a group that failed. Exactly one of Plan, Refused and
// Err says why, except that Err may accompany a Plan as the error that preemption ended in. For a group, Ways,
// Refused, Pending and Node must not be set.
type Failure struct {
	// Entry is the entry that was popped from the queue. Its pods are as they were when the attempt
	// began. Without a queue only the pod in it is needed.
	Entry queue.Entry
	// Queue is the queue of the entry, in which the attempt ends. If it is nil the caller puts the pod
	// back, as the verdict says.
	Queue *queue.Queue
	// Now is the time that the queue is told.
	Now time.Time
	// Plan is the answer of preemption after every node had turned the pod down, or there was no
	// place for the group: a *preemption.Plan or a *preemption.GroupPlan.
	Plan preemption.Decision
	// Ways are the ways out that were asked, as FirstWayOut returns them with Plan. Nil means the two
	// ways of the default scheduler: the step for devices, which has no claims to deallocate (rules
	// 15.3.2 and 15.3.8), and then Plan. An empty list says that the scheduler has no way out (rule
	// 15.1.6).
	Ways []WayOut
	// Refused is the status of a step that refused the node found for the pod: the step that reserves
	// something on the node, or the step that permits the binding. For a resize that has room, Permit of
	// package attempt returns it.
	Refused *preemption.Status
	// Pending says that the step of Refused has not refused the node for good, but waits for an event
	// of its own (upstream's code Pending).
	Pending bool
	// Err is any other error. With a Plan to preempt it is the error of executing the plan, and with
	// another plan of a pod the error of asking for the plan (rule 8.12). In both cases the pod still
	// counts as turned down by the nodes.
	Err error
	// Node is the node that the pod was about to be bound to when Err or Refused came up. It is empty
	// if no node had been found, or if the pod did not count on the node yet.
	Node string
}

// podFailure is a Failure of a pod. Its Plan hides that of Failure, and is nil if the failure has none.
type podFailure struct {
	*Failure
	Plan *preemption.Plan
}

// ofPod returns the failure as one of a pod. The error says what is wrong with it.
func (f *Failure) ofPod() (*podFailure, error) {
	plan, ok := f.Plan.(*preemption.Plan)
	if f.Plan != nil && !ok {
		return nil, fmt.Errorf("failure: %w: the plan of a group, and no entry of one", outrank.ErrInvalid)
	}
	p := &podFailure{f, plan}
	return p, p.check()
}

var errNoFailure = fmt.Errorf("%w: no failure", outrank.ErrInvalid)

// failureKind is the reason why an attempt with a pod failed.
type failureKind int

const (
	// noNodes: there are no nodes at all, and preemption is not counted as tried (ErrNoNodesAvailable). In
	// v1.13 that is an error (rule 13.2.17).
	noNodes failureKind = iota
	// noFit: every node turned the pod down (FitError), whatever came of preemption.
	noFit
	// nodeRefused: a later step refused the node that had been found.
	nodeRefused
	// schedulerFailed: an error that is not about the pod.
	schedulerFailed
)

// rules returns the rules of the plan's release. The failure must have a plan.
func (f *podFailure) rules() release.Rules { return release.Of(release.Release(f.Plan.Release)) }

// resizes reports whether the pod is on its node and waits for its resize.
func (f *podFailure) resizes() bool {
	if f.Plan != nil {
		return f.Plan.Resize
	}

	// A pod with a node is queued only if its resize is deferred and resizes may preempt (rule 5.4.15).
	pod := f.Entry.Pod
	return pod.NodeName != "" && pod.ResizeDeferred
}

// preemptions returns how often preemption was asked to make room for the pod (rule 14.5.1).
func (f *podFailure) preemptions() int {
	n := 0
	switch {
	case f.devicesFail():
		// The step for devices, which is asked before preemption, ended the search.
	case f.Ways == nil && counts(f.Plan):
		n = 1
	}
	for i := range f.Ways {
		if p := f.Ways[i].Plan; p != nil && counts(p) {
			n++
		}
	}
	return n
}

// counts reports whether a plan counts as an attempt to preempt. The scheduler of v1.13 counts even where
// preemption is switched off (rule 13.2.16).
func counts(p *preemption.Plan) bool { return !switchedOff(p) || p.Variant == outrank.VariantV1_13 }

// switchedOff reports whether preemption was not asked because it is disabled (rule 15.3.10).
func switchedOff(p *preemption.Plan) bool {
	return p.Outcome == preemption.NotEligible && p.Ineligible == preemption.Disabled
}

// preemptionErr returns the error that preemption ended in, nil for none (rules 8.12 and 15.3.6).
func (f *podFailure) preemptionErr() error {
	switch {
	case f.Plan == nil:
		return nil
	case f.Err != nil:
		return f.Err
	}
	return f.Plan.Err()
}

// devicesFail reports whether the default scheduler's step for devices ends in an error, so that
// preemption is not asked after it. This happens for a pod that was refused before any node was asked, unless
// the filter for devices itself refused the pod (rule 15.3.9).
func (f *podFailure) devicesFail() bool {
	return f.Ways == nil && f.Plan != nil && f.Plan.Outcome != preemption.Preempts &&
		f.Plan.Refused.Code != preemption.Success && f.Plan.Refused.Filter != dynamicResources
}

// dynamicResources is the name of the plugin for devices.
const dynamicResources = "DynamicResources"

// noNodesIsError reports whether the attempt failed in v1.13 for lack of nodes (rule 13.2.17).
func (f *podFailure) noNodesIsError(kind failureKind) bool {
	return kind == noNodes && f.Plan.Variant == outrank.VariantV1_13
}

// triedInVain reports whether preemption of v1.13 tried nodes and found no victims. The pod then keeps its
// nomination (rule 13.2.14).
func (f *podFailure) triedInVain() bool {
	return f.Plan.Variant == outrank.VariantV1_13 && f.Plan.Outcome == preemption.NothingHelps && len(f.Plan.Unhelpful) > 0
}

// check returns an error that says what is wrong with the failure, nil if nothing is.
func (f *podFailure) check() error {
	if f.Entry.Pod == nil {
		return fmt.Errorf("failure: %w: no pod", outrank.ErrInvalid)
	}

	reasons := 0
	for _, given := range [...]bool{f.Plan != nil, f.Refused != nil, f.Err != nil && f.Plan == nil} {
		if given {
			reasons++
		}
	}

	key := f.Entry.Pod.Key()
	switch {
	case reasons != 1:
		return fmt.Errorf("failure of pod %s: %w: %d of Plan, Refused and Err instead of one", key, outrank.ErrInvalid, reasons)
	case f.Plan != nil && f.Plan.Outcome == preemption.Fits:
		return fmt.Errorf("failure of pod %s: %w: the plan says that it fits", key, preemption.ErrState)
	case f.Refused != nil && f.Refused.Code == preemption.Success:
		return fmt.Errorf("failure of pod %s: %w: refused with success", key, preemption.ErrState)
	case f.Pending && f.Refused == nil:
		return fmt.Errorf("failure of pod %s: %w: pending, and nothing has refused it", key, outrank.ErrInvalid)
	}
	return nil
}
