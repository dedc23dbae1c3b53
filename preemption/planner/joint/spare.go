package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// spare returns a solution without the victims that could stay (rule 25.1.7), and the solution itself
// where all are needed. Neither the limit nor the end of the context keeps a victim.
//
// A victim that was needed when it left may no longer be once those of later pods are gone, too. One pass is
// mostly enough, because with fewer victims the others are mostly needed. The loop ends: each further pass has
// fewer victims than the one before it, or marks more of them that have to leave after all.
func (r *run) spare(s *solution) *solution {
	leave := map[*outrank.Pod]bool{} // victims that had to leave though they were idle
	for r.err == nil {
		units := r.idle(r.turns(s), leave)
		if len(units) == 0 {
			return s
		}

		// All that are idle stay, or else the most important that can. A unit that cannot is marked: where it
		// is gone, another one that is idle may stay in its place.
		next := r.lighter(s, slices.Concat(units...))
		for i := 0; next == nil && i < len(units); i++ {
			if len(units) > 1 {
				next = r.lighter(s, units[i])
			}
			if next == nil {
				leave[units[i][0]] = true
			}
		}

		// The marks were made beside other victims, and say nothing of these.
		if next != nil {
			s = next
			clear(leave)
		}
	}
	return s
}

// idle lists units of victims that can all be back together, and everyone fits who fits without them. The
// most important units come first. Units whose first pod is in leave are passed over.
func (r *run) idle(turns []turn, leave map[*outrank.Pod]bool) [][]*outrank.Pod {
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.misfitsAtEnd(after, turns, nil, nil)
	var out [][]*outrank.Pod
	for _, unit := range r.unitsOf(turns) {
		if leave[unit[0]] {
			continue
		}

		// An idle unit stays in after, so that the next one is asked about beside it.
		mark := after.Mark()
		for _, v := range unit {
			r.bringBack(after, v)
		}
		if r.err != nil || !subset(r.misfitsAtEnd(after, turns, unit, lacked), lacked) {
			r.fail(after.Undo(mark))
			continue
		}
		out = append(out, unit)
	}
	return out
}

// bringBack puts a victim back on the node where it runs before the plan.
func (r *run) bringBack(after *engine.Snapshot, victim *outrank.Pod) {
	back := *victim
	back.NodeName = r.plain.NodeOf(victim.Key())
	_, err := after.PutPod(&back)
	r.fail(err)
}

// unitsOf groups the victims that leave together at one turn. The units are sorted by the importance of their
// first victims, the most important first.
func (r *run) unitsOf(turns []turn) [][]*outrank.Pod {
	var out [][]*outrank.Pod
	for _, t := range turns {
		begin := len(out) // of the units of this turn
		for _, v := range t.victims {
			k := slices.IndexFunc(out[begin:], func(unit []*outrank.Pod) bool {
				return r.grouped && v.Group != "" && leaveTogether(r.plain, unit[0], v)
			})
			if k < 0 {
				k = len(out) - begin
				out = append(out, nil)
			}
			out[begin+k] = append(out[begin+k], v)
		}
	}

	// A unit is as important as its first pod.
	var leaders []*outrank.Pod
	for _, unit := range out {
		leaders = append(leaders, unit[0])
	}
	r.totals.sort(leaders)
	place := map[*outrank.Pod]int{}
	for i, v := range leaders {
		place[v] = i
	}
	slices.SortFunc(out, func(a, b []*outrank.Pod) int { return place[a[0]] - place[b[0]] })
	return out
}

