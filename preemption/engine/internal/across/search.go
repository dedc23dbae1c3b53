package across

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// search finds the best set of victims, node by node.
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
	// counted lists the pods of all nodes that anti-affinity or a spread constraint counts, by importance.
	counted []countedPod
	// interpod and spread are the runner's filters that count pods of other nodes, nil if they have nothing
	// to say.
	interpod *filters.InterPodOnNode
	spread   *filters.SpreadOnNode

	node node
	// bestScore and bestVictims are the score and the pods of the best set so far, on the node at
	// result.Best.
	bestScore   dryrun.Score
	bestVictims []*state.PodState
	space       []*state.PodState // memory of worse

	steps, limit int
	// ended is set once the search was cut off at the limit, and unsolved is the number of nodes that were
	// not completely searched.
	ended    bool
	unsolved int
	// err is the first error of a filter of the caller.
	err error
}

// newSearch returns the search of an attempt. r must have the answers of the nodes (Before).
func newSearch(a *dryrun.Attempt, r *dryrun.Result) *search {
	w, asked := r.Runners[0], &a.Asked
	return &search{
		terms: a.Config, snap: a.Snap, attempt: a, result: r, w: w, budgets: &w.Budgets,
		unitsLeave: asked.Rules.VictimUnits, limit: cmp.Or(a.Config.Limit, defaultAcrossSteps),
	}
}

// countedPod is a running pod that anti-affinity or a spread constraint counts.
type countedPod struct {
	pod *state.PodState
	on  *state.NodeState
	// apart lists the sets of anti-affinity that count the pod, and spread the constraints.
	apart, spread []filters.ClassPart
}

// node is the state of the search on one node.
type node struct {
	position int
	// pods lists the possible victims, the most important first, and forced marks those that have to leave.
	pods   []*state.PodState
	forced []bool
	// taken lists the indexes of the pods in the current set.
	taken []int
	// others has, for each constraint, the least count of the other domains with all pods in place, or 0 if
	// there are fewer domains than minDomains.
	others []int
	// overlaps is set if several budgets cover a pod and charging stops at the first that it violates. Then a
	// further victim may lower the number of violations.
	overlaps bool
	// firstStep is search.steps when the search of the node began.
	firstStep int
	// refuted is the status by afresh of the last set that made room while the filters followed the pods. It
	// is a failure if the set made no room after all.
	refuted filters.Status
}

// partsOf returns the sets of anti-affinity (apart) and the constraints (spread) that count pods of a class.
func (x *search) partsOf(k *state.PodClass) (apart, spread []filters.ClassPart) {
	if x.interpod != nil {
		apart = x.interpod.Apart(k)
	}
	if x.spread != nil {
		spread = x.spread.Parts(k)
	}
	return apart, spread
}

// leavesAlone reports whether the preemptor may evict a pod without other pods having to leave with it (rule
// 23.6).
func (x *search) leavesAlone(p *state.PodState) bool {
	return x.attempt.MayEvict(p) && (p.Pod.Group == "" || !x.unitsLeave)
}

// findFilters sets interpod and spread.
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

// findCounted sets counted. Pods of a class are counted alike, so that each class is asked about once.
func (x *search) findCounted() {
	snap := x.snap
	for m := range snap.Classes.All() {
		k := m.Class
		apart, spread := x.partsOf(k)
		if len(apart)+len(spread) == 0 {
			continue
		}

		for slot := range m.Nodes() {
			n := snap.NodeStates[slot]
			if n.Node == nil {
				continue // pods of a missing node count nowhere
			}
			for _, p := range n.Pods {
				if p.Class == k {
					x.counted = append(x.counted, countedPod{p, n, apart, spread})
				}
			}
		}
	}

	// Map order is random, and the order by importance is total.
	slices.SortFunc(x.counted, func(p, q countedPod) int { return x.attempt.MoreImportant(p.pod, q.pod) })
}
