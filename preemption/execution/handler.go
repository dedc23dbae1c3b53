package execution

import (
	"context"
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
)

// FailureActions is how a failure is made known; the caller implements it, and
// [ErrNotFound] means what it means in [Actions].
type FailureActions interface {
	// Latest gives the pod as it is now.
	Latest(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
	// UpdateStatus sets the condition, and changes the nomination as it says.
	UpdateStatus(ctx context.Context, pod *outrank.Pod, condition Condition, nomination Nomination) error
	// Event tells people.
	Event(e Event)
}

// FailureQueue is the part of a scheduling queue that failures need.
type FailureQueue interface {
	// AddUnschedulableIfNotPresent puts a pod back that these filters turned
	// down, and ends its attempt. Where news came during the attempt the queue
	// puts it in backoff instead; that is its own business.
	AddUnschedulableIfNotPresent(pod *outrank.Pod, filters []string) error
	// Done ends the attempt of a pod that does not come back.
	Done(pod *outrank.Pod)
}

// FailureParts are what [HandleFailure] works on. Actions is needed; without a
// Queue, a Nominator or Metrics that part is left out.
type FailureParts struct {
	Actions   FailureActions
	Queue     FailureQueue
	Nominator *Nominator
	Metrics   *Metrics
}

// Requeue is whether a pod went back to the queue.
type Requeue uint8

// The answers.
const (
	// Requeued: it went back as unschedulable.
	Requeued Requeue = iota
	// NotRequeuedGone: it is gone, or another pod has its name by now.
	NotRequeuedGone
	// NotRequeuedBound: it runs on a node by now.
	NotRequeuedBound
)

// String gives the answer in a few words.
func (r Requeue) String() string {
	switch r {
	case Requeued:
		return "back to the queue"
	case NotRequeuedGone:
		return "gone"
	case NotRequeuedBound:
		return "bound already"
	}
	return fmt.Sprintf("Requeue(%d)", uint8(r))
}

// Aftermath is what was done about a failure. It belongs to the caller.
type Aftermath struct {
	Verdict
	Requeue Requeue
	// Pod is the version of the pod that all this was done with: the latest one
	// where there is one.
	Pod *outrank.Pod
}

// HandleFailure does what is to be done about a pod that could not be scheduled
// (section 10; seed 004's handleSchedulingFailure):
//
//  1. It is counted, as unschedulable or as an error; and as an attempt to
//     preempt where the pod fitted on none of the nodes.
//  2. The latest version of the pod is fetched. One that is still there without
//     a node goes back to the queue as unschedulable, with the filters that
//     turned it down; for one that is gone or bound the attempt is done.
//  3. Its nomination is set, cleared or kept in the Nominator; a pod that is
//     gone or bound loses it.
//  4. The event FailedScheduling is posted.
//  5. The condition PodScheduled=False is set, together with the nomination.
//
// It differs from the reference in this:
//
//   - Keeping a nomination keeps the one in memory, too, where the pod itself
//     names none yet; in the reference it is lost then.
//   - A pod of the same name with another UID is not the pod: that one is gone.
//   - When fetching fails with something else than [ErrNotFound], the pod goes
//     back as it was, lest it be lost. The reference asks a cache, which cannot
//     fail.
//   - Step 5 is left out for a pod that is gone or bound: the one has no status
//     and of the other it would be wrong.
//
// All steps are taken even if one fails or the context has ended; the error
// joins what went wrong, and the aftermath is then complete all the same. Only
// an error of [Failure.Verdict], or one about missing Actions, comes without an
// aftermath and before anything is done.
func HandleFailure(ctx context.Context, parts FailureParts, f Failure) (*Aftermath, error) {
	if parts.Actions == nil {
		return nil, fmt.Errorf("failure parts: Actions: %w: missing", outrank.ErrInvalid)
	}
	v, err := f.Verdict()
	if err != nil {
		return nil, err
	}
	a := &Aftermath{Verdict: *v, Pod: f.Pod}
	parts.count(a, f.profile())
	latest, fetchErr := a.fetch(ctx, parts)
	queueErr := parts.requeue(a)
	parts.nominate(a, f.Pod, latest)
	parts.Actions.Event(a.Event)
	return a, errors.Join(fetchErr, queueErr, parts.update(ctx, a))
}

func (f *Failure) profile() string {
	if f.Profile == "" {
		return DefaultScheduler
	}
	return f.Profile
}

func (p *FailureParts) count(a *Aftermath, profile string) {
	if a.Kind == NoFit {
		p.Metrics.AddPreemption()
	}
	p.Metrics.AddAttempt(Attempt{Result: a.Result, Profile: profile})
}

// fetch finds out whether the pod is still to be scheduled.
func (a *Aftermath) fetch(ctx context.Context, p FailureParts) (*outrank.Pod, error) {
	latest, ending, err := latestOf(ctx, p.Actions, a.Pod)
	switch {
	case err != nil:
		return a.Pod, fmt.Errorf("pod %s: %w", a.Pod.Key(), err)
	case ending == PreemptorGone:
		a.Requeue = NotRequeuedGone
		return nil, nil
	case ending == PreemptorBound:
		a.Requeue = NotRequeuedBound
	}
	a.Pod = latest
	return latest, nil
}

func (p *FailureParts) requeue(a *Aftermath) error {
	if p.Queue == nil {
		return nil
	}
	if a.Requeue != Requeued {
		p.Queue.Done(a.Pod)
		return nil
	}
	if err := p.Queue.AddUnschedulableIfNotPresent(a.Pod, a.Filters); err != nil {
		return fmt.Errorf("pod %s: back to the queue: %w", a.Pod.Key(), err)
	}
	return nil
}

// nominate brings the nominator in line with the change. old is the pod as it
// was, latest as it is.
func (p *FailureParts) nominate(a *Aftermath, old, latest *outrank.Pod) {
	switch {
	case p.Nominator == nil:
	case a.Requeue != Requeued || a.Nomination.Change == DropNomination:
		p.Nominator.Delete(old)
	case a.Nomination.Change == SetNomination:
		p.Nominator.Add(latest, a.Nomination.Node)
	default:
		p.Nominator.Update(old, latest)
	}
}

func (p *FailureParts) update(ctx context.Context, a *Aftermath) error {
	if a.Requeue != Requeued {
		return nil
	}
	err := p.Actions.UpdateStatus(ctx, a.Pod, a.Condition, a.Nomination)
	if err == nil || notFound(err) {
		return nil
	}
	return fmt.Errorf("pod %s: condition %s: %w", a.Pod.Key(), a.Condition.Type, err)
}
