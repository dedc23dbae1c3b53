package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

var errNoPlan = fmt.Errorf("%w: no plan", outrank.ErrInvalid)

// For returns the plan that takes the candidate on another node, of a plan that Explain has made.
// It belongs to the caller, and shares its victims with the candidate. Errors: [ErrNotFound] for a
// node without a candidate, [ErrState] unless the outcome is [Preempts]. Time is linear in the
// candidates.
func (p *Plan) For(node string) (*Plan, error) {
	if p == nil {
		return nil, errNoPlan
	}
	if p.Outcome != Preempts {
		return nil, fmt.Errorf("pod %s: %w: the outcome is %q", phrase.Pod(p.Pod), ErrState, p.Outcome)
	}
	for _, c := range p.Candidates {
		if c.Node == node {
			plan := *p
			plan.Candidate = c
			plan.Nodes, plan.Candidates, plan.DecidedBy = nil, nil, ""
			if node != p.Node {
				plan.ClusterCertificate = nil // it is about the best one
			}
			return &plan, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", phrase.Object("candidate on node", node), ErrNotFound)
}
