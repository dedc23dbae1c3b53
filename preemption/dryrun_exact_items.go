package preemption

import (
	"math"
	"slices"
)

// setHost is the dry run that a search is for. It has all pods on the node but those that
// the search takes away.
type setHost interface {
	check() filterStatus
	// filtersPass asks all filters but NodeResourcesFit.
	filtersPass() bool
	changeAll(pods []*podState, by int)
	// reprieved returns which of the possible victims the reprieve leaves, by the filters. All of
	// them are away before and afterwards.
	reprieved(possible []*podState) []bool
	// violating marks the possible victims that violate a budget if all of them leave.
	violating(possible []*podState) []bool
	charge(p *podState) []int32
	discharge()
	coveredBy(p *podState) []int32
}

// setSearch searches for the best set of victims on one node (see dryRunner.exact). Its
// memory serves for the next node.
type setSearch struct {
	host setHost
	a    *attempt
	n    *nodeState
	// resources are those of the node with all pods on it, and nominated the pods that
	// count there.
	resources *resourcesOnNode
	nominated []*podState
	grouped   bool // victims are units
	possible  []*podState
	ranks     []Rank
	// items are what can leave, by importance: pods, or units of them.
	items []setItem
	// dims is how many resources the node is short of, and short by how much of each.
	dims   int
	short  row
	needOf [mostDims]int // the need, -1 for places
	// weights are what parts of the shortages count as in shares.
	weights row
	weighed bool
	// budgetOf has for each possible victim the budget that its loss takes from, and
	// left what is left of each budget.
	budgetOf []int32
	left     []int64
	leftOf   *budgetSet

	// checks: the filters are asked about every set. coarse: because a shortage has no
	// bound. monotone: a set that they pass is passed with any more pods gone.
	checks, coarse, monotone bool
	// topSure: the top priority of a set is the highest of its items'. budgetsSure: so
	// with the violations, which are what takes from budgets beyond their allowance.
	// startSure: the start is that of the items of the top priority, and is looked at
	// last.
	topSure, budgetsSure, startSure bool
	// compared is how many leading ranks have a bound, and open is set where there are
	// further ones, so that sets that tie in the former are told apart.
	compared int
	open     bool
	// goesOn: a set may be better than one that it contains.
	goesOn bool
	strict bool

	limit, steps int
	out          bool // the limit is reached
	// bound is a score that no set beats, where the limit was reached.
	bound Score

	// best is the best set so far by item, if there is any, and score its score. chosen
	// is the set at hand.
	found  bool
	best   []bool
	score  Score
	bestAt setFigures
	chosen []bool
	forced []int32
	// settledTop is a top priority that no set without violations is below.
	settledTop int32

	round  setRound
	solved solvedSet
	listed []*podState
}

// mostDims is how many resources that a node is short of are bounded. Where there are
// more, the filters are asked about every set.
const mostDims = 6

// row is an amount for each of them.
type row [mostDims]int64

// largestShort keeps sums of amounts from overflowing: more is left to the filters.
const largestShort = 1 << 44

// share is what a whole shortage counts as.
const wholeShare = 1 << 20

// setItem is a pod, or a unit of pods that leave together.
type setItem struct {
	from, to int32 // in the possible victims
	top      int32 // priority of the first pod
	holds    row   // of what the node is short of, and no more than that
	shares   row   // the same as parts of the shortage, rounded up
	share    int64 // their weighted sum
	sum      int64 // of the priorities
	cost     int64
	start    instant
	// always is how many pods violate a budget whichever others leave.
	always int64
}

func (it *setItem) pods() int64 { return int64(it.to - it.from) }

// begin prepares the search for a node. Where victims are units, units has their places in
// the possible victims.
func (x *setSearch) begin(possible []*podState, units [][2]int32) {
	x.possible, x.ranks, x.grouped = possible, x.a.ranks, len(units) > 0
	policy := &x.a.config.Policy
	x.steps, x.out, x.found = 0, false, false
	x.strict = policy.Strict
	x.forced, x.bound, x.settledTop = x.forced[:0], Score{}, math.MinInt32
	x.findFilters()
	x.findShort()
	x.findItems(units)
	x.findBudgets()
	x.findRanks()
	x.best = fill(x.best, len(x.items), false)
	x.chosen = fill(x.chosen, len(x.items), false)
}

