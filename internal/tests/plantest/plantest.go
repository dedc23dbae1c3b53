// Package plantest helps tests to compare plans.
package plantest

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Unexplained returns a copy of a plan that Explain made, without what Preempt does not find: the answers of
// nodes, the candidates, and the rank that decided.
func Unexplained(p *preemption.Plan) *preemption.Plan {
	if p == nil {
		return nil
	}
	bare := *p
	bare.Nodes, bare.Candidates, bare.DecidedBy = nil, nil, ""
	return &bare
}

// ByName returns a function for [preemption.Request.Statuses] that gives each node the answer under its name.
// A node without one counts as not asked. For a nil map it returns nil.
func ByName(statuses map[string]preemption.Status) func(int, *outrank.Node) (preemption.Status, bool) {
	if statuses == nil {
		return nil
	}
	return func(_ int, n *outrank.Node) (preemption.Status, bool) {
		status, asked := statuses[n.Name]
		return status, asked
	}
}

// InOrder returns a function for [preemption.Request.Statuses] from the answers of all nodes, in the order of
// the nodes.
func InOrder(statuses []preemption.Status) func(int, *outrank.Node) (preemption.Status, bool) {
	return func(position int, _ *outrank.Node) (preemption.Status, bool) { return statuses[position], true }
}
