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

// bound returns a total that no plan for the members beats by the ranks of the policy (group 25.5). The amount in
// each rank bounds all plans that are as good as the bound in the ranks before it. An amount without a bound is
// the least possible one. No member may be placed in the draft. best is the total of the best plan so far, and
// known an earlier answer of the relaxation, or nil.
func (b *draft) bound(m *model, known *relaxed, best total) total {
	x := &bounding{draft: b, model: m, known: known, best: best, top: math.MaxInt32, mostViolations: -1, met: true}
	x.total = total{Figures: rank.Figures{Top: math.MinInt32}}

	// The sizes of the pods bound several figures, whatever the ranks are. Then each rank raises its bound for the
	// plans that are as good in the ranks before it.
	x.bySize()
	for _, by := range b.totals.ranks {
		if b.spent() {
			break
		}

		switch {
		case by.figure == rank.ViolationsFigure:
			x.violations()
		case by.figure == rank.TopFigure:
			// As long as no rank before leaves a gap, a plan with a higher top priority than best is worse, so the
			// ranks that follow need not consider its victims.
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

// bounding computes a bound, one rank after the other.
type bounding struct {
	*draft
	total // the bound computed so far
	model *model
	known *relaxed
	best  total
	// met is set as long as best reaches the bound in every rank so far.
	met bool
	// top and mostViolations restrict the plans that are bounded: no victim above top, and no more than
	// mostViolations violations, unless that is below 0. They are only set while met is, so every plan that
	// they exclude is worse than best.
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

// sum bounds an amount that adds up (rule 25.5.4), and from it the number of victims and the sum of their
// priorities.
func (x *bounding) sum(by measure) {
	if by.gap(&x.total, &x.best) <= 0 { // best already meets the bound
		return
	}

	// The earlier answer of the relaxation is used if it is about the same rank and the same plans. Otherwise the
	// relaxation is only asked while best meets the bound in the ranks before: a certificate reports the first gap
	// and nothing behind it.
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

	// A limit of violations makes the bound higher but the relaxation slower, so it is only tried if a gap remains.
	if gap := by.gap(&x.total, &x.best); gap > 0 && x.mostViolations >= 0 {
		known := by.amount(&x.best)
		again := x.askRelaxation(r.model, packing.Goal{Most: x.mostViolations, Upper: known * r.scale, Prices: r.Prices})
		x.take(r, again.Bound)
	}
	x.met = x.met && by.gap(&x.total, &x.best) <= 0
}

// take raises the bound to the bound of a relaxation, and with it the number of victims and the sum of their
// priorities.
func (x *bounding) take(r *relaxed, bound int64) {
	// Each bound holds by itself, so the larger of two is taken.
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

	// Each victim adds at least the lowest priority of any possible victim to the sum, where priorities are counted
	// from the lowest int32 on.
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

// keptAway reports whether a running pod has anti-affinity, which may keep pods away from other nodes than its own.
// It also returns true after an error, when not all pods were looked at.
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

// bySize sets the bounds that follow from the members that fit on no node by themselves (rules 25.5.2 and 25.5.3).
// It sets none if victims need not be of lower priority, or if what happens on one node can matter to a pod on
// another.
func (x *bounding) bySize() {
	if config := x.eval.Config(); config.Eligibility.AnyPriority || config.Guard != nil || x.keptAway() {
		return
	}

	// stuck has the members that fit nowhere without victims. Only one member of each kind is asked about.
	var stuck []*member
	fitsSomewhere := map[int]bool{} // by the kind of a member
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
	if x.totals.lossCosts != nil { // each victim costs at least the mildest loss (rule 25.6.5)
		x.moves = resource.MulSat(int64(x.Victims), x.mildestLeaver())
	}
}

// whole converts a number of victims to the type in which totals count them.
func whole(victims int64) int32 { return int32(min(victims, math.MaxInt32)) }

// mildestLeaver returns the least cost of a loss, over all possible victims. After an error it returns 0.
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

// lowestTop returns a lower bound of the top priority of any plan (rule 25.5.2). For each pod that fits nowhere it
// computes the lowest top priority with which the pod alone finds room, and returns the highest of these.
//
// Proof: in every plan some victims leave the node of such a pod. If the pod may evict all of them, they make
// room for it, so one of them has at least that top priority. Otherwise one has at least the pod's own priority,
// which is above every priority that the pod may evict.
func (b *draft) lowestTop(stuck []*member) int32 {
	top := int32(math.MinInt32)
	config := b.eval.Config()
	if b.grouped || config.Eligibility.Take != nil && len(b.members) > 1 {
		return top
	}

	// Only the top priority is compared, so neither budgets nor the order of equal pods matter. An exact search over
	// all nodes finds its minimum.
	config.Ranks = []preemption.Rank{preemption.ByTopPriority}
	config.Victims = preemption.Exact{}
	config.Sample, config.Importance = nil, nil
	eval, err := engine.New(config)
	b.fail(err)

	// Pods of a kind have the same lowest priority, so one of each kind is decided on.
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

// fewest returns lower bounds of the number of victims and of the sum of their priorities (rule 25.5.3). Both are 0
// if nothing is known.
//
// If k of the stuck pods run on a node, at least x of its pods leave. So the least x/k, over all nodes and k,
// bounds the victims per stuck pod, however these pods are distributed over the nodes.
func (b *draft) fewest(stuck []*member) (victims int, sum int64) {
	need := b.smallest(stuck)
	highest := int32(math.MinInt32)
	for _, m := range b.members {
		highest = max(highest, m.pod.PriorityValue())
	}

	lowest := int32(math.MaxInt32)
	bestX, bestK := 0, 0 // the least x/k so far; bestK is 0 before the first
	for _, n := range b.nodes {
		pods := b.snap.PodsOn(n.Name)
		if !b.look(b.podWork(len(pods)) + len(stuck)*len(need)) {
			return 0, 0
		}

		node, lowestThere := b.capacityOf(n, pods, highest)
		lowest = min(lowest, lowestThere)
		for k := 1; k <= len(stuck); k++ {
			x, ok := fewestFor(int64(k), need, node)
			if !ok { // the node has no room for k pods, and so none for more
				break
			}
			if bestK == 0 || x*bestK < bestX*k { // x/k < bestX/bestK
				bestX, bestK = x, k
			}
		}
	}
	if bestK == 0 {
		return 0, 0
	}

	// Rounded up, because victims are whole. The sum counts priorities from the lowest int32 on.
	victims = (len(stuck)*bestX + bestK - 1) / bestK
	return victims, resource.MulSat(int64(victims), int64(lowest)+1<<31)
}

// capacity bounds the room of a node from above: in each scale the free amount and the largest amount that one
// possible victim frees, and the number of possible victims.
type capacity struct {
	free, largest []int64
	victims       int64
}

// capacityOf returns the capacity of a node, and the lowest priority of its possible victims. Pods whose priority
// is not below the highest priority of all members are no possible victims. Priorities exclude nobody if groups
// leave together, or in the simplified variant, because pods may then leave whatever their own priority is.
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

// fewestFor returns the least number of victims that k stuck pods need on one node, or false if all possible victims
// are not enough. It is at least 1, because a stuck pod fits on no node without victims.
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

// smallest returns, in each scale, the least amount that one of the pods asks for. Amounts that the filter
// NodeResourcesFit ignores count as 0.
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
