package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// PlanFor returns the plan that takes the candidate on this node instead of the
// best one. It belongs to the caller, and shares its victims with the candidate.
// Errors: [ErrNotFound] for a node without a candidate; [ErrState] where the
// outcome is not to preempt at all, because the pod fits or may not preempt. Time
// is linear in the candidates.
func (e *Explanation) PlanFor(node string) (*Plan, error) {
	if e == nil {
		return nil, errNoExplanation
	}
	if e.Outcome != Preempts {
		return nil, fmt.Errorf("pod %s: %w: the outcome is %q", phrase.Pod(e.Pod), ErrState, e.Outcome)
	}
	for _, c := range e.Candidates {
		if c.Node == node {
			plan := e.Plan
			plan.Candidate = c
			if node != e.Node {
				plan.ClusterCertificate = nil // it is about the best one
			}
			return &plan, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", phrase.Object("candidate on node", node), ErrNotFound)
}
