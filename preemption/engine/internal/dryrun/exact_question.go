package dryrun

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// setSearch searches for the best set of victims on one node (see DryRunner.exact) with package exact, whose
// items are the possible victims or units of them, and whose parts are pods. Its memory is reused for the
// next node.
type setSearch struct {
	search   exact.Search
	q        *exact.Question
	w        *DryRunner
	attempt  *Attempt         // the runner's attempt
	n        *state.NodeState // the node that the runner has entered
	possible []*state.PodState
	// needOf has, for each dimension of the search, the index of the need that is short, or -1 for places for
	// pods.
	needOf [exact.MostDims]int
	// leftOf is the set of budgets whose allowances are in q.Left.
	leftOf *state.BudgetSet
	listed []*state.PodState // memory of Score

	// found is the result on the current node. best is the result on the best node of the attempt so far,
	// with its victims.
	found foundSet
	best  foundSet
	// allotted has the number of steps of the call that each node may take, and spent is the number taken so
	// far. counts is set if the steps of the current node have yet to be added.
	allotted map[*state.NodeState]int
	spent    int
	counts   bool
}

// Limits on the steps of one search if preemption.Exact sets none.
const (
	defaultLimit     = 2_000_000
	defaultSlowLimit = 50_000
)

// ask prepares the search for the entered node, with all pods on it.
func (x *setSearch) ask(w *DryRunner, possible []*state.PodState) {
	x.w, x.attempt = w, w.A
	x.n, x.possible = w.N, possible
	x.found = foundSet{}

	x.q = x.search.Ask(x)
	q, terms := x.q, w.terms
	q.Strict, q.Ended = terms.Strict, w.A.ended
	q.Limit, q.SlowLimit = defaultLimit, defaultSlowLimit
	x.counts = false
	if terms.Limit > 0 {
		steps := x.allot(terms.Limit)
		q.Limit, q.SlowLimit = steps, steps
	}

	for _, figure := range terms.Order() {
		if figure == rank.NoFigure {
			break
		}
		q.Measures = append(q.Measures, Measures[figure])
	}

	// Items have amounts of what is short, so that the shortages must be found first.
	x.findFilters()
	x.findShort(&w.Resources, w.Nominated)
	x.findItems()
	x.findBudgets()
}

// allot returns how many of the call's steps the node may take: those that are left when it is first
// searched. Later searches of the node get the same number, so that they have the same result.
func (x *setSearch) allot(limit int) int {
	steps, again := x.allotted[x.n]
	if x.counts = !again; x.counts {
		if x.allotted == nil {
			x.allotted = map[*state.NodeState]int{}
		}
		steps = limit - x.spent
		x.allotted[x.n] = steps
	}
	return steps
}

// Measures has, for each figure that ranks compare, the measure by which package exact compares sets.
var Measures = [rank.NumFigures]exact.Measure{
	rank.ViolationsFigure: exact.ByViolations, rank.TopFigure: exact.ByTop, rank.SumFigure: exact.BySum,
	rank.VictimsFigure: exact.ByParts, rank.CostFigure: exact.BySecondSum, rank.StartFigure: exact.ByStart,
}

// findFilters finds out whether filters must be asked about sets (q.Asked), and whether they can only gain by
// a pod that leaves (q.Gains).
func (x *setSearch) findFilters() {
	q := x.q
	a, grouped := x.attempt, len(x.w.units) > 0
	q.Gains = true
	for i := range a.Plan.Active {
		// Touches looks only at pods of this node. Units have pods on other nodes, which can change any
		// filter's answer.
		f := &a.Plan.Active[i]
		if !f.Touches(x.n) && !grouped {
			continue
		}
		q.Asked = true
		q.Gains = q.Gains && a.gains(f.Index, grouped)
	}
}

// GainsOn reports whether every filter whose answer pods of a node can change, once it passes, goes on
// passing whichever other pods of the node leave.
func (a *Attempt) GainsOn(n *state.NodeState) bool {
	for i := range a.Plan.Active {
		if f := &a.Plan.Active[i]; f.Touches(n) && !a.gains(f.Index, false) {
			return false
		}
	}
	return true
}

