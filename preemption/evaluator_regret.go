package preemption

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// Regret says how far a plan is from the best one by the ranks of its policy (rule 13.4.8).
// It belongs to the caller.
type Regret struct {
	// Plan is the plan in question.
	Plan *Plan
	// Score is that of its victims with the budgets charged for them alone, so that it
	// compares with exact ones. It is the zero Score unless the plan preempts.
	Score Score
	// Best is the plan with the best victims on the best node. Its certificates say
	// whether that is certain.
	Best *Plan
	// OnNode is the best candidate on the node of the plan, nil unless the plan preempts
	// and pods of that node alone make room. Its certificate says whether that is certain.
	OnNode *Candidate
	// By is the first rank in which Best is better: 0 where it is not, ByNodeOrder where
	// Best preempts and the plan says that nothing helps.
	By Rank
	// Gaps has by how much Best is better in each rank of the policy, in their order.
	// Behind the first rank that differs it may be below 0.
	Gaps []RankGap
}

// RankGap is by how much a candidate is better than another in one rank, in the unit of
// [Certificate].Gap; below 0 where it is worse.
type RankGap struct {
	Rank Rank  `json:"rank"`
	Gap  int64 `json:"gap"`
}

// None reports whether the plan is as good as the best one.
func (r *Regret) None() bool { return r.By == 0 }

// String returns what is better about the best plan, in a line.
func (r *Regret) String() string {
	if r.By == 0 {
		return "as good as the best: " + r.certainty()
	}
	var gaps []string
	for _, g := range r.Gaps {
		if g.Gap != 0 {
			text := fmt.Sprint(g.Gap)
			if g.Rank.rule().figure == startFigure {
				text = time.Duration(g.Gap).String()
			}
			gaps = append(gaps, fmt.Sprintf("%v: %s", g.Rank, text))
		}
	}
	if gaps == nil {
		gaps = []string{"preemption helps"}
	}
	best := "another plan"
	if r.Best != nil {
		best = r.Best.Candidate.String()
	}
	return fmt.Sprintf("%s is better: %s; %s", best, strings.Join(gaps, ", "), r.certainty())
}

func (r *Regret) certainty() string {
	switch {
	case r.Best == nil:
		return "nothing is known"
	case r.Best.ClusterCertificate == nil:
		return r.Best.Outcome.String()
	}
	return r.Best.ClusterCertificate.String()
}

// Exactly returns an evaluator of the same configuration that searches for exact victims
// (policy [Exact]), and charges budgets for these alone. Scorers, extenders and a chooser
// are left out: it goes by the ranks. Error: [outrank.ErrInvalid] where a chooser may take
// pods of any priority, which exact victims are not, or where there is a [Guard], by which
// they are not chosen.
func (e *Evaluator) Exactly() (*Evaluator, error) {
	c := e.Config()
	if c.anyPriority() {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{
			Object: "preemption config", Field: "Chooser.AnyPriority", Text: "set, and exact victims are of lower priority",
		}}}
	}
	c.Policy.Victims, c.Chooser, c.Scorers, c.Extenders = Exact, nil, nil, nil
	return NewEvaluator(c)
}

// Regret says how far a plan of the evaluator is from the best one, by the ranks of its
// policy and with budgets charged for the victims alone, in the snapshot as it is now. Now
// stands in for missing start times, as in the call that the plan is from.
//
// The best plan is that of [Evaluator.Exactly]. Errors: those of that and of
// [Evaluator.Preempt]; [ErrStale] where the node or a victim is not there any more;
// [ErrUnsound] for victims that could be none. The snapshot is only read; any number of
// calls may run on it at once. Time is that of an exact decision.
func (e *Evaluator) Regret(ctx context.Context, snap *Snapshot, plan *Plan, now time.Time) (*Regret, error) {
	if plan == nil || plan.Pod == nil {
		return nil, fmt.Errorf("%w: no plan", outrank.ErrInvalid)
	}
	snap, err := opened(ctx, snap)
	if err != nil {
		return nil, err
	}
	exact, err := e.Exactly()
	if err != nil {
		return nil, err
	}
	r := &Regret{Plan: plan}
	if r.Best, err = exact.Preempt(ctx, snap, plan.Pod, now); err != nil {
		return nil, err
	}
	if plan.Outcome != Preempt {
		if r.Best.Outcome == Preempt && plan.Outcome == NothingHelps {
			r.By = ByNodeOrder
		}
		return r, nil
	}
	return r, r.compare(&exact.config, snap, now)
}

// compare completes the regret of a plan that preempts.
func (r *Regret) compare(config *Config, snap *Snapshot, now time.Time) error {
	a, err := newAttempt(config, snap, r.Plan.Pod, now)
	if err != nil {
		return err
	}
	v := verification{attempt: a, plan: r.Plan, dry: newDryRunner(a)}
	if v.at = snap.node(r.Plan.Node); v.at == nil || v.at.node == nil {
		return v.fault(ErrStale, "there is no such node")
	}
	if err := v.findVictims(); err != nil {
		return err
	}
	v.dry.enter(v.at)
	r.Score = v.scoreOf(v.victims, v.violations())
	if possible, s := v.dry.dryRun(v.at); s.code == Success {
		c := v.dry.candidate(possible)
		r.OnNode = &c
		v.dry.restoreVictims(possible)
	}
	if r.Best.Outcome != Preempt {
		return nil
	}
	order, by := r.Best.Score.compareBy(&r.Score, a.ranks)
	if order < 0 {
		r.By = by
	}
	for _, rank := range a.ranks {
		r.Gaps = append(r.Gaps, RankGap{rank, rank.Gap(r.Best.Score, r.Score)})
	}
	return nil
}
