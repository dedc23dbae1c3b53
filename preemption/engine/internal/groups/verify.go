package groups

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Verify is engine.Evaluator.Verify for the plan of a group.
func Verify(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, plan *preemption.GroupPlan) error {
	if plan.Outcome != preemption.Preempts && plan.Outcome != preemption.Fits {
		return fmt.Errorf("plan for a group: %w: the outcome is %q", preemption.ErrState, plan.Outcome)
	}

	// If a pod of the group runs by now, the plan is stale.
	var pods []*outrank.Pod
	for _, a := range plan.Placement {
		pods = append(pods, a.Pod)
	}
	r, err := begin(ctx, terms, snap, &preemption.GroupRequest{Pods: pods, Now: plan.Now}, false)
	if errors.Is(err, preemption.ErrState) {
		return fmt.Errorf("%w: %w", state.ErrStale, err)
	}
	if err != nil {
		return err
	}

	for _, a := range plan.Placement {
		if _, ok := snap.Node(a.Node); !ok {
			return fault(state.ErrStale, "there is no node %s", a.Node)
		}
	}
	if plan.Outcome == preemption.Fits {
		return r.verifyPlacement(ctx, plan)
	}

	possible, victims, err := r.verifyVictims(ctx, plan)
	if err != nil {
		return err
	}
	return r.verifyPlaces(ctx, plan, possible, victims)
}

// fault returns an error of the given kind about the plan of a group.
func fault(kind error, format string, args ...any) error {
	return fmt.Errorf("plan for a group: %w: %s", kind, fmt.Sprintf(format, args...))
}

// noPlace returns the text of a refusal, as in the text of a plan.
func noPlace(r *preemption.Refusal) string {
	pod, guard := "", ""
	if r.Pod != nil {
		pod = string(r.Pod.Key())
	}
	if r.Guard.Code != preemption.Success {
		guard = r.Guard.String()
	}
	return prose.NoPlace(pod, r.Nodes, r.Reason, guard)
}

// verifyVictims finds the victims of the plan among the possible ones. It returns the units that were removed
// when the group was placed, and the indexes of the victims among them.
func (r *run) verifyVictims(ctx context.Context, plan *preemption.GroupPlan) (possible []possibleVictim, victims []int, err error) {
	if possible, err = r.verifyPossible(ctx, plan); err != nil {
		return nil, nil, err
	}

	// violations counts the victims that violate a budget now, and inPlan those that do by the plan. named
	// counts the victims so far, for the texts.
	violations, inPlan, named := 0, 0, 0
	for unit := range plan.Units() {
		at := r.unitOf(possible, unit)
		switch {
		case at < 0 && r.runs(unit):
			return nil, nil, fault(state.ErrUnsound, "victim %s is not of lower priority, or must not be evicted", nameOf(unit))
		case at < 0:
			return nil, nil, fault(state.ErrStale, "victim %d is not there as it stands in the plan", named)
		case slices.Contains(victims, at):
			return nil, nil, fault(state.ErrUnsound, "victim %s is named twice", nameOf(unit))
		}
		victims = append(victims, at)
		named += len(unit)

		for _, budget := range r.violated(at, &possible[at]) {
			if budget != noBudget {
				violations++
			}
		}
		for i := range unit {
			if len(unit[i].Violated) > 0 {
				inPlan++
			}
		}
	}
	if violations != inPlan {
		return nil, nil, fault(state.ErrStale, "%d victims violate a budget, not %d", violations, inPlan)
	}
	return possible, victims, nil
}

// verifyPossible returns the units that were removed when the group was placed, sorted and charged to the
// budgets. It also verifies that the group may preempt.
func (r *run) verifyPossible(ctx context.Context, plan *preemption.GroupPlan) (possible []possibleVictim, err error) {
	possible = r.possible()
	reason := r.eligible(possible)
	switch {
	case r.look.Err() != nil:
		return nil, r.look.Err()
	case reason != "":
		return nil, fault(state.ErrUnsound, "%s", reason.Message())
	}

	if r.sort(possible); r.look.Err() != nil {
		return nil, r.look.Err()
	}
	if r.guard != nil {
		if possible, err = r.verifyGuard(ctx, plan, possible); err != nil {
			return nil, err
		}
	}
	if r.charge(possible); r.look.Err() != nil {
		return nil, r.look.Err()
	}
	return possible, nil
}

