package across

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// try looks for the best set on a node. If the node has a better set than the best so far, the status is
// Success. Otherwise the status is why it has none: what the filters say with all pods gone that could
// leave. That is Success, too, for a node that makes room and cannot be better than the best one.
func (x *search) try(ctx context.Context, position int) filters.Status {
	w, n := x.w, x.result.NodeAt(position)
	w.Enter(n)
	w.Far = true
	x.node = node{position: position, firstStep: x.steps}
	if s := x.findPods(n); s.Code != filters.Success {
		return s
	}
	if len(x.node.pods) == 0 {
		return filters.NoVictims
	}

	// No set passes if the filters fail with all of them gone in a way that more pods on the node never cure,
	// or if a constraint is skewed for good. After any other failure a set with fewer pods may pass.
	w.ChangeAll(x.node.pods, -1)
	status := w.Check()
	switch worse := x.worse(-1); {
	case worse && status.Code == filters.Success:
		status = x.unlessStrict()
	case !worse && (status.Code == filters.Success || !status.Conclusive() && !x.skewed()):
		status = x.searchSets(ctx, status)
	}
	w.ChangeAll(x.node.pods, 1)
	return status
}

// searchSets searches the sets of the node at hand, with all its pods away. status is what the filters
// said then. It returns the status of the node as try does.
func (x *search) searchSets(ctx context.Context, status filters.Status) filters.Status {
	best, node := x.result.Best, &x.node
	x.choose(ctx, 0)
	switch {
	case x.result.Best != best:
		return filters.Status{}
	case node.refuted.Code != filters.Success:
		return node.refuted
	case status.Code == filters.Success && x.result.Best < 0:
		return x.unlessStrict()
	}
	return status
}

// unlessStrict returns the status of a node that makes room and has no better set. If the policy is strict
// and no node has a set so far, the reason is that each set violates a budget (rule 13.5.3).
func (x *search) unlessStrict() filters.Status {
	if x.terms.Strict && x.result.Best < 0 {
		return dryrun.StrictStatus
	}
	return filters.Status{}
}

// findPods finds the pods that could be victims for the node, and those that have to be.
// The status is not Success if a pod that has to leave may not (rule 23.3).
func (x *search) findPods(n *state.NodeState) filters.Status {
	node := &x.node
	for _, p := range n.Pods {
		// A pod that counts for anti-affinity in a domain of the node keeps the preemptor away as long as it runs.
		apart, spread := x.partsOf(p.Class)
		forced := x.keepsApart(apart, n, n)
		movable := x.mayLeave(&countedPod{pod: p, spread: spread})
		if forced && !movable {
			return x.interpod.Blocked(apart, n, n)
		}
		if movable {
			node.add(p, forced)
		}
	}

	if s := x.findFar(n); s.Code != filters.Success {
		return s
	}

	node.overlaps = x.attempt.StopsAtFirst() && slices.ContainsFunc(node.pods, func(p *state.PodState) bool { return len(p.Class.Covering) > 1 })
	node.sort(x.attempt.MoreImportant)
	if x.spread != nil {
		node.others = x.spread.AppendOthers(node.others, n)
	}
	return filters.Status{}
}

// findFar is findPods for pods of other nodes: first those that have to leave, then those that a
// constraint counts in the domain of the node.
func (x *search) findFar(n *state.NodeState) filters.Status {
	// If no constraint fails, and no pod of another node has to leave, no pod that a constraint counts need
	// leave either: a constraint fails no more than before because of what leaves the node itself. A pod that
	// leaves another domain may lower the least count, so that the others are wanted after all.
	spreads := x.spread != nil && (x.spread.Check(nil).Code != filters.Success || x.spread.Check(x.w.Nominated).Code != filters.Success)
	for i := range x.counted {
		if p := &x.counted[i]; p.on != n && x.keepsApart(p.apart, p.on, n) {
			if !x.mayLeave(p) {
				return x.interpod.Blocked(p.apart, p.on, n)
			}
			x.node.add(p.pod, true)
			spreads = true
		}
	}

	for i := range x.counted {
		p := &x.counted[i]
		if spreads && p.on != n && x.countsIn(p.spread, p.on, n) && !x.keepsApart(p.apart, p.on, n) && x.mayLeave(p) {
			x.node.add(p.pod, false)
		}
	}
	return filters.Status{}
}

// mayLeave reports whether a counted pod may be a victim (rule 23.6).
func (x *search) mayLeave(p *countedPod) bool {
	return x.leavesAlone(p.pod) && !(len(p.spread) > 0 && isTerminating(p.pod))
}

// isTerminating reports whether a pod is being deleted.
func isTerminating(p *state.PodState) bool { return p.Class.Terminating }

// add adds a pod that could be a victim.
func (a *node) add(p *state.PodState, forced bool) {
	a.pods, a.forced = append(a.pods, p), append(a.forced, forced)
}

// sort puts the pods into their order, and the marks of those that have to leave with them.
func (a *node) sort(compare func(p, q *state.PodState) int) {
	forced := map[*state.PodState]bool{}
	for i, p := range a.pods {
		forced[p] = a.forced[i]
	}

	slices.SortFunc(a.pods, compare)
	for i, p := range a.pods {
		a.forced[i] = forced[p]
	}
}

