package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// prover goes through every plan that there is, but for those that cannot be better than
// the best one found (rule 25.4.4).
type prover struct {
	*draft
	best *solution
	// spots are those of the members that are placed so far, victims all that leave for them.
	spots   []spot
	victims []*outrank.Pod
}

// option is one way to place a member, with the total of all victims so far.
type option struct {
	spot
	total total
}

// prove returns the best plan, and whether it is certain that none is better.
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
		// The victims of the members to come only add to these.
		if !x.totals.mayBeat(o.total, x.best.total) {
			continue
		}
		mark, ok := x.draft.place(i, o.spot)
		if !ok {
			continue
		}

		x.spots = append(x.spots, o.spot)
		x.victims = append(x.victims, o.victims...)
		x.placeFrom(i + 1)
		x.spots = x.spots[:i]
		x.victims = x.victims[:len(x.victims)-len(o.victims)]
		x.undo(mark)
	}
}

// affordableOptions lists the options of a member. If those of the first of several pods take an eighth of
// all questions, there is no hope to go through all plans, and none are wasted on it: the lowered limit stays,
// and ends the proof.
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

// offer compares a whole plan with the best one. A plan that falls apart once all victims
// are gone at the same time does not count (rule 25.1.4).
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

	// On a node that takes the member nobody leaves (rule 25.1.3), so there is one option.
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

	// The best first find good plans soon, by which the later ones are left out.
	slices.SortStableFunc(out, func(o, p option) int {
		order, _ := x.totals.compare(o.total, p.total)
		return order
	})
	return out
}

// firstNode returns the first node to try for a member. Pods that are alike are put on nodes in order: any
// other plan is one of these with their names changed. That is not so where what happens on one node can
// matter on another.
func (x *prover) firstNode(i int) int {
	if i == 0 || x.coupled || x.members[i].kind != x.members[i-1].kind {
		return 0
	}
	return x.spots[i-1].node
}

// appendSets appends an option for each set of victims on a node without which the pod fits, and would not with any
// one of them back (rule 25.1.3). The units are decided on one after the other, the most
// important first. Units without a decision are gone, so the pod has the most room that it can still have.
//
// Two bounds prune. Where the pod does not fit with the most room, it fits with no further unit back either.
// Where the victims so far cannot beat the best plan, no set that contains them can. The first bound does not hold
// for a loose pod, because less room can be better for it.
func (x *prover) appendSets(a *ask, out []option) []option {
	a.removeAll()
	if !a.member.loose && !a.fits() {
		return out
	}

	var gone []*outrank.Pod // of the units that are decided on
	var decide func(u int)
	decide = func(u int) {
		if x.spent() {
			return
		}
		// A unit that was decided to leave may not be needed without those decided on after it.
		if u == len(a.units) {
			if x.allNeeded(a) {
				all := slices.Concat(x.victims, gone)
				out = append(out, option{spot{a.node, slices.Clone(gone)}, x.totals.total(all)})
			}
			return
		}

		a.gone[u] = false
		if a.member.loose || a.fits() {
			decide(u + 1)
		}

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

// allNeeded reports whether the pod fits, and would not with any one of the units back that are gone.
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
