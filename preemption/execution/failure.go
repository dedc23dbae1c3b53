package execution

import (
	"cmp"
	"fmt"
	"slices"
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
	// Ways are the ways out that were asked, of [preemption.FirstWayOut], whose Plan
	// is Plan. Nil stands for those of the default scheduler: the step for devices,
	// which has no claims to deallocate (rules 15.3.2 and 15.3.8), and Plan. An empty list
	// says that the scheduler has none (rule 15.1.6).
	Ways []preemption.WayOutAnswer
	// ExecutionErr is the error of executing Plan, nil if that did not fail.
	ExecutionErr error
	// Refused is the answer of a step that refused the node found for the pod:
	// to reserve something on it, or to permit the binding. What
	// [preemption.Plan.Permit] returns of a resize for which there is room is one.
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
	// Profile is the name of the scheduler, for the metrics; empty means
	// default-scheduler.
	Profile string
	// Variant is whose preemption the attempt followed; by v1.13 a nomination goes only
	// where no node was worth a try (rule 13.2.14). One that is not known counts as zero.
	Variant outrank.Variant
	// Release is whose rules the attempt followed, with the feature gates that are on
	// (rule 7.19.10); zero means [outrank.DefaultRelease]. One that is not known counts as that.
	Release outrank.Release
	// Took is how long the attempt took, by a clock of the caller's, for the
	// metrics; nil where that was not measured.
	Took *time.Duration
}

// FailureKind is why an attempt failed.
type FailureKind uint8

// The kinds.
const (
	// NoNodes: there are no nodes at all, and preemption is not counted as
	// tried (ErrNoNodesAvailable).
	NoNodes FailureKind = iota
	// NoFit: every node turned the pod down (FitError), also where preemption failed.
	NoFit
	// NodeRefused: a later step refused the node that had been found.
	NodeRefused
	// SchedulerFailed: something went wrong that the pod has nothing to do with.
	SchedulerFailed
)

// String returns the kind in a few words.
func (k FailureKind) String() string {
	switch k {
	case NoNodes:
		return "no nodes"
	case NoFit:
		return "fits nowhere"
	case NodeRefused:
		return "refused after a node was found"
	case SchedulerFailed:
		return "scheduler error"
	}
	return fmt.Sprintf("FailureKind(%d)", uint8(k))
}

// NominationChange is what becomes of a nomination.
type NominationChange uint8

// The changes.
const (
	// KeepNomination leaves it as it is.
	KeepNomination NominationChange = iota
	// SetNomination replaces it.
	SetNomination
	// DropNomination clears it.
	DropNomination
)

// Nomination is a change of a pod's nomination. Its zero value is no change.
type Nomination struct {
	Change NominationChange
	// Node is the new node of SetNomination; else empty.
	Node string
}

// String returns the change in a few words.
func (n Nomination) String() string {
	switch n.Change {
	case KeepNomination:
		return "nomination kept"
	case SetNomination:
		return "nominated to " + n.Node
	case DropNomination:
		return "nomination cleared"
	}
	return fmt.Sprintf("NominationChange(%d)", uint8(n.Change))
}

// Verdict is what a failure means for the pod, before anything is done about
// it.
type Verdict struct {
	Kind FailureKind
	// Result is how the attempt counts.
	Result AttemptResult
	// Filters are the names of the filters that turned nodes down, or because
	// of which nodes were not filtered at all, sorted by name. Only events that concern one of them can help the pod.
	Filters []string
	// PendingFilters are those of Filters that wait for something of their own: an
	// event that may help one of them has the pod tried at once.
	PendingFilters []string
	// Nomination is what becomes of the pod's nomination.
	Nomination Nomination
	// Resize is set where the pod is on its node and waits for room for its resize:
	// nothing is made known of its failures, so that Nomination changes nothing, and
	// Event and Condition are zero (rule 7.19.10).
	Resize bool
	// Event is FailedScheduling with the message cut to 1024 bytes, Condition
	// PodScheduled=False with the whole message.
	Event     outrank.Event
	Condition outrank.PodCondition
}

