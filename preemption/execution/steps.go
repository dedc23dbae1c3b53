package execution

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/atonce"
	"github.com/outrank-go/outrank/preemption"
)

// execution is one plan while it is executed.
type execution struct {
	*Executor
	plan *preemption.Plan
	// key is what the preemptor is under way as, with its state then; group is the preemptor if that is one.
	key   outrank.Key
	state *preemptorState
	group *groupPreemptor
	// report is filled in step by step. While several victims are evicted at
	// once, each goroutine writes to its own element of Victims.
	report *Report
	// toEvict are the victims in the report that are not terminating already.
	toEvict []*VictimReport
	// clearingFailed says that a nomination could not be cleared as it should.
	clearingFailed bool
}

// newExecution prepares the report. A victim that is in the plan twice is taken
// once.
func newExecution(e *Executor, plan *preemption.Plan) *execution {
	x := &execution{Executor: e, plan: plan, key: plan.Pod.Key(), report: &Report{Preemptor: plan.Pod, Node: plan.Node}}
	victims, seen := make([]VictimReport, 0, len(plan.Victims)), map[string]bool{}
	for _, v := range plan.Victims {
		id := identityOf(v.Pod)
		if seen[id] {
			continue
		}
		seen[id] = true
		victims = append(victims, VictimReport{Pod: v.Pod})
		if v.Terminating() && e.config.Variant == 0 {
			victims[len(victims)-1].Result = AlreadyTerminating
		} else {
			x.toEvict = append(x.toEvict, &victims[len(victims)-1])
		}
	}
	x.report.Victims = victims
	x.sortByVariant()
	return x
}

// sortByVariant puts the victims that are to be evicted into the order of the variant:
// in v1.13 those that violate a budget come first (rule 13.2.12), and without reprieve the
// least important one does (rule 13.3.13).
func (x *execution) sortByVariant() {
	switch x.config.Variant {
	case outrank.VariantV1_13:
		violating := map[*outrank.Pod]bool{}
		for i := range x.plan.Victims {
			violating[x.plan.Victims[i].Pod] = len(x.plan.Victims[i].Violated) > 0
		}
		slices.SortStableFunc(x.toEvict, func(v, w *VictimReport) int {
			switch {
			case violating[v.Pod] == violating[w.Pod]:
				return 0
			case violating[v.Pod]:
				return -1
			}
			return 1
		})
	case outrank.VariantSimplified:
		slices.Reverse(x.toEvict)
	}
}

// run takes all steps. The preemptor counts as preempting until run returns, and
// is activated after that, so that the queue lets it in.
func (x *execution) run(ctx context.Context) error {
	activate := false
	defer func() {
		x.end(x.key, x.state)
		if activate {
			x.activate()
		}
	}()
	found, err := x.fetch(ctx)
	if err != nil {
		activate = x.config.Order == Asynchronous
		return x.report.failure(err)
	}
	if !found {
		return nil
	}
	x.countVictims()
	// Set before the steps, so that a panic in the caller's actions leaves the
	// preemptor activated.
	activate = x.config.Order == Asynchronous
	err = x.steps(ctx)
	if x.config.Order == Asynchronous && !x.nothingToDo() {
		x.config.Metrics.AddExecution(err != nil)
	}
	if err == nil && x.report.Result == Interrupted {
		x.report.Result = Completed
		if x.config.Variant == outrank.VariantSimplified {
			x.config.Actions.Event(preemptingEvent(x.report.Preemptor, len(x.report.Victims), x.plan.Node))
		}
	}
	activate = activate && (err != nil || x.clearingFailed || x.endedInMemory())
	return err
}

// countVictims counts them for a pod as preemptor (rules 14.5.8 and 14.5.11).
func (x *execution) countVictims() {
	if x.group == nil && (x.rules.VictimsAlwaysCounted || !x.nothingToDo()) {
		x.config.Metrics.AddVictims(len(x.report.Victims))
	}
}

// activate has the preemptor tried again, or the first pod of a group, with which the
// queue activates the others.
func (x *execution) activate() { x.config.Actions.Activate(x.report.Preemptor) }

