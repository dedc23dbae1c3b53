package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/priority/queue"
)

// noSeat is what is said of a pod that has no place while its group has one.
var noSeat = preemption.Status{Code: preemption.Unschedulable, Filter: "GangScheduling", Reasons: []string{"no place beside the others of its group"}}

// attemptGroup is Attempt for a group (chapter 12): all its pods that wait are placed, or as
// many as it takes, or none.
func (l *Loop) attemptGroup(ctx context.Context, entry queue.Entry, now time.Time) (*Result, error) {
	members := entry.Group.Members
	if len(members) == 0 {
		return nil, fmt.Errorf("group %s: %w: an entry without pods", entry.Group.Key(), outrank.ErrInvalid)
	}
	for i := range members {
		if members[i].Pod == nil {
			return nil, fmt.Errorf("group %s: %w: member %d has no pod", entry.Group.Key(), outrank.ErrInvalid, i)
		}
	}
	r := &Result{Entry: entry}
	plan, revision, err := l.decideGroup(ctx, r, now)
	if err == nil && plan.Outcome == preemption.Fits {
		if l.config.Snapshot.Revision() == revision {
			return r, l.placeGroup(ctx, r, now)
		}
		err = fmt.Errorf("group %s: %w: the snapshot was changed during the attempt", entry.Group.Key(), engine.ErrStale)
	}
	f := execution.GroupFailure{Entry: entry, Now: now, Plan: plan, Err: err, Profile: l.profile(members[0].Pod)}
	if err != nil {
		f.Plan = nil
	} else if plan.Outcome == preemption.Preempts {
		r.Report, f.ExecutionErr = l.executor.ExecuteGroup(ctx, entry.Group, plan)
	}
	return r, l.failGroup(ctx, r, f)
}

// decideGroup asks for the plan of a group, and tells of it.
func (l *Loop) decideGroup(ctx context.Context, r *Result, now time.Time) (*preemption.GroupPlan, uint64, error) {
	snap, group := l.config.Snapshot, r.Entry.Group
	if err := l.nominator.ApplyTo(snap); err != nil {
		return nil, 0, err
	}
	req := engine.GroupRequest{Now: now}
	for _, m := range group.Members {
		req.Pods = append(req.Pods, m.Pod)
	}
	if l.config.PlaceGroup != nil {
		req.Place = l.config.PlaceGroup(group)
	}
	revision := snap.Revision()
	plan, err := l.eval.PreemptGroup(ctx, snap, req)
	if err != nil {
		return nil, revision, err
	}
	if r.Decision.Group = plan; plan.Outcome != preemption.Fits && l.config.Metrics != nil {
		l.config.Metrics.AddGroupPreemption(plan)
	}
	if l.config.Decided != nil {
		if err := l.config.Decided(r.Decision); err != nil {
			return nil, revision, &hookError{err}
		}
	}
	if plan.Outcome == preemption.Preempts && snap.Revision() != revision {
		if err := l.eval.VerifyGroup(ctx, snap, plan, now); err != nil {
			return nil, revision, fmt.Errorf("group %s: %w: the snapshot was changed during the attempt: %w", group.Key(), engine.ErrStale, err)
		}
	}
	return plan, revision, nil
}

// placeGroup binds the pods that have a place, and puts the others back.
func (l *Loop) placeGroup(ctx context.Context, r *Result, now time.Time) error {
	left, byKey := map[outrank.Key]bool{}, map[outrank.Key]queue.Entry{}
	for _, m := range r.Entry.Group.Members {
		left[m.Pod.Key()], byKey[m.Pod.Key()] = true, m
	}
	var errs []error
	for _, at := range r.Decision.Group.Placement {
		m := Result{Entry: byKey[at.Pod.Key()]}
		delete(left, at.Pod.Key())
		errs = append(errs, l.bind(ctx, &m, at.Node, now))
		r.Members = append(r.Members, m)
	}
	for _, entry := range r.Entry.Group.Members {
		if !left[entry.Pod.Key()] {
			continue
		}
		m, status := Result{Entry: entry}, noSeat
		errs = append(errs, l.fail(ctx, &m, &execution.Failure{Entry: entry, Now: now, Refused: &status}))
		r.Members = append(r.Members, m)
	}
	r.Outcome = Bound
	errs = append(errs, l.config.Queue.AddAttemptedGroup(r.Entry, queue.GroupPlaced, now))
	return errors.Join(errs...)
}

// failGroup is the other end of an attempt with a group. All its pods wait, also those with a
// plan.
func (l *Loop) failGroup(ctx context.Context, r *Result, f execution.GroupFailure) error {
	results, err := l.failures.HandleGroup(ctx, f)
	r.Outcome = Waiting
	if f.Err != nil {
		r.Err = f.Err
	} else {
		r.Err = f.ExecutionErr
	}
	if f.Plan != nil && f.Plan.Outcome == preemption.Preempts && f.ExecutionErr == nil {
		r.Outcome = Preempting
	}
	for i, failure := range results {
		m := Result{Entry: f.Entry.Group.Members[i], Outcome: r.Outcome, Failure: failure}
		if failure != nil && failure.Requeue != execution.Requeued {
			m.Outcome = Dropped
		}
		r.Members = append(r.Members, m)
	}
	return errors.Join(misuse(f.Err), err)
}
