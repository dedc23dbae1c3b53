package across

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// search finds the best victims, node by node.
type search struct {
	terms   *dryrun.Terms
	snap    *state.Snapshot
	attempt *dryrun.Attempt
	result  *dryrun.Result
	// w is the only runner of result, and budgets is its charger.
	w       *dryrun.DryRunner
	budgets *dryrun.Charger
	// unitsLeave is set if groups leave whole by the rules of the release (group 12.6).
	unitsLeave bool
	// counted lists the pods of all nodes that anti-affinity or spread counts, by importance.
	counted []countedPod
	// interpod and spread are the filters on the node at hand, nil if they have
	// nothing to say.
	interpod *filters.InterPodOnNode
	spread   *filters.SpreadOnNode

	node node
	// bestScore and bestVictims are those of the best set so far, on the node at result.Best.
	bestScore   dryrun.Score
	bestVictims []*state.PodState
	space       []*state.PodState // memory of worse

	steps, limit int
	// ended is set once the search was cut off at the limit, and unsolved counts the nodes that were not
	// searched to the end.
	ended    bool
	unsolved int
	// err is the first error of a filter of the caller.
	err error
}

// newSearch returns the search of an attempt, whose result has what the nodes answered as things are.
func newSearch(a *dryrun.Attempt, r *dryrun.Result) *search {
	w, asked := r.Runners[0], &a.Asked
	return &search{
		terms: a.Config, snap: a.Snap, attempt: a, result: r, w: w, budgets: &w.Budgets,
		unitsLeave: asked.Rules.VictimUnits, limit: cmp.Or(a.Config.Limit, defaultAcrossSteps),
	}
}

// countedPod is a running pod with what it counts for.
type countedPod struct {
	pod *state.PodState
	on  *state.NodeState
	// apart lists what the pod counts for in anti-affinity, and spread in the constraints.
	apart, spread []filters.ClassPart
}

// node is a node on which victims are looked for.
type node struct {
	position int
	// pods lists the pods that could be victims, the most important first, and forced marks those
	// that have to be.
	pods   []*state.PodState
	forced []bool
	// taken lists the indexes of the pods that the set at hand has.
	taken []int
	// others has, for each constraint, the least count of the other domains as things
	// are, or 0 if fewer domains count than there have to be.
	others []int
	// overlaps is set if several budgets cover a pod that is charged only up to the first
	// budget that it violates: then another victim may leave fewer violations.
	overlaps bool
	// firstStep is the number of steps when the search of the node began.
	firstStep int
	// refuted is the status of the last set that made room while the filters followed the pods, and made none
	// when they were asked afresh.
	refuted filters.Status
}

// partsOf returns what pods of a class count for.
func (x *search) partsOf(k *state.PodClass) (apart, spread []filters.ClassPart) {
	if x.interpod != nil {
		apart = x.interpod.Apart(k)
	}
	if x.spread != nil {
		spread = x.spread.Parts(k)
	}
	return apart, spread
}

// leavesAlone reports whether the preemptor may evict a pod, and no other pod has to leave with it
// (rule 23.6).
func (x *search) leavesAlone(p *state.PodState) bool {
	return x.attempt.MayEvict(p) && (p.Pod.Group == "" || !x.unitsLeave)
}

// findFilters finds the two filters that look at pods of other nodes.
func (x *search) findFilters() {
	for _, f := range x.w.Filters {
		switch f := f.(type) {
		case *filters.InterPodOnNode:
			x.interpod = f
		case *filters.SpreadOnNode:
			x.spread = f
		}
	}
}

// findCounted lists the pods that these two filters count, by importance. Pods of a class count for the
// same, so that each class is asked about once.
func (x *search) findCounted() {
	snap := x.snap
	snap.Classes.EachRunning(func(k *state.PodClass, nodes map[int32]int32) {
		apart, spread := x.partsOf(k)
		if len(apart)+len(spread) == 0 {
			return
		}

		for slot := range nodes {
			n := snap.NodeStates[slot]
			if n.Node == nil {
				continue // its pods count nowhere
			}
			for _, p := range n.Pods {
				if p.Class == k {
					x.counted = append(x.counted, countedPod{p, n, apart, spread})
				}
			}
		}
	})

	// Classes and nodes come in any order, and importance is total.
	slices.SortFunc(x.counted, func(p, q countedPod) int { return x.attempt.MoreImportant(p.pod, q.pod) })
}
