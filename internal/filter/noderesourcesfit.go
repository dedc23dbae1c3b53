package filter

import "github.com/outrank-go/outrank"

// nodeResourcesFitEntry draws nothing itself, because every generated pod requests resources and every
// generated node is nearly full.
var nodeResourcesFitEntry = Entry{
	Name:       NodeResourcesFit,
	Fails:      AnyFailure,
	Conclusive: AnyFailure,
	Helped:     []string{EventNodeAdded, EventNodeUpdated, EventAssignedPodUpdated, EventAssignedPodDeleted},
	LooksAt:    func(p *outrank.Pod) []any { return append(containers(p), p.Resources, p.Overhead) },
}
