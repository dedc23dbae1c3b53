package joint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/internal/bounded"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Regret says how far a plan is from the best one by the ranks of its policy (rule 13.4.8 of package
// preemption). [RegretOf] finds it. It belongs to the caller.
type Regret struct {
	// Plan is the plan in question.
	Plan *preemption.Plan
	// Score is the score of the plan's victims, with budgets charged for these victims only, as an exact
	// decision charges them. It is the zero Score unless the plan preempts.
	Score preemption.Score
	// Best is the plan with the best victims on the best node. Its certificates say whether that is proven.
	Best *preemption.Plan
	// OnNode is the best candidate on the node of the plan. It is nil if the plan does not preempt, or if
	// evicting pods of that node alone makes no room. Its certificate says whether it is proven to be the best.
	OnNode *preemption.Candidate
	// By names the first rank in which Best is better. It is empty if Best is not better, and "node-order" if
	// Best preempts while the plan says that nothing helps.
	By string
	// Gaps says for each rank of the policy, in their order, by how much Best is better. After the first rank
	// that differs, a gap may be below 0.
	Gaps []RankGap
}

// RankGap says by how much one candidate is better than another in one rank, in the unit of
// [preemption.Certificate].Gap. Gap is below 0 if the candidate is worse.
type RankGap struct {
	Rank string `json:"rank"`
	Gap  int64  `json:"gap"`
}

// RegretOf says how far a plan of the evaluator is from the best one in the snapshot as it is now, by the ranks of
// its policy and with budgets charged for the victims only. now stands in for missing start times, as in the call
// that made the plan.
//
// The best plan is decided by the same configuration with [preemption.Exact], leaving out ranks with a Figure,
// ranks with a Cost after the first such rank, and extenders. RegretOf does not check that the victims of the plan
// make room. The snapshot is only read, so any number of calls may run on it at once. A call takes the time of an
// exact decision.
//
// Errors are those of [engine.Evaluator.Preempt], and these:
//   - [outrank.ErrInvalid] for no evaluator, snapshot or plan, and where there is a
//     [preemption.Guard], by which exact victims are not chosen;
//   - [engine.ErrStale] where the node or a victim is not there any more;
//   - [engine.ErrUnsound] for victims that could be none.
func RegretOf(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, plan *preemption.Plan, now time.Time) (*Regret, error) {
	switch {
	case ctx == nil || eval == nil || snap == nil:
		return nil, fmt.Errorf("regret: no context, no evaluator or no snapshot: %w", outrank.ErrInvalid)
	case plan == nil || plan.Pod == nil:
		return nil, fmt.Errorf("regret: no plan: %w", outrank.ErrInvalid)
	}

	// The best plan is an exact decision about the same pod.
	exact, err := exactly(eval)
	if err != nil {
		return nil, err
	}
	r := &Regret{Plan: plan}
	if r.Best, err = exact.Preempt(ctx, snap, preemption.Request{Pod: plan.Pod, Now: now}); err != nil {
		return nil, err
	}

	// A plan without victims has no score to compare: it is as good as the best, or misses that something helps.
	if plan.Outcome != preemption.Preempts {
		if r.Best.Outcome == preemption.Preempts && plan.Outcome == preemption.NothingHelps {
			r.By = rank.NodeOrder
		}
		return r, nil
	}

	_, across := eval.Config().Victims.(preemption.Across)
	v := regretted{eval: exact, config: exact.Config(), across: across, snap: snap, plan: plan, now: now}
	if r.Score, err = v.score(); err != nil {
		return nil, err
	}
	r.compare(ranksOf(&v.config))

	// The best candidate on the plan's own node separates the choice of victims from the choice of the node.
	report, err := exact.ExplainNode(ctx, snap, preemption.Request{Pod: plan.Pod, Now: now}, plan.Node)
	if err != nil {
		return nil, err
	}
	r.OnNode = report.Candidate
	return r, nil
}

// exactly returns an evaluator of the same configuration that searches for exact victims. Extenders and the ranks
// that such a search cannot bound are left out.
func exactly(eval *engine.Evaluator) (*engine.Evaluator, error) {
	c := eval.Config()
	c.Victims, c.Extenders = preemption.Exact{}, nil
	c.Ranks = bounded.Ranks(c.Ranks)
	return engine.New(c)
}

// compare sets By and Gaps from the two scores. It does nothing if the best plan does not preempt.
func (r *Regret) compare(ranks []preemption.Rank) {
	if r.Best.Outcome != preemption.Preempts {
		return
	}
	best := &r.Best.Score
	if order, by := best.Compare(r.Score, ranks); order < 0 {
		r.By = by
	}
	for i := range ranks {
		r.Gaps = append(r.Gaps, RankGap{Rank: ranks[i].Name, Gap: gapOf(&ranks[i], best, &r.Score)})
	}
}

