package preemption

import (
	"fmt"
	"maps"
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
	keys      map[outrank.Key]bool // of pods
	group     outrank.Key
	priority  int32
	// owner is the group, or the one at the top of its tree, that the pods preempt for.
	owner  groupOwner
	quorum *quorum
	wanted int // how many of the pods have to find a place, before rule 12.9.3 holds
	now    instant
	place  PlaceFunc
	plan   *GroupPlan
	// whole are the groups that leave as one.
	whole []wholeGroup
	// broken is what units that violate a budget do to all of them, by index in the sorted
	// units, from v1.37 on.
	broken map[int]brokenUnit
	// mostAnswers bounds what a fitter remembers; less than usual in tests.
	mostAnswers int
}

// mostAnswers bounds the memory that a fitter takes for answers: 16 bytes each.
const mostAnswers = 1 << 22

func (e *Evaluator) newGroupRun(snap *Snapshot, req *GroupRequest) (*groupRun, error) {
	if err := e.config.checkGroups(); err != nil {
		return nil, err
	}
	if err := checkGates(snap); err != nil {
		return nil, err
	}
	if err := e.config.checkForGroups(); err != nil {
		return nil, err
	}
	if err := checkGroup(snap, req.Pods); err != nil {
		return nil, err
	}
	owner := snap.ownerOf(req.Pods)
	r := &groupRun{
		evaluator: e, config: &e.config, snap: snap, work: snap.view(),
		keys: map[outrank.Key]bool{}, group: owner.key, owner: owner, priority: owner.priority,
		now: instantOf(req.Now), place: req.Place, mostAnswers: mostAnswers,
	}
	r.plan = &GroupPlan{Group: r.group, Composite: owner.composite}
	for _, p := range req.Pods {
		r.keys[p.Key()] = true
	}
	r.begin(req.Pods)
	r.quorum, r.wanted = snap.quorumOf(r.pods), snap.wanted(r.pods)
	if r.quorum.below != nil {
		r.pods = r.quorum.inOrder(r.pods)
	}
	return r, nil
}

// begin makes the pods of the group pending. They are placed by importance and without
// earlier nominations, or else as they stand and with these (rules 12.1.6, 12.9.4 and
// 12.9.5).
func (r *groupRun) begin(pods []*outrank.Pod) {
	if r.work.rules.GroupsPlacedOnce {
		r.pods = slices.Clone(pods)
		for _, p := range pods {
			r.work.seat(p, "", r.nominationOf(p))
		}
		return
	}
	var states []*podState
	for _, p := range pods {
		r.work.seat(p, "", "")
		state, _ := r.work.pods.of(p)
		states = append(states, state)
	}
	slices.SortFunc(states, func(p, q *podState) int { return p.compare(q, r.now) })
	r.pods = podsOf(states)
}

func (r *groupRun) take(u *leaver) {
	for _, p := range r.podsOf(u) {
		r.work.drop(p)
	}
}

func (r *groupRun) giveBack(u *leaver) {
	for _, p := range r.podsOf(u) {
		r.work.put(p)
	}
}

// settle writes the plan. Where the group is placed anew for each unit, and every unit
// was put back, the cluster is as it was when there was no place, so one of the units is a
// victim unless the placing function contradicts itself.
func (r *groupRun) settle(possible []leaver, blocks map[int]*Refusal, placement []Assignment) error {
	once := r.work.rules.GroupsPlacedOnce
	for _, i := range slices.Sorted(maps.Keys(blocks)) {
		v := r.public(&possible[i], blocks[i])
		if once {
			v.Violating, v.Violated = r.violations(i, &possible[i])
		}
		if possible[i].grouped() {
			r.plan.Disruptions++
		}
		r.plan.Victims = append(r.plan.Victims, v)
	}
	if len(r.plan.Victims) == 0 && !once {
		return fmt.Errorf("%w: at first there was no place, then there was one with the same pods in the cluster", ErrPlacement)
	}
	r.plan.Outcome, r.plan.Placement, r.plan.Grace = Preempt, placement, r.config.grace()
	if once {
		r.plan.Nominations = slices.Clone(placement)
		r.say(Success, fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(r.plan.VictimPods())))
	} else {
		r.plan.ClearedNominations, r.plan.Disruptions = r.cleared(), 0
	}
	return nil
}

// say is what the reference answers for the group (rule 12.9.11).
func (r *groupRun) say(code Code, text string) {
	if r.work.rules.GroupsPlacedOnce {
		r.plan.Status = Status{Code: code, Reasons: []string{groupPrefix + text}}
	}
}

// groupPrefix begins all that preemption says of a group.
const groupPrefix = "pod group preemption: "

// cleared returns the pods of lower priority nominated to a node of the
// placement (rule 14.3.3).
func (r *groupRun) cleared() []*outrank.Pod {
	var states []*podState
	for node := range r.plan.nodes() {
		for _, p := range r.snap.node(node).nominated {
			if p.priority() < r.priority && !r.keys[p.pod.Key()] && counts(p.pod, r.config.Schedulers, r.snap.rules) {
				states = append(states, p)
			}
		}
	}
	if len(states) == 0 {
		return nil
	}
	slices.SortFunc(states, func(p, q *podState) int { return p.compare(q, r.now) })
	return locatedPods(states)
}
