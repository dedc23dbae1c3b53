package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lookout"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// PreemptGroup decides who has to leave so that a group of pods can run: all of
// them, or as many as the policy of the group asks for ([outrank.PodGroup].Policy)
// (group 12.9; PodGroupEvaluator.Preempt of kube-scheduler). The release has to be one in
// which groups preempt: v1.37 with the feature gate GenericWorkload (rule 12.9.1).
//
//  1. If there is a place for the group as things are, it fits.
//  2. The group has to be eligible: its preemption policy is not Never, and no
//     possible victim leaves, because of a preemption, a node that a pod of the
//     group is nominated to.
//  3. Every possible victim in the whole cluster is removed: pods, or groups that leave whole, of
//     lower priority that the configuration lets be evicted. If there is still no
//     place, nothing helps.
//  4. The budgets are charged in order of importance: the higher priority, a
//     group before a single pod, the one with more pods, the earlier start, the name.
//  5. The units are put back, the most important first: those that violate a
//     budget, then all others. The placement of step 3 stays, and a unit with which one
//     of the placed pods does not pass on its node any more is a victim (rules 12.9.8
//     and 12.9.9).
//
// The victims are not the fewest that there could be: with another placement others might
// stay. For what has become of a plan see the fields of [preemption.GroupPlan].
//
// With Eligibility.Take in the configuration, units are removed in step 3 of which it lets the
// group take every pod, asked about each pod of a unit and each of the group: those of lower
// priority or, with AnyPriority, of any, none of which has a pod of the group itself. With a Guard, those are removed that it lets go, asked about the
// least important first; in step 5 it has to allow that the others stay away, and units that
// it alone kept away are tried again until that puts back none (group 13.6).
//
// Of the configuration, Filters, Profile, Eligibility, Guard and Importance count. Importance compares
// two units by the most important pod of each. Sample, Extenders, Ranks and
// [Evaluator.Parallel] have no effect: there is one candidate, the cluster. What a group cannot be
// decided by is refused, as the comment of [preemption.Config] lists.
//
// It differs from the reference in this:
//
//   - The order within a unit and among equal units is by name; in the reference it is
//     that of maps and caches.
//   - The group waits for victims of an earlier preemption only among those that
//     it could evict itself (rule 12.9.7).
//   - The pods are placed in the order of the request (rule 12.9.5), and the groups of a
//     tree in that of their names (rule 12.9.4).
//   - Nominations of the pods from an earlier attempt take all the room that the pods ask for:
//     a caller who follows a live queue, which has handed the pods out, sets them aside as
//     execution.Nominator.SetAside does, once the group need not wait (rules 12.9.5 and 12.9.7).
//   - Of a topology spread the least count of all domains is exact (rule 12.9.9).
//
// The snapshot is only read, and any number of calls may run on it at once. The
// pods need not be in it. Errors: the context's, checked between placements and
// during FirstFit; those of the placing function and of filters; [outrank.ErrInvalid] for an
// impossible answer of the placing function; an *[outrank.InputError] for a group whose topology
// counts, unless the request has a placing function (rule 12.9.14); [outrank.ErrInvalid] where the
// release has no groups that preempt, or has them behind a gate that is off; and those about the
// pods, all at once: an *[outrank.InputError] that names each, [preemption.ErrState] for pods that
// run already, and for one whose name a pod with another UID has.
//
// Time is that of sorting the possible victims, of placing the group at most twice, or once
// more where nothing helps because of a guard, of what the guard takes, and of
// asking one node for each pod of the group that a unit has to do with: one on its node, or
// one that the pod's affinity and spread rules count. Units that concern a [preemption.Filter]
// with a Start have to do with every pod of the group; with claims that allow a single pod, all
// units do.
func (e *Evaluator) PreemptGroup(ctx context.Context, cluster *Snapshot, req GroupRequest) (*preemption.GroupPlan, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}
	r, err := e.newGroupRun(ctx, snap, &req)
	if err != nil {
		return nil, err
	}
	if req.Place == nil { // first fit would put the pods anywhere
		if err := checkTopologies(snap, req.Pods); err != nil {
			return nil, err
		}
	}
	if err := r.run(ctx, req.Refused); err != nil {
		return nil, err
	}
	return r.plan, nil
}

