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
	wanted    int // how many of the pods have to find a place
	now       instant
	place     PlaceFunc
	plan      *GroupPlan
	// whole are the groups that leave as one.
	whole []wholeGroup
	// mostAnswers bounds what a fitter remembers; less than usual in tests.
	mostAnswers int
}

// mostAnswers bounds the memory that a fitter takes for answers: 16 bytes each.
const mostAnswers = 1 << 22

func (e *Evaluator) newGroupRun(snap *Snapshot, req *GroupRequest) (*groupRun, error) {
	if snap == nil {
		return nil, fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	}
	if err := checkGroup(snap, req.Pods); err != nil {
		return nil, err
	}
	r := &groupRun{
		evaluator: e, config: &e.config, snap: snap, work: snap.view(),
		keys: map[outrank.Key]bool{}, group: req.Pods[0].GroupKey(), priority: req.Pods[0].PriorityValue(), wanted: snap.wanted(req.Pods),
		now: instantOf(req.Now), place: req.Place, mostAnswers: mostAnswers,
	}
	if group, ok := snap.Group(r.group); ok && group.Priority != nil {
		r.priority = *group.Priority
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

// settle writes the plan. With every unit put back the cluster is as it was
// when there was no place, so one of the units is a victim unless the placing
// function contradicts itself.
func (r *groupRun) settle(possible []leaver, blocks map[int]*Refusal, placement []Assignment) error {
	for _, i := range slices.Sorted(maps.Keys(blocks)) {
		r.plan.Victims = append(r.plan.Victims, r.public(&possible[i], blocks[i]))
	}
	if len(r.plan.Victims) == 0 {
		return fmt.Errorf("%w: at first there was no place, then there was one with the same pods in the cluster", ErrPlacement)
	}
	r.plan.Outcome, r.plan.Placement, r.plan.Grace = Preempt, placement, r.config.Policy.Grace
	r.plan.ClearedNominations = r.cleared()
	return nil
}

// cleared returns the pods of lower priority nominated to a node of the
// placement (rule 14.3.3).
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
