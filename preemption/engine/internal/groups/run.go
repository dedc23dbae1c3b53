package groups

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// run is one call.
type run struct {
	// look ends loops over units once the context of the call has ended. Their results are of no
	// use then.
	look work.Watch
	// terms are the settings for single pods of the group. They have no guard, which is asked about
	// the whole group.
	terms *dryrun.Terms
	// snap is the caller's snapshot, which is only read. work is the copy in which pods are taken
	// away and put back.
	snap, work *state.Snapshot
	// pods are the pods of the group that wait, in the order in which they are placed.
	pods     []*outrank.Pod
	priority int32
	// owner is the group that the pods preempt for.
	owner  owner
	quorum *quorum
	now    rank.Instant
	// place is the caller's placing function, nil for first fit.
	place preemption.PlaceFunc
	// guard follows the units that are away. It is nil if no guard has something to say.
	guard *unitGuard
	plan  *preemption.GroupPlan
	// whole lists the groups that leave as one.
	whole []wholeGroup
	// broken has, for each unit of several pods that violates a budget, the budget that each pod
	// violates, noBudget for none. The key is the index in the sorted units.
	broken map[int][]int32
	// mostAnswers bounds what a fitter remembers.
	mostAnswers int
}

// mostAnswers is the largest number of answers that a fitter remembers by default, 16 bytes each.
const mostAnswers = 1 << 22

// take takes the pods of a unit off their nodes.
func (r *run) take(u *possibleVictim) {
	for _, p := range r.podsOf(u) {
		r.work.Drop(p)
	}
}

// giveBack puts the pods of a unit back on their nodes.
func (r *run) giveBack(u *possibleVictim) {
	for _, p := range r.podsOf(u) {
		r.work.Put(p)
	}
}

// say writes the status of the group into the plan, in the words of the reference (rule 12.9.11).
func (r *run) say(code preemption.Code, text string) {
	r.plan.Status = preemption.Status{Code: code, Reasons: []string{groupPrefix + text}}
}

// groupPrefix begins every text of preemption about a group.
const groupPrefix = "pod group preemption: "

// possibleVictim is a unit that could leave: a single pod or a whole group. It takes few bytes and
// has no pointer, because a cluster can have hundreds of thousands of units.
type possibleVictim struct {
	priority int32
	// size is the number of pods, with the rank of the unit in the high bits (rules 12.7.2
	// and 12.7.3).
	size int32
	// sec and nsec are the earliest start of the pods. A pod without a start counts with the
	// time of the call (rule 12.7.4).
	sec  int64
	nsec int32
	// node and pod find the pods. For a single pod, node is the position of its node, and pod its
	// index there. For a group, node is the index in the run's whole, and pod is -1.
	node, pod int32
	// budget is the index of the budget that losing the unit violates, noBudget for
	// none. Before the budgets are charged it is mayViolate for a unit with a pod
	// that a budget covers.
	budget int32
}

// The values of possibleVictim.budget beside the index of a budget.
const (
	noBudget   = -1
	mayViolate = -2
)

// rankShift is the lowest bit of the rank in a unit's size. The rank of a single pod is 0 there.
const rankShift = 28

// sizeOf returns the size of a unit with this number of pods.
func sizeOf(rank state.UnitRank, pods int) int32 {
	return int32(rank-state.PodUnit)<<rankShift + int32(min(pods, 1<<rankShift-1))
}

// single reports whether the unit is a pod by itself.
func (u *possibleVictim) single() bool { return u.pod >= 0 }

// violates reports whether losing the unit violates a budget, once the budgets were charged.
func (u *possibleVictim) violates() bool { return u.budget >= 0 }

// wholeGroup is a group that leaves as one.
type wholeGroup struct {
	// group or composite is the group; the other one is nil.
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	// pods are sorted by importance, or by the caller's own order if there is one.
	pods     []*state.PodState
	priority int32
}

// name returns the name of the group.
func (g *wholeGroup) name() string {
	if g.composite != nil {
		return g.composite.Name
	}
	return g.group.Name
}

// size returns the size of the group as a unit.
func (g *wholeGroup) size() int32 {
	if g.composite != nil {
		return sizeOf(state.CompositeUnit, len(g.pods))
	}
	return sizeOf(state.GroupUnit, len(g.pods))
}

// podsOf returns the pods of a unit by importance. The caller must not change the slice.
func (r *run) podsOf(u *possibleVictim) []*state.PodState {
	if !u.single() {
		return r.whole[u.node].pods
	}
	return r.nodeAt(u.node).Pods[u.pod : u.pod+1]
}

// nodeAt returns the node at a position, as the caller's snapshot has it.
func (r *run) nodeAt(position int32) *state.NodeState {
	return r.snap.NodeStates[r.snap.Order[position]]
}

// nominationOf returns the node that a pod of the group is nominated to. The snapshot says so, or
// the pod itself if the snapshot does not know the pod.
func (r *run) nominationOf(p *outrank.Pod) string {
	if state, ok := r.snap.PodStates.Of(p); ok {
		return state.Nominated()
	}
	return p.NominatedNodeName
}
