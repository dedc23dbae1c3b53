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
// before it. An amount that nothing is known about is the least that there is. No member is placed in the
// draft. best is the total of a plan, and known is the answer of the relaxation if it was asked before, or nil.
func (b *draft) bound(m *model, known *relaxed, best total) total {
	x := &bounding{draft: b, model: m, known: known, best: best, top: math.MaxInt32, mostViolations: -1, met: true}
	x.total = total{Figures: rank.Figures{Top: math.MinInt32}}

	// The sizes of the pods bound several figures, whatever the ranks are. Then each rank adds what follows for plans
	// that are as good in the ranks before.
	x.bySize()
	for _, by := range b.totals.ranks {
		if b.spent() {
			break
		}
		switch {
		case by.figure == rank.ViolationsFigure:
			x.violations()
		case by.figure == rank.TopFigure:
			// A plan with a victim above the best plan's, and no better in the ranks before, is worse.
			if x.met {
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
	total // the bound so far
	model *model
	known *relaxed
	best  total
	// met is set as long as the bound is as good as the known plan in every rank so far.
	met bool
	// top and mostViolations say which plans count: those without a victim above top, and with no more
	// violations than that, where it is not below 0. Both are set while met is, so the other plans are worse
	// than the known one.
	top            int32
	mostViolations int
}

// violations bounds how many victims violate a budget (rule 25.5.5).
func (x *bounding) violations() {
	if x.best.Violations > 0 && !x.model.huge {
		r := x.askRelaxation(x.model, packing.Goal{Violations: true, Upper: int64(x.best.Violations) * packing.Unit})
		if !r.Impossible {
			x.Violations = int(ceil(r.Bound, packing.Unit))
		}
	}
	if x.met = x.met && x.Violations >= x.best.Violations; x.met && len(x.model.Left) > 0 {
		x.mostViolations = x.best.Violations
	}
}

// sum bounds an amount that adds up (rule 25.5.4), and with it the number of victims and the sum of
// their priorities.
func (x *bounding) sum(by measure) {
	if by.gap(&x.total, &x.best) <= 0 { // the known plan is as good as the bound already
		return
	}

	// What the relaxation said before counts for the same rank and the same plans. It is asked anew only as
	// long as the known plan meets the bound: after that a gap in an earlier rank is all that is told.
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

	// Counting violations makes the relaxation dearer and the bound higher, so it comes second.
	if gap := by.gap(&x.total, &x.best); gap > 0 && x.mostViolations >= 0 {
		known := by.amount(&x.best)
		again := x.askRelaxation(r.model, packing.Goal{Most: x.mostViolations, Upper: known * r.scale, Prices: r.Prices})
		x.take(r, again.Bound)
	}
	x.met = x.met && by.gap(&x.total, &x.best) <= 0
}

// take raises the bound to that of a relaxation, and to what follows from it for the number of victims and the
// sum of their priorities.
func (x *bounding) take(r *relaxed, bound int64) {
	// A bound holds whatever other bounds say, so the larger of two counts.
	weight, leavers := r.atLeast(bound)
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

	// Each victim adds at least the lowest priority of any possible one, counted from the lowest that there is.
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

// keptAway reports whether a running pod may keep others away from nodes other than its own. It returns true
// where the work was cut short, because nothing is known then.
func (b *draft) keptAway() bool {
	for _, n := range b.nodes {
		pods := b.snap.PodsOn(n.Name)
		if !b.look(1 + len(pods)) {
			return true
		}
		for _, p := range pods {
			if len(p.Affinity.PodAntiAffinity) > 0 {
				return true
			}
		}
	}
	return false
}

// bySize sets the bound to what follows from the pods that fit on no node alone (rules 25.5.2 and 25.5.3). It
// leaves the bound where victims need not be of lower priority, and where one node can matter to a pod on
// another.
func (x *bounding) bySize() {
	if config := x.eval.Config(); config.Eligibility.AnyPriority || config.Guard != nil || x.keptAway() {
		return
	}

	var stuck []*member
	fitsSomewhere := map[int]bool{} // by kind
	for _, m := range x.members {
		if m.coupled() {
			return
		}
		fits, ok := fitsSomewhere[m.kind]
		if !ok {
			nodes, err := x.eval.Feasible(x.ctx, x.snap, m.pod)
			x.fail(err)
			fits = len(nodes) > 0
			fitsSomewhere[m.kind] = fits
		}
		if !fits {
			stuck = append(stuck, m)
		}
	}
	if x.err != nil || len(stuck) == 0 {
		return
	}

	// No member is coupled, so what happens on one node does not matter on another, and both rules hold.
	victims, sum := x.fewest(stuck)
	x.Victims = whole(int64(victims))
	x.Sum = sum
	x.Top = x.lowestTop(stuck)
	if x.totals.lossCosts != nil { // rule 25.6.5
		x.moves = resource.MulSat(int64(x.Victims), x.mildestLeaver())
	}
}

// whole converts a number of victims to the type in which totals count them.
func whole(victims int64) int32 { return int32(min(victims, math.MaxInt32)) }

// mildestLeaver returns the least that the loss of any possible victim can cost.
func (x *bounding) mildestLeaver() int64 {
	least := int64(math.MaxInt64)
	for _, pods := range x.model.pods {
		if !x.look(x.podWork(len(pods))) {
			return 0
		}
		for _, p := range pods {
			least = min(least, x.totals.factsOf(p).moves)
		}
	}
	return least
}

// lowestTop returns a priority that some victim has at least: the highest, over the pods
// that fit nowhere, of the lowest with which one of them fits alone (rule 25.5.2).
//
// In every plan some victims leave the node of such a pod. If the pod may evict all of them, one has at least
// that priority, because the pod fits without them. Otherwise one has at least the pod's own priority, which is
// above that of everyone it may evict.
func (b *draft) lowestTop(stuck []*member) int32 {
	top := int32(math.MinInt32)
	config := b.eval.Config()
	if b.grouped || config.Eligibility.Take != nil && len(b.members) > 1 {
		return top
	}

	// By the top priority alone the order in which budgets have victims put back does not matter, nor does the
	// importance of equal ones.
	config.Ranks = []preemption.Rank{preemption.ByTopPriority}
	config.Victims = preemption.Exact{}
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
// priorities (rule 25.5.3). Both are 0 where nothing is known.
//
// On a node with k of these pods at least x of its pods leave. The least x/k, over all nodes and k, is a number
// of victims that each pod needs at least, however they are shared out among the nodes.
func (b *draft) fewest(stuck []*member) (victims int, sum int64) {
	need := b.smallest(stuck)
	highest := int32(math.MinInt32)
	for _, m := range b.members {
		highest = max(highest, m.pod.PriorityValue())
	}

	lowest := int32(math.MaxInt32)
	bestX, bestK := 0, 0 // of the least x/k
	for _, n := range b.nodes {
		pods := b.snap.PodsOn(n.Name)
		if !b.look(b.podWork(len(pods)) + len(stuck)*len(need)) {
			return 0, 0
		}
		node, lowestThere := b.capacityOf(n, pods, highest)
		lowest = min(lowest, lowestThere)
		for k := 1; k <= len(stuck); k++ {
			x, ok := fewestFor(int64(k), need, node)
			if !ok { // nor for more pods
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

// capacity is what a node can give at most: by resource how much is free and how much the largest of its
// possible victims frees, and how many possible victims there are.
type capacity struct {
	free, largest []int64
	victims       int64
}

// capacityOf returns the capacity of a node, and the lowest priority of its possible victims. A pod that no
// member may preempt, by the highest priority of all members, is none of them. Where groups leave together, and
// by the simplified variant, a pod may leave whatever its own priority is.
func (b *draft) capacityOf(n *outrank.Node, pods []*outrank.Pod, highest int32) (node capacity, lowest int32) {
	node = capacity{free: make([]int64, len(b.scales)), largest: make([]int64, len(b.scales))}
	for k, name := range b.scales {
		node.free[k] = b.free(n, name)
	}

	lowest = math.MaxInt32
	byPriority := !b.grouped && b.eval.Config().Variant != outrank.VariantSimplified
	for _, p := range pods {
		priority := b.totals.factsOf(p).priority
		if byPriority && priority >= highest {
			continue
		}
		node.victims++
		lowest = min(lowest, priority)
		for k, amount := range b.amounts(p) {
			node.largest[k] = max(node.largest[k], amount)
		}
	}
	return node, lowest
}

// fewestFor returns how many victims k pods need at least on one node, and false if all that there are
// are not enough. A pod that fits nowhere alone needs at least one.
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

// smallest returns the least amount of each scale that any of the pods asks for. An amount that the filter
// NodeResourcesFit does not look at counts as 0.
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
