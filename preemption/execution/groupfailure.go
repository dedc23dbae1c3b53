package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority/queue"
)

// GroupFailure is an attempt to schedule a group that failed. Exactly one of Plan and Err
// says why.
type GroupFailure struct {
	// Entry is the entry of the group that was popped from the queue.
	Entry queue.Entry
	// Now is the time that goes to the queue.
	Now time.Time
	// Plan is the answer of preemption after there was no place for the group.
	Plan *preemption.GroupPlan
	// ExecutionErr is the error of executing Plan, nil if that did not fail.
	ExecutionErr error
	// Err is anything else that went wrong.
	Err error
}

// Conditions of groups, and their reasons (rule 15.5.3).
const (
	podGroupScheduled  outrank.PodConditionType = "PodGroupInitiallyScheduled"
	compositeScheduled outrank.PodConditionType = "CompositePodGroupInitiallyScheduled"
)

// GroupStatus is a condition to set on a group.
type GroupStatus struct {
	// Key names the group of pods, or the composite group.
	Key       outrank.Key
	Composite bool
	Condition outrank.PodCondition
}

// GroupFailureActions is how the failure of a group is made known: what a
// FailureHandler's Actions have to have besides, where conditions of groups are to be set.
type GroupFailureActions interface {
	FailureActions
	// UpdateGroupStatus sets the condition. Where the group has it with the status True
	// already, it stays as it is.
	UpdateGroupStatus(ctx context.Context, s GroupStatus) error
}

// groupQueue is the part of a queue with groups that ends an attempt; [queue.Queue] has it.
type groupQueue interface {
	AddAttemptedGroup(e queue.Entry, result queue.GroupResult, now time.Time) error
}

var _ groupQueue = (*queue.Queue)(nil)

// gangFilter stands for the policy of the group among the filters that a pod failed with.
const gangFilter = "GangScheduling"

// HandleGroup does what has to be done about a group that could not be scheduled, also
// where room is being made for it (group 15.5):
//
//  1. For each member of the entry, the steps of [FailureHandler.Handle]: the pod goes back
//     to the queue, the nomination is set, cleared or kept, and the event and the condition say
//     what became of the group.
//  2. The condition of the group becomes False, and so does that of every other group in
//     its tree that has a member, unless it is True already. Without
//     [GroupFailureActions] this is left out.
//  3. The attempt with the group ends: a Queue that has AddAttemptedGroup, as
//     [queue.Queue] does, puts it back with what waits.
//
// The nominations are those of the plan where room is being made, or was before, and
// members that it does not name keep theirs. They are kept where the group may not
// preempt and where executing the plan failed, and cleared where nothing helps and after
// an error. The results are those of the members in their order.
//
// All steps are taken even if one of them fails or the context has ended; the error joins
// what went wrong. Only an error about the failure or the handler's own fields comes
// without results and before anything is done. Cost as Handle, for each member.
func (h *FailureHandler) HandleGroup(ctx context.Context, f GroupFailure) ([]*FailureResult, error) {
	if h == nil {
		return nil, errNoFailureHandler
	}
	if err := cmp.Or(h.check(ctx), f.check()); err != nil {
		return nil, err
	}
	var results []*FailureResult
	var errs []error
	for i := range f.Entry.Group.Members {
		r, err := h.handleMember(ctx, &f, f.Entry.Group.Members[i])
		results, errs = append(results, r), append(errs, err)
	}
	errs = append(errs, h.updateGroups(ctx, &f))
	if q, ok := h.Queue.(groupQueue); ok {
		errs = append(errs, q.AddAttemptedGroup(f.Entry, f.result(), f.Now))
	}
	return results, errors.Join(errs...)
}

func (f *GroupFailure) check() error { return f.checkOf(f.Entry.Group) }

func (f *GroupFailure) checkOf(g *queue.Group) error {
	switch {
	case g == nil || g.PodGroup == nil && g.Composite == nil:
		return fmt.Errorf("failure: %w: no group", outrank.ErrInvalid)
	case (f.Plan != nil) == (f.Err != nil):
		return fmt.Errorf("failure of group %s: %w: one of Plan and Err has to be given", g.Key(), outrank.ErrInvalid)
	case f.Plan != nil && f.Plan.Outcome == preemption.Fits:
		return fmt.Errorf("failure of group %s: %w: the plan says that it fits", g.Key(), preemption.ErrState)
	}
	for i := range g.Members {
		if g.Members[i].Pod == nil {
			return fmt.Errorf("failure of group %s: %w: member %d has no pod", g.Key(), outrank.ErrInvalid, i)
		}
	}
	return nil
}

// result returns the result of the attempt for the queue.
func (f *GroupFailure) result() queue.GroupResult {
	if f.Err != nil {
		return queue.GroupFailed
	}
	return queue.GroupRefused
}