// run writes the plan.
func (r *groupRun) run(ctx context.Context, refused bool) error {
	r.look = lookout.New(ctx)
	f, placed, err := r.first(ctx, refused)
	if err != nil {
		return err
	}
	possible := r.possible()
	if r.look.Err() != nil {
		return r.look.Err()
	}
	r.plan.TurnedDown = placed.Refused
	if r.plan.Ineligible = r.eligible(possible); r.look.Err() != nil {
		return r.look.Err()
	}
	switch {
	case placed.Refused == nil && !refused:
		r.plan.Outcome, r.plan.Placement = preemption.Fits, placed.Assignments
	case r.plan.Ineligible != "":
		r.plan.Outcome = preemption.NotEligible
		r.sayIneligible()
	case len(possible) == 0:
		r.plan.Outcome = preemption.NothingHelps
		r.say(preemption.UnschedulableAndUnresolvable, "No preemption victims found for incoming preemptor")
	default:
		r.plan.Outcome = preemption.NothingHelps
		return r.decide(ctx, f, possible)
	}
	return nil
}

// sayIneligible says why the group does not preempt. While it waits for victims of an
// earlier preemption that is a success, and its pods keep their nominations (rule
// 12.9.7).
func (r *groupRun) sayIneligible() {
	if r.plan.Ineligible != preemption.VictimsTerminating {
		r.say(preemption.Unschedulable, r.plan.Ineligible.Message())
		return
	}
	r.say(preemption.Success, "ongoing preemption on nominated nodes")
	for _, p := range r.pods {
		r.plan.Nominations = append(r.plan.Nominations, preemption.Assignment{Pod: p, Node: r.nominationOf(p)})
	}
}

// first places the group as things are, unless the caller has found no place for it. It
// returns the fitter that did, nil where a function of the caller places the group.
func (r *groupRun) first(ctx context.Context, refused bool) (f *fitter, placed preemption.Placement, err error) {
	if err := ctx.Err(); err != nil {
		return nil, placed, err
	}
	if r.place == nil {
		if f, err = r.newFitter(ctx, r.pods); err != nil {
			return nil, placed, err
		}
	}
	switch {
	case refused:
		return f, placed, nil
	case f == nil:
		placed, err = r.ask(ctx)
		return nil, placed, err
	}
	placed, err = f.placeAll(ctx)
	return f, placed, err
}

// decide finds the victims (steps 3 to 5 of PreemptGroup).
func (r *groupRun) decide(ctx context.Context, f *fitter, possible []possibleVictim) error {
	if r.guard != nil {
		return r.decideGuarded(ctx, f, possible)
	}
	f, placed, err := r.placeWithout(ctx, f, possible)
	if err != nil {
		return err
	}
	if placed.Refused != nil {
		r.refuse(placed.Refused)
		return nil
	}
	if r.sort(possible); r.look.Err() != nil {
		return r.look.Err()
	}
	return r.spare(ctx, f, possible, placed.Assignments)
}

// decideGuarded is decide where a guard keeps some of the possible victims (rules 13.6.8 and
// 13.6.10).
func (r *groupRun) decideGuarded(ctx context.Context, f *fitter, possible []possibleVictim) error {
	if r.sort(possible); r.look.Err() != nil {
		return r.look.Err()
	}
	away, kept, refusal, err := r.letGo(ctx, possible)
	if err != nil {
		return err
	}
	g, placed, err := r.placeWithout(ctx, f, away)
	switch {
	case err != nil:
		return err
	case placed.Refused == nil:
		return r.spare(ctx, g, away, placed.Assignments)
	case len(kept) == 0:
		r.refuse(placed.Refused)
		return nil
	}
	_, all, err := r.placeWithout(ctx, f, kept)
	switch {
	case err != nil:
		return err
	case all.Refused != nil:
		r.refuse(all.Refused)
		return nil
	}
	placed.Refused.Guard = refusal
	r.plan.Unhelpful = placed.Refused
	r.say(preemption.Unschedulable, fmt.Sprint(refusal))
	return nil
}