// gapOf returns by how much a is better than b by one rank: for the start later is better, for every other figure less.
func gapOf(r *preemption.Rank, a, b *preemption.Score) int64 {
	if r.Name == rank.Start {
		f := rank.Figures{Start: rank.InstantOf(a.Start)}
		g := rank.Figures{Start: rank.InstantOf(b.Start)}
		return f.Gap(&g, rank.StartFigure)
	}
	return r.Of(*b) - r.Of(*a)
}

// regretted is a plan whose victims are checked and scored in the way of an exact decision.
type regretted struct {
	eval   *engine.Evaluator // searches for exact victims
	config preemption.Config // the configuration of eval
	snap   *engine.Snapshot
	plan   *preemption.Plan
	across bool // set if the plan's victims may be on several nodes
	now    time.Time
}

// fault returns an error about the plan that wraps kind.
func (v *regretted) fault(kind error, format string, args ...any) error {
	pod, node := v.plan.Pod, v.plan.Node
	return fmt.Errorf("plan for pod %s on node %s: %w: %s", pod.Key(), node, kind, fmt.Sprintf(format, args...))
}

// score returns the score of the plan's victims in the order of importance of a decision, with budgets charged for
// these victims only.
func (v *regretted) score() (preemption.Score, error) {
	lookAt, err := v.eval.LookAt(v.snap, preemption.Request{Pod: v.plan.Pod, Now: v.now})
	if err != nil {
		return preemption.Score{}, err
	}
	victims, err := v.victims(lookAt)
	if err != nil || len(victims) == 0 {
		return preemption.Score{}, err
	}
	view, err := lookAt(v.plan.Node)
	if err != nil {
		return preemption.Score{}, err
	}

	t, all := newTotals(v.snap, &v.config, v.now, nil), total{}
	for i, budgets := range view.Violated(victims...) {
		all.add(t.factsOf(victims[i]))
		all.Violations += v.violations(len(budgets))
	}
	// A decision uses the priority of the most important victim as the top priority, and by the caller's Importance
	// that need not be the highest one.
	all.Top = victims[0].PriorityValue()
	return t.score(all), nil
}

// violations returns the number of violations that a victim of these budgets counts for: one per budget in the
// simplified variant unless it charges victims, and otherwise at most one (rule 13.3.5).
func (v *regretted) violations(budgets int) int {
	if v.config.Variant == outrank.VariantSimplified && v.config.Budgets != preemption.ChargeVictims {
		return budgets
	}
	return min(1, budgets)
}

