package search

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Other rules than the default ones use the same first round and the same bounds on resources. Which of the
// arguments for the default rules remain valid depends on the rule:
//
//   - A pod that may not be evicted (Eligibility.Take) only makes the set of possible victims smaller, and
//     every bound is valid for a subset. So the caller is asked only about pods of nodes that are evaluated,
//     from the lowest priority up until there is room. Only if nothing helps in the end is the caller asked
//     about the pods of all nodes, because the plan then reports the nodes' statuses.
//   - If pods of any priority may be victims (Eligibility.AnyPriority), the bounds are valid with the levels
//     of all priorities in place of those below the preemptor's (Attempt.Reach).
//   - Another order of the pods (Importance) changes which pods are put back, not how much the victims have
//     to hold. Any set of victims still includes a pod of priority q or above. But the score's top priority
//     is that of the first victim in the caller's order, so that only the lowest priority on the node bounds
//     it.
//   - Another order of the ranks, or a prefix, compares the same figures. A bound on all figures at once is
//     compared by the same ranks (see Optimistic).
//   - Without reprieve (Terms.Ascending) the victims are the pods from the least important
//     up to the first one with which there is room. Its priority is q.
//   - How violations are counted does not matter, because the bounds assume that there are none.

// searchRules has what a search derives from its configuration.
type searchRules struct {
	config *dryrun.Terms
	// general is set for other rules than the default ones, by which nodes are evaluated in the order of
	// their optimistic scores.
	general bool
	// standard is set if candidates are compared by the default ranks.
	standard bool
	// figureOrder has the figures by which candidates are compared, in the order of the ranks.
	figureOrder dryrun.Order
	// firstFigure and secondFigure are the first two figures beside the violations. A start, a cost, and all
	// figures after one are left out, because bounds on a start or a cost take longer to find.
	firstFigure, secondFigure rank.Figure
	// startFirst is set if the start is the first figure beside the violations.
	startFirst bool
	// violationsFirst is set if the violations are compared before one of these two figures, or before a
	// start with startFirst.
	violationsFirst bool
	// asks says about which pods the caller's rules on possible victims are asked.
	asks asking
	// order is the order in which the possible victims are put back.
	order podOrder
	// readsFirst is set if the top priority is that of the victim that was found first, which is one that
	// violates a budget if any does (rule 13.2.3).
	readsFirst bool
	// takesFree is set if a node without victims beats all others (rule 13.2.11).
	takesFree bool
	// ascending is set if victims are found without reprieve.
	ascending bool
	// topLast is set if victims above the bound may win, because the ranks compare a figure other than the
	// violations before the top priority, or because the top priority need not be that of the highest victim.
	topLast bool
	// tight has, at index n, a bit for each budget that allows fewer than n disruptions (see BudgetBits). The
	// last element stands for any larger number and has all budgets.
	tight [8]uint32
	// costed is set if a rank compares the costs of victims.
	costed bool
	// chosen is set if only a dry run can find the victims, for instance because the caller's rule chooses
	// them or its guard protects some. Any victims make room, so that the bounds on all sets of victims are
	// still valid.
	chosen bool
	// byRows is set if, on nodes where resources alone decide, the victims follow from the rows as by the
	// default rules.
	byRows bool
}

// asking says about which pods the caller is asked.
type asking uint8

const (
	asksNobody asking = iota
	// asksFound: only the pods that would otherwise be victims. The bounds assume that the caller spares no
	// pod.
	asksFound
	// asksEach: every possible victim of every node, so that the answer of each node is exact.
	asksEach
)

// podOrder says in which order pods of a node are put back.
type podOrder uint8

const (
	// nodesOrder is by priority and start, as the nodes have their pods.
	nodesOrder podOrder = iota
	// namesOrder is by priority and name, without a look at the start.
	namesOrder
	// callersOrder is by Config.Importance.
	callersOrder
)

// anyPriority reports whether the caller's rules take part in the choice of victims, so that pods above the
// bound may be among them.
func (r *searchRules) anyPriority() bool {
	return r.asks != asksNobody || r.order == callersOrder || r.chosen
}

// Prunes reports whether a question can be answered without evaluating every node. Extenders have to see
// every candidate at once, and without NodeResourcesFit no bound is valid.
func Prunes(c *dryrun.Terms, req *preemption.Request) bool {
	if req.Pod == nil || len(c.Extenders) > 0 || !filters.BoundByResources(&c.Profile) {
		return false
	}

	// A pod without priority counts as one of priority 0, which is no special case for a preemptor of higher
	// priority.
	return !c.ByVariant().TakesUnprioritized || req.Pod.PriorityValue() > 0
}

