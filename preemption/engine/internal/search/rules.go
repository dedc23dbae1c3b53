package search

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Other rules than the default ones take the same first round, and the same
// bounds on resources. How much of the arguments remains depends on the rule:
//
//   - A pod that may not be evicted (Eligibility.Take) only makes the set of possible victims
//     smaller. Every bound holds for a subset. So the caller is asked only about the
//     pods of nodes that are evaluated, and there from the lowest priority up
//     until there is room. If nothing helps in the end, the caller is asked about the pods of all
//     nodes, for the sake of their statuses.
//   - If pods of any priority may be victims (Eligibility.AnyPriority), the victims
//     are some of all pods of the node. The bounds hold once the levels of all
//     priorities count in place of those below the preemptor's (Attempt.Reach).
//   - Another order among the pods (Importance) changes which pods are put back, not
//     how much the others have to hold. Any set of victims still holds a
//     pod of priority q or above. The score's top priority is then that of the first
//     victim in the caller's order, so that only the lowest priority of the node
//     bounds it.
//   - Another order or a prefix of the ranks compares the same figures. A bound of
//     all figures at once is compared by the same ranks (see Optimistic).
//   - Without reprieve (Terms.Ascending) the victims are the pods from the least important
//     up to the first one with which there is room. Its priority is q.
//   - How violations are counted has no part in the bounds, which assume that there are none.

// searchRules are what a search derives from its configuration.
type searchRules struct {
	config *dryrun.Terms
	// general is set for other rules than the default ones: the nodes are evaluated in the
	// order of their optimistic scores.
	general bool
	// standard is set if candidates are compared by the default ranks.
	standard bool
	// figureOrder has the figures that candidates are compared by, in the order of the ranks.
	figureOrder dryrun.Order
	// firstFigure and secondFigure are the first two figures beside the violations. Only figures before
	// a start or a cost count, because the bounds of these take longer to find.
	firstFigure, secondFigure rank.Figure
	// startFirst is set if the start is the first figure beside the violations.
	startFirst bool
	// violationsFirst is set if the violations are compared before one of the first figures, or before
	// the start that comes first.
	violationsFirst bool
	// asks says about which pods the caller's rules about possible victims are asked.
	asks asking
	// order is the order in which the possible victims are put back.
	order podOrder
	// readsFirst is set if the top priority is that of the victim that was found first: one that
	// violates a budget if there is any (rule 13.2.3).
	readsFirst bool
	// takesFree is set if a node on which no pod has to leave is the best (rule 13.2.11).
	takesFree bool
	// ascending is set if victims are found without reprieve.
	ascending bool
	// topLast is set if victims above the bound may win: because the ranks compare a figure
	// other than the violations before the top priority, or because the top priority is not that of the
	// highest victim.
	topLast bool
	// tight has at n a bit for each budget that allows fewer than n disruptions (see
	// Extremes.LowBudgets). Its last element has the budgets that any number may violate: all of them.
	tight [8]uint32
	// costed is set if a rank compares what victims cost.
	costed bool
	// chosen is set if only a dry run finds the victims: for instance if the caller's
	// rule chooses them, or the caller's guard keeps some. Any victims make room, so that the
	// bounds on all sets of victims hold.
	chosen bool
	// byRows is set if the rows of a node tell the victims as by the default rules, where resources
	// alone decide.
	byRows bool
}

// asking says which pods the caller is asked about.
type asking uint8

