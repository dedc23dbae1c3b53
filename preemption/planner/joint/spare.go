package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// spare returns the solution without the victims that could stay (rule 25.1.7), or the same solution if all are
// needed. It runs whether or not the limit is reached or the context has ended.
//
// A victim that was needed at its turn may be idle once the victims of later pods are gone, too. One pass is
// usually enough, because with fewer victims the others are usually needed. The loop ends: each further pass has
// fewer victims than the one before, or marks more victims that have to leave.
func (r *run) spare(s *solution) *solution {
	leave := map[*outrank.Pod]bool{} // first pods of units that have to leave although they are idle
	for r.err == nil {
		units := r.idle(r.turns(s), leave)
		if len(units) == 0 {
			return s
		}

		// If possible all idle units stay, and otherwise the most important one that can. A unit that cannot
		// stay is marked, so that the next pass finds units that are idle with this one gone.
		next := r.lighter(s, slices.Concat(units...))
		for i := 0; next == nil && i < len(units); i++ {
			if len(units) > 1 {
				next = r.lighter(s, units[i])
			}
			if next == nil {
				leave[units[i][0]] = true
			}
		}

		// The marks were made for the previous set of victims, and prove nothing for the new one.
		if next != nil {
			s = next
			clear(leave)
		}
	}
	return s
}

