// Package plantest helps tests to compare plans.
package plantest

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Unexplained returns a plan without what only Explain finds: what Preempt returns.
func Unexplained(p *preemption.Plan) *preemption.Plan {
	if p == nil {
		return nil
	}
	bare := *p
	bare.Nodes, bare.Candidates, bare.DecidedBy = nil, nil, ""
	return &bare
}

// ByName returns the answers of nodes for [preemption.Request.Statuses]; a node that is not there was not
// asked, and nil is no answers.
func ByName(statuses map[string]preemption.Status) func(int, *outrank.Node) (preemption.Status, bool) {
	if statuses == nil {
		return nil
	}
	return func(_ int, n *outrank.Node) (preemption.Status, bool) {
		status, asked := statuses[n.Name]
		return status, asked
	}
}

// InOrder is ByName for the answers of all nodes in their order.
func InOrder(statuses []preemption.Status) func(int, *outrank.Node) (preemption.Status, bool) {
	return func(position int, _ *outrank.Node) (preemption.Status, bool) { return statuses[position], true }
}
