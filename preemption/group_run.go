package preemption

import (
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// groupRun is one call of PreemptGroup.
type groupRun struct {
	evaluator *Evaluator
	config    *dryrun.Settings
	snap      *state.Snapshot // the caller's, only read
	work      *state.Snapshot // where pods are taken away and put back
	pods      []*outrank.Pod
	priority  int32
	// owner is the group, or the one at the top of its tree, that the pods preempt for.
	owner  groupOwner
	quorum *quorum
	now    rank.Instant
	place  PlaceFunc
	plan   *GroupPlan
	// whole are the groups that leave as one.
	whole []wholeGroup
	// broken is what units that violate a budget do to all of them, by index in the sorted
	// units.
	broken map[int]brokenUnit
	// mostAnswers bounds what a fitter remembers; less than usual in tests.
	mostAnswers int
}

// mostAnswers bounds the memory that a fitter takes for answers: 16 bytes each.
const mostAnswers = 1 << 22

func (e *Evaluator) newGroupRun(snap *state.Snapshot, req *GroupRequest) (*groupRun, error) {
	if err := e.config.CheckGroups(); err != nil {
		return nil, err
	}
	if err := checkGates(snap); err != nil {
		return nil, err
	}
	if err := e.config.CheckForGroups(); err != nil {
		return nil, err
	}
	if err := checkGroup(snap, req.Pods); err != nil {
		return nil, err
	}
	owner := ownerOf(snap, req.Pods)
	r := &groupRun{
		evaluator: e, config: &e.config, snap: snap, work: snap.View(),
		owner: owner, priority: owner.priority, now: rank.InstantOf(req.Now), place: req.Place, mostAnswers: mostAnswers,
		plan: &GroupPlan{Group: owner.key, Composite: owner.composite},
	}
	r.begin(req.Pods)
	r.quorum = quorumOf(snap, r.pods)
	if r.quorum.below != nil {
		r.pods = r.quorum.inOrder(r.pods)
	}
	return r, nil
}

// begin makes the pods of the group pending. They are placed as they stand, and with the
// nominations that they have (rules 12.9.4 and 12.9.5).
func (r *groupRun) begin(pods []*outrank.Pod) {
	r.pods = slices.Clone(pods)
	for _, p := range pods {
		r.work.Seat(p, "", r.nominationOf(p))
	}
}

func (r *groupRun) take(u *leaver) {
	for _, p := range r.podsOf(u) {
		r.work.Drop(p)
	}
}

func (r *groupRun) giveBack(u *leaver) {
	for _, p := range r.podsOf(u) {
		r.work.Put(p)
	}
}

// settle writes the plan.
func (r *groupRun) settle(possible []leaver, blocks map[int]*Refusal, placement []Assignment) {
	for _, i := range slices.Sorted(maps.Keys(blocks)) {
		v := r.public(&possible[i], blocks[i])
		v.Violating, v.Violated = r.violations(i, &possible[i])
		if possible[i].grouped() {
			r.plan.Disruptions++
		}
		r.plan.Victims = append(r.plan.Victims, v)
	}
	r.plan.Outcome, r.plan.Placement, r.plan.Grace = Preempt, placement, r.config.Grace()
	r.plan.Nominations = slices.Clone(placement)
	r.say(Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(r.plan.VictimPods())))
}

// say is what the reference answers for the group (rule 12.9.11).
func (r *groupRun) say(code Code, text string) {
	r.plan.Status = Status{Code: code, Reasons: []string{groupPrefix + text}}
}

// groupPrefix begins all that preemption says of a group.
const groupPrefix = "pod group preemption: "