// misfitsAtEnd lists the pods, by their positions in the queue, that their nodes do not take beside all others
// in a cluster in which a plan is carried out.
//
// back lists victims that are back there. Then only the pods whose answer they can change are asked. The
// others answer as they do without, and lacked lists those of them that do not fit.
func (r *run) misfitsAtEnd(after *engine.Snapshot, turns []turn, back []*outrank.Pod, lacked []int) []int {
	var out []int
	for _, t := range turns {
		if t.node < 0 || r.err != nil {
			continue
		}
		if back != nil && !r.canMatterTo(t, back) {
			if slices.Contains(lacked, t.position) {
				out = append(out, t.position)
			}
			continue
		}

		// The pod is taken off its node to be asked about as one that waits.
		mark := after.Mark()
		pod := r.pods[t.position]
		r.fail(after.Bind(pod.Key(), ""))
		if !r.takesNow(after, pod, t.node) {
			out = append(out, t.position)
		}
		r.fail(after.Undo(mark))
	}
	return out
}

// canMatterTo reports whether pods that stay can matter to the pod of a turn: because they run on its node,
// or because a filter looks from node to node.
func (r *run) canMatterTo(t turn, back []*outrank.Pod) bool {
	if r.queue[t.position].coupled() {
		return true
	}
	return slices.ContainsFunc(back, func(v *outrank.Pod) bool {
		return len(v.Affinity.PodAntiAffinity) > 0 || r.plain.NodeOf(v.Key()) == r.nodes[t.node].Name
	})
}

// subset reports whether all of some numbers are among others.
func subset(some, all []int) bool {
	return !slices.ContainsFunc(some, func(i int) bool { return !slices.Contains(all, i) })
}

// lighter returns the solution without some of its victims, nil where they have to leave after all. The
// others leave at the turn at which a pod needs them (rule 25.1.3). Where that does not work they leave for
// the same pods as before.
func (r *run) lighter(s *solution, stay []*outrank.Pod) *solution {
	if len(stay) == 0 || r.err != nil {
		return nil
	}
	stays := make(map[*outrank.Pod]bool, len(stay))
	for _, v := range stay {
		stays[v] = true
	}
	left := s.without(stays)

	// The places stay, and the victims that are left are preferred.
	leaves := map[*outrank.Pod]bool{}
	for _, v := range left.victims() {
		leaves[v] = true
	}
	assigned := make([]int, len(left.spots))
	for i, at := range left.spots {
		assigned[i] = at.node
	}
	next := r.rebuild(assigned, leaves, nil)
	if next != nil {
		next.kept = s.kept
	}

	// Rebuilding may have found other victims, and those that stay must not be exchanged for them.
	addsVictim := func(next *solution) bool {
		return slices.ContainsFunc(next.victims(), func(v *outrank.Pod) bool { return !leaves[v] })
	}
	if next != nil && !addsVictim(next) && r.noWorse(next, s) {
		return next
	}

	// Otherwise the same pods evict the victims that are left.
	left.kept = s.kept
	left.total = r.totals.total(left.victims())
	if r.guarded(r.turns(left)) && r.noWorse(left, s) {
		return left
	}
	return nil
}

// noWorse reports whether everyone fits by a solution who fits by another one, at the same turns, and whether
// its total is no worse. Fewer victims can have a worse total: where the ranks begin with the start, or where
// a budget shrinks with them that is one of several (rule 6.3.8).
func (r *run) noWorse(next, than *solution) bool {
	// Without moves the totals are final, and spare the questions to the nodes.
	if order, _ := r.totals.compare(next.total, than.total); order > 0 && r.totals.lossCosts == nil {
		return false
	}
	if !subset(r.misfitsAtOnce(next), r.misfitsAtOnce(than)) {
		return false
	}

	// What becomes of the victims changes the total.
	if r.totals.lossCosts != nil && !r.findFatesAfter(next, quickBeyondLimit) {
		return false
	}
	order, _ := r.totals.compare(next.total, than.total)
	return order <= 0
}

// misfitsAtOnce lists the pods, by their positions in the queue, that do not fit beside those before them once
// all victims are gone (rule 25.1.4).
func (r *run) misfitsAtOnce(s *solution) []int {
	mark := r.plain.Mark()
	defer func() { r.fail(r.plain.Undo(mark)) }()
	turns := r.turns(s)
	r.clearOut(r.plain, turns)

	var out []int
	for _, t := range turns {
		if t.node < 0 || r.err != nil {
			continue
		}
		pod := r.pods[t.position]
		if !r.takesNow(r.plain, pod, t.node) {
			out = append(out, t.position)
		}
		r.fail(r.plain.Bind(pod.Key(), r.nodes[t.node].Name))
	}
	return out
}

