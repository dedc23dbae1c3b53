package joint

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/resource"
)

// bound returns a total that no plan for the members beats by the ranks of the policy (group 25.5).
// Each amount is one that no plan beats of those that are as good as the bound in the ranks
// before it; amounts of which nothing is known are the least that there are. The draft is
// without any member placed, best is a plan, and known what the relaxation said before, or nil.
func (b *draft) bound(m *model, known *relaxed, best total) total {
	x := &bounding{draft: b, model: m, known: known, best: best, top: math.MaxInt32, most: -1, met: true}
	x.total = total{Figures: rank.Figures{Top: math.MinInt32}}
	x.bySize()
	for _, by := range b.totals.ranks {
		if b.spent() {
			break
		}
		switch {
		case by.figure == rank.ViolationsFigure:
			x.violations()
		case by.figure == rank.TopFigure:
			if x.met { // no better plan has a victim above
				x.top = best.Top
			}
			x.met = x.met && x.Top == best.Top
		case by.adds():
			x.sum(by)
		default:
			x.met = false
		}
	}
	return x.total
}

// bounding finds a bound, one rank after the other.
type bounding struct {
	*draft
	total
	model *model
	known *relaxed
	best  total
	// met is set while the bound is as good as the known plan. No plan is meant but those
	// that have no victim above top and no more violations than most, where that is not
	// below 0: the others are worse.
	met  bool
	top  int32
	most int
}

// violations bounds how many violate a budget (rule 25.5.5).
func (x *bounding) violations() {
	if x.best.Violations > 0 && !x.model.huge {
		r := x.asRelaxed(x.model, packing.Goal{Violations: true, Upper: int64(x.best.Violations) * packing.Unit})
		if !r.Impossible {
			x.Violations = int(ceil(r.Bound, packing.Unit))
		}
	}
	if x.met = x.met && x.Violations >= x.best.Violations; x.met && len(x.model.Left) > 0 {
		x.most = x.best.Violations
	}
}

// sum bounds what adds up (rule 25.5.4). What follows for the number of victims and for the sum of
// their priorities is taken over.
func (x *bounding) sum(by measure) {
	if by.gap(&x.total, &x.best) <= 0 {
		return
	}
	r := x.known
	if r == nil || r.by != by || r.top != x.top {
		if !x.met {
			return
		}
		r = x.relax(x.model, by, x.top, x.best)
	}
	if r.scale == 0 || r.Impossible {
		x.met = false
		return
	}
	x.take(r, r.Bound)
	if gap := by.gap(&x.total, &x.best); gap > 0 && x.most >= 0 {
		known := by.of(&x.best)
		again := x.asRelaxed(r.model, packing.Goal{Most: x.most, Upper: known * r.scale, Prices: r.Prices})
		x.take(r, again.Bound)
	}
	x.met = x.met && by.gap(&x.total, &x.best) <= 0
}

// take takes over a bound of a sum, and what follows for the number of victims and the sum of
// their priorities.
func (x *bounding) take(r *relaxed, bound int64) {
	weight, leavers := r.goal(bound)
	x.Victims = max(x.Victims, whole(leavers))
	switch weight = ceil(weight, r.scale); r.by.figure {
	case rank.SumFigure:
		x.Sum = max(x.Sum, weight)
	case rank.VictimsFigure:
		x.Victims = max(x.Victims, whole(weight))
	case rank.CostFigure:
		x.Cost = max(x.Cost, weight)
	case byMoves.figure:
		x.moves = max(x.moves, weight)
	}
	lowest := int64(math.MaxInt64)
	for i := range r.pods {
		if !x.look(1 + len(r.pods[i])) {
			return
		}
		for _, p := range r.pods[i] {
			lowest = min(lowest, int64(p.PriorityValue())-math.MinInt32)
		}
	}
	if x.Victims > 0 {
		x.Sum = max(x.Sum, resource.MulSat(int64(x.Victims), lowest))
	}
}

// keptAway reports whether a running pod may keep others away from nodes beside its own.
func (b *draft) keptAway() bool {
	for _, n := range b.nodes {
		pods := b.snap.PodsOn(n.Name)
		if !b.look(1 + len(pods)) {
			return true // for all that is known
		}
		for _, p := range pods {
			if len(p.Affinity.PodAntiAffinity) > 0 {
				return true
			}
		}
	}
	return false
}

// bySize takes over what follows from the pods that fit on no node alone, where victims are of
// lower priority.
func (x *bounding) bySize() {
	if config := x.eval.Config(); config.Eligibility.AnyPriority || config.Guard != nil || x.keptAway() {
		return
	}
	var stuck []*member
	fits := map[int]bool{}
	for _, m := range x.members {
		if m.coupled() {
			return
		}
		known, ok := fits[m.kind]
		if !ok {
			nodes, err := x.eval.Feasible(x.ctx, x.snap, m.pod)
			x.fail(err)
			known = len(nodes) > 0
			fits[m.kind] = known
		}
		if !known {
			stuck = append(stuck, m)
		}
	}
	if x.err != nil || len(stuck) == 0 {
		return
	}
	victims, sum := x.fewest(stuck)
	x.Victims, x.Sum, x.Top = whole(int64(victims)), sum, x.lowestTop(stuck)
	if x.totals.moves != nil {
		x.moves = resource.MulSat(int64(x.Victims), x.mildestLeaver())
	}
}

