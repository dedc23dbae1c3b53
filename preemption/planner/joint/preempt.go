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

// begin lets the pods preempt one by one, and prepares the draft with the pods that found a place.
func (r *run) begin(snap *engine.Snapshot) error {
	waitingSnap, err := pending(snap, r.pods, nil)
	if err != nil {
		return err
	}

	// Members are described before anybody preempts: what they may do must not depend on the one-by-one plan.
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

	// Preempting changes waitingSnap, which is not used afterwards.
	r.oneByOne = newOneByOne(r.ctx, r.eval, waitingSnap, r.pods, r.req.Now)
	if err := r.oneByOne.run(waiting); err != nil {
		return err
	}
	return r.prepare(snap)
}

// prepare makes the draft with the pods that found a place one by one as its members. The members lose their
// nominations there, because the plan chooses a new place for each. Other pods keep theirs.
func (r *run) prepare(snap *engine.Snapshot) error {
	placed := map[*outrank.Pod]bool{}
	for _, i := range r.oneByOne.order {
		placed[r.pods[i]] = true
	}
	plain, err := pending(snap, r.pods, placed)
	if err != nil {
		return err
	}

	// A guard may only be told of possible victims, so the pods of the request must not be possible victims either.
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

	// Nobody of the request is a victim, but only the pods that found a place one by one are members (rule 25.1.2).
	for _, pod := range r.pods {
		b.requested[pod] = true
	}
	for _, i := range r.oneByOne.order {
		b.members = append(b.members, r.queue[i])
		b.coupled = b.coupled || r.queue[i].coupled()
	}
	b.findScales()

	// A group can run on several nodes, so evicting it from one node changes others.
	b.grouped = slices.Collect(snap.Groups()) != nil || slices.Collect(snap.Composites()) != nil
	b.coupled = b.coupled || b.grouped
	b.totals = newTotals(snap, &config, r.req.Now, r.req.losses())
	r.draft = b
	return nil
}

// search returns the best plan found, starting from the one-by-one plan. If the context ends during the searches,
// the best plan found by then is returned; sparing and assigning its victims may go on a little longer.
func (r *run) search() (*solution, preemption.Certificate, error) {
	best := r.findBaseline()
	if r.err != nil {
		return nil, preemption.Certificate{}, r.err
	}
	if best.total.Victims == 0 { // no total is better than no victims (rule 25.2.3)
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

// searched is the result of the searches: the best plan, a total that no plan beats, and the steps taken.
type searched struct {
	best  *solution
	bound total
	// certain is set if the proof that no plan is better came to its end.
	certain bool
	steps   int
}

// searchFrom runs the searches of group 25.4, starting from a known plan. Each may use the whole limit
// (rule 25.4.1).
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

	// The relaxation comes first: its prices guide the search by amounts, and the bound reuses its answer.
	var m *model
	var known *relaxed
	limited(func() {
		m = r.model()
		by, top := r.totals.firstSum(best.total.Top)
		known = r.relax(m, by, top, best.total)
	})

	// Finding places for replacements takes many steps. With moves the bound and the improvement therefore have
	// a limit of their own (rule 25.6.4).
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

	// A plan that meets the bound is optimal without a proof.
	limited(func() {
		if !r.totals.certify(found.best.total, found.bound, false, 0).Optimal {
			found.best, found.certain = r.prove(found.best)
			found.certain = found.certain && r.settles(found.best)
		}
	})
	return found
}

// lean returns a solution without the victims that could stay. The one-by-one plan may lose more victims that way
// than the best plan does; if it becomes the better one, it is returned instead.
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

// boundAndImprove returns a total that no plan beats, and the best plan. It looks for a better plan only if the
// bound leaves a gap (rule 25.4.3).
func (r *run) boundAndImprove(m *model, known *relaxed, best *solution) (total, *solution) {
	bound := r.bound(m, known, best.total)
	if r.totals.certify(best.total, bound, false, 0).Gap > 0 {
		best = r.better(best)
	}
	return bound, best
}

// findBaseline sets baseline: the one-by-one plan as a solution for the members. Pods that preempted in vain are no
// members, but their victims are part of the total.
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

// findBaselineFates finds out what becomes of the victims of the one-by-one plan, even if that plan does not
// hold at once.
func (r *run) findBaselineFates(effort effort) bool { return r.findFatesAfter(r.baseline, effort) }

// settles reports whether the places for the replacements of a plan's victims are the cheapest. The proof has
// searched them thoroughly for every plan it tried, but it need not have tried the one-by-one plan.
func (r *run) settles(best *solution) bool {
	if best != r.baseline || best.after == nil || best.after.exact {
		return true
	}
	return r.findBaselineFates(thorough) && best.after.exact
}

// better improves the best plan by vacating one node after the other. It starts from the places of the best plan,
// with its victims chosen again.
func (r *run) better(best *solution) *solution {
	from := r.refindVictims(best)
	if from == nil {
		return best
	}
	if r.totals.lossCosts != nil {
		r.holds(from) // called for its side effect: it finds out what becomes of the victims
	}

	from = r.improve(from, best.total.Top)
	if r.beats(from, best.total) {
		return from
	}
	return best
}

// refindVictims returns a plan with the same places as another, and victims chosen again for each place. It
// returns nil if some member no longer finds victims that make room.
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
