package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority/queue"
)

// FailureActions is how a failure is made known. The caller implements it, and
// [preemption.ErrNotFound] means what it means in [Actions].
type FailureActions interface {
	// Latest returns the pod as it is now.
	Latest(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
	// UpdateStatus sets the condition and changes the nomination.
	UpdateStatus(ctx context.Context, pod *outrank.Pod, condition outrank.PodCondition, nomination Nomination) error
	// Event posts an event.
	Event(e outrank.Event)
}

// FailureQueue is the part of a scheduling queue that ends an attempt. The
// queues of package priority/queue have it.
type FailureQueue interface {
	// AddUnschedulableIfNotPresent ends the attempt of the entry and puts the
	// pod back. The entry is the popped entry with the latest version of the pod
	// and the filters that turned it down. Whether the pod waits for an
	// event or for its backoff alone is the queue's business.
	AddUnschedulableIfNotPresent(e queue.Entry, now time.Time) error
	// Done ends the attempt of a pod that does not come back, and reports whether
	// it was still under way.
	Done(e queue.Entry) bool
}

var (
	_ FailureQueue = (*queue.Queue)(nil)
)

// FailureHandler does what has to be done about pods that could not be
// scheduled. Only Actions is needed; the steps that concern a Queue or a
// Nominator are left out where that is nil. Any number of goroutines may use a
// handler at once if they may use its parts at once, which is true of the parts
// of this module.
type FailureHandler struct {
	Actions   FailureActions
	Queue     FailureQueue
	Nominator *Nominator
	// Retry says how often the patch of the status is tried.
	Retry Retry
}

var errNoFailureHandler = fmt.Errorf("%w: no failure handler", outrank.ErrInvalid)

// FailureResult says what was done about a failure. It belongs to the caller.
type FailureResult struct {
	Verdict
	// Result is [Requeued] for a pod that went back to the queue, and else why it did not: [Gone],
	// [Bound] or [Replaced].
	Result Result
	// Pod is the version of the pod that all steps were taken with: the latest
	// version where there is one.
	Pod *outrank.Pod
}

// Handle does what has to be done about a pod that could not be scheduled
// (group 15.2; handleSchedulingFailure):
//
//  1. The latest version of the pod is fetched. A pod that is still there
//     without a node goes back to the queue as unschedulable, with the filters
//     that turned it down. For a pod that is gone or bound the attempt is done.
//  2. Its nomination is set, cleared or kept in the Nominator. A pod that is
//     gone or bound loses it.
//     Where a node had been found for it (Refused, or Err with a Node), a queue
//     that has the method RoomGivenUp, as those of package priority/queue have, is
//     told that other pods may use the room there: with Node all of them, without it those
//     of the same or a lower priority.
//  3. The event FailedScheduling is posted, also for a pod that is gone or bound.
//  4. The condition PodScheduled=False is set, together with the nomination.
//
// For a pod on its node whose resize was to have room ([Verdict.Resize]) only step 1
// is taken: it goes back as long as the resize is deferred (rule 7.19.10).
//
// It differs from the reference in this:
//
//   - Keeping a nomination keeps it in the Nominator, too, where the pod itself
//     names no node yet; in the reference it is lost then.
//   - A pod of the same name with another UID is another pod: the pod of the
//     failure is gone. No event is posted then, lest it be taken for one about the
//     other pod, whose nomination is left alone.
//   - When fetching fails with something else than [preemption.ErrNotFound], the
//     pod goes back as it was, lest it be lost. The reference asks a cache,
//     which cannot fail.
//   - Step 4 is left out for a pod that is gone or bound: the first has no
//     status, and the condition would be wrong for the second.
//
// The metrics are counted of the result (metrics.Meter.AddFailure).
//
// All steps are taken even if one of them fails or the context has ended. The
// error joins what went wrong, and the result is then complete all the same.
// Only an error of [Failure.Verdict], or one about the handler's own fields, comes
// without a result and before anything is done.
//
// The call takes one step after the other and costs little beside the calls of
// Actions: the time of the queue's methods, and time linear in the reasons of the
// plan.
func (h *FailureHandler) Handle(ctx context.Context, f Failure) (*FailureResult, error) {
	if h == nil {
		return nil, errNoFailureHandler
	}
	if err := h.check(ctx); err != nil {
		return nil, err
	}
	r := &FailureResult{Result: Requeued, Pod: f.Entry.Pod}
	if err := f.writeVerdict(&r.Verdict); err != nil {
		return nil, err
	}
	latest, fetchErr := r.fetch(ctx, h.Actions)
	queueErr := h.requeue(r, &f)
	h.nominate(r, f.Entry.Pod, latest)
	h.giveUpRoom(&f)
	if r.Result != Replaced && !r.Resize {
		h.Actions.Event(r.Event)
	}
	return r, errors.Join(fetchErr, queueErr, h.update(ctx, r))
}

// check reports what the handler lacks for any failure.
func (h *FailureHandler) check(ctx context.Context) error {
	if h.Actions == nil {
		return fmt.Errorf("failure handler: Actions: %w: missing", outrank.ErrInvalid)
	}
	if ps := h.Retry.problem("failure handler"); ps != nil {
		return &outrank.InputError{Problems: ps}
	}
	if ctx == nil {
		return fmt.Errorf("failure handler: %w: no context", outrank.ErrInvalid)
	}
	return nil
}

// fetch finds out whether the pod is still to be scheduled. It returns the
// latest version, nil where the pod is gone.
func (r *FailureResult) fetch(ctx context.Context, from latestFetcher) (*outrank.Pod, error) {
	latest, result, err := latestOf(ctx, from, r.Pod)
	switch {
	case err != nil:
		return r.Pod, fmt.Errorf("pod %s: %w", r.Pod.Key(), err)
	case result == Gone:
		if r.Result = Gone; latest != nil {
			r.Result = Replaced
		}
		return nil, nil
	case result == Bound && !(r.Resize && stillDeferred(r.Pod, latest)):
		r.Result = Bound
	}
	r.Pod = latest
	return latest, nil
}

// requeue ends the attempt that the entry of the failure names.
func (h *FailureHandler) requeue(r *FailureResult, f *Failure) error {
	if h.Queue == nil {
		return nil
	}
	entry := f.Entry
	if r.Result != Requeued {
		h.Queue.Done(entry)
		return nil
	}
	entry.Pod = r.Pod
	entry.FailedFilters, entry.PendingFilters = r.Filters, r.PendingFilters
	if _, copies := h.Queue.(*queue.Queue); !copies {
		// The result keeps its own filters whatever a queue does with these.
		entry.FailedFilters, entry.PendingFilters = slices.Clone(r.Filters), slices.Clone(r.PendingFilters)
	}
	if err := h.Queue.AddUnschedulableIfNotPresent(entry, f.Now); err != nil {
		return fmt.Errorf("pod %s: back to the queue: %w", r.Pod.Key(), err)
	}
	return nil
}

// nominate brings the nominator in line with the change. before is the pod as it
// was when the attempt began, latest the pod as it is.
func (h *FailureHandler) nominate(r *FailureResult, before, latest *outrank.Pod) {
	switch {
	case h.Nominator == nil || r.Resize:
	case r.Result != Requeued || r.Nomination == (Nomination{Override: true}):
		h.Nominator.Remove(before)
	case r.Nomination.Override:
		h.Nominator.move(latest, r.Nomination.Node)
	default:
		h.Nominator.Update(before, latest)
	}
}

// giveUpRoom tells the queue of a failed binding (rule 5.4.8 of the queue): of the pod as
// it was on its node, where that is known. It comes after the pod was put back and has lost
// its nomination.
func (h *FailureHandler) giveUpRoom(f *Failure) {
	others, ok := h.Queue.(interface {
		RoomGivenUp(pod *outrank.Pod, now time.Time) int
	})
	if ok && !f.resizes() && (f.Refused != nil || f.Node != "") {
		placed := *f.Entry.Pod
		placed.NodeName = f.Node
		others.RoomGivenUp(&placed, f.Now)
	}
}

func (h *FailureHandler) update(ctx context.Context, r *FailureResult) error {
	if r.Result != Requeued || r.Resize {
		return nil
	}
	err := h.Retry.do(ctx, func() error { return h.Actions.UpdateStatus(ctx, r.Pod, r.Condition, r.Nomination) })
	if err == nil || notFound(err) {
		return nil
	}
	return fmt.Errorf("pod %s: condition %s: %w", r.Pod.Key(), r.Condition.Type, err)
}
