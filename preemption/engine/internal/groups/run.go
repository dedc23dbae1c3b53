package groups

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// run is one call of Preempt or Verify.
type run struct {
	// look ends loops over units once the context of the call has ended. Their results must not be used then.
	look work.Watch
	// terms is the configuration for single pods of the group, without the guard, which is asked about the
	// whole group.
	terms *dryrun.Terms
	// snap is the caller's snapshot, which is only read. work is the scratch in which pods are removed and
	// put back.
	snap, work *state.Snapshot
	// pods has the waiting pods of the group, in the order in which they are placed.
	pods     []*outrank.Pod
	priority int32
	// owner is the group for which the pods preempt.
	owner  owner
	quorum *quorum
	now    rank.Instant
	// place is the caller's placing function, nil for first fit.
	place preemption.PlaceFunc
	// guard follows which units are removed. It is nil without a guard, or if the guard has nothing to say.
	guard *unitGuard
	plan  *preemption.GroupPlan
	// whole lists the groups that leave as a whole.
	whole []wholeGroup
	// broken has, for each unit of several pods that violates a budget, the budget that each pod violates or
	// noBudget. The key is the index among the sorted units.
	broken map[int][]int32
	// mostAnswers bounds the number of answers that a fitter remembers.
	mostAnswers int
}

// mostAnswers is the default of run.mostAnswers. An answer takes 16 bytes.
const mostAnswers = 1 << 22

// take removes the pods of a unit from the working snapshot.
func (r *run) take(u *possibleVictim) {
	for _, p := range r.podsOf(u) {
		r.work.Drop(p)
	}
}

// giveBack puts the pods of a unit back into the working snapshot.
func (r *run) giveBack(u *possibleVictim) {
	for _, p := range r.podsOf(u) {
		r.work.Put(p)
	}
}

// say writes the status of the group into the plan, with the text of the reference (rule 12.9.11).
func (r *run) say(code preemption.Code, text string) {
	r.plan.Status = preemption.Status{Code: code, Reasons: []string{groupPrefix + text}}
}

// groupPrefix begins every text of preemption about a group.
const groupPrefix = "pod group preemption: "

// possibleVictim is a unit that could leave: a single pod or a whole group. It is small and has no pointers,
// because a cluster can have hundreds of thousands of units.
type possibleVictim struct {
	priority int32
	// size is the number of pods, with the rank of the unit in the high bits (rules 12.7.2
	// and 12.7.3).
	size int32
	// sec and nsec are the earliest start of the pods. A pod without a start counts as started at the time of
	// the call (rule 12.7.4).
	sec  int64
	nsec int32
	// node and pod identify the pods. For a single pod, node is the position of its node, and pod its index
	// there. For a group, node is the index in run.whole, and pod is -1.
	node, pod int32
	// budget is the index of a budget that losing the unit violates, noBudget if there is none. Before the
	// budgets are charged it is mayViolate if a budget covers any of the pods.
	budget int32
}

// Values of possibleVictim.budget that are not indexes.
const (
	noBudget   = -1
	mayViolate = -2
)

// rankShift is the position of the rank in a unit's size. The rank of a single pod is 0 there.
const rankShift = 28

// sizeOf returns possibleVictim.size for a unit of this rank and number of pods.
func sizeOf(rank state.UnitRank, pods int) int32 {
	return int32(rank-state.PodUnit)<<rankShift + int32(min(pods, 1<<rankShift-1))
}

// single reports whether the unit is a single pod.
func (u *possibleVictim) single() bool { return u.pod >= 0 }

// violates reports whether losing the unit violates a budget. The budgets must have been charged.
func (u *possibleVictim) violates() bool { return u.budget >= 0 }

// wholeGroup is a group that leaves as a whole.
type wholeGroup struct {
	// Either group or composite is set.
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

// size returns possibleVictim.size for the group.
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

// nodeAt returns the state of the node at a position in the caller's snapshot.
func (r *run) nodeAt(position int32) *state.NodeState {
	return r.snap.NodeStates[r.snap.Order[position]]
}

// nominationOf returns the name of the node that a pod of the group is nominated to, empty if there is none.
// The snapshot decides, or the pod's own field if the snapshot does not know the pod.
func (r *run) nominationOf(p *outrank.Pod) string {
	if state, ok := r.snap.PodStates.Of(p); ok {
		return state.Nominated()
	}
	return p.NominatedNodeName
}
