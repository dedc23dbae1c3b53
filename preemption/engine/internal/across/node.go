package across

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// try looks for the best set on a node. If that beats the best so far, the status is Success. Otherwise it is
// the filters' status with all pods removed that could leave. That is also Success if the node makes room but
// cannot beat the best so far.
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

	// If the filters fail with all of them removed in a way that more pods on the node cannot mend, or a
	// constraint is skewed for good, no set passes. After any other failure a smaller set may pass.
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

// searchSets searches the sets of the current node. All its pods are removed, and status is the filters'
// status in that state. It returns the status of the node as try does.
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

// unlessStrict returns the status of a node that makes room but has no better set. If the policy is strict
// and no node has a set yet, the reason is that every set violates a budget (rule 13.5.3).
func (x *search) unlessStrict() filters.Status {
	if x.terms.Strict && x.result.Best < 0 {
		return dryrun.StrictStatus
	}
	return filters.Status{}
}

// findPods finds the possible victims for the node, and marks those that have to leave. The status is a
// failure if a pod that has to leave may not (rule 23.3).
func (x *search) findPods(n *state.NodeState) filters.Status {
	node := &x.node
	for _, p := range n.Pods {
		// A pod that anti-affinity counts in a domain of the node keeps the preemptor away as long as it
		// runs.
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

// findFar is findPods for pods of other nodes: first those that have to leave, then those that a constraint
// counts in the node's domain.
func (x *search) findFar(n *state.NodeState) filters.Status {
	// If no constraint fails and no pod of another node has to leave, no pod that a constraint counts need
	// leave, because pods that leave the node itself cannot make a constraint fail. But a pod that leaves
	// another domain may lower the least count, so that pods counted by constraints may have to leave as
	// well.
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

// add adds a possible victim. forced is set if it has to leave.
func (a *node) add(p *state.PodState, forced bool) {
	a.pods, a.forced = append(a.pods, p), append(a.forced, forced)
}

// sort sorts the pods, and moves the marks in forced along with them.
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

// keepsApart reports whether anti-affinity counts a pod on a node (on) in a domain of a node (n), which may
// be the same.
func (x *search) keepsApart(parts []filters.ClassPart, on, n *state.NodeState) bool {
	return len(parts) > 0 && x.interpod.KeepsApart(parts, on, n)
}

// countsIn reports whether a constraint counts a pod on one node (on) in the domain of another (n).
func (x *search) countsIn(parts []filters.ClassPart, on, n *state.NodeState) bool {
	return len(parts) > 0 && x.spread.CountsIn(parts, on, n)
}

// skewed reports whether a constraint fails whatever is decided about the remaining pods, all of which are
// removed. The pods left in the node's domain are then too many even if other domains lose none, and each pod
// that comes back only adds to them.
func (x *search) skewed() bool {
	return x.spread != nil && x.spread.SkewedForGood(x.node.others)
}

// choose tries all decisions about the pods from index i on, which are removed at this point. It tries to
// keep a pod before it lets the pod go. So the first set is that of a reprieve by importance, and of equal
// sets the one that keeps the more important pod comes first (rule 23.8).
func (x *search) choose(ctx context.Context, i int) {
	w, node := x.w, &x.node
	if i == len(node.pods) {
		x.meet()
		return
	}
	if x.stop(ctx) {
		return
	}

	// Later decisions in this branch only add pods to the node. So the branch is left if the filters fail,
	// with this pod back, in a way that more pods cannot mend.
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

// stop reports whether the search of the node has to end. Even beyond the limit every node gets the steps for
// one reprieve by importance (rule 23.10).
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

// worse reports whether every set with the pods taken so far, the pods behind index at that have to leave,
// and any others, is no better than the best so far or not allowed by a strict policy. That follows from
// these pods alone, because each further victim makes every figure worse or leaves it. If at is the number of
// pods, the set is complete.
func (x *search) worse(at int) bool {
	strict, node := x.terms.Strict, &x.node
	if x.result.Best < 0 && !strict {
		return false
	}
	// No set without certain victims can be ruled out, because there is nothing to score.
	x.space = node.appendSure(x.space[:0], at)
	if len(x.space) == 0 {
		return false
	}

	// If budgets overlap, a further victim may lower the number of violations, so that it is known only for a
	// complete set.
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

	// The start is that of the victims of the highest priority. By the caller's order the top priority is
	// that of the first victim, so that a higher one may make the start better without making the top
	// priority worse.
	score := x.attempt.ScoreOf(x.space, violations)
	if !complete && x.terms.Importance != nil {
		score.Start = rank.Never
	}
	order, _ := x.attempt.CompareByRanks(&score.Figures, &x.bestScore.Figures)
	return order >= 0
}

// appendSure appends the pods that are certainly victims: those taken, and those behind index at that have to
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

// meet asks the filters about the complete set in node.taken, and keeps it if it is the best so far.
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

// afresh asks the node in a copy of the cluster without the victims. A filter that follows the removal of
// pods may see room where there is none: it frees a port or claim of several pods with the first that leaves
// (rules 7.6.7 and 7.8.5).
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
