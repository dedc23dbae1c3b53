package preemption

import (
	"cmp"
	"context"
)

// PreemptGroup decides who has to leave so that a group of pods can run: all of
// them, or as many as the policy of the group asks for ([outrank.PodGroup].Policy)
// (chapter 12; PodGroupEvaluator.Preempt of kube-scheduler). From v1.37 on it needs the
// feature gate GenericWorkload:
//
//  1. If there is a place for the group as things are, it fits.
//  2. The group has to be eligible: its preemption policy is not Never, and no
//     possible victim leaves, because of a preemption, a node that a pod of the
//     group is nominated to.
//  3. Every possible victim in the whole cluster is removed: units of lower
//     priority ([Unit]) that the configuration lets be evicted, never pods of
//     the group itself. If there is still no place, nothing helps.
//  4. The budgets are charged in order of importance: the higher priority, a
//     group before a single pod, of two groups the one with more pods, the
//     earlier start, the name.
//  5. The units are put back, the most important first: those that violate a
//     budget, then all others. From v1.37 on the placement of step 3 stays, and a unit
//     with which one of the placed pods does not pass on its node any more is a victim
//     (rules 12.9.8 and 12.9.9). In v1.36 the group is placed anew, and a unit with which
//     there is no place for it is removed again and is a victim; the placement is then the
//     one found with the last unit that stayed, or with all of them removed if none
//     stayed.
//
// What follows, up to the errors, is about v1.36; for what is new see group 12.9 of
// RULES.md, and for what has become of a plan the fields of [GroupPlan].
//
// A victim left no place when it was put back: together with the units that had
// been put back before it, and without those still to come. If the placing
// function never finds a place with more pods that it does not find with fewer,
// then putting back any one victim in the end leaves no place either. FirstFit
// is such a function for one pod, and for equal pods, if the filters only let
// pods take room (resources, taints, selectors). With unequal pods it is not: a
// pod in the way can send an early pod elsewhere, and so leave the room for a
// later pod that fits nowhere else.
//
// With MayTake or a Guard in the configuration a group is refused as
// [outrank.ErrInvalid]. Of the configuration, Filters, Plugins, MayEvict and Importance count, of the
// Policy Disabled, and of the Variant the preemption policy, whom a pod waits for, and the grace period. Importance compares two
// units by the most important pod of each. Workers, Sample, Extenders, Chooser, Cost, Scorers
// and the rest of the Policy have no effect: there is one candidate, the
// cluster. Exact victims, strict budgets and the count of the victims alone are
// refused.
//
// It differs from the reference in this:
//
//   - The order within a unit, among budgets and among equal units is by name;
//     in the reference it is that of maps and caches.
//   - A group without a priority counts with the highest priority of its pods,
//     not with 0, and a group's priority counts for its pods in either
//     disruption mode, as it does from v1.37 on.
//   - The group waits for victims of an earlier preemption only among those that
//     it could evict itself (rule 12.1.7).
//   - Pods of the group itself are never victims, be their own priority lower
//     (rule 12.2.4).
//   - A pod without a start time counts as started at the now of the call (rule
//     12.3.6).
//   - A single pod is a single pod also if it belongs to a group of
//     [outrank.DisruptPod]; the reference puts it before pods of no group.
//   - Pods of unequal priority or policy are not a group, as from v1.37 on.
//   - Earlier nominations of the group's own pods are ignored.
//
// The snapshot is only read, and any number of calls may run on it at once. The
// pods need not be in it. Errors: the context's, checked between placements and
// during FirstFit; those of the placing function and of filters;
// [ErrPlacement]; [outrank.ErrInvalid] where the release has groups behind a gate that is
// off; and those about the pods, all at once: an
// *[outrank.InputError] that names each, [ErrState] for pods that run
// already, and [ErrExists] for one whose name a pod with another UID has.
//
// Time, with FirstFit, is that of sorting the possible victims, of one placement,
// and of finding the places of the pods anew where a unit is put back on a node that
// one of them was to have; each victim costs a look at every node for its reasons.
// Nodes are asked about all pods anew where a unit that is put back has a part in
// what the pods' affinity and spread rules say. With filters of the configuration
// other than a [NodeRule], with claims that allow a single pod, and with a PlaceFunc
// it is that of one placement for every possible victim. From v1.37 on it is always that of
// one placement, and of asking one node for each pod of the group that a unit has to
// do with.
func (e *Evaluator) PreemptGroup(ctx context.Context, snap *Snapshot, req GroupRequest) (*GroupPlan, error) {
	snap, err := opened(ctx, snap)
	if err != nil {
		return nil, err
	}
	r, err := e.newGroupRun(snap, &req)
	if err != nil {
		return nil, err
	}
	if err := r.run(ctx, req.Refused); err != nil {
		return nil, err
	}
	return r.plan, nil
}