// release drops what belongs to the caller.
func (x *setSearch) release() {
	x.host, x.a, x.n, x.resources, x.nominated = nil, nil, nil, nil, nil
	x.possible, x.ranks, x.score, x.bound = nil, nil, Score{}, Score{}
	x.solved = solvedSet{victim: x.solved.victim}
	clear(x.listed[:cap(x.listed)])
}

// findShort finds what the node is short of with all pods on it.
func (x *setSearch) findShort() {
	x.dims, x.short, x.weighed = 0, row{}, false
	for k := range x.weights {
		x.weights[k] = 1
	}
	r := x.resources
	if r.silent.has(resourcesFilter.index) {
		return
	}
	nominated := x.nominated
	x.addShort(-1, int64(r.count+len(nominated))+1-r.n.maxPods)
	for i := range r.needs {
		d := &r.needs[i]
		taken := r.taken[i]
		for _, p := range nominated {
			taken.add(d.in(&p.takes))
		}
		lack, offer := r.deferral.lacks(d, r.n), d.in(&r.n.offers)
		if r.deferral.settled(d, r.n) || taken.leaves(lack, offer) {
			continue
		}
		taken.add(lack)
		short := int64(largestShort)
		if taken.hi == 0 && taken.lo <= math.MaxInt64 {
			short = int64(taken.lo) - max(0, offer)
		}
		x.addShort(i, short)
	}
}

// addShort notes a shortage of a need, or of places for pods (-1).
func (x *setSearch) addShort(need int, short int64) {
	switch {
	case short <= 0:
	case short >= largestShort || x.dims == mostDims:
		x.checks, x.coarse = true, true
	default:
		x.short[x.dims], x.needOf[x.dims] = short, need
		x.dims++
	}
}

// findItems lists what can leave. Amounts are no larger than the shortage: a set holds
// enough if and only if it does so with amounts cut like that.
func (x *setSearch) findItems(units [][2]int32) {
	x.items = x.items[:0]
	for _, u := range units {
		x.items = append(x.items, setItem{from: u[0], to: u[1]})
	}
	for i := 0; !x.grouped && i < len(x.possible); i++ {
		x.items = append(x.items, setItem{from: int32(i), to: int32(i) + 1})
	}
	for i := range x.items {
		x.fillItem(&x.items[i])
	}
}

func (x *setSearch) fillItem(it *setItem) {
	a := x.a
	costed := a.config.Cost != nil && slices.Contains(x.ranks, ByCost)
	pods := x.possible[it.from:it.to]
	it.top = pods[0].priority()
	it.start = never
	for _, p := range pods {
		r := p.rank().at(a.nowAt)
		it.sum += int64(r.priority) + priorityShift
		if start := (instant{r.sec, r.nsec}); r.priority == it.top && start.before(it.start) {
			it.start = start
		}
		if costed {
			it.cost = addCosts(it.cost, costOf(a.config.Cost, p.pod))
		}
		if p.at.name == x.n.name {
			x.hold(it, p)
		}
	}
	for k := range x.dims {
		if it.holds[k] > 0 {
			part := float64(it.holds[k]) / float64(x.short[k]) * wholeShare
			it.shares[k] = min(wholeShare, int64(part*(1+1e-12))+1)
		}
		it.share += it.shares[k]
	}
}

// hold adds what a pod holds of what the node is short of.
func (x *setSearch) hold(it *setItem, p *podState) {
	for k := range x.dims {
		v := int64(1)
		if x.needOf[k] >= 0 {
			v = x.resources.needs[x.needOf[k]].in(&p.takes)
		}
		it.holds[k] = min(x.short[k], it.holds[k]+min(x.short[k], v))
	}
}
