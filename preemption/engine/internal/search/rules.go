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
// bounds on resources. What remains of the arguments depends on the rule:
//
//   - A pod that may not be evicted (Eligibility.Take) only makes the set of possible victims
//     smaller. Every bound holds for a subset, so that the caller is asked about the
//     pods of nodes alone that are evaluated, and there from the lowest priority up
//     until there is room. Where nothing helps in the end, all nodes are asked for
//     the sake of their statuses.
//   - Where pods of any priority may be victims (Eligibility.AnyPriority) they
//     are some of all pods of the node, so that the bounds hold once the levels of all
//     priorities count in place of those below the preemptor's (attempt.reach).
//   - Another order among the pods (Importance) changes which pods are put back, not
//     what has to be held by those that are not. Any set of victims still holds a
//     pod of priority q or above. The score's top priority is then that of the first
//     victim in the caller's order, so that only the lowest priority of the node
//     bounds it.
//   - Another order or a prefix of the ranks compares the same figures. A bound of
//     all figures at once is compared by the same ranks (see optimistic).
//   - Without reprieve (variantRules.ascending) the victims are the pods from the least important
//     up to the one with which there is room. Its priority is q.
//   - How violations are counted has no part in the bounds, which assume none.

// searchRules are what a search derives from its configuration.
type searchRules struct {
	config *dryrun.Terms
	// general is set for other rules than the default ones: the nodes are evaluated in the
	// order of their optimistic scores.
	general bool
	// standard is set if candidates are compared by the default ranks.
	standard bool
	// figureOrder has the figures that candidates are compared by.
	figureOrder dryrun.Order
	// firstFigure and secondFigure are the first two beside violations, up to a start or a
	// cost, whose bounds take longer to find. startFirst is set
	// if the start is the first.
	firstFigure, secondFigure rank.Figure
	startFirst                bool
	// violationsFirst is set if violations are compared before one of these.
	violationsFirst bool
	// asks says about which pods Eligibility.Take is asked, and order is that of the possible
	// victims.
	asks  asking
	order podOrder
	// readsFirst is set if the top priority is that of the first victim, of those that
	// violate a budget if there are any, and takesFree if a node on which no pod has to
	// leave is the best.
	readsFirst, takesFree bool
	// ascending is set if victims are found without reprieve.
	ascending bool
	// topLast is set if the ranks compare a figure of the third rank or later before they
	// compare the top priority, so that sets with victims above the bound can win.
	topLast bool
	// tight has a bit for each budget (see extremes.LowBudgets) that allows fewer
	// disruptions than its index; the last is for any number.
	tight [8]uint32
	// costed is set if a rank compares what victims cost.
	costed bool
	// chosen is set if only a dry run finds the victims, for instance where the caller's
	// rule chooses them or the caller's guard keeps some. Any victims make room, so that the
	// bounds on all sets of victims hold.
	chosen bool
	// byRows is set if the victims are found as by the default rules.
	byRows bool
}

// asking says which pods the caller is asked about.
type asking uint8

const (
	asksNobody asking = iota
	// asksFound: those are asked about that would be victims otherwise.
	asksFound
	// asksEach: every possible victim of every node is asked about, so that each node has its
	// own status.
	asksEach
)

// podOrder says in which order pods of a node are put back.
type podOrder uint8

const (
	// nodesOrder is by priority and start, as the nodes have their pods.
	nodesOrder podOrder = iota
	// namesOrder is by priority and name, without a look at the start.
	namesOrder
	callersOrder
)

// anyPriority reports whether the caller has a say in the victims, so that pods above the
// bound may be among them.
func (r *searchRules) anyPriority() bool {
	return r.asks != asksNobody || r.order == callersOrder || r.chosen
}

// Prunes reports whether a question can be answered without evaluating every
// node. Extenders have to see every candidate at once, and without the filter for
// resources their bounds do not hold.
func Prunes(c *dryrun.Terms, req *preemption.Request) bool {
	if req.Pod == nil || len(c.Extenders) > 0 || !filters.BoundByResources(&c.Profile) {
		return false
	}
	// A pod without priority counts as one of priority 0, and is no special case
	// below a higher one.
	return !c.ByVariant().TakesUnprioritized || req.Pod.PriorityValue() > 0
}

// searchRulesOf returns the rules of a search. Where no budget is exhausted, victims violate
// none by the variant that reads the first (rule 13.2.2), and the first is the highest.
func searchRulesOf(c *dryrun.Terms, budgets []*outrank.PodDisruptionBudget) searchRules {
	readsFirst := c.ReadsFirst() && slices.ContainsFunc(budgets, func(b *outrank.PodDisruptionBudget) bool { return b != nil && b.DisruptionsAllowed <= 0 })
	variant := c.ByVariant()
	r := searchRules{config: c, chosen: c.Chosen()}
	if c.AsksAbout() {
		r.asks = asksFound
	}
	switch {
	case c.Importance != nil:
		r.order = callersOrder
	case variant.IgnoresStart:
		r.order = namesOrder
	}
	r.byRows = !r.chosen && r.asks == asksNobody && r.order != callersOrder && !c.Exact && !c.VictimsAlone && c.Variant == 0
	r.readsFirst, r.takesFree = readsFirst, variant.TakesFree
	r.ascending = c.Ascending()
	r.figureOrder, r.costed = *c.Order(), c.Cost != nil
	r.standard = r.figureOrder == DefaultOrder
	r.general = !r.byRows || !r.standard || variant.FiltersOnce || c.Sample != nil
	for _, x := range r.figureOrder {
		if x == rank.TopFigure {
			break
		}
		r.topLast = r.topLast || x != rank.ViolationsFigure && x != rank.NoFigure
	}
	r.topLast = r.topLast || r.order == callersOrder || readsFirst
	r.noteFirst()
	return r
}

// noteFirst notes the figures that bounds are compared by before anything else.
func (r *searchRules) noteFirst() {
	violations := false
	for _, x := range r.figureOrder {
		switch {
		case x == rank.NoFigure:
			return
		case x == rank.ViolationsFigure:
			violations = true
			continue
		case x == rank.StartFigure || x == rank.CostFigure:
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

// noWorse reports whether a score is not worse than another by the ranks alone.
func (r *searchRules) noWorse(f, g *NodeScore) bool {
	at := g.Position
	g.Position = f.Position
	worse := r.Better(g, f)
	g.Position = at
	return !worse
}

// decides reports whether others lose against a candidate by the first ranks: it is one, and
// no violation of it is compared before.
func (r *searchRules) decides(f *NodeScore) bool {
	return f.Position >= 0 && (f.Violations == 0 || !r.violationsFirst)
}

// LeadingOf are the first figures of a score.
func (r *searchRules) LeadingOf(o *NodeScore) leading {
	return leading{leads(&o.Figures, r.firstFigure), leads(&o.Figures, r.secondFigure)}
}

// allows reports whether a pod could be a victim as far as the caller's rules go, which are
// not asked about the preemptor itself (rule 7.19.6).
func (r *searchRules) allows(a *dryrun.Attempt, p *outrank.Pod) bool {
	if resident := a.Asked.Deferral.Resident; resident != nil && resident.Pod == p {
		return false
	}
	return r.asks == asksNobody || r.config.Allows(a.Asked.Pod, p)
}

// endsDecide reports whether the end of the caller's order tells the victims of a node, as far as
// budgets have no say: nobody is asked about a pod, and pods that fit are put back.
func (r *searchRules) endsDecide() bool {
	return r.order == callersOrder && !r.chosen && r.asks == asksNobody && !r.ascending && !r.readsFirst && !r.takesFree
}