// searchRulesOf returns the rules of a search.
func searchRulesOf(c *dryrun.Terms, budgets []*outrank.PodDisruptionBudget) searchRules {
	variant := c.ByVariant()
	r := searchRules{config: c, chosen: c.Chosen(), ascending: c.Ascending(), costed: c.Cost != nil, takesFree: variant.TakesFree}
	if c.AsksAbout() {
		r.asks = asksFound
	}
	switch {
	case c.Importance != nil:
		r.order = callersOrder
	case variant.IgnoresStart:
		r.order = namesOrder
	}

	// By the variant that reads the first victim, pods violate budgets only if one is exhausted (rule
	// 13.2.2). Otherwise the first victim is the highest as usual.
	r.readsFirst = c.ReadsFirst() && slices.ContainsFunc(budgets, exhausted)

	// Whatever has victims chosen in another way, such as exact victims, sets chosen. A variant is never
	// answered from rows.
	r.figureOrder = *c.Order()
	r.standard = r.figureOrder == DefaultOrder
	r.byRows = !r.chosen && r.asks == asksNobody && r.order != callersOrder && c.Variant == 0
	r.general = !r.byRows || !r.standard || c.Sample != nil
	r.topLast = r.order == callersOrder || r.readsFirst || comparesBeforeTop(&r.figureOrder)
	r.noteFirst()
	return r
}

// exhausted reports whether a budget allows no disruption at present.
func exhausted(b *outrank.PodDisruptionBudget) bool { return b != nil && b.DisruptionsAllowed <= 0 }

// comparesBeforeTop reports whether an order compares any figure but the violations before the top priority.
func comparesBeforeTop(order *dryrun.Order) bool {
	for _, x := range order {
		switch x {
		case rank.TopFigure:
			return false
		case rank.ViolationsFigure, rank.NoFigure:
		default:
			return true
		}
	}
	return false
}

// noteFirst sets firstFigure, secondFigure, startFirst and violationsFirst from figureOrder.
func (r *searchRules) noteFirst() {
	violations := false // whether they have been compared so far
	for _, x := range r.figureOrder {
		switch {
		case x == rank.NoFigure:
			return

		case x == rank.ViolationsFigure:
			violations = true
			continue

		case x == rank.StartFigure || x == rank.CostFigure:
			// These have no quick bound, except for a start that comes first (losesByLatestStart).
			if r.firstFigure == rank.NoFigure && x == rank.StartFigure {
				r.startFirst, r.violationsFirst = true, violations
			}
			return
		case r.firstFigure == rank.NoFigure:
			r.firstFigure = x
		default:
			r.secondFigure = x
		}

		// The last figure that is kept decides whether the violations come before any of them.
		r.violationsFirst = violations
		if r.secondFigure != rank.NoFigure {
			return
		}
	}
}

// Better reports whether f wins against g by the ranks of the configuration and, in a tie, by the order of
// the nodes.
func (r *searchRules) Better(f, g *NodeScore) bool {
	if r.standard && !r.takesFree {
		return f.BeatsByDefault(g)
	}

	if r.takesFree && f.Position >= 0 && g.Position >= 0 {
		if order, decides := r.config.ByVariant().CompareFree(int(f.Victims), int(g.Victims)); decides {
			return order < 0 || order == 0 && f.Position < g.Position
		}
	}
	return f.Beats(g, &r.figureOrder)
}

// noWorse reports whether f is not worse than g by the ranks alone. To leave positions out, it gives g the
// position of f during the comparison.
func (r *searchRules) noWorse(f, g *NodeScore) bool {
	at := g.Position
	g.Position = f.Position
	worse := r.Better(g, f)
	g.Position = at
	return !worse
}

// decides reports whether other nodes lose against f if their leading figures are worse: f is a candidate,
// and has no violations that are compared before these figures.
func (r *searchRules) decides(f *NodeScore) bool {
	return f.Position >= 0 && (f.Violations == 0 || !r.violationsFirst)
}

// LeadingOf returns the leading figures of a score.
func (r *searchRules) LeadingOf(o *NodeScore) leading {
	return leading{figureOrUnknown(&o.Figures, r.firstFigure), figureOrUnknown(&o.Figures, r.secondFigure)}
}

// allows reports whether the caller's rules let a pod be a victim. The preemptor itself never is one, and the
// caller is not asked about it (rule 7.19.6).
func (r *searchRules) allows(a *dryrun.Attempt, p *outrank.Pod) bool {
	if resident := a.Resident; resident != nil && resident.Pod == p {
		return false
	}
	return r.asks == asksNobody || r.config.Allows(a.Asked.Pod, p)
}

// endsDecide reports whether the victims of a node follow from the end of the caller's order, apart from
// budgets. They do if the caller is not asked about pods, and pods that fit are put back.
func (r *searchRules) endsDecide() bool {
	return r.order == callersOrder && !r.chosen && r.asks == asksNobody && !r.ascending && !r.readsFirst && !r.takesFree
}
