package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// noSeat is the refusal of a pod that has no place while enough others of its group have one.
var noSeat = preemption.Status{Code: preemption.Unschedulable, Filter: "GangScheduling", Reasons: []string{"no place beside the others of its group"}}

// decidedGroup is the plan for a group. It holds for the snapshot at this revision.
type decidedGroup struct {
	plan     *preemption.GroupPlan
	revision uint64
}

// attemptGroup is Attempt for a group (chapter 12): all its waiting pods are placed, or as many as the
// group needs, or none.
func (l *Loop) attemptGroup(ctx context.Context, entry queue.Entry, now time.Time) (*Result, error) {
	group := entry.Group
	if err := checkMembers(group); err != nil {
		return nil, err
	}

	// A plan that comes with an error is only put into the result.
	d, err := l.decideGroup(ctx, group, now)
	r := &Result{Entry: entry}
	if d.plan != nil {
		r.Plan = d.plan
	}

	// Places hold only for the snapshot in which they were found, so any change makes them stale.
	if err == nil && d.plan.Outcome == preemption.Fits {
		if l.snap.Revision() == d.revision {
			return r, l.placeGroup(ctx, r, d.plan, now)
		}
		err = fmt.Errorf("group %s: %w: the snapshot was changed during the attempt", group.Key(), engine.ErrStale)
	}

	f := execution.Failure{Entry: entry, Queue: l.queue, Now: now}
	if err != nil {
		f.Err = err
		return r, l.failGroup(ctx, r, f)
	}
	f.Plan = d.plan
	if d.plan.Outcome == preemption.Preempts {
		r.Report, f.Err = l.executor.ExecuteGroup(ctx, group, d.plan)
		l.meter.AddExecution(r.Report, f.Err)
	}
	return r, l.failGroup(ctx, r, f)
}

// checkMembers returns an error if the entry of a group has no members or one without a pod.
func checkMembers(group *queue.Group) error {
	if len(group.Members) == 0 {
		return fmt.Errorf("group %s: %w: an entry without pods", group.Key(), outrank.ErrInvalid)
	}
	for i := range group.Members {
		if group.Members[i].Pod == nil {
			return fmt.Errorf("group %s: %w: member %d has no pod", group.Key(), outrank.ErrInvalid, i)
		}
	}
	return nil
}

// decideGroup asks for the plan of a group, and tells Config.Decided. If Config.Decided returns an error, or
// the plan no longer holds after it, the plan comes with the error.
func (l *Loop) decideGroup(ctx context.Context, group *queue.Group, now time.Time) (decidedGroup, error) {
	if err := l.nominator.ApplyTo(l.snap); err != nil {
		return decidedGroup{}, err
	}
	req := preemption.GroupRequest{Now: now}
	for i := range group.Members {
		req.Pods = append(req.Pods, group.Members[i].Pod)
	}
	if l.placing != nil {
		req.Place = l.placing(group)
	}

	// The revision is taken before the question, so that any change after it shows.
	revision := l.snap.Revision()
	plan, err := l.eval.PreemptGroup(ctx, l.snap, req)
	if err != nil {
		return decidedGroup{}, err
	}
	d := decidedGroup{plan, revision}
	if plan.Outcome != preemption.Fits {
		l.meter.AddGroupPreemption(plan)
	}
	if l.tell != nil {
		if err := l.tell(nil, plan); err != nil {
			return d, &hookError{err}
		}
	}

	// Config.Decided may have changed the snapshot. A plan to preempt may still hold.
	if plan.Outcome == preemption.Preempts && l.snap.Revision() != revision {
		if err := l.eval.Verify(ctx, l.snap, plan); err != nil {
			return d, fmt.Errorf("group %s: %w: the snapshot was changed during the attempt: %w", group.Key(), engine.ErrStale, err)
		}
	}
	return d, nil
}

// placeGroup binds the pods of the result's group that have a place, and puts the others back.
func (l *Loop) placeGroup(ctx context.Context, r *Result, plan *preemption.GroupPlan, now time.Time) error {
	entry := r.Entry
	members := entry.Group.Members
	byKey := make(map[outrank.Key]queue.Entry, len(members))
	for _, m := range members {
		byKey[m.Pod.Key()] = m
	}

	var errs []error
	placed := make(map[outrank.Key]bool, len(members))
	for _, at := range plan.Placement {
		key := at.Pod.Key()
		m := Result{Entry: byKey[key]}
		placed[key] = true
		errs = append(errs, l.bind(ctx, &m, at.Node, now))
		r.Members = append(r.Members, m)
	}

	// Members without a place go back to the queue before the group does, so that they wait with it.
	for _, member := range members {
		if placed[member.Pod.Key()] {
			continue
		}
		m, status := Result{Entry: member}, noSeat
		errs = append(errs, l.fail(ctx, &m, now, execution.Failure{Refused: &status}))
		r.Members = append(r.Members, m)
	}

	r.Outcome = Bound
	errs = append(errs, l.queue.AddAttemptedGroup(entry, now))
	return errors.Join(errs...)
}

// failGroup ends an attempt with a group that found no place. All its pods go back and wait, even if a
// plan was executed.
func (l *Loop) failGroup(ctx context.Context, r *Result, f execution.Failure) error {
	done, err := l.executor.Fail(ctx, f)
	r.Outcome, r.Err = Waiting, f.Err
	if r.Report != nil && f.Err == nil {
		r.Outcome = Preempting
	}

	// An error of executing a plan needs no more than putting the pods back.
	if r.Report == nil {
		err = errors.Join(misuse(f.Err), err)
	}
	if done == nil {
		return err
	}

	members := f.Entry.Group.Members
	for i := range done.Members {
		failure := &done.Members[i]
		m := Result{Entry: members[i], Outcome: r.Outcome, Failure: failure}
		l.meter.AddFailure(l.profile(members[0].Pod), failure, nil)
		if failure.Result != execution.Requeued {
			m.Outcome = Dropped
		}
		r.Members = append(r.Members, m)
	}
	return err
}
