package dryrun

import (
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// HearNominated asks the node that the pod is nominated to before all others (rule
// 7.15.5) where that makes a difference. A filter of the caller that contradicts itself may
// say something else after a dry run, and the first answer is the one that counts. And where
// the pod names its nodes, the nominated one is asked even if it is none of them, and the
// filter that it fails is named on the nodes that are left out (rule 7.15.9); that depends
// on more than the pod, so that the answers are not cached. A member of a group does without
// it.
func (a *Attempt) HearNominated(w *DryRunner) {
	n := a.Snap.NodeState(a.Nomination())
	named := a.Plan.Narrowed && a.Plan.Refused.Code == filters.Success && !a.Config.ByVariant().nominatedInTurn
	if n == nil || n.Node == nil || !named && len(a.Config.Filters) == 0 {
		return
	}

	// The node is asked also where the names leave it out, so that they have it from here on.
	if named {
		a.AskedOne, a.Plan.Names = true, maps.Clone(a.Plan.Names)
		a.Plan.Names[n.Name] = true
	}
	status := w.Filter(n)
	if len(a.Config.Filters) > 0 {
		a.heard = heard{n.Name, status}
	}
	if by := a.Public(status).Filter; named && by != "" {
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

// Eligible returns whether the pod may preempt (chapter 8;
// PodEligibleToPreemptOthers), by the rules and by what the caller has against it. StatusOf returns
// the status of a node in this attempt; it is not ok for a node that does not exist.
func (a *Attempt) Eligible(statusOf func(node string) (s filters.Status, ok bool)) preemption.Ineligibility {
	if a.Config.Disabled {
		return preemption.Disabled
	}
	if a.heard.node != "" && !a.Elsewhere {
		others := statusOf
		statusOf = func(node string) (filters.Status, bool) {
			if node == a.heard.node {
				return a.heard.status, true
			}
			return others(node)
		}
	}
	by := a.eligibleByRules(statusOf)
	if a.Config.Eligibility.Refuse == nil {
		return by
	}
	status := preemption.Status{}
	if s, ok := statusOf(a.Nomination()); ok {
		status = a.Public(s)
	}
	return a.Config.Eligibility.Refuse(a.Pod, by, status)
}

// eligibleByRules is what chapter 8 says.
func (a *Attempt) eligibleByRules(statusOf func(node string) (s filters.Status, ok bool)) preemption.Ineligibility {
	variant := a.Config.ByVariant()
	if a.Pod.PreemptionPolicy == outrank.PreemptNever && !variant.IgnoresNever {
		return preemption.PolicyNever
	}
	nominated := a.Nomination()
	if nominated == "" {
		return ""
	}
	status, there := statusOf(nominated)
	code := status.Code
	switch variant.waits {
	case waitsWhileNominated:
		if !there || code != filters.UnschedulableAndUnresolvable {
			return preemption.Nominated
		}
	case waitsForTerminating:
		if there && a.leaves(nominated, func(p *state.PodState) bool { return p.Pod.Terminating() }) {
			return preemption.VictimsTerminating
		}
	default:
		// The preemptor waits only for a node where preemption may still help.
		if there && code == filters.Unschedulable && a.leaves(nominated, LeavesByPreemption) {
			return preemption.VictimsTerminating
		}
	}
	return ""
}

// leaves reports whether a pod that the preemptor may evict is leaving the
// node.
func (a *Attempt) leaves(node string, leaving func(*state.PodState) bool) bool {
	n := a.Snap.NodeState(node)
	units := a.HasUnits(n)
	for _, p := range n.Pods {
		if !leaving(p) {
			continue
		}
		if units && a.MayEvictUnit(a.UnitOf(p)) || !units && a.MayEvict(p) {
			return true
		}
	}
	return false
}

// Nomination returns the node that the preemptor is nominated to: as the
// snapshot knows, or as the pod says if the snapshot does not know the pod.
func (a *Attempt) Nomination() string {
	if a.Asked.Deferral.Asked {
		return "" // rule 7.19.6
	}
	if p, ok := a.Snap.PodStates.Of(a.Pod); ok {
		return p.Nominated()
	}
	return a.Pod.NominatedNodeName
}

// LeavesByPreemption reports whether a pod is leaving because of an earlier preemption.
func LeavesByPreemption(p *state.PodState) bool {
	return p.Pod.Terminating() && p.Pod.DisruptionReason == outrank.PreemptionByScheduler
}

// Public returns the Status of a Status, with its texts.
func (a *Attempt) Public(s filters.Status) preemption.Status {
	if s.Code == filters.Success {
		return preemption.Status{}
	}
	out := preemption.Status{Code: s.Code.Public(), Filter: s.Filter, Reasons: s.Text}
	switch {
	case s.Excluded:
		out.Filter, out.ExcludedBy = "", s.Filter
	case s.By == filters.ByGuard:
		out.Filter = a.Config.Guard.Name
	case s.By >= filters.FirstOfCaller:
		out.Filter = a.Config.Filters[s.By-filters.FirstOfCaller].Name
	case s.By > filters.ByNone:
		out.Filter = filters.BuiltInNames[s.By]
	}
	if s.By == filters.ResourcesFilter.Index {
		out.Reasons = a.Asked.Shortages(s)
	}
	return out
}
