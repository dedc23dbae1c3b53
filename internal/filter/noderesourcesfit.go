package filter

import "github.com/outrank-go/outrank"

// nodeResourcesFitEntry draws nothing of its own: every drawn pod asks for resources, and every drawn node has
// little of them to spare.
var nodeResourcesFitEntry = Entry{
	Name:       NodeResourcesFit,
	Fails:      AnyFailure,
	Conclusive: AnyFailure,
	Helped:     []string{EventNodeAdded, EventNodeUpdated, EventAssignedPodUpdated, EventAssignedPodDeleted},
	LooksAt:    func(p *outrank.Pod) []any { return append(containers(p), p.Resources, p.Overhead) },
}
