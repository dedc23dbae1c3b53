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
// A victim that was needed when it left may no longer be once those of later pods are gone, too. With
// fewer victims the others are mostly needed still, so that one pass over them is mostly enough; each
// further one has fewer victims than the one before it, or more of them that have to leave after all.
func (r *run) spare(s *solution) *solution {
	leave := map[*outrank.Pod]bool{} // victims that had to leave though they were idle
	for r.err == nil {
		units := r.idle(r.turns(s), leave)
		if len(units) == 0 {
			return s
		}
		next := r.lighter(s, slices.Concat(units...))
		for i := 0; next == nil && i < len(units); i++ { // some of them may stay though not all do
			if len(units) > 1 {
				next = r.lighter(s, units[i])
			}
			if next == nil { // another one, which is idle where this one is not back, may stay in its place
				leave[units[i][0]] = true
			}
		}
		if next != nil {
			s = next
			clear(leave)
		}
	}
	return s
}

// idle lists units of victims with all of which back everyone fits who would fit without them. A unit of
// which the first one has to leave is not among them.
func (r *run) idle(turns []turn, leave map[*outrank.Pod]bool) [][]*outrank.Pod {
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.lacking(after, turns, nil, nil)
	var out [][]*outrank.Pod
	for _, unit := range r.unitsOf(turns) {
		if leave[unit[0]] {
			continue
		}
		mark := after.Mark()
		for _, v := range unit {
			r.bringBack(after, v)
		}
		if r.err != nil || !subset(r.lacking(after, turns, unit, lacked), lacked) {
			r.fail(after.Undo(mark))
			continue
		}
		out = append(out, unit)
	}
	return out
}

// bringBack has a victim run again on the node where it runs before the plan.
func (r *run) bringBack(after *engine.Snapshot, victim *outrank.Pod) {
	back := *victim
	back.NodeName = r.plain.NodeOf(victim.Key())
	_, err := after.PutPod(&back)
	r.fail(err)
}

// unitsOf groups the victims that leave together, the most important first.
func (r *run) unitsOf(turns []turn) [][]*outrank.Pod {
	var out [][]*outrank.Pod
	for _, at := range turns {
		begin := len(out)
		for _, v := range at.victims {
			k := slices.IndexFunc(out[begin:], func(unit []*outrank.Pod) bool {
				return r.grouped && v.Group != "" && leaveTogether(r.plain, unit[0], v)
			})
			if k < 0 {
				k, out = len(out)-begin, append(out, nil)
			}
			out[begin+k] = append(out[begin+k], v)
		}
	}

	place := map[*outrank.Pod]int{}
	var leaders []*outrank.Pod
	for _, unit := range out {
		leaders = append(leaders, unit[0])
	}
	r.totals.sort(leaders)
	for i, v := range leaders {
		place[v] = i
	}
	slices.SortFunc(out, func(a, b []*outrank.Pod) int { return place[a[0]] - place[b[0]] })
	return out
}

// lacking lists the pods, by their place in the queue, that their nodes do not take beside all others in
// a cluster in which a plan is carried out. Where pods are back that were victims, it asks only those
// whose answer they can change: the others are as they were without, of whom these lacked room.
func (r *run) lacking(after *engine.Snapshot, turns []turn, back []*outrank.Pod, lacked []int) []int {
	var out []int
	for _, at := range turns {
		if at.node < 0 || r.err != nil {
			continue
		}
		if back != nil && !r.minds(at, back) {
			if slices.Contains(lacked, at.at) {
				out = append(out, at.at)
			}
			continue
		}
		mark := after.Mark()
		pod := r.pods[at.at]
		r.fail(after.Bind(pod.Key(), ""))
		if !r.takesNow(after, pod, at.node) {
			out = append(out, at.at)
		}
		r.fail(after.Undo(mark))
	}
	return out
}

// minds reports whether pods that stay can matter to a pod: on its node, or from another one where a
// filter looks from node to node.
func (r *run) minds(at turn, back []*outrank.Pod) bool {
	if r.all[at.at].coupled() {
		return true
	}
	return slices.ContainsFunc(back, func(v *outrank.Pod) bool {
		return len(v.Affinity.PodAntiAffinity) > 0 || r.plain.NodeOf(v.Key()) == r.nodes[at.node].Name
	})
}

// subset reports whether all of some numbers are among others.
func subset(some, all []int) bool {
	return !slices.ContainsFunc(some, func(i int) bool { return !slices.Contains(all, i) })
}

