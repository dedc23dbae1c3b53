package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/groups"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/engine/internal/verify"
)

// Verify holds a plan to the snapshot as it is now, and returns nil if the plan can
// be carried out as it stands. Pods without a start count as they did for the plan
// ([preemption.Plan.Now]). For a plan to preempt, Verify looks at the following, in this order:
//
//  1. The preemptor does not run, except for a resize of its own, and no other pod of its name is
//     known (ErrStale).
//  2. The node is there (ErrStale). It does not take the preemptor as things are
//     (ErrStale), and preemption may help there (ErrUnsound).
//  3. The preemptor may preempt (ErrUnsound).
//  4. There are victims, except by the variant v1.13. Each is named once (ErrUnsound) and still runs
//     there (ErrStale), is of lower priority than the preemptor unless the configuration lets it
//     take others (Eligibility.AnyPriority, the simplified variant), and Eligibility.Take allows it
//     (ErrUnsound). If victims are units (rule 12.8.1), each unit
//     is named whole (ErrUnsound), unless extenders concern the pod.
//  5. With the victims gone the node takes the preemptor, by every filter, with the
//     nominated pods that count there and without them, and Config.Guard lets all of
//     them leave together (ErrUnsound).
//     By [preemption.Across] victims may be on other nodes.
//  6. With any one victim back, or the unit that it leaves with, it does not (ErrUnsound). Verify asks that
//     only of plans that promise it: those by the usual victim rule, without a guard or extenders that
//     concern the pod, as long as filters look only at what other pods take; with
//     [preemption.Across] those by the default ranks and without Config.Importance.
//  7. The score is that of the victims and the budgets as they are now (ErrStale). The start is not
//     compared, nor are the violations if extenders concern the pod. A strict policy has no violations
//     (ErrUnsound). The nominations to be cleared are those that there are (ErrStale).
//
// Verify does not ask whether the node is the best one, or whether another node takes the
// pod as things are. It holds a plan that was made with [preemption.Request.Statuses] to the
// evaluator's own filters all the same. It verifies any other outcome by deciding
// again: the outcome has to be the same, and with Fits the node of FirstFit takes the pod (ErrStale).
//
// For the plan of a group, Verify looks at the following, in this order:
//
//  1. The pods of the placement are a group of which none runs ([outrank.ErrInvalid],
//     ErrStale), and their nodes are there (ErrStale).
//  2. For a plan to preempt: the group may preempt (ErrUnsound); the victims are
//     each a unit that is there as it stands in the plan (ErrStale), named once, of
//     lower priority unless Eligibility.AnyPriority is set, and that Eligibility.Take
//     allows, and Config.Guard lets all of them leave together (ErrUnsound). There may be
//     none. As many of their pods violate a budget as the plan says (ErrStale).
//  3. With every possible victim gone that the guard lets go, each pod fits on its node beside the
//     pods before it in the placement, by the evaluator's filters (ErrUnsound). It
//     keeps its place when those that are no victims are back, as when the plan was made.
//
// Pods of the group that found no place are not in the plan. They count as the snapshot
// has them, with their nominations: a plan that was made with other versions of them may be
// refused. The plan of a group may have a victim too many, so that Verify does not ask that. It holds a
// plan with a [preemption.PlaceFunc] to the evaluator's filters all the same.
//
// Other errors are those of [Evaluator.Preempt] and of filters, [preemption.ErrState] for a
// group's plan without a placement, in which there is nothing to verify, and
// [outrank.ErrInvalid] for no plan at all. The snapshot is only read; any number of calls may
// run on it at once. Time is that of asking one node once for every victim, beside what filters
// that look at the whole cluster need once. For a group it is that of going through all pods,
// and of asking one node for each pod.
func (e *Evaluator) Verify(ctx context.Context, cluster *Snapshot, d preemption.Decision) error {
	if e == nil {
		return errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return err
	}

	plan, group, err := state.PlanOf(d)
	switch {
	case err != nil:
		return err
	case group != nil:
		return groups.Verify(ctx, &e.terms, snap, group)
	case plan.Outcome == preemption.Preempts:
		return verify.Plan(ctx, &e.terms, snap, plan)
	}
	return e.verifyOutcome(ctx, cluster, plan)
}

// verifyOutcome verifies a plan that does not preempt: it decides again, and compares the outcomes.
func (e *Evaluator) verifyOutcome(ctx context.Context, cluster *Snapshot, plan *preemption.Plan) error {
	again, err := e.Preempt(ctx, cluster, preemption.Request{Pod: plan.Pod, Now: plan.Now})
	if err != nil {
		return err
	}
	if again.Outcome != plan.Outcome || again.Ineligible != plan.Ineligible {
		return fmt.Errorf("pod %s: %w: the outcome is %q now, not %q", plan.Pod.Key(), ErrStale, again.Outcome, plan.Outcome)
	}
	if plan.Outcome != preemption.Fits {
		return nil
	}

	// Another node may be the first by now, and this one takes the pod all the same.
	status, err := e.Check(cluster, plan.Pod, plan.FirstFit)
	switch {
	case errors.Is(err, preemption.ErrNotFound):
		return fmt.Errorf("pod %s: %w: the plan is to run it on a node that is not there: %w", plan.Pod.Key(), ErrStale, err)
	case err != nil:
		return err
	case status.Code != preemption.Success:
		return fmt.Errorf("pod %s: %w: node %s does not take it: %s", plan.Pod.Key(), ErrStale, plan.FirstFit, status)
	}
	return nil
}