// keepsApart reports whether a pod on a node counts for anti-affinity in a domain of
// another node, or of its own.
func (x *search) keepsApart(parts []filters.ClassPart, on, n *state.NodeState) bool {
	return len(parts) > 0 && x.interpod.KeepsApart(parts, on, n)
}

// countsIn reports whether a pod on a node counts for a constraint in the domain of
// another node.
func (x *search) countsIn(parts []filters.ClassPart, on, n *state.NodeState) bool {
	return len(parts) > 0 && x.spread.CountsIn(parts, on, n)
}

// skewed reports whether a constraint cannot hold, whoever else leaves. All pods that are not decided about
// are away. If the pods left in the domain of the node are too many even beside other domains that lose
// nothing, a pod that comes back only makes them more.
func (x *search) skewed() bool {
	return x.spread != nil && x.spread.SkewedForGood(x.node.others)
}

// choose decides about the pods from index i on. Those before are decided about; all others
// are away. It tries to keep a pod before it tries to let the pod go, so that the first set
// is what putting pods back by importance leaves, and of equal sets the first one met is the one that keeps
// the more important pod (rule 23.8).
func (x *search) choose(ctx context.Context, i int) {
	w, node := x.w, &x.node
	if i == len(node.pods) {
		x.meet()
		return
	}
	if x.stop(ctx) {
		return
	}

	// All that follows in the branch is more pods on the node. So it is left where the filters fail for good
	// with this one back.
	if !node.forced[i] {
		x.steps++
		w.Change(node.pods[i], 1)
		if !x.skewed() {
			if s := w.Check(); s.Code == filters.Success || !s.Conclusive() {
				x.choose(ctx, i+1)
			}
		}
		w.Change(node.pods[i], -1)
	}

	node.taken = append(node.taken, i)
	if !x.worse(i) {
		x.choose(ctx, i+1)
	}
	node.taken = node.taken[:len(node.taken)-1]
}

// stop reports whether the search of the node ends here. Every node gets the steps that it takes to
// put its pods back by importance, beyond the limit as well (rule 23.10).
func (x *search) stop(ctx context.Context) bool {
	if x.steps%256 == 0 && ctx.Err() != nil {
		return true
	}
	if x.steps < x.limit || x.steps-x.node.firstStep < len(x.node.pods) {
		return false
	}
	x.ended = true
	return true
}

// worse reports whether no set is better than the best one, or allowed by a strict policy, of all that have
// the pods taken so far, the pods behind index at that have to leave, and any others. It is right because
// each figure only becomes worse with another victim. If at is the number of pods, the set is complete.
func (x *search) worse(at int) bool {
	strict, node := x.terms.Strict, &x.node
	if x.result.Best < 0 && !strict {
		return false
	}
	x.space = node.appendSure(x.space[:0], at)
	if len(x.space) == 0 {
		return false
	}

	// Where budgets overlap, another victim may leave fewer violations, so that only a complete set has some
	// for sure.
	complete := at == len(node.pods)
	violations := 0
	if complete || !node.overlaps {
		violations = x.budgets.ViolationsOf(x.space)
	}
	if strict && violations > 0 {
		return true
	}
	if x.result.Best < 0 {
		return false
	}

	// The start is that of the highest victims. In the caller's order the top priority is that of the first
	// victim, so that a higher one may make the start later without making the top priority worse.
	score := x.attempt.ScoreOf(x.space, violations)
	if !complete && x.terms.Importance != nil {
		score.Start = rank.Never
	}
	order, _ := x.attempt.CompareByRanks(&score.Figures, &x.bestScore.Figures)
	return order >= 0
}

// appendSure appends the pods that are victims for sure: those taken, and those behind index at that have to
// leave.
func (a *node) appendSure(to []*state.PodState, at int) []*state.PodState {
	for _, i := range a.taken {
		to = append(to, a.pods[i])
	}
	for i := at + 1; i < len(a.pods); i++ {
		if a.forced[i] {
			to = append(to, a.pods[i])
		}
	}
	return to
}

// meet asks the filters about the set at hand, and keeps it if it is the best.
func (x *search) meet() {
	node := &x.node
	if len(node.taken) == 0 || x.w.Check().Code != filters.Success || x.worse(len(node.pods)) {
		return
	}

	victims := node.appendSure(make([]*state.PodState, 0, len(node.taken)), len(node.pods))
	if node.refuted = x.afresh(victims); node.refuted.Code != filters.Success {
		return
	}
	x.bestVictims = victims
	x.bestScore = x.attempt.ScoreOf(victims, x.budgets.ViolationsOf(victims))
	x.result.Best = node.position
}

// afresh asks the node in a copy of the cluster in which the victims have never been. A
// filter that follows pods may see room where there is none: ports and claims of several
// pods on a node are given up with the first (rules 7.6.7 and 7.8.5).
func (x *search) afresh(victims []*state.PodState) filters.Status {
	snap := x.snap.Scratch()
	for _, p := range victims {
		if q, ok := snap.PodStates.Of(p.Pod); ok {
			snap.Drop(q)
		}
	}

	a, err := dryrun.NewAttempt(context.Background(), x.terms, snap, x.attempt.Pod, x.attempt.Now)
	if err != nil {
		x.err = err
		return filters.Status{Code: filters.Unschedulable, By: filters.ByNone}
	}
	return dryrun.NewDryRunner(a).Filter(snap.NodeState(x.result.NodeAt(x.node.position).Name))
}
