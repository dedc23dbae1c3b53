package preemption

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// groupRun is one call of PreemptGroup.
type groupRun struct {
	evaluator *Evaluator
	config    *Config
	snap      *Snapshot // the caller's, only read
	work      *Snapshot // where pods are taken away and put back
	pods      []*outrank.Pod
	keys      map[string]bool // of pods
	group     string
	priority  int32
	now       instant
	place     PlaceFunc
	plan      *GroupPlan
}

// PreemptGroup decides who has to leave so that all pods of a group can run
// (chapter 12; PodGroupEvaluator.Preempt of kube-scheduler v1.36, alpha there):
//
//  1. is there a place for the group as things are? Then it fits;
//  2. may it preempt? Not with the preemption policy Never, and not while one
//     of the possible victims leaves, by a preemption, a node that a pod of the
//     group is nominated to;
//  3. take away every possible victim in the whole cluster: units of lower
//     priority ([Unit]) that the configuration lets be evicted, never pods of
//     the group itself. If there is still no place, nothing helps;
//  4. charge the budgets in order of importance: priority, a group before a
//     single pod, of groups the one with more pods, the earlier start, the
//     name;
//  5. put back, the most important first, all units that violate a budget and
//     then all others; one with which there is no place for the group any more
//     is taken away again: it is a victim;
//  6. the placement is the one found with the last unit that stayed, or with
//     all of them away where none did.
//
// A victim is one because there was no place with it when it was put back: with
// all units that had been put back before it, and none of those still to come.
// Where the answer of Place does not get better with more pods in the way,
// putting any one victim back after all leaves no place either. FirstFit is
// like that for one pod, and for pods that are all alike, as far as filters are
// concerned for which a pod only takes room (resources, taints, selectors).
// With unlike pods it is not: a pod in the way can send an early one elsewhere,
// and leave the room for a later one that fits nowhere else.
//
// Of the configuration, Filters, MayEvict and Importance count, and of the
// Policy Disabled, IgnoreNever, Waiting and Grace. Two units are compared by
// Importance through the most important pod of each. Workers, Sample,
// Extenders, Scorers and the rest of the Policy have no say: there is one
// candidate, the cluster.
//
// It differs from the reference in this:
//
//   - Order within a unit, among budgets and among equal units is by name; in
//     the reference it is that of maps and caches.
//   - A group without a priority of its own counts with the highest of its
//     pods, not with 0, and a group's own priority counts for its pods in
//     either disruption mode, as it does from v1.37 on.
//   - A single pod is a single pod also where it belongs to a group of
//     [outrank.DisruptPod]; the reference puts it before pods of no group.
//   - Pods of unequal priority or policy are no group, as from v1.37 on.
//   - Earlier nominations of the group's own pods are not in its way.
//
// The snapshot is only read; any number of calls may run on it at once. The
// pods need not be in it. Errors: the context's, looked at between placements
// and during FirstFit; those of Place and of filters; [ErrPlacement]; and about
// the pods, all at once: an *[outrank.InputError] that names each, and
// [ErrState] for those that run already. Time is that of one placement for
// every possible victim, and of going through all pods.
func (e *Evaluator) PreemptGroup(ctx context.Context, snap *Snapshot, req GroupRequest) (*GroupPlan, error) {
	r, err := e.newGroupRun(snap, &req)
	if err != nil {
		return nil, err
	}
	placed, err := r.try(ctx)
	if err != nil {
		return nil, err
	}
	possible := r.possible()
	r.plan.Possible, r.plan.TurnedDown = len(possible), placed.Refused
	r.plan.Ineligible = r.eligible(possible)
	switch {
	case placed.Refused == nil:
		r.plan.Outcome, r.plan.Placement = Fits, placed.Assignments
	case r.plan.Ineligible != Eligible:
		r.plan.Outcome = NotEligible
	default:
		if err := r.decide(ctx, possible); err != nil {
			return nil, err
		}
	}
	return r.plan, nil
}

func (e *Evaluator) newGroupRun(snap *Snapshot, req *GroupRequest) (*groupRun, error) {
	if snap == nil {
		return nil, fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	}
	if err := checkGroup(snap, req.Pods); err != nil {
		return nil, err
	}
	r := &groupRun{
		evaluator: e, config: &e.config, snap: snap, work: snap.view(),
		keys: map[string]bool{}, group: req.Pods[0].GroupKey(), priority: req.Pods[0].PriorityValue(),
		now: instantOf(req.Now), place: req.Place,
	}
	r.plan = &GroupPlan{Group: r.group}
	var states []*podState
	for _, p := range req.Pods {
		r.keys[p.Key()] = true
		r.work.seat(p, "", "")
		state, _ := r.work.pods.of(p)
		states = append(states, state)
	}
	slices.SortFunc(states, func(p, q *podState) int { return p.compare(q, r.now) })
	r.pods = podsOf(states)
	return r, nil
}

// decide finds the victims (steps 3 to 6).
func (r *groupRun) decide(ctx context.Context, possible []*groupUnit) error {
	r.plan.Outcome = NothingHelps
	if len(possible) == 0 {
		return nil
	}
	for _, u := range possible {
		r.take(u)
	}
	placed, err := r.try(ctx)
	if err != nil {
		return err
	}
	if placed.Refused != nil {
		r.plan.Unhelpful = placed.Refused
		return nil
	}
	r.charge(possible)
	for _, violating := range []bool{true, false} {
		if err := r.reprieve(ctx, possible, violating, &placed); err != nil {
			return err
		}
	}
	return r.settle(possible, placed.Assignments)
}

// reprieve puts back the units that violate a budget, or the others, as far as
// there is still a place for the group, and leaves the last one in placed.
func (r *groupRun) reprieve(ctx context.Context, possible []*groupUnit, violating bool, placed *Placement) error {
	for _, u := range possible {
		if (len(u.violated) > 0) != violating {
			continue
		}
		r.giveBack(u)
		with, err := r.try(ctx)
		if err != nil {
			return err
		}
		if with.Refused == nil {
			*placed = with
			continue
		}
		r.take(u)
		u.victim, u.blocks = true, with.Refused
	}
	return nil
}

func (r *groupRun) take(u *groupUnit) {
	for _, p := range u.pods {
		r.work.drop(p)
	}
}

func (r *groupRun) giveBack(u *groupUnit) {
	for _, p := range u.pods {
		r.work.put(p)
	}
}

// settle writes the plan. With every unit back things are as they were when
// there was no place, so one of them is a victim unless Place changed its mind.
func (r *groupRun) settle(possible []*groupUnit, placement []Assignment) error {
	for _, u := range possible {
		if u.victim {
			r.plan.Victims = append(r.plan.Victims, r.public(u))
		}
	}
	if len(r.plan.Victims) == 0 {
		return fmt.Errorf("%w: at first there was no place, then there was one with the same pods in the cluster", ErrPlacement)
	}
	r.plan.Outcome, r.plan.Placement, r.plan.Grace = Preempt, placement, r.config.Policy.Grace
	r.plan.ClearedNominations = r.cleared()
	return nil
}

// cleared are the pods of lower priority nominated to a node of the placement
// (rule 14.3.3).
func (r *groupRun) cleared() []*outrank.Pod {
	var states []*podState
	for node := range r.plan.nodes() {
		for _, p := range r.snap.node(node).nominated {
			if p.priority() < r.priority && !r.keys[p.pod.Key()] {
				states = append(states, p)
			}
		}
	}
	if len(states) == 0 {
		return nil
	}
	slices.SortFunc(states, func(p, q *podState) int { return p.compare(q, r.now) })
	return podsOf(states)
}