// endedInMemory reports whether the last victim was rejected while it waited, so that
// nothing is heard of its end (rule 14.2.8).
func (x *execution) endedInMemory() bool {
	last := len(x.toEvict) - 1
	return x.rules.ActivateAfterMemory && last >= 0 && x.toEvict[last].Result == RejectedWhileWaiting
}

// fetch gets the preemptor as it is now (step 0 of the reference's Preempt), and
// reports whether it still needs room.
func (x *execution) fetch(ctx context.Context) (bool, error) {
	if x.group != nil {
		return x.fetchGroup(ctx)
	}
	latest, result, err := latestOf(ctx, x.config.Actions, x.plan.Pod)
	if err != nil {
		return false, err
	}
	if result == PreemptorBound && x.plan.Resize && stillDeferred(x.plan.Pod, latest) {
		result = Interrupted
	}
	if result == PreemptorBound || result == PreemptorGone {
		x.report.Result = result
		return false, nil
	}
	if latest.Terminating() {
		x.report.Result = PreemptorGone
		return false, nil
	}
	x.report.Preemptor = latest
	return true, nil
}

// latestFetcher is what [Actions] and [FailureActions] have in common.
type latestFetcher interface {
	Latest(ctx context.Context, pod *outrank.Pod) (*outrank.Pod, error)
}

// latestOf fetches the pod as it is now. The result is Interrupted where the pod
// exists and has no node. A pod that comes with PreemptorGone is another one, which
// has its name by now.
func latestOf(ctx context.Context, from latestFetcher, pod *outrank.Pod) (*outrank.Pod, Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, Interrupted, err
	}
	latest, err := from.Latest(ctx, pod)
	switch {
	case notFound(err):
		return nil, PreemptorGone, nil
	case err != nil:
		return nil, Interrupted, fmt.Errorf("latest version: %w", err)
	case latest == nil:
		return nil, PreemptorGone, nil
	case !samePod(latest, pod):
		return latest, PreemptorGone, nil // the pod that has its name
	case latest.NodeName != "":
		return latest, PreemptorBound, nil
	}
	return latest, Interrupted, nil
}

// stillDeferred reports whether a pod still waits for its resize on the node that it
// was on.
func stillDeferred(was, latest *outrank.Pod) bool {
	return latest.ResizeDeferred && latest.NodeName == was.NodeName
}

// steps takes the steps after the first in the configured order.
func (x *execution) steps(ctx context.Context) error {
	if x.config.Order == Asynchronous {
		if ok, err := x.nominate(ctx); !ok || x.nothingToDo() {
			return err
		}
		x.clearNominations(ctx)
		return x.evictLastAlone(ctx)
	}
	old := x.config.Variant == outrank.VariantV1_13
	if old {
		if ok, err := x.nominate(ctx); !ok {
			return err
		}
	}
	if err := x.evictAll(ctx, x.toEvict); err != nil {
		return err
	}
	x.clearNominations(ctx)
	if old {
		return nil
	}
	_, err := x.nominate(ctx)
	return err
}

// nothingToDo reports whether all victims leave already, so that there is nothing to
// be done beside the next attempts (rule 14.2.6).
func (x *execution) nothingToDo() bool {
	return x.config.Order == Asynchronous && len(x.toEvict) == 0
}

// evictLastAlone evicts all victims, and the last one after all others have been
// dealt with.
func (x *execution) evictLastAlone(ctx context.Context) error {
	last := len(x.toEvict) - 1
	if err := x.evictAll(ctx, x.toEvict[:last]); err != nil {
		return err
	}
	x.setLastVictim(x.state, x.toEvict[last].Pod)
	return x.evictAll(ctx, x.toEvict[last:])
}

