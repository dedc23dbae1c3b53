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
	queue, err := pending(snap, r.pods, nil)
	if err != nil {
		return err
	}
	all := make([]*member, len(r.pods))
	waiting := make([]int, len(r.pods))
	for i, pod := range r.pods {
		if all[i], err = newMember(r.ctx, r.eval, queue, pod, r.req.Now); err != nil {
			return err
		}
		all[i].at, waiting[i] = i, i
	}
	kinds(all)
	r.all = all
	r.one = newOneByOne(r.ctx, r.eval, queue, r.pods, r.req.Now)
	if err := r.one.run(waiting); err != nil {
		return err
	}
	return r.prepare(snap, all)
}

func (r *run) prepare(snap *engine.Snapshot, all []*member) error {
	placed := map[*outrank.Pod]bool{}
	for _, i := range r.one.order {
		placed[r.pods[i]] = true
	}
	plain, err := pending(snap, r.pods, placed)
	if err != nil {
		return err
	}
	config, eval := r.eval.Config(), r.eval
	if config.Guard != nil { // it is asked about those alone who may leave
		if eval, err = sparing(r.eval, r.pods); err != nil {
			return err
		}
	}
	b := &draft{
		ctx: r.ctx, end: r.ctx, eval: eval, snap: plain.Clone(), plain: plain, now: r.req.Now,
		isOne: map[*outrank.Pod]bool{},
		asks:  map[int][]int64{}, takes: map[*outrank.Pod][]int64{},
	}
	b.findNodes()
	for _, pod := range r.pods {
		b.isOne[pod] = true
	}
	for _, i := range r.one.order {
		b.members = append(b.members, all[i])
		b.coupled = b.coupled || all[i].coupled()
	}
	b.measure()
	b.grouped = slices.Collect(snap.Groups()) != nil || slices.Collect(snap.Composites()) != nil
	b.coupled = b.coupled || b.grouped
	b.totals = newTotals(snap, &config, r.req.Now, r.req.losses())
	r.draft = b
	return nil
}

// search returns the best plan that is found, beginning with the one of one by one. Where the
// context ends it, the best plan by then counts. What remains to be tried of it goes on a little longer.
func (r *run) search() (*solution, preemption.Certificate, error) {
	best := r.baseline()
	if r.err != nil {
		return nil, preemption.Certificate{}, r.err
	}
	if best.total.Victims == 0 {
		return best, r.totals.certify(best.total, best.total, true, 0), r.err
	}
	steps, certain := r.steps, false
	limited := func(search func()) {
		r.steps, r.limit = 0, r.req.Limit
		if r.limit == 0 {
			r.limit = defaultLimit
		}
		if r.err == nil {
			search()
		}
		steps += r.steps
	}
	var m *model
	var known *relaxed
	bound := total{Figures: rank.Figures{Top: math.MinInt32}}
	limited(func() {
		m = r.model()
		by, top := r.totals.first(best.total.Top)
		known = r.relax(m, by, top, best.total)
	})
	limited(func() {
		best = r.byAmounts(known, best)
		if r.totals.moves == nil {
			bound, best = r.within(m, known, best)
		}
	})
	if r.totals.moves != nil { // finding out what becomes of victims takes many steps
		limited(func() { bound, best = r.within(m, known, best) })
	}
	limited(func() {
		if !r.totals.certify(best.total, bound, false, 0).Optimal {
			best, certain = r.prove(best)
			certain = certain && r.settles(best)
		}
	})
	if r.err != nil && r.over() {
		r.err, certain = nil, false
	}
	r.draft.ctx = newLasting(r.ctx)
	best = r.assign(r.lean(best))
	return best, r.totals.certify(best.total, bound, certain, steps), r.err
}

// lean returns a solution without the victims that could stay. What preempting one by one comes to without
// them may be the better one, and counts then.
func (r *run) lean(best *solution) *solution {
	out := r.spare(best)
	if best == r.first || r.over() {
		return out
	}
	if other := r.spare(r.first); other != r.first && r.err == nil {
		if order, _ := r.totals.compare(other.total, out.total); order < 0 {
			return other
		}
	}
	return out
}

// within returns a bound, and a better plan where it leaves something to gain.
func (r *run) within(m *model, known *relaxed, best *solution) (total, *solution) {
	bound := r.bound(m, known, best.total)
	if r.totals.certify(best.total, bound, false, 0).Gap > 0 {
		best = r.better(best)
	}
	return bound, best
}

// baseline is the plan of one by one in the terms of a joint one.
func (r *run) baseline() *solution {
	s := &solution{spots: make([]spot, len(r.members)), kept: true}
	for k, m := range r.members {
		s.spots[k] = spot{r.index[r.one.nodes[m.at]], r.one.victims[m.at]}
	}
	for i, victims := range r.one.victims {
		if r.one.nodes[i] == "" && len(victims) > 0 {
			s.vain = append(s.vain, turn{i, -1, victims})
		}
	}
	s.total = r.totals.total(s.victims())
	r.first = s
	r.limit = cmp.Or(r.req.Limit, defaultLimit)
	r.rerun(first)
	return s
}

// rerun finds out what becomes of the victims of the plan of one by one, holds it or not.
func (r *run) rerun(effort effort) bool { return r.movedAfter(r.first, effort) }

// settles makes sure that no other places for the replacements of a plan's victims cost less. The
// proof has done so for all plans but that of one by one, which need not be one of those it goes through.
func (r *run) settles(best *solution) bool {
	return best != r.first || best.after == nil || best.after.exact || r.rerun(thorough) && best.after.exact
}

// better looks for better plans by doing without one node after the other.
func (r *run) better(best *solution) *solution {
	if from := r.again(best); from != nil {
		if r.totals.moves != nil {
			r.holds(from) // to know what becomes of the victims
		}
		from = r.improve(from, best.total.Top)
		if r.beats(from, best.total) {
			return from
		}
	}
	return best
}

// again makes a plan with the places of another in which each set of victims is found
// anew, nil if there is none.
func (r *run) again(s *solution) *solution {
	assigned, prefer := make([]int, len(s.spots)), map[*outrank.Pod]bool{}
	for i, at := range s.spots {
		assigned[i] = at.node
		for _, v := range at.victims {
			prefer[v] = true
		}
	}
	return r.rebuild(assigned, prefer, nil)
}