// handleMember takes the steps for one pod.
func (h *FailureHandler) handleMember(ctx context.Context, f *GroupFailure, member queue.Entry) (*FailureResult, error) {
	r := &FailureResult{Verdict: f.verdict(member.Pod), Result: Requeued, Pod: member.Pod}
	single := &Failure{Entry: member, Now: f.Now}
	latest, fetchErr := r.fetch(ctx, h.Actions)
	queueErr := h.requeue(r, single)
	h.nominate(r, member.Pod, latest)
	if r.Result != Replaced {
		h.Actions.Event(r.Event)
	}
	return r, errors.Join(fetchErr, queueErr, h.update(ctx, r))
}

// verdict returns the verdict about a member (rules 15.5.1 and 15.5.2).
func (f *GroupFailure) verdict(pod *outrank.Pod) Verdict {
	v := Verdict{Kind: NoFit, Nomination: f.nominationOf(pod)}
	if f.Err != nil {
		v.Kind = SchedulerFailed
	} else {
		v.Filters = f.filters()
	}
	c := f.condition(outrank.PodScheduled)
	v.Condition = c
	v.Event = outrank.Event{
		Type: outrank.EventWarning, Reason: reasonFailedScheduling, Action: actionScheduling,
		Pod: pod, Message: cutMessage(c.Message),
	}
	return v
}

// filters are those that kept a pod off the nodes, and else what stands for the policy of
// the group.
func (f *GroupFailure) filters() []string {
	var names []string
	if r := f.Plan.TurnedDown; r != nil {
		for i := range r.Nodes {
			if s := &r.Nodes[i].Status; s.Filter != "" {
				names = append(names, s.Filter)
			}
		}
	}
	if len(names) == 0 {
		return []string{gangFilter}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (f *GroupFailure) nominationOf(pod *outrank.Pod) Nomination {
	switch {
	case f.Err != nil:
		return Nomination{Override: true}
	case f.ExecutionErr != nil:
		return Nomination{}
	}
	for _, at := range f.Plan.Nominations {
		switch {
		case at.Pod == nil || !samePod(at.Pod, pod):
		case at.Node == "":
			return Nomination{Override: true}
		default:
			return Nomination{Override: true, Node: at.Node}
		}
	}
	if f.Plan.Outcome == preemption.NothingHelps {
		return Nomination{Override: true}
	}
	return Nomination{}
}

// condition says of a pod or of a group what became of the group.
func (f *GroupFailure) condition(kind outrank.PodConditionType) outrank.PodCondition {
	c := outrank.PodCondition{Type: kind, Status: outrank.ConditionFalse, Reason: reasonUnschedulable, Message: f.message()}
	if f.Err != nil {
		c.Reason = reasonSchedulerError
	}
	return c
}

// message is why there was no place, and what preemption says (rule 15.5.4).
func (f *GroupFailure) message() string {
	if f.Err != nil {
		return f.Err.Error()
	}
	var texts []string
	if r := f.Plan.TurnedDown; r != nil && r.Reason != "" {
		texts = append(texts, r.Reason)
	} else if r != nil {
		texts = append(texts, noPlace(r))
	}
	if f.ExecutionErr != nil {
		texts = append(texts, groupMessage+f.ExecutionErr.Error())
	} else {
		texts = append(texts, f.Plan.Status.Reasons...)
	}
	return strings.Join(texts, ", ")
}

// noPlace says why there is no place where the policy of the group does not.
func noPlace(r *preemption.Refusal) string {
	pod, guard := "", ""
	if r.Pod != nil {
		pod = string(r.Pod.Key())
	}
	if r.Guard.Code != preemption.Success {
		guard = r.Guard.String()
	}
	return prose.NoPlace(pod, r.Nodes, r.Reason, guard)
}

// groupMessage begins what preemption says of a group.
const groupMessage = "pod group preemption: "

// updateGroups sets the conditions of the group and of those below it.
func (h *FailureHandler) updateGroups(ctx context.Context, f *GroupFailure) error {
	actions, ok := h.Actions.(GroupFailureActions)
	if !ok {
		return nil
	}
	var errs []error
	for _, s := range f.statuses(f.Entry.Group) {
		err := h.Retry.do(ctx, func() error { return actions.UpdateGroupStatus(ctx, s) })
		if err != nil && !notFound(err) {
			errs = append(errs, fmt.Errorf("group %s: condition %s: %w", s.Key, s.Condition.Type, err))
		}
	}
	return errors.Join(errs...)
}

// statuses are the conditions to set: of the root first, then of the groups of members.
// A root that is known to have been scheduled before keeps its own.
func (f *GroupFailure) statuses(g *queue.Group) []GroupStatus {
	var out []GroupStatus
	if g.PodGroup != nil {
		if !g.PodGroup.Scheduled {
			out = append(out, GroupStatus{Key: g.Key(), Condition: f.condition(podGroupScheduled)})
		}
		return out
	}
	if !g.Composite.Scheduled {
		out = append(out, GroupStatus{Key: g.Key(), Composite: true, Condition: f.condition(compositeScheduled)})
	}
	var leaves []outrank.Key
	for i := range g.Members {
		leaves = append(leaves, g.Members[i].Pod.GroupKey())
	}
	slices.Sort(leaves)
	for _, key := range slices.Compact(leaves) {
		out = append(out, GroupStatus{Key: key, Condition: f.condition(podGroupScheduled)})
	}
	return out
}