const (
	asksNobody asking = iota
	// asksFound: the pods that would be victims otherwise, so that the bounds take it that the caller spares
	// nobody.
	asksFound
	// asksEach: every possible victim of every node, so that each node has its own status.
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

// anyPriority reports whether the caller has a say in the victims, so that pods above the
// bound may be among them.
func (r *searchRules) anyPriority() bool {
	return r.asks != asksNobody || r.order == callersOrder || r.chosen
}

// Prunes reports whether a question can be answered without evaluating every
// node. Extenders have to see every candidate at once, and no bound holds without the filter for
// resources.
func Prunes(c *dryrun.Terms, req *preemption.Request) bool {
	if req.Pod == nil || len(c.Extenders) > 0 || !filters.BoundByResources(&c.Profile) {
		return false
	}

	// A pod without priority counts as one of priority 0, and is no special case
	// below a higher one.
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

	// By the variant that reads the first victim nobody violates a budget unless one is exhausted (rule
	// 13.2.2). Then the first victim is the highest.
	r.readsFirst = c.ReadsFirst() && slices.ContainsFunc(budgets, exhausted)

	r.figureOrder = *c.Order()
	r.standard = r.figureOrder == DefaultOrder
	r.byRows = !r.chosen && r.asks == asksNobody && r.order != callersOrder && !c.Exact && !c.VictimsAlone && c.Variant == 0
	r.general = !r.byRows || !r.standard || variant.FiltersOnce || c.Sample != nil
	r.topLast = r.order == callersOrder || r.readsFirst || comparesBeforeTop(&r.figureOrder)
	r.noteFirst()
	return r
}

// exhausted reports whether a budget allows no disruption as it stands.
func exhausted(b *outrank.PodDisruptionBudget) bool { return b != nil && b.DisruptionsAllowed <= 0 }

// comparesBeforeTop reports whether an order compares anything but the violations before the top priority.
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

// noteFirst finds the figures that bounds are compared by before anything else, and whether violations
// come before them.
func (r *searchRules) noteFirst() {
	violations := false // compared so far
	for _, x := range r.figureOrder {
		switch {
		case x == rank.NoFigure:
			return
		case x == rank.ViolationsFigure:
			violations = true
			continue
		case x == rank.StartFigure || x == rank.CostFigure:
			// Bounds of these take longer to find. A start that comes first is bounded in a way of its own.
			if r.firstFigure == rank.NoFigure && x == rank.StartFigure {
				r.startFirst, r.violationsFirst = true, violations
			}
			return
		case r.firstFigure == rank.NoFigure:
			r.firstFigure = x
		default:
			r.secondFigure = x
		}

		r.violationsFirst = violations
		if r.secondFigure != rank.NoFigure {
			return
		}
	}
}

// Better reports whether a candidate wins by the ranks of the configuration and, in
// a tie, by the order of the nodes.
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

// noWorse reports whether a score is not worse than another by the ranks alone. It gives both the same
// position for that, and takes it back.
func (r *searchRules) noWorse(f, g *NodeScore) bool {
	at := g.Position
	g.Position = f.Position
	worse := r.Better(g, f)
	g.Position = at
	return !worse
}

// decides reports whether the first figures settle that others lose against f: it is a candidate, and no
// violation of its own is compared before these figures.
func (r *searchRules) decides(f *NodeScore) bool {
	return f.Position >= 0 && (f.Violations == 0 || !r.violationsFirst)
}

// LeadingOf returns the first figures of a score.
func (r *searchRules) LeadingOf(o *NodeScore) leading {
	return leading{figureOrUnknown(&o.Figures, r.firstFigure), figureOrUnknown(&o.Figures, r.secondFigure)}
}

// allows reports whether a pod could be a victim as far as the caller's rules go. The preemptor itself
// never is one, and the caller is not asked about it (rule 7.19.6).
func (r *searchRules) allows(a *dryrun.Attempt, p *outrank.Pod) bool {
	if resident := a.Resident; resident != nil && resident.Pod == p {
		return false
	}
	return r.asks == asksNobody || r.config.Allows(a.Asked.Pod, p)
}

// endsDecide reports whether the end of the caller's order tells the victims of a node as far as
// budgets have no say. It does if the caller is not asked about pods, and pods that fit are put back.
func (r *searchRules) endsDecide() bool {
	return r.order == callersOrder && !r.chosen && r.asks == asksNobody && !r.ascending && !r.readsFirst && !r.takesFree
}
