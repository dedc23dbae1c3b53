package across

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// try looks for the best set on a node, and returns why there is none: the status with all
// pods gone that could leave. It is Success, too, for a node that cannot be better than
// the best one.
func (x *search) try(ctx context.Context, position int) filters.Status {
	n := x.result.NodeAt(position)
	w := x.w
	w.Enter(n)
	w.Far = true
	x.node = node{position: position, firstStep: x.steps}
	if s := x.findPods(n); s.Code != filters.Success {
		return s
	}
	if len(x.node.pods) == 0 {
		return filters.NoVictims
	}
	w.ChangeAll(x.node.pods, -1)
	status := w.Check()
	switch worse := x.worse(-1); {
	case worse && status.Code == filters.Success:
		status = x.unlessStrict()
	case !worse && (status.Code == filters.Success || !status.Conclusive() && !x.skewed()):
		best := x.result.Best
		x.choose(ctx, 0)
		switch {
		case x.result.Best != best:
			status = filters.Status{}
		case x.node.refuted.Code != filters.Success:
			status = x.node.refuted
		case status.Code == filters.Success && x.result.Best < 0:
			status = x.unlessStrict()
		}
	}
	w.ChangeAll(x.node.pods, 1)
	return status
}

// unlessStrict is the status of a node without a better set: where the policy is strict,
// that each set violates a budget may be why (rule 13.5.3).
func (x *search) unlessStrict() filters.Status {
	if x.terms.Strict && x.result.Best < 0 {
		return dryrun.StrictStatus
	}
	return filters.Status{}
}

// findPods finds the pods that could be victims for the node, and those that have to be.
// The status says if one that has to be may not.
func (x *search) findPods(n *state.NodeState) filters.Status {
	node := &x.node
	for _, p := range n.Pods {
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
		x.node.others = x.spread.AppendOthers(x.node.others, n)
	}
	return filters.Status{}
}

// findFar is findPods for pods of other nodes. Where no constraint fails and no other pod of
// another node has to leave, none that a constraint counts need leave, either: what
// leaves the node itself makes a constraint fail no more than before.
func (x *search) findFar(n *state.NodeState) filters.Status {
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
	return x.leavesAlone(p.pod) && !(p.pod.Class.Terminating && len(p.spread) > 0)
}

func (a *node) add(p *state.PodState, forced bool) {
	a.pods, a.forced = append(a.pods, p), append(a.forced, forced)
}

// sort puts the pods into their order.
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

// skewed reports whether a constraint cannot hold, whoever else leaves: what is left in
// the domain of the node is too much even if no other domain loses anything. All pods
// that are not decided about are away.
func (x *search) skewed() bool {
	return x.spread != nil && x.spread.SkewedForGood(x.node.others)
}

// choose decides about the pods from one on. Those before are decided about; all others
// are away.
func (x *search) choose(ctx context.Context, i int) {
	node := &x.node
	if i == len(node.pods) {
		x.meet()
		return
	}
	if x.stop(ctx) {
		return
	}
	if !node.forced[i] {
		x.steps++
		x.w.Change(node.pods[i], 1)
		if !x.skewed() {
			if s := x.w.Check(); s.Code == filters.Success || !s.Conclusive() {
				x.choose(ctx, i+1)
			}
		}
		x.w.Change(node.pods[i], -1)
	}
	node.taken = append(node.taken, i)
	if !x.worse(i) {
		x.choose(ctx, i+1)
	}
	node.taken = node.taken[:len(node.taken)-1]
}

// stop reports whether the search ends here. Every node gets the steps that it takes to
// put its pods back by importance.
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

// worse reports whether no set with the pods taken, those that have to be taken from
// behind an index on, and any others, is better than the best set, or allowed where the
// policy is strict. All that sets are compared by only grows with them, but for the start
// where the caller's order is not that of priorities: it is that of the highest one.
func (x *search) worse(at int) bool {
	strict := x.terms.Strict
	if x.result.Best < 0 && !strict {
		return false
	}
	x.space = x.space[:0]
	for _, i := range x.node.taken {
		x.space = append(x.space, x.node.pods[i])
	}
	for i := at + 1; i < len(x.node.pods); i++ {
		if x.node.forced[i] {
			x.space = append(x.space, x.node.pods[i])
		}
	}
	if len(x.space) == 0 {
		return false
	}
	violations := 0
	if at == len(x.node.pods) || !x.node.overlaps {
		violations = x.w.Budgets.ViolationsOf(x.space)
	}
	if strict && violations > 0 {
		return true
	}
	if x.result.Best < 0 {
		return false
	}
	score := x.attempt.ScoreOf(x.space, violations)
	if at < len(x.node.pods) && x.terms.Importance != nil {
		score.Start = rank.Never // with a pod more it may be later than any
	}
	order, _ := x.attempt.CompareByRanks(&score.Figures, &x.bestScore.Figures)
	return order >= 0
}

// meet asks the filters about the set at hand, and keeps it if it is the best.
func (x *search) meet() {
	if len(x.node.taken) == 0 || x.w.Check().Code != filters.Success || x.worse(len(x.node.pods)) {
		return
	}
	victims := make([]*state.PodState, 0, len(x.node.taken))
	for _, i := range x.node.taken {
		victims = append(victims, x.node.pods[i])
	}
	if x.node.refuted = x.afresh(victims); x.node.refuted.Code != filters.Success {
		return
	}
	x.bestVictims = victims
	x.bestScore = x.attempt.ScoreOf(x.bestVictims, x.w.Budgets.ViolationsOf(x.bestVictims))
	x.result.Best = x.node.position
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