// gains reports whether a filter, once it passes, goes on passing whichever other pods leave the node or,
// with far, other nodes as well (rule 13.4.4). For a filter of the caller that is not known.
func (a *Attempt) gains(filter int, far bool) bool {
	if filter >= filters.FirstOfCaller {
		return false
	}
	gains := filters.BuiltIn[filter].Entry.Gains
	return gains != nil && gains(a.Pod, far)
}

// findShort finds how much the node is short of with all pods and the nominated ones on it. It repeats the
// arithmetic of NodeResourcesFit, which tells only what is short, not how much.
func (x *setSearch) findShort(r *filters.ResourcesOnNode, nominated []*state.PodState) {
	q := r.Asked
	if q.Silent.Has(filters.ResourcesFilter.Index) {
		return
	}

	x.addShort(-1, int64(r.Count+len(nominated))+1-r.N.MaxPods)
	for i := range q.Needs {
		need := &q.Needs[i]
		taken := r.Taken[i]
		for _, p := range nominated {
			taken.Add(need.In(&p.Takes))
		}
		lack, offer := q.Deferral.Lacks(need, r.N), need.In(&r.N.Offers)
		if q.Deferral.Settled(need, r.N) || taken.Leaves(lack, offer) {
			continue
		}

		// taken has 128 bits. A larger shortage is cut to the largest int64, because package exact leaves
		// shortages of that size to the filters.
		taken.Add(lack)
		short := int64(math.MaxInt64)
		if taken.Hi == 0 && taken.Lo <= math.MaxInt64 {
			short = int64(taken.Lo) - max(0, offer)
		}
		x.addShort(i, short)
	}
}

// addShort adds a shortage of a need, or of places for pods (-1).
func (x *setSearch) addShort(need int, short int64) {
	if column, ok := x.q.AddShort(short); ok {
		x.needOf[column] = need
	}
}

// findItems lists the items that can leave: the units or, if there are none, the single possible victims.
func (x *setSearch) findItems() {
	q := x.q
	units := x.w.units
	for i := range units {
		q.Items = append(q.Items, exact.Item{From: int32(units[i].from), To: int32(units[i].to)})
	}
	if len(units) == 0 {
		for i := range x.possible {
			q.Items = append(q.Items, exact.Item{From: int32(i), To: int32(i) + 1})
		}
	}

	q.Latest = exact.Instant{Sec: math.MinInt64}
	for i := range q.Items {
		x.fillItem(&q.Items[i])
	}
}

// fillItem fills in the figures of an item that ranks compare, and the amounts that it holds of what is
// short.
func (x *setSearch) fillItem(it *exact.Item) {
	a, q := x.attempt, x.q
	cost := a.Config.Cost
	costed := cost != nil && slices.Contains(q.Measures, exact.BySecondSum)

	// The top priority of an item is that of its first pod, as for victims (rule 12.8.6). If another pod of
	// it is higher (Above), the start of a set does not follow from its items.
	pods := x.possible[it.From:it.To]
	it.Top, it.Start = pods[0].Priority(), exact.Instant{Sec: rank.NoStart}
	for _, p := range pods {
		r := p.Rank().At(a.NowAt)
		start := exact.Instant{Sec: r.Sec, Nsec: r.Nsec}
		it.Sums[0] += int64(r.Priority) + rank.PriorityShift
		if costed {
			it.Sums[1] = rank.AddCosts(it.Sums[1], state.CostOf(cost, p.Pod))
		}

		it.Above = it.Above || r.Priority > it.Top
		if r.Priority == it.Top && start.Before(it.Start) {
			it.Start = start
		}
		if q.Latest.Before(start) {
			q.Latest = start
		}

		if p.At.Name == x.n.Name { // pods of the unit on other nodes make no room here
			x.hold(it, p)
		}
	}
}

// hold adds the amounts that a pod holds of what the node is short of.
func (x *setSearch) hold(it *exact.Item, p *state.PodState) {
	a := x.attempt
	for k := range x.q.Dims {
		amount := int64(1) // the pod's place
		if need := x.needOf[k]; need >= 0 {
			amount = a.Asked.Needs[need].In(&p.Takes)
		}
		x.q.Hold(it, k, amount)
	}
}

