package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// prover goes through every plan that there is, but for those that cannot be better than
// the best one found (rule 25.4.4).
type prover struct {
	*draft
	best    *solution
	spots   []spot
	victims []*outrank.Pod
}

// option is one way to place a member.
type option struct {
	spot
	total total
}

// prove returns the best plan, and whether it is that for certain.
func (b *draft) prove(s *solution) (best *solution, certain bool) {
	b.proving = true
	defer func() { b.proving = false }()
	x := &prover{draft: b, best: s}
	x.place(0)
	return x.best, !b.spent()
}

// place tries every way to place the members from the i-th on.
func (x *prover) place(i int) {
	if i == len(x.members) {
		x.offer()
		return
	}
	for _, o := range x.begin(i) {
		if x.spent() {
			return
		}
		if !x.totals.mayBeat(o.total, x.best.total) {
			continue
		}
		mark, ok := x.draft.place(i, o.spot)
		if !ok {
			continue
		}
		x.spots, x.victims = append(x.spots, o.spot), append(x.victims, o.victims...)
		x.place(i + 1)
		x.spots, x.victims = x.spots[:i], x.victims[:len(x.victims)-len(o.victims)]
		x.undo(mark)
	}
}

// begin lists the options of a member. If those of the first of several pods take an eighth
// of all questions, there is no hope to go through all plans, and none are wasted on it.
func (x *prover) begin(i int) []option {
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

// offer compares a whole plan with the best one. Plans that fall apart once all victims
// are gone at the same time do not count.
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
	var out []option
	for node := x.first(i); node < len(x.nodes) && !x.spent(); node++ {
		a, says := x.ask(lookAt, i, node)
		switch says {
		case takes:
			out = append(out, option{spot{node: node}, x.totals.total(x.victims)})
		case short:
			out = x.sets(a, out)
		}
	}
	slices.SortStableFunc(out, func(o, p option) int {
		order, _ := x.totals.compare(o.total, p.total)
		return order
	})
	return out
}

// first is the first node to try. Pods that are alike are put on nodes in order, unless
// what happens on one node can matter on another: any other plan is one of these with the
// names changed.
func (x *prover) first(i int) int {
	if i == 0 || x.coupled || x.members[i].kind != x.members[i-1].kind {
		return 0
	}
	return x.spots[i-1].node
}

// sets appends an option for each set of victims on a node with which the pod fits and
// every one of which is needed (rule 25.1.3).
func (x *prover) sets(a *ask, out []option) []option {
	a.all()
	if !a.member.loose && !a.fits() {
		return out
	}
	var gone []*outrank.Pod
	var from func(u int)
	from = func(u int) {
		if x.spent() {
			return
		}
		if u == len(a.units) {
			if x.needed(a) {
				all := slices.Concat(x.victims, gone)
				out = append(out, option{spot{a.node, slices.Clone(gone)}, x.totals.total(all)})
			}
			return
		}
		a.gone[u] = false
		if a.member.loose || a.fits() {
			from(u + 1)
		}
		a.gone[u] = true
		gone = append(gone, a.units[u]...)
		if x.totals.mayBeat(x.totals.total(slices.Concat(x.victims, gone)), x.best.total) {
			from(u + 1)
		}
		gone = gone[:len(gone)-len(a.units[u])]
	}
	from(0)
	return out
}

// needed reports whether the pod fits, and with any one unit back it does not.
func (x *prover) needed(a *ask) bool {
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
