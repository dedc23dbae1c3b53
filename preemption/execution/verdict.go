package execution

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Nomination is a change of a pod's nomination, as NominatingInfo is in the reference. Its zero value
// keeps the nomination as it is.
type Nomination struct {
	// Override: the pod is nominated to Node from now on, or to none where that is empty
	// (ModeOverride).
	Override bool
	Node     string
}

// String returns the change in a few words.
func (n Nomination) String() string {
	switch {
	case !n.Override:
		return "nomination kept"
	case n.Node == "":
		return "nomination cleared"
	}
	return "nominated to " + n.Node
}

// Verdict says what a failure means for the pod, before anything is done about
// it.
type Verdict struct {
	Kind FailureKind
	// Preemptions is how often preemption was asked to make room (rule 14.5.1).
	Preemptions int
	// Filters are the names of the filters that turned nodes down, or because of which nodes were
	// not filtered at all, sorted by name. Only events that concern one of them can help the pod.
	Filters []string
	// PendingFilters are those of Filters that wait for something of their own: an
	// event that may help one of them has the pod tried at once.
	PendingFilters []string
	// Nomination says whether the pod's nomination is kept, set or dropped.
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
	if f == nil {
		return nil, errNoFailure
	}
	v := &Verdict{}
	if err := f.writeVerdict(v); err != nil {
		return nil, err
	}
	return v, nil
}

// writeVerdict writes the verdict where it is wanted, in place of a zero one.
func (f *Failure) writeVerdict(v *Verdict) error {
	if err := f.check(); err != nil {
		return err
	}
	kind := f.kind()
	v.Kind, v.Filters = kind, f.filters(kind)
	if kind == NoFit {
		v.Preemptions = f.preemptions()
	}
	if f.Pending && kind == NodeRefused {
		v.PendingFilters = slices.Clone(v.Filters)
	}
	reason := reasonUnschedulable
	if kind == SchedulerFailed {
		reason = reasonSchedulerError
	}
	if v.Resize = f.resizes(); v.Resize {
		return nil
	}
	message := f.message(kind)
	v.Nomination = f.newNomination(kind)
	v.Event = outrank.Event{
		Type: outrank.EventWarning, Reason: reasonFailedScheduling, Action: actionScheduling,
		Pod: f.Entry.Pod, Message: cutMessage(message),
	}
	v.Condition = outrank.PodCondition{
		Type: outrank.PodScheduled, Status: outrank.ConditionFalse, Reason: reason, Message: message,
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
	case f.Plan.Outcome != preemption.Preempts && nodesOf(f.Plan) == 0:
		return NoNodes
	}
	return NoFit
}

// filters lists the filters that turned the pod down, sorted, each once.
func (f *Failure) filters(kind FailureKind) []string {
	var names []string
	add := func(s *preemption.Status) {
		if name := cmp.Or(s.Filter, s.ExcludedBy); name != "" && !slices.Contains(names[max(0, len(names)-1):], name) {
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

func (f *Failure) newNomination(kind FailureKind) Nomination {
	switch {
	case kind == NoFit && (f.devicesFail() || f.triedInVain()):
		return Nomination{}
	case kind != NoFit || f.Ways != nil && len(f.Ways) == 0:
		return Nomination{Override: true}
	case f.preemptionErr() != nil:
		return Nomination{}
	case f.Plan.Outcome == preemption.Preempts:
		return Nomination{Override: true, Node: f.Plan.Node}
	case f.Plan.Outcome == preemption.NothingHelps && !dropped(f.Plan):
		return Nomination{Override: true}
	}
	return Nomination{}
}

func (f *Failure) check() error {
	if f.Entry.Pod == nil {
		return fmt.Errorf("failure: %w: no pod", outrank.ErrInvalid)
	}
	reasons := 0
	failed := f.Err != nil && (f.Plan == nil || f.Plan.Outcome == preemption.Preempts)
	for _, given := range [...]bool{f.Plan != nil, f.Refused != nil, failed} {
		if given {
			reasons++
		}
	}
	pod := f.Entry.Pod
	switch {
	case reasons != 1:
		return fmt.Errorf("failure of pod %s: %w: %d of Plan, Refused and Err instead of one", pod.Key(), outrank.ErrInvalid, reasons)
	case f.Plan != nil && f.Plan.Outcome == preemption.Fits:
		return fmt.Errorf("failure of pod %s: %w: the plan says that it fits", pod.Key(), preemption.ErrState)
	case f.Refused != nil && f.Refused.Code == preemption.Success:
		return fmt.Errorf("failure of pod %s: %w: refused with success", pod.Key(), preemption.ErrState)
	case f.Pending && f.Refused == nil:
		return fmt.Errorf("failure of pod %s: %w: pending, and nothing has refused it", pod.Key(), outrank.ErrInvalid)
	}
	return nil
}
