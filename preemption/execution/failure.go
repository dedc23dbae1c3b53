package execution

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Failure is an attempt to schedule a pod that came to nothing. Exactly one of
// Plan, Refused and Err says why.
type Failure struct {
	// Pod is the pod as it was when the attempt began.
	Pod *outrank.Pod
	// Plan is what preemption answered after every node had turned the pod down.
	Plan *preemption.Plan
	// CarryErr is the error of carrying Plan out, if that failed.
	CarryErr error
	// Refused is the answer of a step that refused the node found for the pod:
	// to reserve something on it, or to permit the binding.
	Refused *preemption.Status
	// Err is anything else that went wrong.
	Err error
	// Profile is the name of the scheduler, for the metrics; empty means
	// default-scheduler.
	Profile string
}

// FailureKind is why an attempt came to nothing.
type FailureKind uint8

// The kinds.
const (
	// NoNodes: there are no nodes at all, and preemption is not counted as
	// tried (ErrNoNodesAvailable).
	NoNodes FailureKind = iota
	// NoFit: every node turned the pod down (FitError).
	NoFit
	// NodeRefused: a later step refused the node that had been found.
	NodeRefused
	// SchedulerBroke: something went wrong that the pod has nothing to do with.
	SchedulerBroke
)

// String gives the kind in a few words.
func (k FailureKind) String() string {
	switch k {
	case NoNodes:
		return "no nodes"
	case NoFit:
		return "fits nowhere"
	case NodeRefused:
		return "refused after a node was found"
	case SchedulerBroke:
		return "scheduler error"
	}
	return fmt.Sprintf("FailureKind(%d)", uint8(k))
}

// Reasons of the condition PodScheduled=False.
const (
	ReasonUnschedulable  = "Unschedulable"
	ReasonSchedulerError = "SchedulerError"
)

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

// Nomination is a change of a pod's nomination. Its zero value is none.
type Nomination struct {
	Change NominationChange
	// Node is where SetNomination moves it; else empty.
	Node string
}

// String gives the change in a few words.
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
	// Filters are the names of the filters that turned nodes down, in the order
	// of the alphabet. News about other things cannot help the pod.
	Filters []string
	// Nomination is what becomes of the pod's nomination.
	Nomination Nomination
	// Event is FailedScheduling with the message cut to 1024 bytes, Condition
	// PodScheduled=False with the whole message.
	Event     Event
	Condition Condition
}

// Verdict says what the failure means (section 10; seed 004's
// handleSchedulingFailure, and the reference's schedulingCycle for the
// nomination):
//
//	kind            reason          nomination
//	NoNodes         Unschedulable   cleared
//	NoFit           Unschedulable   set if a plan to preempt was carried out;
//	                                cleared if nothing helps; kept if the pod may
//	                                not preempt, or carrying out failed
//	NodeRefused     Unschedulable   cleared
//	SchedulerBroke  SchedulerError  cleared
//
// The error wraps [outrank.ErrInvalid], for a failure without a pod or with
// other than one reason, or [ErrState], for a plan that found a place.
func (f *Failure) Verdict() (*Verdict, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	v := &Verdict{Kind: f.kind(), Result: ResultUnschedulable}
	reason := ReasonUnschedulable
	if v.Kind == SchedulerBroke {
		v.Result, reason = ResultError, ReasonSchedulerError
	}
	v.Filters, v.Nomination = f.filters(v.Kind), f.nomination(v.Kind)
	message := f.message(v.Kind)
	v.Event = Event{
		Type: EventWarning, Reason: ReasonFailedScheduling, Action: ActionScheduling,
		Pod: f.Pod, Message: cutMessage(message),
	}
	v.Condition = Condition{Type: PodScheduled, Status: "False", Reason: reason, Message: message}
	return v, nil
}

func (f *Failure) check() error {
	if f.Pod == nil {
		return fmt.Errorf("failure: %w: no pod", outrank.ErrInvalid)
	}
	reasons := 0
	for _, given := range []bool{f.Plan != nil, f.Refused != nil, f.Err != nil} {
		if given {
			reasons++
		}
	}
	switch {
	case reasons != 1:
		return fmt.Errorf("failure of pod %s: %w: %d of Plan, Refused and Err instead of one", f.Pod.Key(), outrank.ErrInvalid, reasons)
	case f.Plan != nil && f.Plan.Outcome == preemption.Fits:
		return fmt.Errorf("failure of pod %s: %w: the plan says that it fits", f.Pod.Key(), preemption.ErrState)
	case f.Refused != nil && f.Refused.Code == preemption.Success:
		return fmt.Errorf("failure of pod %s: %w: refused with success", f.Pod.Key(), preemption.ErrState)
	}
	return nil
}

func (f *Failure) kind() FailureKind {
	switch {
	case f.Err != nil:
		return SchedulerBroke
	case f.Refused != nil && f.Refused.Code == preemption.Broken:
		return SchedulerBroke
	case f.Refused != nil:
		return NodeRefused
	case f.Plan.Outcome != preemption.Preempt && nodesOf(f.Plan) == 0:
		return NoNodes
	}
	return NoFit
}

func (f *Failure) filters(kind FailureKind) []string {
	var names []string
	add := func(s *preemption.Status) {
		if s.Filter != "" {
			names = append(names, s.Filter)
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

func (f *Failure) nomination(kind FailureKind) Nomination {
	switch {
	case kind != NoFit || f.Plan.Outcome == preemption.NothingHelps:
		return Nomination{Change: DropNomination}
	case f.Plan.Outcome == preemption.Preempt && f.CarryErr == nil:
		return Nomination{Change: SetNomination, Node: f.Plan.Node}
	}
	return Nomination{}
}
