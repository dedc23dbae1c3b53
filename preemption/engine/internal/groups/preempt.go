package groups

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Preempt is engine.Evaluator.PreemptGroup.
func Preempt(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.GroupRequest) (*preemption.GroupPlan, error) {
	r, err := begin(ctx, terms, snap, req, req.Place == nil)
	if err != nil {
		return nil, err
	}
	if err := r.decide(ctx, req.Refused); err != nil {
		return nil, err
	}
	return r.plan, nil
}

// decide writes the plan. refused is set if the caller has already found that the group has no place.
func (r *run) decide(ctx context.Context, refused bool) error {
	f, placed, err := r.placeAsItIs(ctx, refused)
	if err != nil {
		return err
	}

	// The plan says whether the group may preempt even if it fits.
	possible := r.possible()
	if r.look.Err() != nil {
		return r.look.Err()
	}

	r.plan.TurnedDown = placed.refused
	if r.plan.Ineligible = r.eligible(possible); r.look.Err() != nil {
		return r.look.Err()
	}

	switch {
	case placed.refused == nil && !refused:
		r.plan.Outcome, r.plan.Placement = preemption.Fits, placed.assigned
	case r.plan.Ineligible != "":
		r.plan.Outcome = preemption.NotEligible
		r.sayIneligible()
	case len(possible) == 0:
		r.plan.Outcome = preemption.NothingHelps
		r.say(preemption.UnschedulableAndUnresolvable, "No preemption victims found for incoming preemptor")
	default:
		r.plan.Outcome = preemption.NothingHelps
		return r.makeRoom(ctx, f, possible)
	}
	return nil
}

// eligible returns why the group may not preempt, empty if it may (rules 12.9.6 and 12.9.7;
// preemptorEligibleToPreemptOthers). Unlike for a single pod, the status of a nominated node does not matter.
func (r *run) eligible(possible []possibleVictim) preemption.Ineligibility {
	nominated := map[string]bool{}
	for _, p := range r.pods {
		if node := r.nominationOf(p); node != "" {
			nominated[node] = true
		}
	}

	switch {
	case r.terms.Disabled:
		return preemption.Disabled
	case r.owner.never:
		return preemption.PolicyNever
	case len(nominated) == 0:
		return ""
	}

	// The group waits while a possible victim is leaving one of its nominated nodes.
	for i := range possible {
		if r.look.Ended(1) {
			return ""
		}
		for _, p := range r.podsOf(&possible[i]) {
			if dryrun.LeavesByPreemption(p) && nominated[p.Node()] {
				return preemption.VictimsTerminating
			}
		}
	}
	return ""
}

// sayIneligible writes into the plan why the group does not preempt. If it waits for victims of an earlier
// preemption, the status is a success, and its pods keep their nominations (rule 12.9.7).
func (r *run) sayIneligible() {
	if r.plan.Ineligible != preemption.VictimsTerminating {
		r.say(preemption.Unschedulable, r.plan.Ineligible.Message())
		return
	}
	r.say(preemption.Success, "ongoing preemption on nominated nodes")
	for _, p := range r.pods {
		r.plan.Nominations = append(r.plan.Nominations, preemption.Assignment{Pod: p, Node: r.nominationOf(p)})
	}
}

// placeAsItIs places the group without preemption, unless the caller has already found no place (refused). It
// returns the fitter, which is nil if a function of the caller places the group.
func (r *run) placeAsItIs(ctx context.Context, refused bool) (f *fitter, placed placement, err error) {
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

// makeRoom finds the victims (steps 3 to 5 of PreemptGroup).
func (r *run) makeRoom(ctx context.Context, f *fitter, possible []possibleVictim) error {
	if r.guard != nil {
		return r.makeRoomGuarded(ctx, f, possible)
	}
	f, placed, err := r.placeWithout(ctx, f, possible)
	if err != nil {
		return err
	}
	if placed.refused != nil {
		r.refuse(placed.refused)
		return nil
	}

	// The order matters only from here on, so that a group that nothing helps costs no sorting.
	if r.sort(possible); r.look.Err() != nil {
		return r.look.Err()
	}
	return r.spare(ctx, f, possible, placed.assigned)
}

// makeRoomGuarded is makeRoom with a guard, which may keep some of the possible victims (rules 13.6.8
// and 13.6.10).
func (r *run) makeRoomGuarded(ctx context.Context, f *fitter, possible []possibleVictim) error {
	if r.sort(possible); r.look.Err() != nil {
		return r.look.Err()
	}

	away, kept, refusal, err := r.letGo(ctx, possible)
	if err != nil {
		return err
	}

	// At first only the units that the guard lets go are removed.
	g, placed, err := r.placeWithout(ctx, f, away)
	switch {
	case err != nil:
		return err
	case placed.refused == nil:
		return r.spare(ctx, g, away, placed.assigned)
	case len(kept) == 0:
		r.refuse(placed.refused)
		return nil
	}

	// There is no place. The guard is the reason only if there is one with all possible victims removed.
	_, all, err := r.placeWithout(ctx, f, kept)
	switch {
	case err != nil:
		return err
	case all.refused != nil:
		r.refuse(all.refused)
		return nil
	}

	// There would be a place, so that the plan names what the guard refused.
	placed.refused.Guard = refusal
	r.plan.Unhelpful = placed.refused
	r.say(preemption.Unschedulable, fmt.Sprint(refusal))
	return nil
}

// refuse writes into the plan that nothing helps, and why.
func (r *run) refuse(why *preemption.Refusal) {
	r.plan.Unhelpful = why
	r.say(preemption.Unschedulable, cmp.Or(why.Reason, unplacedText))
}

// spare puts back the units that need not leave, and writes the plan (steps 4 and 5 of PreemptGroup). The
// units must be sorted and removed, and the pods of the group in their places.
func (r *run) spare(ctx context.Context, f *fitter, away []possibleVictim, placement []preemption.Assignment) error {
	if r.charge(away); r.look.Err() != nil {
		return r.look.Err()
	}
	if err := f.endPlacing(); err != nil {
		return err
	}

	// blocks has, for each unit that stays removed, why it could not come back.
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

// placeWithout removes the units, in addition to those already removed, and places the group. If the group
// has a place, the returned fitter has the pods in their places.
func (r *run) placeWithout(ctx context.Context, f *fitter, possible []possibleVictim) (*fitter, placement, error) {
	if f != nil {
		f.unseatAll()
		if f.takeAway(possible); r.look.Err() != nil {
			return nil, placement{}, r.look.Err()
		}
		placed, err := f.placeAll(ctx)
		return f, placed, err
	}

	// If a function of the caller places the group, a fitter takes over its placement for the reprieve.
	for i := range possible {
		if r.look.Ended(unitTurns) {
			return nil, placement{}, r.look.Err()
		}
		r.take(&possible[i])
	}
	placed, err := r.ask(ctx)
	if err != nil || placed.refused != nil {
		return nil, placed, err
	}
	f, _, err = r.fitterAt(ctx, placed.assigned)
	return f, placed, err
}

// settle writes the plan of a group that preempts. The units with an entry in blocks are the victims.
func (r *run) settle(possible []possibleVictim, blocks map[int]*preemption.Refusal, placement []preemption.Assignment) {
	for _, i := range slices.Sorted(maps.Keys(blocks)) {
		r.addVictims(i, &possible[i], blocks[i])
	}
	r.plan.Outcome, r.plan.Placement = preemption.Preempts, placement
	r.plan.Nominations = slices.Clone(placement)
	r.say(preemption.Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(r.plan.Victims)))
}