// lighter returns the solution without some of its victims, nil where they have to leave after all. It
// first has the others leave when a pod needs them (rule 25.1.3), and where that does not work for
// whom they left by then.
func (r *run) lighter(s *solution, stay []*outrank.Pod) *solution {
	if len(stay) == 0 || r.err != nil {
		return nil
	}
	stays := make(map[*outrank.Pod]bool, len(stay))
	for _, v := range stay {
		stays[v] = true
	}
	left := s.without(stays)

	leaves, assigned := map[*outrank.Pod]bool{}, make([]int, len(left.spots))
	for _, v := range left.victims() {
		leaves[v] = true
	}
	for i, at := range left.spots {
		assigned[i] = at.node
	}
	next := r.rebuild(assigned, leaves, nil)
	if next != nil {
		next.kept = s.kept
	}
	if next != nil && !slices.ContainsFunc(next.victims(), func(v *outrank.Pod) bool { return !leaves[v] }) && r.noWorse(next, s) {
		return next
	}
	left.kept, left.total = s.kept, r.totals.total(left.victims())
	if r.guarded(r.turns(left)) && r.noWorse(left, s) {
		return left
	}
	return nil
}

// noWorse reports whether a solution has everyone fit who fits by another one, in the same order, and
// comes to no more. Fewer victims come to more where the ranks begin with the start, or where a budget
// of several shrinks with them (rule 6.3.8).
func (r *run) noWorse(next, than *solution) bool {
	if order, _ := r.totals.compare(next.total, than.total); order > 0 && r.totals.moves == nil {
		return false
	}
	if !subset(r.late(next), r.late(than)) {
		return false
	}
	if r.totals.moves != nil && !r.movedAfter(next, first) {
		return false
	}
	order, _ := r.totals.compare(next.total, than.total)
	return order <= 0
}

// late lists the pods that do not fit beside those before them once all victims are gone.
func (r *run) late(s *solution) []int {
	mark := r.plain.Mark()
	defer func() { r.fail(r.plain.Undo(mark)) }()
	turns := r.turns(s)
	r.clearOut(r.plain, turns)
	var out []int
	for _, at := range turns {
		if at.node < 0 || r.err != nil {
			continue
		}
		pod := r.pods[at.at]
		if !r.takesNow(r.plain, pod, at.node) {
			out = append(out, at.at)
		}
		r.fail(r.plain.Bind(pod.Key(), r.nodes[at.node].Name))
	}
	return out
}

// guarded reports whether the caller's guard lets the victims of each pod leave together, as things are
// at its turn.
func (r *run) guarded(turns []turn) bool {
	if r.eval.Config().Guard == nil {
		return true
	}
	mark := r.snap.Mark()
	defer func() { r.undo(mark) }()
	for i, at := range turns {
		guard := r.guard(r.pods[at.at])
		if guard == nil {
			return false
		}
		r.leave(guard, at.victims)
		if len(at.victims) > 0 && guard.Check().Code != preemption.Success {
			return false
		}
		r.carryOut(r.snap, turns[i:i+1])
	}
	return r.err == nil
}

// assign has each victim leave for a pod that needs it in the end (rule 25.1.5). The pod at whose turn it
// left may fit beside it once the victims of later ones are gone; it then leaves for the first of those
// that need it and may evict it. Nothing changes where the nominations that end with a victim, or the
// caller's guard, mind for whom it leaves.
func (r *run) assign(s *solution) *solution {
	turns := r.turns(s)
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.lacking(after, turns, nil, nil)
	moved := map[*outrank.Pod]bool{}
	gains := make([][]*outrank.Pod, len(s.spots))
	for _, unit := range r.unitsOf(turns) {
		lacking := r.lackingWith(after, turns, unit, lacked)
		if slices.Contains(lacking, r.evictor(turns, unit[0])) {
			continue
		}
		for i, at := range s.spots {
			if slices.Contains(lacking, r.members[i].at) && r.mayEvict(i, at.node, unit) {
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

	next := s.without(moved)
	for i := range next.spots {
		next.spots[i].victims = append(next.spots[i].victims, gains[i]...)
	}
	next.kept, next.total, next.after = s.kept, s.total, s.after
	if !r.guarded(r.turns(next)) || !subset(r.late(next), r.late(s)) {
		return s
	}
	return next
}

// evictor returns the place in the queue of the pod for which a victim leaves.
func (r *run) evictor(turns []turn, victim *outrank.Pod) int {
	return turns[slices.IndexFunc(turns, func(at turn) bool { return slices.Contains(at.victims, victim) })].at
}

// mayEvict reports whether all of some victims run on a node and may leave it for a member.
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

// lackingWith lists the pods that their nodes do not take beside all others and victims that stay.
func (r *run) lackingWith(after *engine.Snapshot, turns []turn, back []*outrank.Pod, lacked []int) []int {
	mark := after.Mark()
	defer func() { r.fail(after.Undo(mark)) }()
	for _, v := range back {
		r.bringBack(after, v)
	}
	return r.lacking(after, turns, back, lacked)
}
