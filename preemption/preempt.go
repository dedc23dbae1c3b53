package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// Preempt decides which pods have to leave so that a pod can run, and on which node:
//
//  1. Every node says whether it takes the pod as things are (chapter 7). If one does, the pod fits.
//  2. Otherwise the pod needs the right to preempt (chapter 8).
//  3. On every node where the loss of pods may help, the victims are found (chapters 6 and 9).
//  4. The best of these nodes is chosen (chapter 11).
//
// Each step is one function, written as one reads the rules. Tests hold package preemption/engine to the
// same plan. Preempt keeps nothing between calls. Its time is linear in the nodes and, at worst, quadratic
// in the pods of one node. Callers that ask often, or about more than a few hundred nodes, take the engine.
//
// The pod is a pending one of the cluster, or one that the cluster does not know. Preempt changes
// nothing that is passed in, and calls may run at once.
//
// Errors: errors of [Config.Validate], [outrank.Cluster.Validate] and [outrank.Pod.Validate]; an
// [outrank.InputError] for a pod that names a group, where groups preempt as a whole (rule 12.8.8);
// [ErrState] for a pod that runs already, unless its node has deferred its resize (group 7.19), and for
// a pod whose name another pod has; errors of filters, guards, choosers and extenders. Only the error of an
// extender comes with a plan, which says what the nodes answered (rule 8.12).
func Preempt(cluster *outrank.Cluster, req Request, config Config) (*Plan, error) {
	d, err := decide(cluster, req, &config, false)
	if err != nil {
		return nil, err
	}
	return d.plan, d.failed
}

// Explain decides as [Preempt] does and gives every reason. The plan has the answer of every node and
// all candidates, even if the pod fits or may not preempt. It returns the errors of Preempt, never with a plan.
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

// verdict is a decision in the making: the plan, and the answers that it rests on.
type verdict struct {
	attempt *attempt
	// across is set if victims are looked for on several nodes (chapter 23).
	across bool
	plan   *Plan
	// answers has the answer of each node, in the cluster's order.
	answers []answer
	// failed is the error of an extender; with one, no candidate is chosen (rule 10.2.2).
	failed error
}

// answer is what one node says about the pod.
type answer struct {
	site *site
	// before is the answer before any pod leaves.
	before Status
	// tried reports whether victims were looked for. If so, after is the answer with every possible
	// victim gone, and candidate has the victims; candidate is nil unless after is a success.
	tried     bool
	after     Status
	candidate *Candidate
}

// decide goes through the four steps of a decision. If everything is set, it looks for victims even where
// none are needed.
//
// internal/proof/preempt.dfy proves what holds of every plan (ThePlan), and that nobody leaves without need
// (WithoutNeed).
func decide(cluster *outrank.Cluster, req Request, config *Config, everything bool) (*verdict, error) {
	a, err := begin(cluster, req, config)
	if err != nil {
		return nil, err
	}
	d := &verdict{attempt: a, across: config.across()}

	// Step 1: what do the nodes say before any pod leaves?
	if d.answers, err = a.askNodes(req.Statuses); err != nil {
		return nil, err
	}
	d.plan = a.planOf(d.answers)

	// Step 2: may the pod preempt? The plan says so even if the pod fits.
	d.plan.Ineligible = a.mayPreempt(d.answers)

	// Step 3: which pods have to leave each node? A search across nodes keeps only the best victims, so it
	// has nothing to tell if none are needed.
	needed := d.plan.Feasible == 0 && d.plan.Ineligible == ""
	if needed || everything && !d.across {
		if err := d.findVictims(req.Offset); err != nil {
			return nil, err
		}
	}

	// Step 4: which node is the best?
	d.conclude()
	return d, nil
}

// planOf begins a plan with the answers of the nodes before any pod leaves (chapter 7).
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
			plan.FirstFit = one.node().Name
		}
		plan.Feasible++
	}

	plan.TurnedDown = counted(answers, func(one answer) (Status, bool) { return one.before, true })
	return plan
}

// node is the node that answers.
func (one *answer) node() *outrank.Node { return one.site.node }

// findVictims looks for victims wherever the loss of pods may help (rule 7.1.2), by the search that the
// configuration asks for. What extenders leave of the candidates is final (group 10.2).
func (d *verdict) findVictims(offset int) error {
	if d.across {
		return d.attempt.findAcross(d.answers)
	}
	if err := d.attempt.findCandidates(d.answers, offset); err != nil {
		return err
	}

	// A rank with a Figure looks at a whole candidate. An extender may still change it, and the rank is
	// asked about each candidate once: so it is asked last (rule 11.8).
	d.failed = d.attempt.callExtenders(d.answers)
	d.attempt.completeScores(d.answers)
	return nil
}

// conclude gives the plan its outcome and, where one is needed, the best candidate (rule 11.1).
func (d *verdict) conclude() {
	plan, best := d.plan, d.attempt.best(d.answers)
	switch {
	// Explain may have found candidates in these two cases, too. It lists them, but none is chosen.
	case plan.Feasible > 0:
		plan.Outcome = Fits
	case plan.Ineligible != "":
		plan.Outcome = NotEligible

	case best == nil || d.failed != nil:
		plan.Outcome = NothingHelps
		plan.Unhelpful = counted(d.answers, func(one answer) (Status, bool) { return one.after, one.tried })
		plan.ClusterCertificate = d.attempt.certificateOf(nil)
	default:
		plan.Outcome = Preempts
		plan.Candidate = *best
		plan.ClusterCertificate = d.attempt.certificateOf(best)
	}
}

// tellEverything adds to the plan what [Explain] tells beyond the decision. A search across nodes lists no
// candidates, because it keeps only the best victims for each node.
func (d *verdict) tellEverything() {
	for _, one := range d.answers {
		report := NodeReport{Node: one.node().Name, Status: one.before}
		if one.tried {
			after := one.after
			report.AfterRemoval = &after
		}
		d.plan.Nodes = append(d.plan.Nodes, report)
	}

	if !d.across {
		d.tellCandidates()
	}
}

// tellCandidates lists the candidates, the best first, and names the rank that decides between the first
// two (rule 11.1).
func (d *verdict) tellCandidates() {
	var found []answer
	for _, one := range d.answers {
		if one.candidate != nil {
			found = append(found, one)
		}
	}

	// Stable: candidates that tie in every rank stay in the order of the nodes (rule 11.7).
	slices.SortStableFunc(found, func(x, y answer) int {
		order, _ := d.attempt.compare(x.candidate, y.candidate)
		return order
	})

	// The reports point into the list, so it has to be complete first: appending moves its elements.
	plan := d.plan
	for _, one := range found {
		plan.Candidates = append(plan.Candidates, *one.candidate)
	}
	for i, one := range found {
		plan.Nodes[one.site.position].Candidate = &plan.Candidates[i]
	}

	if len(found) > 1 {
		_, plan.DecidedBy = d.attempt.compare(found[0].candidate, found[1].candidate)
	}
}
