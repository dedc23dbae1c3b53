package execution

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// run takes all steps. The preemptor counts as preempting until run returns. Only after that is it
// activated, because until then the gate keeps it out of the queue.
func (x *execution) run(ctx context.Context) error {
	activate := false
	defer func() {
		x.end(x.key, &x.state)
		if activate || x.order == Asynchronous && x.state.refused {
			x.activate()
		}
	}()

	waits, err := x.fetch(ctx)
	if err != nil {
		activate = x.order == Asynchronous
		return x.report.failure(err)
	}
	if !waits {
		return nil
	}
	x.report.Plan = x.decision

	// Set before the steps, so that a panic in the caller's actions leaves the preemptor activated.
	activate = x.order == Asynchronous
	err = x.steps(ctx)

	// A step may have set another result, such as Gone.
	if err == nil && x.report.Result == Interrupted {
		x.report.Result = Completed
		if x.variant == outrank.VariantSimplified {
			x.actions.Event(preemptingEvent(x.report.Preemptor, len(x.report.Victims), x.plan.Node))
		}
	}

	// In the asynchronous order the preemptor is activated after a failure, and also if no event will
	// tell of the end of its last victim.
	activate = activate && (err != nil || x.clearingFailed || x.endedInMemory())
	return err
}

// activate lets the preemptor be tried again. For a group it activates the first waiting pod; the queue then
// activates the whole group.
func (x *execution) activate() { x.actions.Activate(x.report.Preemptor) }

// steps takes the steps after the first in the order of the execution.
func (x *execution) steps(ctx context.Context) error {
	if x.order == Asynchronous {
		if ok, err := x.nominate(ctx); !ok || x.nothingToDo() {
			return err
		}
		x.clearNominations(ctx)
		return x.evictLastAlone(ctx)
	}

	// v1.13 nominates the preemptor first (rule 13.2.7).
	old := x.variant == outrank.VariantV1_13
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

// Execute does what the plan says (chapter 14):
//
//  1. The latest version of the preemptor is fetched. If it is gone, being
//     deleted or bound by now, nothing is done, and the report's result says so
//     without an error.
//  2. The victims are evicted. A victim that is terminating is passed over, and
//     so is a victim that this executor has evicted before. A victim that waits
//     to be bound is rejected. Any other victim gets the condition
//     DisruptionTarget and is deleted. "Not found" is success. An event is
//     posted about every victim that was rejected or evicted, in the order of
//     the plan.
//  3. Pods of lower priority that are nominated to the node lose their
//     nomination: those that the plan names and that, by [Config.Nominator], still have
//     it. A failure here is in the report and ends nothing. In
//     [Asynchronous] order the preemptor is activated in the end after such a
//     failure, and after a pod that was not found, as in the reference. From v1.37
//     on it is also activated if the last victim was rejected while it waited,
//     because no event will tell of that victim's end (rule 14.2.8).
//  4. The preemptor is nominated to the node, unless it is there already, for a
//     [preemption.Plan.Resize].
//
// [Order] says in what order steps 2 to 4 are taken. If all victims are terminating, [Asynchronous] order takes
// step 4 alone. The call returns when all is done; the victims may take long after that to terminate.
//
// A failure, or the end of the context, interrupts the execution: calls that have begun are finished, the rest
// is skipped, and the error wraps every cause. The report is never nil and says for each victim what was done;
// its result is [Interrupted]. The plan can be tried again at any time, because no eviction that was done is
// done twice. Which victims are reached before a failure depends on the plan, Parallel and the Actions, and not
// on how fast they answer: victims are evicted in groups of Parallel, and a group that was begun is finished.
//
// It differs from the reference in this:
//
//   - The preemptor is nominated here. In the reference the failure path does
//     that, at once after the synchronous order and beside the asynchronous one.
//   - Victims are evicted in groups, and a victim that fails does not cancel
//     those that were begun with it; in the reference the others may or may not
//     be reached.
//   - A preemptor that is being deleted counts as gone.
//   - No victim is evicted twice, except by a plan of a variant. The reference trusts the
//     victim's deletion time, which it may read late.
//
// If nothing was done and the error wraps [preemption.ErrState], the plan is not to preempt, or another
// plan of the preemptor is being executed. In [Asynchronous] order that other one activates the preemptor in the
// end, because nobody else may try it again (rule 14.2.9). An error that wraps [outrank.ErrInvalid] is about a plan without a
// preemptor, of a release or a variant that is not known, or with a victim or a cleared
// nomination that is nil, about a missing context, or about Actions without Evict.
//
// The cost is linear in the victims, apart from the calls of Actions.
func (e *Executor) Execute(ctx context.Context, plan *preemption.Plan) (*Report, error) {
	if e == nil {
		return nil, errNoExecutor
	}
	if err := e.canExecute(ctx); err != nil {
		return &Report{Result: Interrupted}, err
	}
	if err := checkPlan(plan); err != nil {
		return &Report{Result: Interrupted}, err
	}

	x := newExecution(e, plan)
	if !e.begin(x, nil) {
		return x.report, fmt.Errorf("pod %s: %w: it is preempting already", plan.Pod.Key(), preemption.ErrState)
	}
	err := x.run(ctx)
	return x.report, err
}

// checkPlan returns an error that says what is wrong with a plan for a pod, nil if nothing is.
func checkPlan(plan *preemption.Plan) error {
	switch {
	case plan == nil || plan.Outcome != preemption.Preempts:
		return fmt.Errorf("plan: %w: there is nothing to execute", preemption.ErrState)
	case plan.Pod == nil:
		return fmt.Errorf("plan: %w: no preemptor", outrank.ErrInvalid)
	case !plan.Release.Known():
		return fmt.Errorf("plan for pod %s: %w: Release: %v is not known", plan.Pod.Key(), outrank.ErrInvalid, plan.Release)
	}
	if _, err := plan.Variant.MarshalText(); err != nil {
		return fmt.Errorf("plan for pod %s: %w: Variant: %d is none", plan.Pod.Key(), outrank.ErrInvalid, uint8(plan.Variant))
	}

	for i, v := range plan.Victims {
		if v.Pod == nil {
			return fmt.Errorf("plan for pod %s: %w: victim %d is missing", plan.Pod.Key(), outrank.ErrInvalid, i)
		}
	}
	if i := slices.Index(plan.ClearedNominations, nil); i >= 0 {
		return fmt.Errorf("plan for pod %s: %w: cleared nomination %d is missing", plan.Pod.Key(), outrank.ErrInvalid, i)
	}
	return nil
}
