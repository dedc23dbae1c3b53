package execution

import (
	"context"
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
)

// Fail does what has to be done about a pod that could not be scheduled (group 15.2; handleSchedulingFailure):
//
//  1. The latest version of the pod is fetched. A pod that is still there
//     without a node goes back to the queue as unschedulable, with the filters
//     that turned it down. For a pod that is gone or bound the attempt is done.
//  2. Its nomination is set, cleared or kept in the Nominator. A pod that is
//     gone or bound loses it.
//     If a node had been found for it (Refused, or Err with a Node), the queue is
//     told that other pods may use the room there: all pods if Node is set, else those
//     of the same or a lower priority.
//  3. The event FailedScheduling is posted, even for a pod that is gone or bound.
//  4. The condition PodScheduled=False is set, together with the nomination.
//
// For a pod that runs and waits for room for its resize ([Verdict.Resize]) only step 1 is taken: it goes back
// as long as the resize is deferred (rule 7.19.10).
//
// It differs from the reference in this:
//
//   - A nomination that is kept stays in the Nominator even if the pod itself
//     names no node yet; in the reference it is lost then.
//   - A pod of the same name with another UID is another pod: the pod of the
//     failure is gone. No event is posted then, lest it be taken for one about the
//     other pod. The other pod's nomination is left alone.
//   - When fetching fails with another error than [preemption.ErrNotFound], the
//     pod goes back as it was, lest it be lost. The reference asks a cache,
//     which cannot fail.
//   - Step 4 is left out for a pod that is gone, which has no status, and for a pod that is
//     bound, for which the condition would be wrong.
//
// For a group that could not be scheduled, even if room is being made for it, Fail takes these steps
// (group 15.5):
//
//  1. The steps above are taken for each member of the entry. Its event and condition say what
//     became of the group.
//  2. The condition of the group becomes False, and so do the conditions of all other groups in
//     its tree that have a member. A condition that is True already stays.
//  3. The attempt with the group ends, and the queue puts the group back with its waiting pods.
//
// metrics.Meter.AddFailure counts the verdict.
//
// All steps are taken even if one of them fails or the context has ended. The error joins what went wrong, and
// the verdict is then complete all the same. Only an error of [Failure.Verdict], or an error about the executor
// or the context, comes without a verdict and before anything is done.
//
// The steps are taken one after another. Apart from the calls of Actions, each pod, or each member of a
// group, takes the time of the queue's methods and time linear in the reasons of the plan.
func (e *Executor) Fail(ctx context.Context, f Failure) (*Verdict, error) {
	if e == nil {
		return nil, errNoExecutor
	}
	if err := e.ready(ctx); err != nil {
		return nil, err
	}
	v, err := f.Verdict()
	switch {
	case err != nil:
		return nil, err
	case f.Entry.Group != nil:
		return v, e.failGroup(ctx, &f, v)
	}
	return v, e.failPod(ctx, &f, v)
}

// failPod takes the steps for a pod, as its verdict says, and completes the verdict.
func (e *Executor) failPod(ctx context.Context, f *Failure, v *Verdict) error {
	// The result stays Requeued unless the latest version says otherwise. The order matters: the nomination
	// changes after the pod has gone back, and room is given up only once the nomination is gone.
	v.Result = Requeued
	latest, fetchErr := e.fetchFailed(ctx, v)
	queueErr := v.requeue(f)
	e.nominateFailed(v, f.Entry.Pod, latest)
	v.giveUpRoom(f)
	if v.Result != Replaced && !v.Resize {
		e.actions.Event(v.Event)
	}
	return errors.Join(fetchErr, queueErr, e.update(ctx, v))
}

