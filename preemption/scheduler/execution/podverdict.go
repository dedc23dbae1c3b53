package execution

import (
	"cmp"
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// verdict returns the verdict about the pod. The failure must have passed check.
func (f *podFailure) verdict() Verdict {
	kind, reason := f.kind(), reasonUnschedulable
	message := f.message(kind)
	v := Verdict{Pod: f.Entry.Pod, Filters: f.filters(kind), kind: kind, said: message, before: f.Entry.Pod}
	if f.Plan != nil {
		v.variant = f.Plan.Variant
	}
	switch {
	case kind == noFit:
		v.Preemptions = f.preemptions()
	case f.noNodesIsError(kind):
		v.Err = errNoNodes
	case kind == schedulerFailed:
		// A step that refused the node with the code Contradiction gives a message instead of an error.
		reason = reasonSchedulerError
		v.Err = f.Err
		if v.Err == nil {
			v.Err = errors.New(message)
		}
	}

	// The failure of a resize is not published (rule 7.19.10).
	if v.Resize = f.resizes(); v.Resize {
		return v
	}

	v.Nomination = f.newNomination(kind)
	v.Event = outrank.Event{
		Type: outrank.EventWarning, Reason: reasonFailedScheduling, Action: actionScheduling,
		Pod: f.Entry.Pod, Message: cutMessage(message),
	}
	v.Condition = outrank.PodCondition{
		Type: outrank.PodScheduled, Status: outrank.ConditionFalse, Reason: reason, Message: message,
	}
	return v
}

// kind returns the reason for which the attempt failed.
func (f *podFailure) kind() failureKind {
	switch {
	case f.Err != nil && f.Plan == nil:
		return schedulerFailed
	case f.Refused != nil && f.Refused.Code == preemption.Contradiction:
		return schedulerFailed
	case f.Refused != nil:
		return nodeRefused
	case f.Plan.Outcome != preemption.Preempts && nodesOf(f.Plan) == 0:
		return noNodes
	}
	return noFit
}

// filters returns the names of the filters that turned the pod down, sorted and without duplicates.
func (f *podFailure) filters(kind failureKind) []string {
	var names []string
	add := func(s *preemption.Status) {
		if name := cmp.Or(s.Filter, s.ExcludedBy); name != "" && !slices.Contains(names[max(0, len(names)-1):], name) {
			names = append(names, name)
		}
	}
	switch kind {
	case nodeRefused:
		add(f.Refused)
	case noFit:
		for i := range f.Plan.TurnedDown {
			add(&f.Plan.TurnedDown[i].Status)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// newNomination returns the change of the pod's nomination, according to the table at [Failure.Verdict].
func (f *podFailure) newNomination(kind failureKind) Nomination {
	switch {
	case kind == noFit && (f.devicesFail() || f.triedInVain()), f.noNodesIsError(kind):
		return Nomination{}
	case kind != noFit || f.Ways != nil && len(f.Ways) == 0:
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