// whole is a number of victims in the type in which they are counted.
func whole(victims int64) int32 { return int32(min(victims, math.MaxInt32)) }

// mildestLeaver is the least that becomes of any possible victim.
func (x *bounding) mildestLeaver() int64 {
	least := int64(math.MaxInt64)
	for _, pods := range x.model.pods {
		if !x.look(x.podWork(len(pods))) {
			return 0
		}
		for _, p := range pods {
			least = min(least, x.totals.of(p).moves)
		}
	}
	return least
}

// lowestTop returns a priority that some victim has at least: the highest, over the pods
// that fit nowhere, of the lowest with which one of them fits alone (rule 25.5.2). A pod
// that shares the victims of another, which it may not evict itself, shares one of at
// least its own priority.
func (b *draft) lowestTop(stuck []*member) int32 {
	top := int32(math.MinInt32)
	config := b.eval.Config()
	if b.grouped || config.Eligibility.Take != nil && len(b.members) > 1 {
		return top
	}
	config.Ranks = []preemption.Rank{preemption.ByTopPriority}
	config.Victims = preemption.Exact{} // the order in which budgets have victims put back does not matter then
	config.Sample, config.Importance = nil, nil
	eval, err := engine.New(config)
	b.fail(err)
	seen := map[int]bool{}
	for _, m := range stuck {
		if b.err != nil || seen[m.kind] {
			continue
		}
		seen[m.kind] = true
		plan, err := eval.Preempt(b.ctx, b.snap, preemption.Request{Pod: m.pod, Now: b.now})
		b.fail(err)
		if err == nil && plan.Outcome == preemption.Preempts && plan.ClusterCertificate.Optimal {
			top = max(top, plan.Score.TopPriority)
		}
	}
	return top
}

// fewest returns how many victims there are at least, and the least sum of their
// priorities (rule 25.5.3). Every pod that fits nowhere needs a victim on its node; and k
// of them need as many as free what k times the smallest of them asks for, if each frees
// as much as the largest pod there.
func (b *draft) fewest(stuck []*member) (victims int, sum int64) {
	need := b.smallest(stuck)
	highest := int32(math.MinInt32)
	for _, m := range b.members {
		highest = max(highest, m.pod.PriorityValue())
	}
	lowest := int32(math.MaxInt32)
	bestX, bestK := 0, 0
	for _, n := range b.nodes {
		free, largest := make([]int64, len(need)), make([]int64, len(need))
		pods := b.snap.PodsOn(n.Name)
		if !b.look(b.podWork(len(pods)) + len(stuck)*len(need)) {
			return 0, 0
		}
		for k, name := range b.scales {
			free[k] = resource.SubSat(n.Allocatable.Amount(name), b.snap.Used(n.Name, name))
		}
		count := 0
		for _, p := range pods {
			priority := b.totals.of(p).priority
			if priority >= highest && !b.grouped && b.eval.Config().Variant != outrank.VariantSimplified {
				continue
			}
			count, lowest = count+1, min(lowest, priority)
			for k, amount := range b.amounts(p) {
				largest[k] = max(largest[k], amount)
			}
		}
		for k := 1; k <= len(stuck); k++ {
			x, ok := fewestFor(int64(k), need, capacity{free, largest, int64(count)})
			if !ok {
				break
			}
			if bestK == 0 || x*bestK < bestX*k {
				bestX, bestK = x, k
			}
		}
	}
	if bestK == 0 {
		return 0, 0
	}
	victims = (len(stuck)*bestX + bestK - 1) / bestK
	return victims, resource.MulSat(int64(victims), int64(lowest)+1<<31)
}

// capacity is what a node can give at most: by resource what is free and what the largest of its
// possible victims frees, and how many victims there are.
type capacity struct {
	free, largest []int64
	victims       int64
}

// fewestFor returns how many victims on one node k pods need at least, false if all are
// not enough.
func fewestFor(k int64, need []int64, node capacity) (int, bool) {
	x := int64(1)
	for r := range need {
		short := resource.SubSat(resource.MulSat(k, need[r]), node.free[r])
		if need[r] == 0 || short <= 0 {
			continue
		}
		if node.largest[r] == 0 {
			return 0, false
		}
		x = max(x, (short-1)/node.largest[r]+1)
	}
	return int(x), x <= node.victims
}

// smallest returns the least that any of the pods asks for of each resource that the
// filter NodeResourcesFit looks at.
func (b *draft) smallest(stuck []*member) []int64 {
	least := make([]int64, len(b.scales))
	for r := range least {
		least[r] = math.MaxInt64
	}
	seen := map[int]bool{}
	for _, m := range stuck {
		if seen[m.kind] {
			continue
		}
		seen[m.kind] = true
		asked := b.asked(m)
		for r, name := range b.scales {
			least[r] = min(least[r], asked[name])
		}
	}
	return least
}
