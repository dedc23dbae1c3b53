package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// Preempt decides which pods have to leave so that a pod can run, and on which node:
//
//  1. Every node is asked whether it takes the pod as things are (chapter 7). If one does, the pod
//     fits.
//  2. The pod has to be allowed to preempt (chapter 8).
//  3. On every node where the loss of pods may help, the victims are found (chapters 6 and 9).
//  4. The best of these nodes is chosen (chapter 11).
//
// It is the rules as one reads them, one function for each step, and the judge of package
// preemption/engine, which gives the same plan. Its time is linear in the nodes and pods, and within
// ten times of kube-scheduler's own; it begins anew with every call. Whoever asks often, or about
// more than a few hundred nodes, takes the engine.
//
// The pod is a pending one of the cluster, or one that the cluster does not know. Nothing that is
// passed in is changed, and calls may run at once. Errors: those of [Config.Validate],
// [outrank.Cluster.Validate] and [outrank.Pod.Validate]; an [outrank.InputError] for a pod that
// names a group, where groups preempt as a whole (rule 12.8.8); [ErrState] for a pod that runs
// already, unless its node has deferred its resize (group 7.19), or whose name another pod has; and
// those of filters, guards, choosers and extenders. Beside the error of an extender, and no other,
// comes a plan that says what the nodes answered (rule 8.12).
func Preempt(cluster *outrank.Cluster, req Request, config Config) (*Plan, error) {
	d, err := decide(cluster, req, &config, false)
	if err != nil {
		return nil, err
	}
	return d.plan, d.failed
}

// Explain decides as [Preempt] does and gives every reason: the plan has the answer of every node,
// and all candidates, also where the pod fits or may not preempt. Time, memory and errors are those of
// Preempt, but that no plan comes beside the error of an extender.
func Explain(cluster *outrank.Cluster, req Request, config Config) (*Plan, error) {
	d, err := decide(cluster, req, &config, true)
	switch {
	case err != nil:
		return nil, err
	case d.failed != nil:
		return nil, d.failed
	}
	d.tellEverything()
	return d.plan, nil
}

// verdict is what comes to light on the way to a plan.
type verdict struct {
	*attempt
	plan *Plan
	// answers are those of the nodes, in the cluster's order.
	answers []answer
	// failed is the error of an extender, which leaves nobody to choose.
	failed error
}

// answer is what one node says.
type answer struct {
	site *site
	// before is the answer as things are.
	before Status
	// tried says that victims were looked for. after is then the answer with every possible victim
	// gone, and candidate what was found, nil where after is no success.
	tried     bool
	after     Status
	candidate *Candidate
}

// decide goes through the steps. With everything, victims are looked for also where none are needed.
func decide(cluster *outrank.Cluster, req Request, config *Config, everything bool) (*verdict, error) {
	a, err := begin(cluster, req, config)
	if err != nil {
		return nil, err
	}
	d := &verdict{attempt: a}

	if d.answers, err = a.askNodes(req.Statuses); err != nil {
		return nil, err
	}
	d.plan = a.planOf(d.answers)
	d.plan.Ineligible = a.mayPreempt(d.answers)

	wanted := d.plan.Feasible == 0 && d.plan.Ineligible == ""
	switch {
	case config.across() && wanted:
		if err := a.findAcross(d.answers); err != nil {
			return nil, err
		}
	case !config.across() && (wanted || everything):
		if err := a.findCandidates(d.answers, req.Offset); err != nil {
			return nil, err
		}
		d.failed = a.callExtenders(d.answers)
		a.completeScores(d.answers)
	}
	d.conclude()
	return d, nil
}

// planOf begins a plan with what the nodes answered as things are (chapter 7).
func (a *attempt) planOf(answers []answer) *Plan {
	plan := &Plan{
		Pod: a.pod, Now: a.now, Release: a.cluster.Release.OrDefault(), Variant: a.config.Variant,
		Resize: a.resize, Refused: a.refused, Warnings: prose.Unread(a.pod, a.config.filterNames),
	}
	for _, one := range answers {
		if one.before.Code != Success {
			continue
		}
		if plan.Feasible == 0 {
			plan.FirstFit = one.site.node.Name
		}
		plan.Feasible++
	}
	plan.TurnedDown = counted(answers, func(one answer) (Status, bool) { return one.before, true })
	return plan
}

// conclude says what the answer is: of the candidates the best (rule 11.1).
func (d *verdict) conclude() {
	plan, best := d.plan, d.best(d.answers)
	switch {
	case plan.Feasible > 0:
		plan.Outcome = Fits
	case plan.Ineligible != "":
		plan.Outcome = NotEligible
	case best == nil || d.failed != nil:
		plan.Outcome = NothingHelps
		plan.Unhelpful = counted(d.answers, func(one answer) (Status, bool) { return one.after, one.tried })
		plan.ClusterCertificate = d.certificateOf(nil)
	default:
		plan.Outcome = Preempts
		plan.Candidate = *best
		plan.ClusterCertificate = d.certificateOf(best)
	}
}

// tellEverything adds the answer of every node, and the candidates with what decides between the
// first two.
func (d *verdict) tellEverything() {
	plan := d.plan
	for _, one := range d.answers {
		report := NodeReport{Node: one.site.node.Name, Status: one.before}
		if one.tried {
			after := one.after
			report.AfterRemoval = &after
		}
		plan.Nodes = append(plan.Nodes, report)
	}
	if d.config.across() {
		return // a search for victims elsewhere keeps the best alone
	}

	var found []answer
	for _, one := range d.answers {
		if one.candidate != nil {
			found = append(found, one)
		}
	}
	slices.SortStableFunc(found, func(x, y answer) int {
		order, _ := d.compare(x.candidate, y.candidate)
		return order
	})
	for _, one := range found {
		plan.Candidates = append(plan.Candidates, *one.candidate)
	}
	for i, one := range found {
		plan.Nodes[one.site.position].Candidate = &plan.Candidates[i]
	}
	if len(found) > 1 {
		_, plan.DecidedBy = d.compare(found[0].candidate, found[1].candidate)
	}
}
