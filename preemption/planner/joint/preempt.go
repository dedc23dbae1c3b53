package joint

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// begin has the pods preempt one by one, and prepares the draft for those with a place.
func (r *run) begin(snap *engine.Snapshot) error {
	waitingSnap, err := pending(snap, r.pods, nil)
	if err != nil {
		return err
	}

	// Members are described before anybody preempts: what they may do must not depend on the plan of one by one.
	r.queue = make([]*member, len(r.pods))
	waiting := make([]int, len(r.pods))
	for i, pod := range r.pods {
		m, err := newMember(r.ctx, r.eval, waitingSnap, pod, r.req.Now)
		if err != nil {
			return err
		}
		m.position = i
		r.queue[i] = m
		waiting[i] = i
	}
	numberKinds(r.queue)

	// This changes waitingSnap, which nobody needs afterwards.
	r.oneByOne = newOneByOne(r.ctx, r.eval, waitingSnap, r.pods, r.req.Now)
	if err := r.oneByOne.run(waiting); err != nil {
		return err
	}
	return r.prepare(snap)
}

// prepare makes the draft for the pods that have a place one by one. Their nominations count nowhere in it,
// because the plan gives each another place; those of the other pods still do.
func (r *run) prepare(snap *engine.Snapshot) error {
	placed := map[*outrank.Pod]bool{}
	for _, i := range r.oneByOne.order {
		placed[r.pods[i]] = true
	}
	plain, err := pending(snap, r.pods, placed)
	if err != nil {
		return err
	}

	// A guard is asked about possible victims alone, and pods of the request are none.
	config, eval := r.eval.Config(), r.eval
	if config.Guard != nil {
		if eval, err = sparing(r.eval, r.pods); err != nil {
			return err
		}
	}

	b := &draft{
		ctx: r.ctx, caller: r.ctx, eval: eval, snap: plain.Clone(), plain: plain, now: r.req.Now,
		requested: map[*outrank.Pod]bool{},
		asks:      map[int][]int64{}, takes: map[*outrank.Pod][]int64{},
	}
	b.findNodes()
	for _, pod := range r.pods {
		b.requested[pod] = true
	}
	for _, i := range r.oneByOne.order {
		b.members = append(b.members, r.queue[i])
		b.coupled = b.coupled || r.queue[i].coupled()
	}
	b.findScales()

	// A group has pods on several nodes, so what leaves one node can leave another.
	b.grouped = slices.Collect(snap.Groups()) != nil || slices.Collect(snap.Composites()) != nil
	b.coupled = b.coupled || b.grouped
	b.totals = newTotals(snap, &config, r.req.Now, r.req.losses())
	r.draft = b
	return nil
}

// search returns the best plan that is found, beginning with that of one by one. Where the
// context ends it, the best plan by then counts, and sparing and assigning its victims goes on a little
// longer.
func (r *run) search() (*solution, preemption.Certificate, error) {
	best := r.findBaseline()
	if r.err != nil {
		return nil, preemption.Certificate{}, r.err
	}
	if best.total.Victims == 0 { // nothing is better (rule 25.2.3)
		return best, r.totals.certify(best.total, best.total, true, 0), r.err
	}

	found := r.searchFrom(best)
	if r.err != nil && r.over() {
		r.err = nil
		found.certain = false
	}

	r.draft.ctx = newLasting(r.ctx)
	best = r.assign(r.lean(found.best))
	return best, r.totals.certify(best.total, found.bound, found.certain, found.steps), r.err
}

// searched is what the searches for a plan have found.
type searched struct {
	best  *solution
	bound total
	// certain is set where the proof has ended.
	certain bool
	steps   int
}

