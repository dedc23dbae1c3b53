package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// defaultAcrossSteps is how many steps [Evaluator.PreemptAcross] takes at most to improve
// what it has found, where the policy has no limit for a call.
const defaultAcrossSteps = 20_000

// PreemptAcross decides as [Evaluator.Preempt] does, but finds victims on other nodes, too
// (chapter 23): where required anti-affinity, of the preemptor or of running pods, or a
// topology spread constraint with DoNotSchedule stands in the way on a node because of
// pods of lower priority elsewhere in its domain. The reference takes pods from one node
// alone, and nothing helps such a pod there.
//
// On each node that failed with Unschedulable these pods can be victims: those of the node,
// and those that such a term or constraint counts in a domain of the node. For required
// anti-affinity the victims are determined: all pods that count in a domain of the node
// have to leave, each of which must be one that the preemptor may evict by the
// configuration. For the rest, pods are put back by importance as far as the preemptor
// still fits, and then other sets are tried, by branch and bound, until none can be better
// or the steps run out. Sets are compared by the policy's ranks, with budgets charged for
// the actual victims alone, the most important first. ENGINE.md says what is pruned, and
// why. That there is room is what all filters of the configuration say of a copy of the
// cluster without the victims.
//
// Pods of groups are no victims where the release has groups leave whole. Nor are pods
// that are being deleted and that a constraint of the preemptor selects: the constraint
// has ceased to count them. A pod of another domain never becomes a victim, not even to
// make a pod the first of its affinity (rule 7.13.6). Of the configuration, Chooser,
// Sample, Extenders, Scorers, Policy.Exact with its Limit, and Workers do not count; a
// strict policy does. What has been found is improved in at most Policy.CallLimit steps,
// each of which asks the filters about one node once; zero means 20,000.
//
// The plan can be verified and carried out like any other. As a way out of package attempt it can be asked
// after Preempt, which is far cheaper and changes nothing where one node suffices:
// victims on one node may differ from those that Preempt chooses, because they are the
// best set and not the first one that is left.
//
// With a [Guard] in the configuration the error is an *[outrank.InputError]. Other
// errors, and what is said about the pod and concurrent calls, are those of
// [Evaluator.Preempt]. Time is that of asking every node, and on each that failed of one
// check for each pod that could be a victim there; then of the steps.
func (e *Evaluator) PreemptAcross(ctx context.Context, cluster *Snapshot, pod *outrank.Pod, now time.Time) (*preemption.AcrossPlan, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(ctx, cluster)
	if err != nil {
		return nil, err
	}
	if err := e.config.CheckAcross(); err != nil {
		return nil, err
	}
	if err := dryrun.CheckAlone(snap, pod); err != nil {
		return nil, err
	}
	a, err := dryrun.NewAttempt(ctx, &e.config, snap, pod, now)
	if err != nil {
		return nil, err
	}
	followsAsCounted(&a.Plan)
	r := &dryrun.Result{Attempt: a, Chunk: e.chunks(), Best: -1, Runners: []*dryrun.DryRunner{dryrun.NewDryRunner(a)}}
	a.HearNominated(r.Runners[0])
	if r.Before, err = r.FilterAll(ctx, &preemption.Request{Pod: pod, Now: now}); err != nil {
		return nil, err
	}
	r.CountFeasible()
	r.Ineligible = a.Eligible(r.StatusOf)
	x := &acrossSearch{attempt: a, result: r, w: r.Runners[0], limit: cmp.Or(e.config.Policy.CallLimit, defaultAcrossSteps)}
	if r.Feasible == 0 && r.Ineligible == "" {
		if err := x.run(ctx); err != nil {
			return nil, err
		}
	}
	plan := r.AsPlan()
	plan.ClusterCertificate = nil // Optimal says it
	plan.Across = plan.Outcome == preemption.Preempts || plan.Outcome == preemption.NothingHelps
	return &preemption.AcrossPlan{Plan: plan, Optimal: !x.ended, Steps: x.steps}, nil
}

// run goes over the nodes.
func (x *acrossSearch) run(ctx context.Context) error {
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
		x.result.After[i] = x.try(ctx, i)
	}
	if err := cmp.Or(x.err, ctx.Err()); err != nil {
		return err
	}
	if x.result.Best >= 0 {
		x.result.Chosen = x.candidate()
	}
	return nil
}

// followsAsCounted lets a pod that leaves count as little as it did at the start (rule 23.9).
func followsAsCounted(fp *filters.Plan) {
	for _, f := range fp.Active {
		if s, ok := f.PodFilter.(*filters.Spread); ok {
			s.AsCounted = true
		}
	}
}

// candidate makes the best set public.
func (x *acrossSearch) candidate() preemption.Candidate {
	w, n := x.w, x.result.NodeAt(x.result.Best)
	c := preemption.Candidate{Node: n.Name, Score: x.bestScore, Victims: make([]preemption.Victim, len(x.bestVictims))}
	w.Enter(n)
	w.Far = true
	w.ChangeAll(x.bestVictims, -1)
	shared := dryrun.SharedNames{Budgets: x.attempt.Asked.Snap.BudgetSet}
	for i, p := range x.bestVictims {
		c.Victims[i] = preemption.Victim{Pod: p.Located(), Blocks: x.attempt.Public(w.Beside(x.bestVictims[i : i+1]))}
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
