package dryrun

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"

	"maps"
	"slices"
	"strings"
)

// HearNominated asks the node that the pod is nominated to before all others (rule
// 7.15.5) where that makes a difference. A filter of the caller that contradicts itself may
// say something else after a dry run, and the first answer is the one that counts. And where
// the pod names its nodes, the nominated one is asked even if it is none of them, and the
// filter that it fails is named on the nodes that are left out (rule 7.15.9); that depends
// on more than the pod, so that the answers are not cached. A member of a group does without
// it.
func (a *Attempt) HearNominated(w *DryRunner) {
	if n := a.Snap.NodeState(a.Nomination()); n != nil && n.Node != nil && len(a.Config.Filters) > 0 {
		a.heard = heard{n.Name, w.Filter(n)}
	}
	if !a.Plan.Narrowed || a.Plan.Refused.Code != filters.Success || a.Config.ByVariant().nominatedInTurn {
		return
	}
	n := a.Snap.NodeState(a.Nomination())
	if n == nil || n.Node == nil {
		return
	}
	a.AskedOne, a.Plan.Names = true, maps.Clone(a.Plan.Names)
	a.Plan.Names[n.Name] = true
	if by := a.Public(w.Filter(n)).Filter; by != "" {
		a.Plan.Excluded.Text = withPlugin(a.Plan.Excluded.Text[0], by)
	}
}

// withPlugin adds a name to the list of names in brackets at the end of a text.
func withPlugin(text, name string) []string {
	start := strings.LastIndexByte(text, '[') + 1
	names := append(strings.Fields(strings.TrimSuffix(text[start:], "]")), name)
	slices.Sort(names)
	return []string{text[:start] + strings.Join(slices.Compact(names), " ") + "]"}
}
