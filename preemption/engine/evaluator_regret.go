package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Exactly returns an evaluator of the same configuration that searches for exact victims
// ([preemption.Policy].Exact), and charges budgets for these alone. Scorers, extenders and a chooser
// are left out: it goes by the ranks. Error: [outrank.ErrInvalid] where a chooser may take
// pods of any priority, which exact victims are not, or where there is a [Guard], by which
// they are not chosen.
func (e *Evaluator) Exactly() (*Evaluator, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	c := e.Config()
	if e.config.AnyPriority() {
		return nil, &outrank.InputError{Problems: []outrank.Problem{{
			Object: "preemption config", Field: "Chooser.AnyPriority", Text: "set, and exact victims are of lower priority",
		}}}
	}
	c.Policy.Exact, c.Chooser, c.Scorers, c.Extenders = true, nil, nil, nil
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
func (e *Evaluator) Regret(ctx context.Context, cluster *Snapshot, plan *preemption.Plan, now time.Time) (*preemption.Regret, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	if plan == nil || plan.Pod == nil {
		return nil, fmt.Errorf("%w: no plan", outrank.ErrInvalid)
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}
	exact, err := e.Exactly()
	if err != nil {
		return nil, err
	}
	r := &preemption.Regret{Plan: plan}
	if r.Best, err = exact.Preempt(ctx, cluster, plan.Pod, now); err != nil {
		return nil, err
	}
	if plan.Outcome != preemption.Preempts {
		if r.Best.Outcome == preemption.Preempts && plan.Outcome == preemption.NothingHelps {
			r.By = preemption.ByNodeOrder
		}
		return r, nil
	}
	if err := compareWithBest(ctx, r, &exact.config, snap, now); err != nil {
		return nil, err
	}
	if _, r.OnNode, err = exact.ExplainNode(ctx, cluster, preemption.Request{Pod: plan.Pod, Now: now}, plan.Node); err != nil {
		return nil, err
	}
	return r, nil
}

// compareWithBest completes the regret of a plan that preempts.
func compareWithBest(ctx context.Context, r *preemption.Regret, config *dryrun.Settings, snap *state.Snapshot, now time.Time) error {
	a, err := dryrun.NewAttempt(ctx, config, snap, r.Plan.Pod, now)
	if err != nil {
		return err
	}
	v := verification{attempt: a, plan: r.Plan, dry: dryrun.NewDryRunner(a)}
	if v.at = snap.NodeState(r.Plan.Node); v.at == nil || v.at.Node == nil {
		return v.fault(ErrStale, "there is no such node")
	}
	if err := v.findVictims(); err != nil {
		return err
	}
	v.dry.Enter(v.at)
	r.Score = v.attempt.ScoreOf(v.victims, v.violations())
	if r.Best.Outcome != preemption.Preempts {
		return nil
	}
	order, by := dryrun.CompareScores(&r.Best.Score, &r.Score, a.Ranks)
	if order < 0 {
		r.By = by
	}
	for _, rank := range a.Ranks {
		r.Gaps = append(r.Gaps, preemption.RankGap{Rank: rank, Gap: rank.Gap(r.Best.Score, r.Score)})
	}
	return nil
}