// Verdict says what the failure means (group 15.1; handleSchedulingFailure, and
// the reference's schedulingCycle for the nomination):
//
//	kind             reason          nomination
//	NoNodes          Unschedulable   cleared
//	NoFit            Unschedulable   set if a plan to preempt was executed;
//	                                 cleared if nothing helps, and without any way
//	                                 out (rule 15.1.6); kept if the pod may not
//	                                 preempt, preemption failed, extenders left no
//	                                 candidate (rule 8.12), or the pod was refused
//	                                 before its nodes (rule 15.3.9)
//	NodeRefused      Unschedulable   cleared
//	SchedulerFailed  SchedulerError  cleared
//
// The error wraps [outrank.ErrInvalid], for a failure without a pod or with
// other than one reason, or [preemption.ErrState], for a plan that found a place
// or a refusal with success. Time is linear in the reasons of the plan.
func (f *Failure) Verdict() (*Verdict, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	kind := f.kind()
	v := &Verdict{Kind: kind, Result: ResultUnschedulable, Filters: f.filters(kind), Nomination: f.newNomination(kind), Resize: f.resizes()}
	if f.Pending && kind == NodeRefused {
		v.PendingFilters = slices.Clone(v.Filters)
	}
	reason, message := ReasonUnschedulable, f.message(kind)
	if kind == SchedulerFailed {
		v.Result, reason = ResultError, ReasonSchedulerError
	}
	if v.Resize {
		v.Nomination = Nomination{}
		return v, nil
	}
	v.Event = outrank.Event{
		Type: outrank.EventWarning, Reason: ReasonFailedScheduling, Action: ActionScheduling,
		Pod: f.Entry.Pod, Message: cutMessage(message),
	}
	v.Condition = outrank.PodCondition{
		Type: outrank.PodScheduled, Status: outrank.ConditionFalse, Reason: reason, Message: message,
	}
	return v, nil
}

// resizes reports whether the pod is on its node and waits for its resize.
func (f *Failure) resizes() bool {
	if f.Plan != nil {
		return f.Plan.Resize
	}
	return release.Of(release.Release(f.Release)).DeferredResizes && f.Entry.Pod.NodeName != "" && f.Entry.Pod.ResizeDeferred
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

func (f *Failure) check() error {
	if f.Entry.Pod == nil {
		return fmt.Errorf("failure: %w: no pod", outrank.ErrInvalid)
	}
	key, reasons := f.Entry.Pod.Key(), 0
	failed := f.Err != nil && (f.Plan == nil || f.Plan.Outcome == preemption.Preempt)
	for _, given := range []bool{f.Plan != nil, f.Refused != nil, failed} {
		if given {
			reasons++
		}
	}
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

func (f *Failure) kind() FailureKind {
	switch {
	case f.Err != nil && f.Plan == nil:
		return SchedulerFailed
	case f.Refused != nil && f.Refused.Code == preemption.Contradiction:
		return SchedulerFailed
	case f.Refused != nil:
		return NodeRefused
	case f.Plan.Outcome != preemption.Preempt && nodesOf(f.Plan) == 0:
		return NoNodes
	}
	return NoFit
}

// filters lists the filters that turned the pod down, sorted, each once.
func (f *Failure) filters(kind FailureKind) []string {
	var names []string
	add := func(s *preemption.Status) {
		if name := cmp.Or(s.Filter, s.ExcludedBy); name != "" {
			names = append(names, name)
		}
	}
	switch kind {
	case NodeRefused:
		add(f.Refused)
	case NoFit:
		for i := range f.Plan.TurnedDown {
			add(&f.Plan.TurnedDown[i].Status)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// devicesFail reports whether the default scheduler's step for devices fails, which comes
// before preemption: for a pod that was refused before any node was asked (rule 15.3.9).
// Nobody is asked for a way out then.
func (f *Failure) devicesFail() bool {
	return f.Ways == nil && f.Plan != nil && f.Plan.Outcome != preemption.Preempt && f.Plan.Refused.Code != preemption.Success
}

// triedInVain reports whether v1.13 tried nodes and found no victims, which keeps the
// nomination (rule 13.2.14).
func (f *Failure) triedInVain() bool {
	return f.Variant == outrank.VariantV1_13 && f.Plan.Outcome == preemption.NothingHelps && len(f.Plan.Unhelpful) > 0
}

func (f *Failure) newNomination(kind FailureKind) Nomination {
	switch {
	case kind == NoFit && (f.devicesFail() || f.triedInVain()):
		return Nomination{}
	case kind != NoFit || f.Ways != nil && len(f.Ways) == 0:
		return Nomination{Change: DropNomination}
	case f.preemptionErr() != nil:
		return Nomination{}
	case f.Plan.Outcome == preemption.Preempt:
		return Nomination{Change: SetNomination, Node: f.Plan.Node}
	case f.Plan.Outcome == preemption.NothingHelps && !dropped(f.Plan):
		return Nomination{Change: DropNomination}
	}
	return Nomination{}
}