// verifyGuard asks the guard whether the victims may leave together. It returns the units that were removed
// when the group was placed: those that the guard lets go, and the victims.
func (r *run) verifyGuard(ctx context.Context, plan *preemption.GroupPlan, possible []possibleVictim) ([]possibleVictim, error) {
	away, kept, _, err := r.letGo(ctx, possible)
	if err != nil {
		return nil, err
	}

	// A victim may be a unit that the guard keeps when it is asked unit by unit. Such victims are moved from
	// kept to away, and lost has their pods.
	let := len(away)
	stays := slices.Repeat([]bool{true}, let)
	var lost []*state.PodState
	for unit := range plan.Units() {
		if at := r.unitOf(away[:let], unit); at >= 0 {
			stays[at] = false
		} else if at = r.unitOf(kept, unit); at >= 0 {
			away = append(away, kept[at])
			lost = append(lost, r.podsOf(&kept[at])...)
			kept = slices.Delete(kept, at, at+1)
		}
	}

	// After letGo the guard sees the first let units of away as removed. Those that are no victims come back
	// and the pods in lost leave, so that the guard is asked about exactly the victims.
	for i := range let {
		if stays[i] {
			r.guard.change(r.podsOf(&away[i]), 1)
		}
	}
	if s := r.guard.try(lost, -1); s.Code != preemption.Success {
		return nil, fault(state.ErrUnsound, "the victims may not leave together: %s", s)
	}
	r.sort(away)
	return away, nil
}

// verifyPlaces places the pods with every possible victim removed, and asks their nodes again once the units
// that are no victims are back (rule 12.9.8).
func (r *run) verifyPlaces(ctx context.Context, plan *preemption.GroupPlan, possible []possibleVictim, victims []int) error {
	for i := range possible {
		r.take(&possible[i])
	}

	f, refused, err := r.fitterAt(ctx, plan.Placement)
	switch {
	case err != nil:
		return err
	case refused != nil:
		return fault(state.ErrUnsound, "%s", noPlace(refused))
	}

	// A unit that changes no member's answer need not be put back.
	back := 0
	for i := range possible {
		if err := ctx.Err(); err != nil {
			return err
		}

		if slices.Contains(victims, i) {
			continue
		}
		back++
		if u := &possible[i]; len(f.affectedBy(u)) > 0 {
			f.putBack(u, 1)
		}
	}

	// If all possible victims are victims, a failing member is no fault of the plan: the group's own
	// nominations may cause it.
	if err := f.endPlacing(); err != nil || back == 0 || len(f.failing) == 0 {
		return err
	}
	return fault(state.ErrUnsound, "%s", noPlace(f.failing[0].why))
}

// nameOf returns the name of victims that leave together, as in the text of a plan.
func nameOf(unit []preemption.Victim) string {
	switch first := &unit[0]; {
	case first.Composite != nil:
		return fmt.Sprintf("%s (%d pods)", first.Composite.Key(), len(unit))
	case first.Group != nil:
		return fmt.Sprintf("%s (%d pods)", first.Group.Key(), len(unit))
	default:
		return prose.Pod(first.Pod)
	}
}

// runs reports whether victims that leave together are exactly a running unit, whatever its priority.
func (r *run) runs(unit []preemption.Victim) bool {
	other := *r
	other.whole = nil
	return other.unitOf(other.units(math.MaxInt64), unit) >= 0
}

// unitOf returns the index of the unit with exactly these pods, -1 if there is none.
func (r *run) unitOf(units []possibleVictim, victims []preemption.Victim) int {
	return slices.IndexFunc(units, func(u possibleVictim) bool {
		return slices.EqualFunc(r.podsOf(&u), victims, func(p *state.PodState, v preemption.Victim) bool {
			pod := v.Pod
			return pod != nil && state.SameName(p.Pod, pod) && state.SamePod(p.Pod, pod)
		})
	})
}

// verifyPlacement puts the pods on their nodes one after another, and verifies that each node takes its pod
// beside those before it.
func (r *run) verifyPlacement(ctx context.Context, plan *preemption.GroupPlan) error {
	for _, at := range plan.Placement {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := dryrun.NewAttempt(ctx, r.terms, r.work, at.Pod, time.Time{})
		if err != nil {
			return err
		}
		if s := dryrun.NewDryRunner(a).Filter(r.work.NodeState(at.Node)); s.Code != filters.Success {
			return fault(state.ErrUnsound, "%s does not fit: %s", at, a.Public(s))
		}
		r.work.Seat(at.Pod, at.Node, "")
	}
	return nil
}