// searchFrom runs the searches of group 25.4 from a plan on, each with the whole limit (rule 25.4.1).
func (r *run) searchFrom(best *solution) searched {
	found := searched{best: best, bound: total{Figures: rank.Figures{Top: math.MinInt32}}, steps: r.steps}
	limited := func(search func()) {
		r.steps = 0
		r.limit = cmp.Or(r.req.Limit, defaultLimit)
		if r.err == nil {
			search()
		}
		found.steps += r.steps
	}

	var m *model
	var known *relaxed
	limited(func() {
		m = r.model()
		by, top := r.totals.firstSum(best.total.Top)
		known = r.relax(m, by, top, best.total)
	})

	// Finding out what becomes of victims takes many steps, so that the bound and improving have a limit of
	// their own then (rule 25.6.4).
	boundAndImprove := func() { found.bound, found.best = r.boundAndImprove(m, known, found.best) }
	limited(func() {
		found.best = r.byAmounts(known, found.best)
		if r.totals.lossCosts == nil {
			boundAndImprove()
		}
	})
	if r.totals.lossCosts != nil {
		limited(boundAndImprove)
	}

	// A plan that reaches the bound is the best without a proof.
	limited(func() {
		if !r.totals.certify(found.best.total, found.bound, false, 0).Optimal {
			found.best, found.certain = r.prove(found.best)
			found.certain = found.certain && r.settles(found.best)
		}
	})
	return found
}

// lean returns a solution without the victims that could stay. The plan of one by one can become the better
// one when it loses those of its own, and counts then.
func (r *run) lean(best *solution) *solution {
	out := r.spare(best)
	if best == r.baseline || r.over() {
		return out
	}
	if other := r.spare(r.baseline); other != r.baseline && r.err == nil {
		if order, _ := r.totals.compare(other.total, out.total); order < 0 {
			return other
		}
	}
	return out
}

// boundAndImprove returns a bound, and a better plan if one is found. It looks for one where the bound leaves
// something to gain (rule 25.4.3).
func (r *run) boundAndImprove(m *model, known *relaxed, best *solution) (total, *solution) {
	bound := r.bound(m, known, best.total)
	if r.totals.certify(best.total, bound, false, 0).Gap > 0 {
		best = r.better(best)
	}
	return bound, best
}

// findBaseline sets baseline: the plan of one by one in the terms of a joint one. Its victims include those
// of pods that preempted in vain.
func (r *run) findBaseline() *solution {
	s := &solution{spots: make([]spot, len(r.members)), kept: true}
	nodes, victims := r.oneByOne.nodes, r.oneByOne.victims
	for k, m := range r.members {
		s.spots[k] = spot{r.index[nodes[m.position]], victims[m.position]}
	}
	for i := range victims {
		if nodes[i] == "" && len(victims[i]) > 0 {
			s.vain = append(s.vain, turn{i, -1, victims[i]})
		}
	}
	s.total = r.totals.total(s.victims())
	r.baseline = s

	r.limit = cmp.Or(r.req.Limit, defaultLimit)
	r.findBaselineFates(quickBeyondLimit)
	return s
}

// findBaselineFates finds out what becomes of the victims of the plan of one by one, also where it does not
// hold at once.
func (r *run) findBaselineFates(effort effort) bool { return r.findFatesAfter(r.baseline, effort) }

// settles makes sure that no other places for the replacements of a plan's victims cost less. The proof has
// done so for every plan that it went through; the plan of one by one need not be one of them.
func (r *run) settles(best *solution) bool {
	if best != r.baseline || best.after == nil || best.after.exact {
		return true
	}
	return r.findBaselineFates(thorough) && best.after.exact
}

// better looks for a plan that does without one node after the other. It begins from the places of the best
// one, whose victims are found anew.
func (r *run) better(best *solution) *solution {
	from := r.refindVictims(best)
	if from == nil {
		return best
	}
	if r.totals.lossCosts != nil {
		r.holds(from) // this finds out what becomes of its victims
	}

	from = r.improve(from, best.total.Top)
	if r.beats(from, best.total) {
		return from
	}
	return best
}

// refindVictims makes a plan with the places of another, and finds each set of victims anew. It returns nil if
// there is none.
func (r *run) refindVictims(s *solution) *solution {
	assigned := make([]int, len(s.spots))
	prefer := map[*outrank.Pod]bool{}
	for i, at := range s.spots {
		assigned[i] = at.node
		for _, v := range at.victims {
			prefer[v] = true
		}
	}
	return r.rebuild(assigned, prefer, nil)
}
