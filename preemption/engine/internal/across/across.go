package across

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// defaultAcrossSteps is how many steps a call takes at most to improve what it has found, where
// [preemption.Across] has no limit.
const defaultAcrossSteps = 20_000

// Preempt decides by [preemption.Across] (chapter 23): where required anti-affinity, of the
// preemptor or of running pods, or a topology spread constraint with DoNotSchedule stands in the way
// on a node because of pods of lower priority elsewhere in its domain. The reference takes pods from
// one node alone, and nothing helps such a pod there.
//
// On each node that failed with Unschedulable these pods can be victims: those of the node,
// and those that such a term or constraint counts in a domain of the node. For required
// anti-affinity the victims are determined: all pods that count in a domain of the node
// have to leave, each of which must be one that the preemptor may evict by the
// configuration. For the rest, pods are put back by importance as far as the preemptor
// still fits, and then other sets are tried, by branch and bound, until none can be better
// or the steps run out. Sets are compared by the ranks, with budgets charged for
// the actual victims alone, the most important first. ENGINE.md says what is pruned, and
// why. That there is room is what all filters of the configuration say of a copy of the
// cluster without the victims.
//
// Pods of groups are no victims where the release has groups leave whole. Nor are pods
// that are being deleted and that a constraint of the preemptor selects: the constraint
// has ceased to count them. A pod of another domain never becomes a victim, not even to
// make a pod the first of its affinity (rule 7.13.6).
//
// Time is that of asking every node, and on each that failed of one check for each pod that could
// be a victim there; then of the steps, each of which asks the filters about one node once.
func Preempt(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request, explain bool) (*preemption.Plan, error) {
	if req.Statuses != nil {
		return nil, fmt.Errorf("statuses: %w: victims on other nodes are found by the evaluator's own filters", outrank.ErrInvalid)
	}
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	a, err := dryrun.NewAttempt(ctx, terms, snap, req.Pod, req.Now)
	if err != nil {
		return nil, err
	}
	FollowsAsCounted(&a.Plan)
	r := dryrun.NewResult(a, 1)
	a.HearNominated(r.Runners[0])
	if r.Before, err = r.FilterAll(ctx, req); err != nil {
		return nil, err
	}
	r.CountFeasible()
	r.Ineligible = a.Eligible(r.StatusOf)
	x := &search{terms: terms, snap: snap, attempt: a, result: r, w: r.Runners[0], limit: cmp.Or(terms.Limit, defaultAcrossSteps)}
	if r.Feasible == 0 && r.Ineligible == "" {
		if err := x.run(ctx); err != nil {
			return nil, err
		}
	}
	plan := r.AsPlan()
	if plan.Outcome == preemption.Preempts || plan.Outcome == preemption.NothingHelps {
		plan.ClusterCertificate = &preemption.Certificate{Optimal: !x.ended, Steps: x.steps, Unsolved: x.unsolved}
		if !x.ended {
			plan.ClusterCertificate.Bound = plan.Score
			plan.ClusterCertificate.Bound.Own = maps.Clone(plan.Score.Own)
		}
	}
	if explain {
		plan.Nodes = r.Reports()
	}
	return plan, nil
}

// run goes over the nodes.
func (x *search) run(ctx context.Context) error {
	x.result.After, x.result.Tried = make([]filters.Status, len(x.result.Before)), make([]bool, len(x.result.Before))
	x.findFilters()
	x.findCounted()
	for i, before := range x.result.Before {
		if err := ctx.Err(); err != nil {
			return err
		}
		if before.Code != filters.Unschedulable {
			continue
		}
		x.result.Tried[i] = true
		if x.result.After[i] = x.try(ctx, i); x.ended {
			x.unsolved++
		}
	}
	if err := cmp.Or(x.err, ctx.Err()); err != nil {
		return err
	}
	if x.result.Best >= 0 {
		x.result.Chosen = x.candidate()
	}
	return nil
}

// FollowsAsCounted lets a pod that leaves count as little as it did at the start (rule 23.9).
func FollowsAsCounted(fp *filters.Plan) {
	for _, f := range fp.Active {
		if s, ok := f.PodFilter.(*filters.Spread); ok {
			s.AsCounted = true
		}
	}
}

// candidate makes the best set public.
func (x *search) candidate() preemption.Candidate {
	w, n := x.w, x.result.NodeAt(x.result.Best)
	c := preemption.Candidate{Node: n.Name, Score: x.attempt.Tell(&x.bestScore), Victims: make([]preemption.Victim, len(x.bestVictims))}
	w.Enter(n)
	w.Far = true
	w.ChangeAll(x.bestVictims, -1)
	shared := dryrun.SharedNames{Budgets: x.snap.BudgetSet}
	for i, p := range x.bestVictims {
		c.Victims[i] = preemption.Victim{Pod: p.Located(), Priority: p.Priority(), Blocks: x.attempt.Public(w.Beside(x.bestVictims[i : i+1]))}
		if p.At.Name != n.Name {
			c.Victims[i].Node = p.At.Name
		}
		c.Victims[i].Violated = shared.Of(w.Budgets.Charge(p))
	}
	w.Budgets.Reset()
	w.ChangeAll(x.bestVictims, 1)
	w.NameRules(x.bestVictims, c.Victims)
	c.ClearedNominations = x.attempt.ClearedNominations(n, c.Victims)
	return c
}