// guarded reports whether the caller's guard allows that the victims of each pod leave together, as things
// are at its turn.
func (r *run) guarded(turns []turn) bool {
	if r.eval.Config().Guard == nil {
		return true
	}

	mark := r.snap.Mark()
	defer func() { r.undo(mark) }()
	for i, t := range turns {
		guard := r.guard(r.pods[t.position])
		if guard == nil {
			return false
		}
		r.leave(guard, t.victims)
		if len(t.victims) > 0 && guard.Check().Code != preemption.Success {
			return false
		}
		r.carryOut(r.snap, turns[i:i+1])
	}
	return r.err == nil
}

// assign has each victim leave for a pod that needs it in the end (rule 25.1.5). The pod at whose turn it
// left may fit beside it once the victims of later pods are gone. It then leaves for the first of the pods
// that need it and may evict it. The solution is returned as it is where nothing moves, and where it matters
// for whom a victim leaves: to the nominations that end with it, or to the caller's guard.
func (r *run) assign(s *solution) *solution {
	turns := r.turns(s)
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.misfitsAtEnd(after, turns, nil, nil)
	moved := map[*outrank.Pod]bool{}
	gains := make([][]*outrank.Pod, len(s.spots)) // by member
	for _, unit := range r.unitsOf(turns) {
		// The pod that evicts the unit needs it.
		misfits := r.misfitsWithBack(after, turns, unit, lacked)
		if slices.Contains(misfits, r.evictor(turns, unit[0])) {
			continue
		}
		for i, at := range s.spots {
			if slices.Contains(misfits, r.members[i].position) && r.mayEvict(i, at.node, unit) {
				gains[i] = append(gains[i], unit...)
				for _, v := range unit {
					moved[v] = true
				}
				break
			}
		}
	}
	if len(moved) == 0 || r.err != nil {
		return s
	}

	// The same victims leave, so the total and their fates stay.
	next := s.without(moved)
	for i := range next.spots {
		next.spots[i].victims = append(next.spots[i].victims, gains[i]...)
	}
	next.kept = s.kept
	next.total = s.total
	next.after = s.after
	if !r.guarded(r.turns(next)) || !subset(r.misfitsAtOnce(next), r.misfitsAtOnce(s)) {
		return s
	}
	return next
}

// evictor returns the position in the queue of the pod for which a victim leaves.
func (r *run) evictor(turns []turn, victim *outrank.Pod) int {
	return turns[slices.IndexFunc(turns, func(t turn) bool { return slices.Contains(t.victims, victim) })].position
}

// mayEvict reports whether all pods of a unit run on the node and may leave it for a member.
func (r *run) mayEvict(i, node int, unit []*outrank.Pod) bool {
	if !r.members[i].evicts || r.plain.NodeOf(unit[0].Key()) != r.nodes[node].Name {
		return false
	}
	lookAt := r.lookFor(i)
	if lookAt == nil {
		return false
	}
	view, err := lookAt(r.nodes[node].Name)
	if err != nil {
		r.fail(err)
		return false
	}

	possible := view.Possible()
	return !slices.ContainsFunc(unit, func(v *outrank.Pod) bool { return !slices.Contains(possible, v) })
}

// misfitsWithBack lists the pods that their nodes do not take beside all others once some victims are back.
// after is unchanged in the end.
func (r *run) misfitsWithBack(after *engine.Snapshot, turns []turn, back []*outrank.Pod, lacked []int) []int {
	mark := after.Mark()
	defer func() { r.fail(after.Undo(mark)) }()
	for _, v := range back {
		r.bringBack(after, v)
	}
	return r.misfitsAtEnd(after, turns, back, lacked)
}
