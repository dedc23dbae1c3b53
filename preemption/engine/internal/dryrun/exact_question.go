package dryrun

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// setSearch searches for the best set of victims on one node (see DryRunner.exact): it asks
// package exact, whose items are the possible victims, or units of them, and whose parts are
// pods. Its memory serves for the next node.
type setSearch struct {
	search   exact.Search
	q        *exact.Question
	w        *DryRunner
	attempt  *Attempt         // that of the runner
	n        *state.NodeState // the node that the runner has entered
	possible []*state.PodState
	// needOf has for each column the need that is short, -1 for places.
	needOf [exact.MostDims]int
	leftOf *state.BudgetSet // whose allowances are in Left
	listed []*state.PodState

	// found is what the search for the node at hand came to, best the same with its victims for
	// the best node of the attempt.
	found foundSet
	best  foundSet
	// allotted has the steps that a node was given of those of the call, spent is how many of
	// these were taken, and counts says that those of the node at hand are to be added.
	allotted map[*state.NodeState]int
	spent    int
	counts   bool
}

// The limits of preemption.Exact where it has none.
const (
	defaultLimit     = 2_000_000
	defaultSlowLimit = 50_000
)

// ask prepares the search for the node that was entered, with all pods on it.
func (x *setSearch) ask(w *DryRunner, possible []*state.PodState) {
	x.w, x.attempt, x.n, x.possible, x.found = w, w.A, w.N, possible, foundSet{}
	x.q = x.search.Ask(x)
	q, terms := x.q, w.terms
	q.Strict, q.Limit, q.SlowLimit = terms.Strict, defaultLimit, defaultSlowLimit
	q.Ended, x.counts = w.A.ended, false
	if terms.Limit > 0 {
		steps := x.allot(terms.Limit)
		q.Limit, q.SlowLimit = steps, steps
	}
	for _, x := range terms.Order() {
		if x == rank.NoFigure {
			break
		}
		q.Measures = append(q.Measures, Measures[x])
	}
	x.findFilters()
	x.findShort(&w.Resources, w.Nominated)
	x.findItems()
	x.findBudgets()
}

// allot returns how many steps the node may take of those of the call. It is the same whenever
// the node is searched.
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

// Measures has for each figure that ranks compare the measure of sets that it is.
var Measures = [rank.NumFigures]exact.Measure{
	rank.ViolationsFigure: exact.ByViolations, rank.TopFigure: exact.ByTop, rank.SumFigure: exact.BySum,
	rank.VictimsFigure: exact.ByParts, rank.CostFigure: exact.BySecondSum, rank.StartFigure: exact.ByStart,
}

// findFilters finds out whether sets can be told from amounts alone, and whether the
// filters that pods of the node touch can only gain from a pod that leaves.
func (x *setSearch) findFilters() {
	q := x.q
	a, grouped := x.attempt, len(x.w.units) > 0
	q.Gains = true
	active := a.Plan.Active
	for i := range active {
		f := &active[i]
		if !f.Touches(x.n) && !grouped {
			continue
		}
		q.Asked = true
		q.Gains = q.Gains && a.gains(f.Index, grouped)
	}
}

// GainsOn reports whether every filter that pods of a node touch, and that passes there, goes on
// doing so whichever of them leave.
func (a *Attempt) GainsOn(n *state.NodeState) bool {
	for i := range a.Plan.Active {
		if f := &a.Plan.Active[i]; f.Touches(n) && !a.gains(f.Index, false) {
			return false
		}
	}
	return true
}

// gains reports whether a filter that passes goes on doing so whichever pods leave the
// node or, with far, other nodes as well (rule 13.4.4). Of a filter of the caller nobody knows.
func (a *Attempt) gains(filter int, far bool) bool {
	if filter >= filters.FirstOfCaller {
		return false
	}
	gains := filters.BuiltIn[filter].Entry.Gains
	return gains != nil && gains(a.Pod, far)
}

// findShort finds what the node is short of with all pods on it, beside those that are nominated.
func (x *setSearch) findShort(r *filters.ResourcesOnNode, nominated []*state.PodState) {
	q := r.Asked
	if q.Silent.Has(filters.ResourcesFilter.Index) {
		return
	}
	x.addShort(-1, int64(r.Count+len(nominated))+1-r.N.MaxPods)
	for i := range q.Needs {
		d := &q.Needs[i]
		taken := r.Taken[i]
		for _, p := range nominated {
			taken.Add(d.In(&p.Takes))
		}
		lack, offer := q.Deferral.Lacks(d, r.N), d.In(&r.N.Offers)
		if q.Deferral.Settled(d, r.N) || taken.Leaves(lack, offer) {
			continue
		}
		taken.Add(lack)
		short := int64(math.MaxInt64)
		if taken.Hi == 0 && taken.Lo <= math.MaxInt64 {
			short = int64(taken.Lo) - max(0, offer)
		}
		x.addShort(i, short)
	}
}

// addShort notes a shortage of a need, or of places for pods (-1).
func (x *setSearch) addShort(need int, short int64) {
	if column, ok := x.q.AddShort(short); ok {
		x.needOf[column] = need
	}
}