// victims returns the plan's victims as the snapshot knows them, the most important first. It returns an error if one
// does not run where the plan says, or could not be a victim.
func (v *regretted) victims(lookAt looker) ([]*outrank.Pod, error) {
	if _, ok := v.snap.Node(v.plan.Node); !ok {
		return nil, v.fault(engine.ErrStale, "there is no such node")
	}
	// A plan of v1.13 may have no victims (rule 13.2.11).
	if len(v.plan.Victims) == 0 && v.config.Variant != outrank.VariantV1_13 {
		return nil, v.fault(engine.ErrUnsound, "there are no victims")
	}

	nodes := []string{v.plan.Node}
	named := map[*outrank.Pod]bool{}
	for i, victim := range v.plan.Victims {
		if victim.Pod == nil {
			return nil, v.fault(engine.ErrUnsound, "victim %d is missing", i)
		}

		// A plan that is older than the snapshot is stale. One that names a victim twice was never right.
		known, ok := v.snap.Pod(victim.Pod.Key())
		node := cmp.Or(victim.Node, v.plan.Node)
		switch {
		case !ok || v.snap.NodeOf(known.Key()) != node || known.UID != victim.Pod.UID && known.UID != "" && victim.Pod.UID != "":
			return nil, v.fault(engine.ErrStale, "victim %s does not run there", victim)
		case named[known]:
			return nil, v.fault(engine.ErrUnsound, "victim %s is named twice", victim)
		}
		named[known] = true

		// In a plan across nodes every victim's node has to be asked. In other plans, a victim on another node
		// leaves together with one on this node, which lists it as a possible victim.
		if v.across && !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	return v.possible(lookAt, nodes, named)
}

// possible returns the named victims by importance. It returns an error if one of them is no possible victim of these
// nodes, or if a pod that can only leave together with one of them is not named.
func (v *regretted) possible(lookAt looker, nodes []string, named map[*outrank.Pod]bool) ([]*outrank.Pod, error) {
	// others are possible victims that the plan does not name.
	var out, others []*outrank.Pod
	for _, node := range nodes {
		view, err := lookAt(node)
		if errors.Is(err, preemption.ErrNotFound) {
			return nil, v.fault(engine.ErrStale, "there is no node %s", node)
		}
		if err != nil {
			return nil, err
		}

		for _, p := range view.Possible() {
			switch {
			case !named[p]:
				others = append(others, p)
			case !slices.Contains(out, p): // a unit on several nodes is listed by each of them
				out = append(out, p)
			}
		}
	}

	// victims has already checked that each of them is in the snapshot.
	for i := range v.plan.Victims {
		victim, _ := v.snap.Pod(v.plan.Victims[i].Pod.Key())
		if !slices.Contains(out, victim) {
			return nil, v.fault(engine.ErrUnsound, "victim %s is none of the pods that may leave", victim.Key())
		}
		for _, p := range others {
			if p.Group != "" && victim.Group != "" && leaveTogether(v.snap, victim, p) {
				return nil, v.fault(engine.ErrUnsound, "pod %s has to leave with victim %s", p.Key(), victim.Key())
			}
		}
	}

	// A single node lists its possible victims by importance already.
	if len(nodes) > 1 {
		v.sort(out)
	}
	return out, nil
}

// sort sorts victims by the caller's Importance, if there is one, and equal ones by the importance of the rules.
func (v *regretted) sort(victims []*outrank.Pod) {
	t := newTotals(v.snap, &v.config, v.now, nil)
	t.sort(victims)
	if v.config.Importance != nil {
		slices.SortStableFunc(victims, v.config.Importance)
	}
}

// String returns one line with the ranks in which the best plan is better, the gap in each, and the Certainty.
func (r *Regret) String() string {
	if r.By == "" {
		return "as good as the best: " + r.Certainty()
	}

	var gaps []string
	for _, g := range r.Gaps {
		if g.Gap != 0 {
			text := fmt.Sprint(g.Gap)
			if g.Rank == rank.Start {
				text = time.Duration(g.Gap).String()
			}
			gaps = append(gaps, fmt.Sprintf("%s: %s", rank.Text(g.Rank), text))
		}
	}
	if gaps == nil { // there is no score to compare: the plan says that nothing helps
		gaps = []string{"preemption helps"}
	}

	best := "another plan"
	if r.Best != nil {
		var victims []string
		for _, v := range r.Best.Victims {
			victims = append(victims, v.String())
		}
		best = fmt.Sprintf("%s [%s]", r.Best.Node, strings.Join(victims, ", "))
	}
	return fmt.Sprintf("%s is better: %s; %s", best, strings.Join(gaps, ", "), r.Certainty())
}

// Certainty says in a few words whether it is proven that no plan is better than Best.
func (r *Regret) Certainty() string {
	switch {
	case r.Best == nil:
		return "nothing is known"
	case r.Best.ClusterCertificate == nil:
		return string(r.Best.Outcome)
	}
	certificate := r.Best.ClusterCertificate
	text := certificateText(*certificate)
	if !certificate.Optimal {
		text += fmt.Sprintf(", %d not searched to the end", certificate.Unsolved)
	}
	return text
}

// wireRegret is the JSON document of a regret, with its fields in the order of JOINT_JSON.md.
type wireRegret struct {
	document.Header
	By     string           `json:"by,omitempty"`
	Gaps   []RankGap        `json:"gaps"`
	Score  json.RawMessage  `json:"score,omitempty"`
	Best   *preemption.Plan `json:"best,omitempty"`
	OnNode json.RawMessage  `json:"onNode,omitempty"`
}

// MarshalJSON returns the regret in the format of JOINT_JSON.md in this package's folder, in one line and with a
// version; see [Plan.MarshalJSON]. It does not contain Plan.
func (r Regret) MarshalJSON() ([]byte, error) {
	var e document.Encoder
	w := wireRegret{
		Header: document.NewHeader("Regret"), By: r.By, Best: r.Best,
		Gaps: document.List(r.Gaps, func(g RankGap) RankGap { return g }),
	}
	if r.Score.Victims > 0 {
		scores, err := scoresOf(r.Score)
		if err != nil {
			return nil, err
		}
		w.Score = scores[0]
	}
	if r.OnNode != nil {
		parts, err := partsOf(*r.OnNode)
		if err != nil {
			return nil, err
		}
		w.OnNode = parts[0].whole
	}
	return e.Encode("regret", w)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (r *Regret) UnmarshalJSON(text []byte) error { return document.Unread("joint.Regret", text) }