// failGroup takes the steps for a group, as its verdict says, and completes the verdict.
func (e *Executor) failGroup(ctx context.Context, f *Failure, v *Verdict) error {
	// The members go back first, because the queue puts the group back with the members that then wait for
	// it.
	group := f.Entry.Group
	var errs []error
	for i, member := range group.Members {
		errs = append(errs, e.failPod(ctx, &Failure{Entry: member, Queue: f.Queue, Now: f.Now}, &v.Members[i]))
	}

	for _, s := range statusesOf(group, v.Condition) {
		err := e.retry.do(ctx, func() error { return e.actions.UpdateGroupStatus(ctx, s.key, s.condition) })
		if err != nil && !notFound(err) {
			errs = append(errs, fmt.Errorf("group %s: condition %s: %w", s.key, s.condition.Type, err))
		}
	}

	if f.Queue != nil {
		entry := f.Entry
		entry.FailedFilters = v.Filters
		errs = append(errs, f.Queue.AddUnschedulableIfNotPresent(entry, f.Now))
	}
	return errors.Join(errs...)
}

// fetchFailed finds out whether the pod is still to be scheduled, and sets the result of the verdict if it
// is not. It returns the latest version, nil if the pod is gone. If fetching fails, the version that is known
// counts as the latest.
func (e *Executor) fetchFailed(ctx context.Context, v *Verdict) (*outrank.Pod, error) {
	latest, result, err := e.latestOf(ctx, v.Pod)
	switch {
	case err != nil:
		return v.Pod, fmt.Errorf("pod %s: %w", v.Pod.Key(), err)
	case result == Gone:
		v.Result = Gone
		if latest != nil {
			v.Result = Replaced
		}
		return nil, nil
	case result == Bound && !(v.Resize && stillDeferred(v.Pod, latest)):
		v.Result = Bound
	}
	v.Pod = latest
	return latest, nil
}

// requeue ends the attempt that the entry of the failure names: the pod goes back to the queue, or is done if
// it needs no node any more.
func (v *Verdict) requeue(f *Failure) error {
	if f.Queue == nil {
		return nil
	}
	entry := f.Entry
	if v.Result != Requeued {
		f.Queue.Done(entry)
		return nil
	}

	entry.Pod, entry.FailedFilters = v.Pod, v.Filters
	entry.PendingFilters = nil
	if f.Pending {
		entry.PendingFilters = v.Filters
	}
	if err := f.Queue.AddUnschedulableIfNotPresent(entry, f.Now); err != nil {
		return fmt.Errorf("pod %s: back to the queue: %w", v.Pod.Key(), err)
	}
	return nil
}

// nominateFailed changes the nomination in the nominator as the verdict says. before is the pod as it
// was when the attempt began, latest the pod as it is now.
func (e *Executor) nominateFailed(v *Verdict, before, latest *outrank.Pod) {
	switch {
	case e.nominator == nil || v.Resize:
	case v.Result != Requeued || v.Nomination == (Nomination{Override: true}):
		e.nominator.Remove(before)
	case v.Nomination.Override:
		e.nominator.move(latest, v.Nomination.Node)
	default:
		e.nominator.Update(before, latest)
	}
}

// giveUpRoom tells the queue that other pods may use the room of a pod whose binding failed (rule 5.4.8).
// The queue is given the pod with the node that it was to be bound to, empty if not known. The pod must
// have been put back and have lost its nomination before.
func (v *Verdict) giveUpRoom(f *Failure) {
	if f.Queue != nil && !v.Resize && (f.Refused != nil || f.Node != "") {
		placed := *f.Entry.Pod
		placed.NodeName = f.Node
		f.Queue.RoomGivenUp(&placed, f.Now)
	}
}

// update sets the condition of a pod that went back to the queue, and changes its nomination.
func (e *Executor) update(ctx context.Context, v *Verdict) error {
	if v.Result != Requeued || v.Resize {
		return nil
	}
	err := e.retry.do(ctx, func() error { return e.actions.UpdateStatus(ctx, v.Pod, v.Condition, v.Nomination) })
	if err == nil || notFound(err) {
		return nil
	}
	return fmt.Errorf("pod %s: condition %s: %w", v.Pod.Key(), v.Condition.Type, err)
}