// findItems lists what can leave.
func (x *setSearch) findItems() {
	q := x.q
	for i := range x.w.units {
		u := &x.w.units[i]
		q.Items = append(q.Items, exact.Item{From: int32(u.from), To: int32(u.to)})
	}
	for i := 0; len(x.w.units) == 0 && i < len(x.possible); i++ {
		q.Items = append(q.Items, exact.Item{From: int32(i), To: int32(i) + 1})
	}
	q.Latest = exact.Instant{Sec: math.MinInt64}
	for i := range q.Items {
		x.fillItem(&q.Items[i])
	}
}

func (x *setSearch) fillItem(it *exact.Item) {
	a, q := x.attempt, x.q
	cost := a.Config.Cost
	costed := cost != nil && slices.Contains(q.Measures, exact.BySecondSum)
	pods := x.possible[it.From:it.To]
	it.Top, it.Start = pods[0].Priority(), exact.Instant{Sec: rank.NoStart}
	for _, p := range pods {
		r := p.Rank().At(a.NowAt)
		start := exact.Instant{Sec: r.Sec, Nsec: r.Nsec}
		it.Sums[0] += int64(r.Priority) + rank.PriorityShift
		it.Above = it.Above || r.Priority > it.Top
		if r.Priority == it.Top && start.Before(it.Start) {
			it.Start = start
		}
		if q.Latest.Before(start) {
			q.Latest = start
		}
		if costed {
			it.Sums[1] = rank.AddCosts(it.Sums[1], state.CostOf(cost, p.Pod))
		}
		if p.At.Name == x.n.Name {
			x.hold(it, p)
		}
	}
}

// hold adds what a pod holds of what the node is short of.
func (x *setSearch) hold(it *exact.Item, p *state.PodState) {
	for k := range x.q.Dims {
		v := int64(1)
		if x.needOf[k] >= 0 {
			v = x.w.Resources.Asked.Needs[x.needOf[k]].In(&p.Takes)
		}
		x.q.Hold(it, k, v)
	}
}

// findBudgets finds which budget the loss of each pod takes from.
func (x *setSearch) findBudgets() {
	q := x.q
	q.Charges = state.Fill(q.Charges, len(x.possible), -1)
	set := x.attempt.Snap.BudgetSet
	budgets := set.List
	if x.leftOf != set {
		x.leftOf, q.Left = set, q.Left[:0]
		for _, b := range budgets {
			allowed := int64(0)
			if b != nil {
				allowed = int64(b.DisruptionsAllowed)
			}
			q.Left = append(q.Left, allowed)
		}
	}
	if len(budgets) == 0 {
		return
	}
	for i := range q.Items {
		it := &q.Items[i]
		for at := it.From; at < it.To; at++ {
			x.findBudget(it, at)
		}
	}
}

func (x *setSearch) findBudget(it *exact.Item, at int32) {
	w, p := x.w, x.possible[at]
	if len(p.Class.Covering) == 0 && !w.terms.EmptySelectors() {
		return
	}
	if w.terms.budgetRules().uncharged {
		if len(w.Budgets.Charge(p)) > 0 {
			it.Fixed++
		}
		return
	}
	switch covering := w.Budgets.coveredBy(p); {
	case len(covering) > 1:
		x.q.Overlaps = true
	case len(covering) == 1:
		x.q.Charges[at] = covering[0]
	}
}

// foundSet is what a search has found on a node.
type foundSet struct {
	n      *state.NodeState
	victim []bool // by possible victim
	score  Score
	// bound is a score that no set beats, where the limit ended the search (open).
	bound Score
	steps int
	open  bool
}

// release drops what belongs to the caller.
func (x *setSearch) release() {
	x.search.Release()
	x.w, x.attempt, x.n, x.possible, x.found, x.best = nil, nil, nil, nil, foundSet{}, foundSet{victim: x.best.victim}
	x.allotted, x.spent, x.counts = nil, 0, false
	clear(x.listed[:cap(x.listed)])
}

// end notes what the search came to.
func (x *setSearch) end() {
	x.found = foundSet{n: x.n, steps: x.search.Steps()}
	if x.counts {
		x.spent += x.found.steps
	}
	if bound, open := x.search.Open(); open {
		x.found.bound, x.found.open = scoreOfSet(&bound), true
	}
}

// remember keeps the set that was found, if it is the best one of the attempt, which is wanted
// once more in the end.
func (x *setSearch) remember(victim []bool, score Score) {
	if x.best.n != nil {
		if order, _ := x.attempt.CompareByRanks(&score.Figures, &x.best.score.Figures); order >= 0 {
			return
		}
	}
	victim = append(x.best.victim[:0], victim...)
	x.best = x.found
	x.best.victim, x.best.score = victim, score
}

// recall marks the victims that were found on the node before, if it is remembered.
func (x *setSearch) recall(n *state.NodeState, victim []bool) bool {
	if x.best.n != n {
		return false
	}
	copy(victim, x.best.victim)
	x.found = x.best
	x.found.victim = nil
	return true
}