// run writes the plan.
func (r *groupRun) run(ctx context.Context, refused bool) error {
	f, placed, err := r.first(ctx, refused)
	if err != nil {
		return err
	}
	possible := r.possible()
	r.plan.Possible, r.plan.TurnedDown = len(possible), placed.Refused
	r.plan.Ineligible = r.eligible(possible)
	switch {
	case placed.Refused == nil && !refused:
		r.plan.Outcome, r.plan.Placement = Fits, placed.Assignments
	case r.plan.Ineligible != Eligible:
		r.plan.Outcome = NotEligible
		r.sayIneligible()
	case len(possible) == 0:
		r.plan.Outcome = NothingHelps
		r.say(UnschedulableAndUnresolvable, "No preemption victims found for incoming preemptor")
	default:
		r.plan.Outcome = NothingHelps
		return r.decide(ctx, f, possible)
	}
	return nil
}

// sayIneligible says why the group does not preempt. While it waits for victims of an
// earlier preemption that is a success, and its pods keep their nominations (rule
// 12.9.7).
func (r *groupRun) sayIneligible() {
	if !r.work.rules.GroupsPlacedOnce || r.plan.Ineligible != VictimsTerminating {
		r.say(Unschedulable, r.plan.Ineligible.String())
		return
	}
	r.say(Success, "ongoing preemption on nominated nodes")
	for _, p := range r.pods {
		r.plan.Nominations = append(r.plan.Nominations, Assignment{p, r.nominationOf(p)})
	}
}

// first places the group as things are, unless the caller has found no place for it. It
// returns the fitter that did, nil if there is none for this group.
func (r *groupRun) first(ctx context.Context, refused bool) (f *fitter, placed Placement, err error) {
	if r.place == nil && ctx.Err() == nil {
		if f, err = r.newFitter(r.pods); err != nil {
			return nil, placed, err
		}
	}
	switch {
	case refused:
		return f, placed, ctx.Err()
	case f == nil:
		placed, err = r.try(ctx)
		return nil, placed, err
	}
	r.plan.Placements++
	placed.Refused, err = f.placeAll(ctx)
	if err == nil && placed.Refused == nil {
		placed.Assignments = f.assignments()
	}
	return f, placed, err
}

// decide finds the victims (steps 3 to 6 of PreemptGroup).
func (r *groupRun) decide(ctx context.Context, f *fitter, possible []leaver) error {
	f, placed, err := r.placeWithout(ctx, f, possible)
	if err != nil {
		return err
	}
	if placed.Refused != nil {
		r.plan.Unhelpful = placed.Refused
		r.say(Unschedulable, cmp.Or(placed.Refused.Reason, unplacedText))
		return nil
	}
	r.sort(possible)
	r.charge(possible)
	if r.work.rules.GroupsPlacedOnce {
		if f == nil {
			f, _, err = r.fitterAt(placed.Assignments)
		}
		if err == nil {
			err = f.fix()
		}
		if err != nil {
			return err
		}
	}
	blocks := map[int]*Refusal{}
	for _, violating := range []bool{true, false} {
		if err := r.reprieve(ctx, f, possible, violating, &placed, blocks); err != nil {
			return err
		}
	}
	if f != nil && !r.work.rules.GroupsPlacedOnce {
		r.plan.Placements += len(possible)
		placed.Assignments = f.assignments()
	}
	return r.settle(possible, blocks, placed.Assignments)
}

// placeWithout places the group with every possible victim away.
func (r *groupRun) placeWithout(ctx context.Context, f *fitter, possible []leaver) (*fitter, Placement, error) {
	if f == nil {
		for i := range possible {
			r.take(&possible[i])
		}
		placed, err := r.try(ctx)
		return nil, placed, err
	}
	f.unseatAll()
	f.takeAway(possible)
	r.plan.Placements++
	refused, err := f.placeAll(ctx)
	return f, Placement{Refused: refused, Assignments: f.assignments()}, err
}

// reprieve puts back the units that violate a budget, or the others, as far as
// there is still a place for the group, or each pod of it stays in its place (rules 12.4.2
// and 12.9.8). It stores the last placement in placed,
// and in blocks why units could not be put back.
func (r *groupRun) reprieve(ctx context.Context, f *fitter, possible []leaver, violating bool, placed *Placement, blocks map[int]*Refusal) error {
	back := func(u *leaver) (*Refusal, error) { return r.placeWith(ctx, u, placed) }
	switch {
	case r.work.rules.GroupsPlacedOnce:
		back = func(u *leaver) (*Refusal, error) { return f.reprieveUnit(u), nil }
	case f != nil:
		back = func(u *leaver) (*Refusal, error) { return f.giveBack(u), f.err }
	}
	for i := range possible {
		if possible[i].violates() != violating {
			continue
		}
		if i%chunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		why, err := back(&possible[i])
		if err != nil {
			return err
		}
		if why != nil {
			blocks[i] = why
		}
	}
	return ctx.Err()
}

// placeWith puts a unit back and places the group anew. Without a place the unit is taken
// away again, and it returns why.
func (r *groupRun) placeWith(ctx context.Context, u *leaver, placed *Placement) (*Refusal, error) {
	r.giveBack(u)
	with, err := r.try(ctx)
	switch {
	case err != nil:
		return nil, err
	case with.Refused == nil:
		*placed = with
		return nil, nil
	}
	r.take(u)
	return with.Refused, nil
}
