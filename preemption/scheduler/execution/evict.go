package execution

import (
	"cmp"
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// evictLastAlone evicts all victims, the last one only after the calls for all others have returned: the end
// of the last victim lets the preemptor back into the queue (rule 14.2.5).
func (x *execution) evictLastAlone(ctx context.Context) error {
	last := len(x.toEvict) - 1
	if err := x.evictAll(ctx, x.toEvict[:last]); err != nil {
		return err
	}

	// The last victim is recorded before its eviction begins, since it may be reported gone at any time
	// after that.
	x.setLastVictim(&x.state, x.toEvict[last].Pod)
	return x.evictAll(ctx, x.toEvict[last:])
}

// evictAll evicts these victims in groups of Parallel. It ends after the group in which an eviction
// failed.
func (x *execution) evictAll(ctx context.Context, victims []*PodReport) error {
	// The condition is the same for all victims. The variants set none.
	if x.variant == 0 && len(victims) > 0 {
		x.condition = x.victimCondition(x.report.Preemptor, x.report.preemptorType())
	}

	for len(victims) > 0 {
		group := victims[:min(x.parallel, len(victims))]
		victims = victims[len(group):]
		if err := ctx.Err(); err != nil {
			return x.report.failure(err)
		}

		x.evictGroup(ctx, group)
		if !x.postEvents(group) {
			return x.report.failure(nil)
		}
	}
	return nil
}

// evictGroup evicts all victims of a group concurrently, and returns when all calls have returned. It panics if
// one of the caller's actions does.
func (x *execution) evictGroup(ctx context.Context, group []*PodReport) {
	if len(group) == 1 {
		x.evictOnce(ctx, group[0])
		return
	}
	work.Do(len(group), func(i int) { x.evictOnce(ctx, group[i]) })
}

// postEvents posts the events about a group, and reports whether nothing is left to do about any victim in it.
func (x *execution) postEvents(group []*PodReport) bool {
	allDone := true
	for _, v := range group {
		if v.Result == Evicted || v.Result == RejectedWhileWaiting {
			x.actions.Event(x.victimEvent(v))
		}
		allDone = allDone && v.Result.done()
	}
	return allDone
}

// victimEvent returns the event about a victim (rules 14.4.1 and 14.6.2), in the words of the
// variant. A variant has the same words for a victim that waited to be bound as for any other.
func (x *execution) victimEvent(v *PodReport) outrank.Event {
	// The message is the same for all victims, so it is made once.
	if x.preempted == "" {
		x.preempted = x.preemptedText()
	}
	e := outrank.Event{
		Type: outrank.EventNormal, Reason: reasonPreempted, Action: actionPreempting,
		Pod: v.Pod, Related: x.report.Preemptor, Message: x.preempted,
	}

	switch ofGroup := x.report.group != nil; {
	case !ofGroup && x.variant == outrank.VariantSimplified:
		e.Type, e.Action = outrank.EventWarning, actionScheduling
		return e
	case !ofGroup && x.variant == outrank.VariantV1_13:
		e.Action, e.Related = "", nil // v1.13 knows no action and no second pod of an event
		return e
	case ofGroup:
		e.Related = nil
	}

	if v.Result == RejectedWhileWaiting {
		e.Message += inMemory
	}
	return e
}

// preemptedText returns the message of the events about all victims. A preemptor without a UID is
// named by namespace and name instead.
func (x *execution) preemptedText() string {
	node, pod := x.plan.Node, x.report.Preemptor
	switch {
	case x.report.group != nil:
		return preemptedBy(x.report.preemptorType(), identityOfGroup(x.report.group), node)
	case x.variant == outrank.VariantSimplified:
		return "Preempted by " + string(pod.Key()) + " on node " + node
	case x.variant == outrank.VariantV1_13:
		return "by " + string(pod.Key()) + " on node " + node
	}
	return preemptedBy(byPod, identityOf(pod), node)
}

// evictOnce evicts a victim unless this executor has done so before, and sets its result.
func (x *execution) evictOnce(ctx context.Context, v *PodReport) {
	// The variants trust the victim's deletion time and remember nothing. The result stands as Failed
	// if the caller's actions panic.
	if x.variant != 0 {
		v.Result = Failed
		v.Result, v.Err = x.evict(ctx, v.Pod)
		return
	}

	claim, err := x.evictions.claim(ctx, identityOf(v.Pod))
	switch {
	case err != nil:
		v.Err = err
		return
	case claim == nil:
		v.Result = AlreadyEvicted
		return
	}

	// The claim is settled even if the caller's actions panic: other calls may wait for it.
	v.Result = Failed
	defer func() { x.evictions.settle(claim, v.Result) }()
	v.Result, v.Err = x.evict(ctx, v.Pod)
}

// evict rejects a victim that waits to be bound, and evicts any other. A victim that is not found is
// Gone, which is no failure (rule 14.1.5); v1.13 counts it as one.
func (x *execution) evict(ctx context.Context, victim *outrank.Pod) (Result, error) {
	waited, err := x.actions.Reject(ctx, victim)
	if err == nil && waited {
		return RejectedWhileWaiting, nil
	}

	// An error of Reject is treated like an error of Evict.
	if err == nil {
		e := Eviction{
			Victim: victim, Grace: lifecycle.Grace(x.plan.Variant),
			Preemptor: x.report.Preemptor, Node: x.plan.Node, Group: x.report.group,
			Condition: x.condition,
		}
		err = x.retry.do(ctx, func() error { return x.actions.Evict(ctx, e) })
	}
	switch {
	case err == nil:
		return Evicted, nil
	case notFound(err) && x.variant != outrank.VariantV1_13:
		return Gone, nil
	}
	return Failed, err
}

// identityOfGroup returns what identifies a group: the UID, or the key of a group without one.
func identityOfGroup(g *queue.Group) string {
	if g.Composite != nil {
		return cmp.Or(g.Composite.UID, string(g.Key()))
	}
	return cmp.Or(g.PodGroup.UID, string(g.Key()))
}
