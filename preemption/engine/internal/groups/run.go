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
	// look ends loops over units with the context of the call: what they made by then is of no use.
	look work.Watch
	// terms are those of single pods of the group: a guard is asked about the whole.
	terms    *dryrun.Terms
	snap     *state.Snapshot // the caller's, only read
	work     *state.Snapshot // where pods are taken away and put back
	pods     []*outrank.Pod
	priority int32
	// owner is the group, or the one at the top of its tree, that the pods preempt for.
	owner  owner
	quorum *quorum
	now    rank.Instant
	place  preemption.PlaceFunc
	// guard follows the units that are away; nil without one that has something to say.
	guard *unitGuard
	plan  *preemption.GroupPlan
	// whole are the groups that leave as one.
	whole []wholeGroup
	// broken is what units that violate a budget do to all of them, by index in the sorted
	// units.
	broken map[int][]int32
	// mostAnswers bounds what a fitter remembers.
	mostAnswers int
}

// mostAnswers bounds the memory that a fitter takes for answers: 16 bytes each.
const mostAnswers = 1 << 22

func (r *run) take(u *possibleVictim) {
	for _, p := range r.podsOf(u) {
		r.work.Drop(p)
	}
}

func (r *run) giveBack(u *possibleVictim) {
	for _, p := range r.podsOf(u) {
		r.work.Put(p)
	}
}

// say is what the reference answers for the group (rule 12.9.11).
func (r *run) say(code preemption.Code, text string) {
	r.plan.Status = preemption.Status{Code: code, Reasons: []string{groupPrefix + text}}
}

// groupPrefix begins all that preemption says of a group.
const groupPrefix = "pod group preemption: "

// possibleVictim is a Unit that could leave, in few bytes and without a pointer: a cluster
// can have hundreds of thousands of them.
type possibleVictim struct {
	priority int32
	// size is the number of pods, with the rank of the unit in the high bits (rules 12.7.2
	// and 12.7.3).
	size int32
	// sec and nsec are the earliest start of the pods, a missing one being that of
	// the call (rule 12.7.4).
	sec  int64
	nsec int32
	// A single pod is the one with the index pod on the node at the position node.
	// Of a group, node is the index in the run's whole, and pod is -1.
	node, pod int32
	// budget is the index of the budget that losing the unit violates, noBudget for
	// none. Before the budgets are charged it is mayViolate for a unit with a pod
	// that a budget covers.
	budget int32
}

const (
	noBudget   = -1
	mayViolate = -2
)

// rankShift is where the rank of a unit, less one, stands in its size.
const rankShift = 28

// sizeOf is the size of a unit.
func sizeOf(rank state.UnitRank, pods int) int32 {
	return int32(rank-state.PodUnit)<<rankShift + int32(min(pods, 1<<rankShift-1))
}

func (u *possibleVictim) single() bool { return u.pod >= 0 }

func (u *possibleVictim) violates() bool { return u.budget >= 0 }

// wholeGroup is a group that leaves as one.
type wholeGroup struct {
	// One of these is nil.
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	// pods are sorted by importance, or by the caller's own order if there is one.
	pods     []*state.PodState
	priority int32
}

func (g *wholeGroup) name() string {
	if g.composite != nil {
		return g.composite.Name
	}
	return g.group.Name
}

func (g *wholeGroup) size() int32 {
	if g.composite != nil {
		return sizeOf(state.CompositeUnit, len(g.pods))
	}
	return sizeOf(state.GroupUnit, len(g.pods))
}

// PodsOf returns the pods of a unit by importance. The slice is not to be changed.
func (r *run) podsOf(u *possibleVictim) []*state.PodState {
	if !u.single() {
		return r.whole[u.node].pods
	}
	return r.nodeAt(u.node).Pods[u.pod : u.pod+1]
}

// NodeAt returns the node at a position as the caller's snapshot has it.
func (r *run) nodeAt(position int32) *state.NodeState {
	return r.snap.NodeStates[r.snap.Order[position]]
}

// nominationOf returns the node that a pod of the group is nominated to: as the snapshot
// knows, or as the pod says if the snapshot does not know the pod.
func (r *run) nominationOf(p *outrank.Pod) string {
	if state, ok := r.snap.PodStates.Of(p); ok {
		return state.Nominated()
	}
	return p.NominatedNodeName
}