// findBudgets fills in the allowances of the budgets, and the budget that the loss of each pod takes from.
func (x *setSearch) findBudgets() {
	q := x.q
	q.Charges = state.Fill(q.Charges, len(x.possible), -1)

	// The search restores Left, so that it can be reused while the budgets are the same.
	w := x.w
	if budgets := w.snap.BudgetSet; x.leftOf != budgets {
		x.leftOf = budgets
		q.Left = appendAllowances(q.Left[:0], budgets)
	}
	if len(q.Left) == 0 {
		return
	}
	for i := range q.Items {
		it := &q.Items[i]
		for at := it.From; at < it.To; at++ {
			x.findBudget(it, at)
		}
	}
}

// appendAllowances appends the number of disruptions that each budget allows. A removed budget gets 0; it
// covers no pod.
func appendAllowances(left []int64, budgets *state.BudgetSet) []int64 {
	for _, b := range budgets.List {
		allowed := int64(0)
		if b != nil {
			allowed = int64(b.DisruptionsAllowed)
		}
		left = append(left, allowed)
	}
	return left
}

// findBudget records what the loss of the possible victim at an index, which belongs to the item, does to
// budgets.
func (x *setSearch) findBudget(it *exact.Item, at int32) {
	w, p := x.w, x.possible[at]
	if len(p.Class.Covering) == 0 && !w.terms.EmptySelectors() {
		return
	}

	// If budgets are not charged, whether a pod violates one does not depend on the other victims (rule
	// 13.2.2).
	if w.terms.budgetRules().uncharged {
		if len(w.Budgets.Charge(p)) > 0 {
			it.Fixed++
		}
		return
	}

	// The tables of the search can represent only one budget for a pod. With several (Overlaps) it scores
	// whole sets.
	switch covering := w.Budgets.coveredBy(p); {
	case len(covering) > 1:
		x.q.Overlaps = true
	case len(covering) == 1:
		x.q.Charges[at] = covering[0]
	}
}

// foundSet is the result of a search on a node.
type foundSet struct {
	n      *state.NodeState
	victim []bool // marks the victims among the possible ones
	score  Score
	steps  int
	// open is set if the search ended at the limit. bound is then a score that no set of the node beats.
	open  bool
	bound Score
}

// release drops all references to the caller's data.
func (x *setSearch) release() {
	x.search.Release()
	x.w, x.attempt = nil, nil
	x.n, x.possible = nil, nil
	x.found, x.best = foundSet{}, foundSet{victim: x.best.victim}
	x.allotted, x.spent = nil, 0
	x.counts = false
	clear(x.listed[:cap(x.listed)])
}

// solve searches, marks the victims of the best set, and returns its score. ok is false if there is no set.
// All items are removed when it begins, and on the node when it ends.
func (x *setSearch) solve(victim []bool) (score Score, ok bool) {
	x.search.Solve()

	x.found = foundSet{n: x.n, steps: x.search.Steps()}
	if x.counts {
		x.spent += x.found.steps
	}
	if bound, open := x.search.Open(); open {
		x.found.bound, x.found.open = scoreOfSet(&bound), true
	}

	set, best, ok := x.search.Best()
	if !ok {
		return Score{}, false
	}
	for i := range x.q.Items {
		if it := &x.q.Items[i]; set[i] {
			for k := it.From; k < it.To; k++ {
				victim[k] = true
			}
		}
	}
	return scoreOfSet(&best), true
}

// remember keeps the found set if it is the best of the attempt so far, because the victims on the best node
// are asked for once more in the end.
func (x *setSearch) remember(victim []bool, score Score) {
	best := &x.best
	if best.n != nil {
		if order, _ := x.attempt.CompareByRanks(&score.Figures, &best.score.Figures); order >= 0 {
			return
		}
	}
	victim = append(best.victim[:0], victim...)
	*best = x.found
	best.victim, best.score = victim, score
}

// forget drops the remembered set.
func (x *setSearch) forget() { x.best.n = nil }

// recall marks the remembered victims, if they are on this node, and reports whether they are.
func (x *setSearch) recall(n *state.NodeState, victim []bool) bool {
	if x.best.n != n {
		return false
	}
	copy(victim, x.best.victim)
	x.found = x.best
	x.found.victim = nil
	return true
}
