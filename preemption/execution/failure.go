package execution

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority/queue"
)

// Failure is an attempt to schedule a pod that failed. Exactly one of Plan,
// Refused and Err says why; Err beside Plan is the error that preemption ended in.
type Failure struct {
	// Entry is the entry that was popped from the queue. Its pod is the pod as it
	// was when the attempt began. Without a queue the pod alone is enough.
	Entry queue.Entry
	// Now is the time that goes to the queue.
	Now time.Time
	// Plan is the answer of preemption after every node had turned the pod down.
	Plan *preemption.Plan
	// Ways are the ways out that were asked, as FirstWayOut of package attempt returns them
	// with Plan. Nil stands for those of the default scheduler: the step for devices,
	// which has no claims to deallocate (rules 15.3.2 and 15.3.8), and Plan. An empty list
	// says that the scheduler has none (rule 15.1.6).
	Ways []WayOut
	// ExecutionErr is the error of executing Plan, nil if that did not fail.
	ExecutionErr error
	// Refused is the answer of a step that refused the node found for the pod:
	// to reserve something on it, or to permit the binding. That of a resize for which there
	// is room is what Permit of package attempt returns.
	Refused *preemption.Status
	// Pending says that the step of Refused waits for something of its own that is
	// under way, and has not refused the node for good (upstream's code Pending).
	Pending bool
	// Err is anything else that went wrong. Beside a Plan without a place it is the error
	// of asking for the plan (rule 8.12), and the pod is turned down.
	Err error
	// Node is the node that the pod was about to be bound to when Err or Refused came up;
	// empty if it came up before a node was found, or before the pod counted there.
	Node string
	// Release says which rules the attempt followed, with the feature gates that are on
	// (rule 7.19.10); zero means those of the Plan, and without one outrank.DefaultRelease. One that
	// is not known counts as that.
	Release outrank.Release
}

var errNoFailure = fmt.Errorf("%w: no failure", outrank.ErrInvalid)

// FailureKind is why an attempt failed.
type FailureKind string

// The kinds. An empty one is of no verdict.
const (
	// NoNodes: there are no nodes at all, and preemption is not counted as
	// tried (ErrNoNodesAvailable).
	NoNodes FailureKind = "no-nodes"
	// NoFit: every node turned the pod down (FitError), also where preemption failed.
	NoFit FailureKind = "no-fit"
	// NodeRefused: a later step refused the node that had been found.
	NodeRefused FailureKind = "node-refused"
	// SchedulerFailed: something went wrong that the pod has nothing to do with.
	SchedulerFailed FailureKind = "scheduler-failed"
)

// rules are those that the attempt followed.
func (f *Failure) rules() release.Rules {
	of := f.Release
	if of == 0 && f.Plan != nil {
		of = f.Plan.Release
	}
	return release.Of(release.Release(of))
}

// resizes reports whether the pod is on its node and waits for its resize.
func (f *Failure) resizes() bool {
	if f.Plan != nil {
		return f.Plan.Resize
	}
	rules := f.rules()
	return rules.DeferredResizes && f.Entry.Pod.NodeName != "" && f.Entry.Pod.ResizeDeferred
}

// preemptions is how often preemption was asked for a way out (rule 14.5.1).
func (f *Failure) preemptions() int {
	n := 0
	switch {
	case f.devicesFail():
	case f.Ways == nil && !switchedOff(f.Plan):
		n = 1
	}
	for i := range f.Ways {
		if p := f.Ways[i].Plan; p != nil && !switchedOff(p) {
			n++
		}
	}
	return n
}

// switchedOff reports whether preemption was not asked, because it is off (rule 15.3.10).
func switchedOff(p *preemption.Plan) bool {
	return p.Outcome == preemption.NotEligible && p.Ineligible == preemption.Disabled
}

// preemptionErr is the error that preemption ended in, nil for none (rules 8.12 and 15.3.6).
func (f *Failure) preemptionErr() error {
	switch {
	case f.Plan == nil:
		return nil
	case f.Err != nil:
		return f.Err
	case f.ExecutionErr != nil:
		return f.ExecutionErr
	}
	return f.Plan.Err()
}

// devicesFail reports whether the default scheduler's step for devices fails, which comes
// before preemption: for a pod that was refused before any node was asked (rule 15.3.9), unless
// by the filter for devices itself. Nobody is asked for a way out then.
func (f *Failure) devicesFail() bool {
	return f.Ways == nil && f.Plan != nil && f.Plan.Outcome != preemption.Preempts &&
		f.Plan.Refused.Code != preemption.Success && f.Plan.Refused.Filter != dynamicResources
}

// dynamicResources is the name of the plugin for devices.
const dynamicResources = "DynamicResources"

// triedInVain reports whether v1.13 tried nodes and found no victims, which keeps the
// nomination (rule 13.2.14).
func (f *Failure) triedInVain() bool {
	return f.Plan.Variant == outrank.VariantV1_13 && f.Plan.Outcome == preemption.NothingHelps && len(f.Plan.Unhelpful) > 0
}