// refuse says why nothing helps.
func (r *groupRun) refuse(why *preemption.Refusal) {
	r.plan.Unhelpful = why
	r.say(preemption.Unschedulable, cmp.Or(why.Reason, unplacedText))
}

// spare puts back whoever need not leave, and writes the plan (steps 4 and 5 of
// PreemptGroup). The units are away, in order, and the pods of the group in their places.
func (r *groupRun) spare(ctx context.Context, f *fitter, away []possibleVictim, placement []preemption.Assignment) error {
	if r.charge(away); r.look.Err() != nil {
		return r.look.Err()
	}
	if err := f.fix(); err != nil {
		return err
	}
	blocks := map[int]*preemption.Refusal{}
	for _, violating := range []bool{true, false} {
		if err := f.reprieve(ctx, away, violating, blocks); err != nil {
			return err
		}
	}
	if err := f.reprieveAgain(ctx, away, blocks); err != nil {
		return err
	}
	r.settle(away, blocks, placement)
	return nil
}

// placeWithout places the group with every possible victim away. It returns the fitter that
// has the pods in their places, unless the group is refused.
func (r *groupRun) placeWithout(ctx context.Context, f *fitter, possible []possibleVictim) (*fitter, preemption.Placement, error) {
	if f != nil {
		f.unseatAll()
		if f.takeAway(possible); r.look.Err() != nil {
			return nil, preemption.Placement{}, r.look.Err()
		}
		placed, err := f.placeAll(ctx)
		return f, placed, err
	}
	for i := range possible {
		if r.look.Ended(unitTurns) {
			return nil, preemption.Placement{}, r.look.Err()
		}
		r.take(&possible[i])
	}
	placed, err := r.ask(ctx)
	if err != nil || placed.Refused != nil {
		return nil, placed, err
	}
	f, _, err = r.fitterAt(ctx, placed.Assignments)
	return f, placed, err
}

// mostAnswers bounds the memory that a fitter takes for answers: 16 bytes each.
const mostAnswers = 1 << 22

func (e *Evaluator) newGroupRun(ctx context.Context, snap *state.Snapshot, req *GroupRequest) (*groupRun, error) {
	if err := e.terms.CheckGroups(); err != nil {
		return nil, err
	}
	if err := checkGates(snap); err != nil {
		return nil, err
	}
	if err := checkGroup(snap, req.Pods); err != nil {
		return nil, err
	}
	owner := ownerOf(snap, req.Pods)
	r := &groupRun{
		config: unguarded(&e.terms), snap: snap, work: snap.Scratch(),
		owner: owner, priority: owner.priority, now: rank.InstantOf(req.Now), place: req.Place, mostAnswers: mostAnswers,
		plan: &preemption.GroupPlan{Release: snap.Release(), Now: req.Now, Group: owner.key, Composite: owner.composite},
	}
	r.begin(req.Pods)
	r.quorum = quorumOf(snap, r.pods)
	if r.quorum.below != nil {
		r.pods = r.quorum.inOrder(r.pods)
	}
	var err error
	r.guard, err = e.terms.GuardUnits(ctx, snap, r.pods, owner.key)
	return r, err
}

// begin makes the pods of the group pending. They are placed as they stand, and with the
// nominations that they have (rules 12.9.4 and 12.9.5).
func (r *groupRun) begin(pods []*outrank.Pod) {
	r.pods = slices.Clone(pods)
	for _, p := range pods {
		r.work.Seat(p, "", r.nominationOf(p))
	}
}

// settle writes the plan.
func (r *groupRun) settle(possible []possibleVictim, blocks map[int]*preemption.Refusal, placement []preemption.Assignment) {
	for _, i := range slices.Sorted(maps.Keys(blocks)) {
		r.public(i, &possible[i], blocks[i])
	}
	r.plan.Outcome, r.plan.Placement = preemption.Preempts, placement
	r.plan.Nominations = slices.Clone(placement)
	r.say(preemption.Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(r.plan.Victims)))
}