// idle lists units of victims that could all be back together after the plan: every pod that fits without them fits
// beside them. The most important units come first. Units whose first pod is in leave are skipped.
func (r *run) idle(turns []turn, leave map[*outrank.Pod]bool) [][]*outrank.Pod {
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.misfitsAtEnd(after, turns, nil, nil)
	var out [][]*outrank.Pod
	for _, unit := range r.unitsOf(turns) {
		if leave[unit[0]] {
			continue
		}

		// An idle unit stays in after, so that the next units are tested beside it.
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

// bringBack puts a victim back on the node where it ran before the plan.
func (r *run) bringBack(after *engine.Snapshot, victim *outrank.Pod) {
	back := *victim
	back.NodeName = r.plain.NodeOf(victim.Key())
	_, err := after.PutPod(&back)
	r.fail(err)
}

// unitsOf groups the victims of the turns into units that leave together at one turn. The units are sorted by the
// importance of their first victims, the most important first.
func (r *run) unitsOf(turns []turn) [][]*outrank.Pod {
	// Each victim joins the unit of its turn with which it leaves, or begins a new one.
	var out [][]*outrank.Pod
	for _, t := range turns {
		begin := len(out) // index of the first unit of this turn
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

	// A unit is as important as its first pod, so units are sorted by sorting these.
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

// misfitsAtEnd lists the pods, by position in the queue, that do not fit on their nodes beside all others once the
// whole plan is carried out (after).
//
// back lists victims that have been put back there. Then nodes are only asked about pods that these victims can
// affect. For the others the earlier answer holds: lacked lists the pods that did not fit without the victims.
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

		// The pod is unbound for the question, because a node is asked about pending pods.
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

// canMatterTo reports whether victims that are back can affect whether the pod of a turn fits: they run on its node,
// or have anti-affinity, or the pod is coupled.
func (r *run) canMatterTo(t turn, back []*outrank.Pod) bool {
	if r.queue[t.position].coupled() {
		return true
	}
	return slices.ContainsFunc(back, func(v *outrank.Pod) bool {
		return len(v.Affinity.PodAntiAffinity) > 0 || r.plain.NodeOf(v.Key()) == r.nodes[t.node].Name
	})
}

// subset reports whether every number of some is in all.
func subset(some, all []int) bool {
	return !slices.ContainsFunc(some, func(i int) bool { return !slices.Contains(all, i) })
}

// lighter returns the solution with some of its victims staying, or nil if they have to leave. Each of the other
// victims leaves at the turn at which it is needed (rule 25.1.3). If no such plan is found, they leave for the same
// pods as before.
func (r *run) lighter(s *solution, stay []*outrank.Pod) *solution {
	if len(stay) == 0 || r.err != nil {
		return nil
	}
	stays := make(map[*outrank.Pod]bool, len(stay))
	for _, v := range stay {
		stays[v] = true
	}
	left := s.without(stays)

	// First attempt: choose the victims again for the same places, and prefer those that are left.
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

	// Choosing again may have found new victims, and sparing some must not evict others instead.
	addsVictim := func(next *solution) bool {
		return slices.ContainsFunc(next.victims(), func(v *outrank.Pod) bool { return !leaves[v] })
	}
	if next != nil && !addsVictim(next) && r.noWorse(next, s) {
		return next
	}

	// Second attempt: the same pods evict the victims that are left.
	left.kept = s.kept
	left.total = r.totals.total(left.victims())
	if r.guarded(r.turns(left)) && r.noWorse(left, s) {
		return left
	}
	return nil
}

// noWorse reports whether every pod that fits at once in one solution also fits in next, and the total of next is no
// worse. Even with fewer victims a total can be worse: if the ranks begin with the start, or if several budgets
// cover a victim (rule 6.3.8).
func (r *run) noWorse(next, than *solution) bool {
	// Without moves the totals are final, so a worse one settles the answer without asking any node.
	if order, _ := r.totals.compare(next.total, than.total); order > 0 && r.totals.lossCosts == nil {
		return false
	}
	if !subset(r.misfitsAtOnce(next), r.misfitsAtOnce(than)) {
		return false
	}

	// With moves the fates of the victims change the total, so it is compared once they are known.
	if r.totals.lossCosts != nil && !r.findFatesAfter(next, quickBeyondLimit) {
		return false
	}
	order, _ := r.totals.compare(next.total, than.total)
	return order <= 0
}

// misfitsAtOnce lists the pods, by position in the queue, that do not fit beside the pods before them once all
// victims are gone (rule 25.1.4).
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

// guarded reports whether the caller's guard allows the victims of each pod to leave together at the pod's turn. It
// is true without a guard.
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

// assign lets each victim leave for a pod that still needs its room after the whole plan (rule 25.1.5). The pod that
// evicts it may fit beside it once the victims of later pods are gone. The victim is then reassigned to the first
// pod, in the order of the plan, that needs its room and may evict it.
//
// The same solution is returned if no victim is reassigned, and if the guard, or the nominations that end with a
// victim, do not allow the change.
func (r *run) assign(s *solution) *solution {
	// Who needs a victim's room is asked in the cluster after the whole plan.
	turns := r.turns(s)
	after := r.plain.Clone()
	r.carryOut(after, turns)
	lacked := r.misfitsAtEnd(after, turns, nil, nil)

	moved := map[*outrank.Pod]bool{}
	gains := make([][]*outrank.Pod, len(s.spots)) // by member, the units that it evicts instead
	for _, unit := range r.unitsOf(turns) {
		// If the evicting pod needs the unit's room in the end, nothing changes.
		misfits := r.misfitsWithBack(after, turns, unit, lacked)
		if slices.Contains(misfits, r.evictor(turns, unit[0])) {
			continue
		}

		// The first pod that needs the room and may evict the unit gets it.
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

	// The set of victims is the same, so the total and the fates are.
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

// evictor returns the position in the queue of the pod that evicts a victim.
func (r *run) evictor(turns []turn, victim *outrank.Pod) int {
	return turns[slices.IndexFunc(turns, func(t turn) bool { return slices.Contains(t.victims, victim) })].position
}

// mayEvict reports whether a unit runs on the node, and all its pods are possible victims of the member there.
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

// misfitsWithBack is misfitsAtEnd with some victims put back. It leaves after as it was.
func (r *run) misfitsWithBack(after *engine.Snapshot, turns []turn, back []*outrank.Pod, lacked []int) []int {
	mark := after.Mark()
	defer func() { r.fail(after.Undo(mark)) }()
	for _, v := range back {
		r.bringBack(after, v)
	}
	return r.misfitsAtEnd(after, turns, back, lacked)
}
