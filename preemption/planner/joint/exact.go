package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// prover searches all plans exhaustively, except those that cannot be better than the best one found
// (rule 25.4.4).
type prover struct {
	*draft
	best *solution
	// spots has the places of the members placed so far, and victims all pods that leave for them.
	spots   []spot
	victims []*outrank.Pod
}

// option is one way to place a member, with the total of all victims so far.
type option struct {
	spot
	total total
}

// prove returns the best plan found. certain reports whether the search ended within the limit, so that no plan is
// better.
func (b *draft) prove(s *solution) (best *solution, certain bool) {
	b.proving = true
	defer func() { b.proving = false }()
	x := &prover{draft: b, best: s}
	x.placeFrom(0)
	return x.best, !b.spent()
}

// placeFrom tries every way to place the members from the i-th on.
func (x *prover) placeFrom(i int) {
	if i == len(x.members) {
		x.offer()
		return
	}
	for _, o := range x.affordableOptions(i) {
		if x.spent() {
			return
		}
		// The best plan may have improved since the options were listed. The victims of later members only add to
		// these.
		if !x.totals.mayBeat(o.total, x.best.total) {
			continue
		}

		mark, ok := x.draft.place(i, o.spot)
		if !ok {
			continue
		}

		// The recursion sees the member placed; afterwards everything is as before.
		x.spots = append(x.spots, o.spot)
		x.victims = append(x.victims, o.victims...)
		x.placeFrom(i + 1)
		x.spots = x.spots[:i]
		x.victims = x.victims[:len(x.victims)-len(o.victims)]
		x.undo(mark)
	}
}

// affordableOptions lists the options of a member. For the first of several members it may use only an eighth of
// the limit: if that is not enough, searching all plans is hopeless. The lowered limit then stays, and so ends
// the proof at once.
func (x *prover) affordableOptions(i int) []option {
	if i > 0 || len(x.members) == 1 {
		return x.options(i)
	}
	limit := x.limit
	x.limit = limit/8 + 1
	out := x.options(i)
	if !x.spent() {
		x.limit = limit
	}
	return out
}

// offer makes a complete plan the best one if it is better and holds with all victims gone at the same time
// (rule 25.1.4).
func (x *prover) offer() {
	s := &solution{spots: slices.Clone(x.spots), total: x.totals.total(x.victims)}
	if x.beats(s, x.best.total) {
		x.best = s
	}
}

// options lists every way to place a member, the best first.
func (x *prover) options(i int) []option {
	lookAt := x.lookFor(i)
	if lookAt == nil {
		return nil
	}

	// If the node takes the member, nobody may leave for it (rule 25.1.3), so there is only one option.
	var out []option
	for node := x.firstNode(i); node < len(x.nodes) && !x.spent(); node++ {
		a, says := x.ask(lookAt, i, node)
		switch says {
		case takes:
			out = append(out, option{spot{node: node}, x.totals.total(x.victims)})
		case short:
			out = x.appendSets(a, out)
		}
	}

	// Trying the best options first finds good plans early, and these prune the later options.
	slices.SortStableFunc(out, func(o, p option) int {
		order, _ := x.totals.compare(o.total, p.total)
		return order
	})
	return out
}

// firstNode returns the first node to try for a member. Members of one kind are only tried on nodes in ascending
// order, because any other plan differs from one of these only in their names. In a coupled draft the order can
// matter, so every node is tried.
func (x *prover) firstNode(i int) int {
	if i == 0 || x.coupled || x.members[i].kind != x.members[i-1].kind {
		return 0
	}
	return x.spots[i-1].node
}

// appendSets appends an option for each minimal set of victims on a node: the member fits without them, and does
// not fit with any one unit back (rule 25.1.3). The search decides about one unit after the other, the most
// important first. Undecided units are gone, so the member has the most room that it can still get.
//
// Two bounds prune. If the member does not fit with this room, it does not fit with further units back either.
// If the victims decided on cannot beat the best plan, no larger set can. The first bound does not hold for a
// loose member, which may fit better with less room.
func (x *prover) appendSets(a *ask, out []option) []option {
	a.removeAll()
	if !a.member.loose && !a.fits() {
		return out
	}

	var gone []*outrank.Pod // the victims decided on so far
	var decide func(u int)
	decide = func(u int) {
		if x.spent() {
			return
		}
		// A unit that was chosen to leave may turn out not to be needed once units after it were chosen, too.
		if u == len(a.units) {
			if x.allNeeded(a) {
				all := slices.Concat(x.victims, gone)
				out = append(out, option{spot{a.node, slices.Clone(gone)}, x.totals.total(all)})
			}
			return
		}

		// First with the unit back, if the member still fits.
		a.gone[u] = false
		if a.member.loose || a.fits() {
			decide(u + 1)
		}

		// Then with the unit as a victim, if that can still beat the best plan.
		a.gone[u] = true
		gone = append(gone, a.units[u]...)
		if x.totals.mayBeat(x.totals.total(slices.Concat(x.victims, gone)), x.best.total) {
			decide(u + 1)
		}
		gone = gone[:len(gone)-len(a.units[u])]
	}
	decide(0)
	return out
}

// allNeeded reports whether the member fits with the marked units gone, and does not fit with any one of them back.
func (x *prover) allNeeded(a *ask) bool {
	if !a.fits() {
		return false
	}
	for u, gone := range a.gone {
		if !gone {
			continue
		}
		a.gone[u] = false
		fits := a.fits()
		a.gone[u] = true
		if fits {
			return false
		}
	}
	return true
}
