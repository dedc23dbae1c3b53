package across

import (
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
	w       *dryrun.DryRunner
	// counted are the pods of all nodes that anti-affinity or spread counts.
	counted []countedPod
	// interpod and spread are the filters on the node at hand, nil where they have
	// nothing to say.
	interpod *filters.InterPodOnNode
	spread   *filters.SpreadOnNode

	node node
	// bestScore and bestVictims are of the best set met, on node r.best.
	bestScore   dryrun.Score
	bestVictims []*state.PodState
	space       []*state.PodState

	steps, limit int
	ended        bool
	unsolved     int   // nodes that were not searched to the end
	err          error // of a filter of the caller
}

// countedPod is a running pod with what it counts for.
type countedPod struct {
	pod *state.PodState
	on  *state.NodeState
	// apart are counts of anti-affinity, spread those of constraints.
	apart, spread []filters.ClassPart
}

// node is a node on which victims are looked for.
type node struct {
	position int
	// pods could be victims, the most important first. Those in forced have to be.
	pods   []*state.PodState
	forced []bool
	// taken are the indexes of those that the set at hand has.
	taken []int
	// others has, for each constraint, the least count of the other domains as things
	// are, or 0 where fewer domains count than there have to be.
	others []int
	// overlaps is set where several budgets cover a pod, which is charged up to the first
	// that it violates: then another victim may leave fewer violations.
	overlaps bool
	// firstStep is the number of steps at the begin.
	firstStep int
	// refuted is why the last set made no room that the filters had agreed to while they
	// followed the pods.
	refuted filters.Status
}

// PartsOf returns what pods of a class count for.
func (x *search) partsOf(k *state.PodClass) (apart, spread []filters.ClassPart) {
	if x.interpod != nil {
		apart = x.interpod.Apart(k)
	}
	if x.spread != nil {
		spread = x.spread.Parts(k)
	}
	return apart, spread
}

// leavesAlone reports whether a pod may be a victim: one that the preemptor may evict and
// that no other pod has to leave with.
func (x *search) leavesAlone(p *state.PodState) bool {
	return x.attempt.MayEvict(p) && (p.Pod.Group == "" || !x.attempt.Asked.Rules.VictimUnits)
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

// findCounted finds the pods that these count, by class. Their order is by node and
// importance.
func (x *search) findCounted() {
	x.snap.Classes.EachRunning(func(k *state.PodClass, nodes map[int32]int32) {
		apart, spread := x.partsOf(k)
		if len(apart)+len(spread) == 0 {
			return
		}
		for slot := range nodes {
			n := x.snap.NodeStates[slot]
			if n.Node == nil {
				continue
			}
			for _, p := range n.Pods {
				if p.Class == k {
					x.counted = append(x.counted, countedPod{p, n, apart, spread})
				}
			}
		}
	})
	slices.SortFunc(x.counted, func(p, q countedPod) int { return x.attempt.MoreImportant(p.pod, q.pod) })
}
