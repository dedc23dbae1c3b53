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

// Verify compares a plan with the present snapshot, and returns nil if the plan can be carried out unchanged.
// Pods without a start count as started at [preemption.Plan.Now], as for the plan. For a plan to preempt,
// Verify checks the following, in this order:
//
//  1. The preemptor does not run, unless the plan is for its resize, and no other pod has its name
//     (ErrStale).
//  2. The node exists (ErrStale). It does not take the preemptor without preemption (ErrStale), and
//     preemption may help there (ErrUnsound).
//  3. The preemptor may preempt (ErrUnsound).
//  4. There are victims, except by the variant v1.13. Each is named once (ErrUnsound), still runs there
//     (ErrStale), and may be evicted (ErrUnsound): its priority is lower than the preemptor's unless the
//     configuration allows others (Eligibility.AnyPriority, the simplified variant), and Eligibility.Take
//     allows it. If victims are units (rule 12.8.1), all pods of a unit are named (ErrUnsound), unless
//     extenders concern the pod.
//  5. With the victims gone the node takes the preemptor by every filter, both with the nominated pods that
//     count there and without them, and Config.Guard lets all victims leave together (ErrUnsound). By
//     [preemption.Across] victims may be on other nodes.
//  6. With any one victim or unit back, it does not (ErrUnsound). This is checked only for plans that promise
//     it: those by the default rule for victims, without a guard or extenders that concern the pod, if no
//     filter looks at other pods beyond what they take; with [preemption.Across] those by the default ranks
//     and without Config.Importance.
//  7. The score is that of the present victims and budgets (ErrStale). The start is not compared, nor are the
//     violations if extenders concern the pod. A strict policy has no violations (ErrUnsound). The
//     nominations to be cleared are the present ones (ErrStale).
//
// Verify does not check whether the node is the best one, or whether another node takes the pod without
// preemption. Even for a plan that was made with [preemption.Request.Statuses] it uses the evaluator's own
// filters. It verifies any other outcome by deciding again: the outcome has to be the same, and with Fits the
// node of FirstFit has to take the pod (ErrStale).
//
// For the plan of a group, Verify checks the following, in this order:
//
//  1. The pods of the placement are a group ([outrank.ErrInvalid]), none of them runs, and their nodes exist
//     (ErrStale).
//  2. For a plan to preempt: the group may preempt (ErrUnsound). Each victim is a unit that runs with exactly
//     the pods in the plan (ErrStale). It is named once, its priority is lower unless Eligibility.AnyPriority
//     is set, Eligibility.Take allows it, and Config.Guard lets all victims leave together (ErrUnsound).
//     There may be no victims. The number of their pods that violate a budget is that in the plan (ErrStale).
//  3. With every possible victim gone that the guard lets go, each pod fits on its node beside the pods
//     before it in the placement, by the evaluator's filters, and keeps its place when the units that are no
//     victims are back (ErrUnsound).
//
// Pods of the group that found no place are not in the plan. Their versions and nominations are taken from
// the snapshot, so that a plan that was made with other versions of them may be refused. Verify does not
// check whether every victim of a group's plan has to leave, because that is not promised. Even for a plan by
// a [preemption.PlaceFunc] it uses the evaluator's filters.
//
// Other errors are those of [Evaluator.Preempt] and of filters, [preemption.ErrState] for a group's plan
// without a placement, in which there is nothing to verify, and [outrank.ErrInvalid] for a nil plan. The
// snapshot is only read, and any number of calls may run on it at once. Time is that of asking one node once
// for every victim, plus the preparation of filters that look at the whole cluster. For a group it is linear
// in all pods, plus asking one node for each pod of the group.
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

// verifyOutcome verifies a plan that does not preempt by deciding again and comparing the outcomes.
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

	// Another node may be the first that fits by now. The plan is valid as long as its own node takes the
	// pod.
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
