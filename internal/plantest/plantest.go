// Package plantest helps tests to compare plans.
package plantest

import "github.com/outrank-go/outrank/preemption"

// Unexplained returns a plan without what only Explain finds: what Preempt returns.
func Unexplained(p *preemption.Plan) *preemption.Plan {
	if p == nil {
		return nil
	}
	bare := *p
	bare.Nodes, bare.Candidates, bare.DecidedBy = nil, nil, 0
	return &bare
}
