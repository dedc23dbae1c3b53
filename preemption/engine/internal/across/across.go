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

// defaultAcrossSteps is the limit on a call's steps if [preemption.Across] sets none. A call exceeds it only
// to find a first set on each node.
const defaultAcrossSteps = 20_000

// Preempt decides by [preemption.Across] (chapter 23). It helps if required anti-affinity, of the preemptor
// or of running pods, or a topology spread constraint with DoNotSchedule keeps the preemptor away from a node
// because of pods of lower priority elsewhere in the domain. The reference removes pods only from the node
// itself, and finds that nothing helps such a preemptor.
//
// For each node that failed with Unschedulable the possible victims are the pods on the node, and those that
// such a term or constraint counts in a domain of the node. Required anti-affinity leaves no choice: all pods
// that it counts in a domain of the node have to leave, and the node is no candidate if the preemptor may not
// evict one of them. Of the other pods, those with which the preemptor still fits are put back by importance.
// Then other sets are tried, by branch and bound, until none can be better or the steps run out. Sets are
// compared by the ranks, with budgets charged for the actual victims alone, the most important first.
// ENGINE.md says what is pruned, and why. A set makes room if all filters of the configuration pass in a copy
// of the cluster without the victims.
//
// If groups leave whole in the release, pods of groups are no victims. Nor are pods that are being deleted
// and that a constraint of the preemptor selects, because the constraint no longer counts them. A pod of
// another domain is never a victim, not even to make the preemptor the first pod of its affinity (rule
// 7.13.6).
//
// Time is that of asking every node, of one check for each possible victim of each node that failed, and of
// the steps, each of which asks the filters about one node once.
func Preempt(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request, explain bool) (*preemption.Plan, error) {
	if req.Statuses != nil {
		return nil, fmt.Errorf("statuses: %w: victims on other nodes are found by the evaluator's own filters", outrank.ErrInvalid)
	}
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}

	// As in any decision, every node is asked first, and the preemptor has to be eligible.
	a, err := dryrun.NewAttempt(ctx, terms, snap, req.Pod, req.Now)
	if err != nil {
		return nil, err
	}
	FollowsAsCounted(&a.Plan)
	r := dryrun.NewResult(a, 1)
	// The nominated node is asked before the others (rule 7.15.5), whose answers may depend on its own.
	a.HearNominated(r.Runners[0])
	if r.Before, err = r.FilterAll(ctx, req); err != nil {
		return nil, err
	}
	r.CountFeasible()
	r.Ineligible = a.Eligible(r.StatusOf)

	x := newSearch(a, r)
	if r.Feasible == 0 && r.Ineligible == "" {
		if err := x.run(ctx); err != nil {
			return nil, err
		}
	}

	plan := r.AsPlan()
	if plan.Outcome == preemption.Preempts || plan.Outcome == preemption.NothingHelps {
		plan.ClusterCertificate = x.certificate(plan.Score)
	}
	if explain {
		plan.Nodes = r.Reports()
	}
	return plan, nil
}

// certificate returns the certificate of the decision. best is the score of the best set, or zero if there is
// none. A search that was not cut off has shown that no set is better.
func (x *search) certificate(best preemption.Score) *preemption.Certificate {
	c := &preemption.Certificate{Optimal: !x.ended, Steps: x.steps, Unsolved: x.unsolved}
	if c.Optimal {
		c.Bound = best
		c.Bound.Own = maps.Clone(best.Own) // the caller may change the plan's own
	}
	return c
}

// run looks for the best set on every node that failed with Unschedulable.
func (x *search) run(ctx context.Context) error {
	r := x.result
	r.After, r.Tried = make([]filters.Status, len(r.Before)), make([]bool, len(r.Before))
	x.findFilters()
	x.findCounted()

	for i, before := range r.Before {
		if err := ctx.Err(); err != nil {
			return err
		}
		if before.Code != filters.Unschedulable {
			continue
		}

		// Once the steps have run out, every later node counts as not completely searched.
		r.Tried[i] = true
		if r.After[i] = x.try(ctx, i); x.ended {
			x.unsolved++
		}
	}

	// After the end of the context or an error of a filter the result is incomplete.
	if err := cmp.Or(x.err, ctx.Err()); err != nil {
		return err
	}
	if r.Best >= 0 {
		r.Chosen = x.candidate()
	}
	return nil
}

// FollowsAsCounted makes spread constraints subtract a pod that leaves only if they counted it at the start
// (rule 23.9).
func FollowsAsCounted(fp *filters.Plan) {
	for _, f := range fp.Active {
		if s, ok := f.PodFilter.(*filters.Spread); ok {
			s.AsCounted = true
		}
	}
}

// candidate returns the candidate with the best set as its victims.
func (x *search) candidate() preemption.Candidate {
	w, n, pods := x.w, x.result.NodeAt(x.result.Best), x.bestVictims
	c := preemption.Candidate{Node: n.Name, Score: x.attempt.Tell(&x.bestScore), Victims: make([]preemption.Victim, len(pods))}

	// With all victims removed, each is put back alone, to find the failure that it causes.
	w.Enter(n)
	w.Far = true
	w.ChangeAll(pods, -1)
	shared := dryrun.SharedNames{Budgets: x.snap.BudgetSet}
	for i, p := range pods {
		c.Victims[i] = preemption.Victim{Pod: p.Located(), Priority: p.Priority(), Blocks: x.attempt.Public(w.Beside(pods[i : i+1]))}
		if p.At.Name != n.Name {
			c.Victims[i].Node = p.At.Name
		}
		c.Victims[i].Violated = shared.Of(x.budgets.Charge(p))
	}
	x.budgets.Reset()
	w.ChangeAll(pods, 1)

	w.NameRules(pods, c.Victims)
	c.ClearedNominations = x.attempt.ClearedNominations(n, c.Victims)
	return c
}
