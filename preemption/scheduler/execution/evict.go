package execution

import (
	"cmp"
	"context"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/internal/work"
)

// evictLastAlone evicts all victims, and the last one after all others have been
// dealt with.
func (x *execution) evictLastAlone(ctx context.Context) error {
	last := len(x.toEvict) - 1
	if err := x.evictAll(ctx, x.toEvict[:last]); err != nil {
		return err
	}
	x.setLastVictim(&x.state, x.toEvict[last].Pod)
	return x.evictAll(ctx, x.toEvict[last:])
}

// evictAll evicts these victims in groups of Parallel.
func (x *execution) evictAll(ctx context.Context, victims []*PodReport) error {
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

// evictGroup evicts all victims of a group at once, and returns when all calls
// have returned. It panics where one of the caller's actions does.
func (x *execution) evictGroup(ctx context.Context, group []*PodReport) {
	if len(group) == 1 {
		x.evictOnce(ctx, group[0])
		return
	}
	work.Do(len(group), func(i int) { x.evictOnce(ctx, group[i]) })
}

// postEvents posts the events about a group, and reports whether nothing is left
// to do about any victim in it.
func (x *execution) postEvents(group []*PodReport) bool {
	all := true
	for _, v := range group {
		if v.Result == Evicted || v.Result == RejectedWhileWaiting {
			x.actions.Event(x.victimEvent(v))
		}
		all = all && v.Result.done()
	}
	return all
}

// victimEvent is the event about a victim (rules 14.4.1 and 14.6.2), in the words of the
// variant. The older variants say the same about a victim that waited to be bound.
func (x *execution) victimEvent(v *PodReport) outrank.Event {
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

// preemptedText is the message of the events about all victims. A preemptor without a UID is
// named by namespace and name instead.
func (x *execution) preemptedText() string {
	node := x.plan.Node
	if g := x.report.group; g != nil {
		uid := ""
		if g.Composite != nil {
			uid = g.Composite.UID
		} else {
			uid = g.PodGroup.UID
		}
		return preemptedBy(x.report.preemptorType(), uidOr(uid, g.Key()), node)
	}
	pod := x.report.Preemptor
	switch {
	case x.variant == outrank.VariantSimplified:
		return "Preempted by " + string(pod.Key()) + " on node " + node
	case x.variant == outrank.VariantV1_13:
		return "by " + string(pod.Key()) + " on node " + node
	}
	return preemptedBy(byPod, identityOf(pod), node)
}

// evictOnce evicts a victim unless this executor has done so before.
func (x *execution) evictOnce(ctx context.Context, v *PodReport) {
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
	// The claim is settled even if the caller's actions panic: other calls may
	// wait for it.
	v.Result = Failed
	defer func() { x.evictions.settle(claim, v.Result) }()
	v.Result, v.Err = x.evict(ctx, v.Pod)
}

// evict rejects or evicts a victim.
func (x *execution) evict(ctx context.Context, victim *outrank.Pod) (Result, error) {
	waited, err := x.actions.Reject(ctx, victim)
	if err == nil && waited {
		return RejectedWhileWaiting, nil
	}
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

func uidOr(uid string, key outrank.Key) string { return cmp.Or(uid, string(key)) }