// evictAll evicts these victims in groups of Parallel.
func (x *execution) evictAll(ctx context.Context, victims []*VictimReport) error {
	for group := range slices.Chunk(victims, x.config.Parallel) {
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
func (x *execution) evictGroup(ctx context.Context, group []*VictimReport) {
	atonce.Do(len(group), func(i int) { x.evictOnce(ctx, group[i]) })
}

// postEvents posts the events about a group, and reports whether nothing is left
// to do about any victim in it.
func (x *execution) postEvents(group []*VictimReport) bool {
	all := true
	for _, v := range group {
		if v.Result == Evicted || v.Result == RejectedWhileWaiting {
			x.config.Actions.Event(x.victimEvent(v))
		}
		all = all && v.Result.Done()
	}
	return all
}

// evictOnce evicts a victim unless this executor has done so before.
func (x *execution) evictOnce(ctx context.Context, v *VictimReport) {
	if x.config.Variant != 0 {
		v.Result = Failed
		v.Result, v.Err = x.evict(ctx, v.Pod)
		return
	}
	id := identityOf(v.Pod)
	claim, err := x.evictions.claim(ctx, id)
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
	defer func() { x.evictions.settle(id, claim, v.Result) }()
	v.Result, v.Err = x.evict(ctx, v.Pod)
}

// evict rejects or evicts a victim.
func (x *execution) evict(ctx context.Context, victim *outrank.Pod) (EvictionResult, error) {
	waited, err := x.config.Actions.Reject(ctx, victim)
	if err == nil && waited {
		return RejectedWhileWaiting, nil
	}
	if err == nil {
		e := Eviction{
			Victim: victim, Grace: x.plan.Grace,
			Preemptor: x.report.Preemptor, Node: x.plan.Node, Group: x.report.Group,
		}
		if x.config.Variant == 0 {
			e.Condition = x.config.victimCondition(x.report.Preemptor, x.report.preemptorType())
		}
		err = x.config.Retry.do(ctx, func() error { return x.config.Actions.Evict(ctx, e) })
	}
	switch {
	case err == nil:
		return Evicted, nil
	case notFound(err) && x.config.Variant != outrank.VariantV1_13:
		return AlreadyGone, nil
	}
	return Failed, err
}

// clearNominations clears the nominations of lower priority to the node, one
// after the other. A failure does not stop it; the end of the context does. A pod
// that is not found is cleared, and counts as a failure all the same (rule 14.3.4).
func (x *execution) clearNominations(ctx context.Context) {
	pods := x.plan.ClearedNominations
	if x.config.Nominator != nil && x.group == nil {
		pods = x.config.Nominator.below(x.plan.Node, x.report.Preemptor.PriorityValue())
	}
	for _, p := range pods {
		c := ClearReport{Pod: p, Err: ctx.Err()}
		if c.Err == nil {
			c.Err = x.config.Retry.do(ctx, func() error { return x.config.Actions.ClearNomination(ctx, p) })
		}
		x.clearingFailed = x.clearingFailed || c.Err != nil
		if c.Err == nil || notFound(c.Err) {
			c.Cleared, c.NotFound, c.Err = true, c.Err != nil, nil
			x.forgetNomination(p)
		}
		x.report.Cleared = append(x.report.Cleared, c)
	}
}

func (x *execution) forgetNomination(p *outrank.Pod) {
	if x.config.Nominator != nil {
		x.config.Nominator.Delete(p)
	}
}

// nominate writes the nomination down on the preemptor, and first in the
// Nominator, so that no other pod takes the room in the meantime. Where it cannot
// be written, the Nominator drops it again, as in v1.13 (rule 13.2.7). It
// reports whether the preemptor is nominated now.
func (x *execution) nominate(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, x.report.failure(err)
	}
	if x.plan.Resize {
		return true, nil // it is on its node (rule 7.19.9)
	}
	if x.group != nil {
		return x.nominateGroup(ctx)
	}
	pod, memory := x.report.Preemptor, x.config.Nominator
	if memory != nil {
		memory.Add(pod, x.plan.Node)
	}
	err := x.config.Retry.do(ctx, func() error { return x.config.Actions.Nominate(ctx, pod, x.plan.Node) })
	switch {
	case err == nil:
		x.report.Nominated = true
		return true, nil
	case notFound(err):
		x.forgetNomination(pod)
		x.report.Result = PreemptorGone
		return false, nil
	case memory != nil:
		memory.Add(pod, "")
	}
	return false, x.report.failure(fmt.Errorf("nominating: %w", err))
}
