package dryrun

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// HearNominated asks the nominated node before all others (rule 7.15.5) if that makes a difference, which it
// does in two cases. First, a filter of the caller that contradicts itself may answer differently after a dry
// run, and the first answer counts. Second, if the pod names its nodes, the nominated node is asked even if
// it is none of them, and the statuses of the excluded nodes name the filter that it fails (rule 7.15.9). In
// the second case answers depend on more than the pod, so that they are not cached. It is not called for the
// members of a group.
func (a *Attempt) HearNominated(w *DryRunner) {
	n := a.Snap.NodeState(a.Nomination())
	plan := &a.Plan
	named := plan.Narrowed && !plan.Refuses() && !a.Config.ByVariant().nominatedInTurn
	if n == nil || n.Node == nil || !named && len(a.Config.Filters) == 0 {
		return
	}

	// The node is asked even if the names exclude it, so that it is added to them.
	if named {
		plan.AlsoAsk(n.Name)
		a.AskedOne = true
	}
	status := w.Filter(n)

	if len(a.Config.Filters) > 0 {
		a.heard = heard{n.Name, status}
	}
	if by := a.Public(status).Filter; named && by != "" {
		plan.ExcludeAlsoBy(by)
	}
}

// Eligible returns why the pod may not preempt, empty if it may (chapter 8; PodEligibleToPreemptOthers). The
// rules decide, and then the caller's own rule. statusOf returns the status of a node in this attempt, and
// false for a node that does not exist.
func (a *Attempt) Eligible(statusOf func(node string) (s filters.Status, ok bool)) preemption.Ineligibility {
	if a.Config.Disabled {
		return preemption.Disabled
	}

	// The first answer of the nominated node counts, unless the caller gave the statuses.
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

	// The caller's own rule decides last (rule 8.13).
	if !a.Config.mayRefuse() {
		return by
	}
	status := preemption.Status{}
	if s, ok := statusOf(a.Nomination()); ok {
		status = a.Public(s)
	}
	return a.Config.refusal(a.Pod, by, status)
}

// eligibleByRules is Eligible by chapter 8, or by the variant's rules in its place.
func (a *Attempt) eligibleByRules(statusOf func(node string) (s filters.Status, ok bool)) preemption.Ineligibility {
	variant := a.Config.ByVariant()
	if variant.needsPriority && a.Pod.Priority == nil {
		return preemption.NoPriority
	}
	if a.Pod.PreemptionPolicy == outrank.PreemptNever && !variant.IgnoresNever {
		return preemption.PolicyNever
	}
	nominated := a.Nomination()
	if nominated == "" {
		return ""
	}

	// A nominated pod does not preempt again while it waits for the victims of its last preemption. Variants
	// differ in what it waits for.
	status, there := statusOf(nominated)
	code := status.Code
	switch variant.waits {
	case waitsWhileNominated:
		// Rule 13.3.7: it waits unless the node is unresolvable.
		if !there || code != filters.UnschedulableAndUnresolvable {
			return preemption.Nominated
		}
	case waitsForTerminating:
		// Rule 13.2.5: the reason of the deletion and the status of the node do not matter.
		if there && a.leaves(nominated, func(p *state.PodState) bool { return p.Pod.Terminating() }) {
			return preemption.VictimsTerminating
		}
	default:
		// Rules 8.3 and 8.6: it waits only for a node where preemption may still help.
		if there && code == filters.Unschedulable && a.leaves(nominated, LeavesByPreemption) {
			return preemption.VictimsTerminating
		}
	}
	return ""
}

// leaves reports whether a pod that the preemptor may evict is leaving the node, in the sense of leaving. A
// pod of a unit counts if its unit may be evicted (rule 12.8.1).
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

// Nomination returns the name of the node that the preemptor is nominated to. The snapshot decides; the pod's
// own field counts only if the snapshot does not know the pod.
func (a *Attempt) Nomination() string {
	if a.Asked.ForResize() {
		return "" // a running pod's old nomination does not count (rule 7.19.6)
	}
	snap := a.Snap
	if p, ok := snap.PodStates.Of(a.Pod); ok {
		return p.Nominated()
	}
	return a.Pod.NominatedNodeName
}

// LeavesByPreemption reports whether a pod is being deleted because of an earlier preemption (rule 8.4).
func LeavesByPreemption(p *state.PodState) bool {
	return p.Pod.Terminating() && p.Pod.DisruptionReason == outrank.PreemptionByScheduler
}

// Public converts a status to the public form, with the name of the filter and its reasons.
func (a *Attempt) Public(s filters.Status) preemption.Status {
	if s.Code == filters.Success {
		return preemption.Status{}
	}

	// A status that the caller gave names its filter (s.Filter). Any other has the filter's index.
	config := a.Config
	out := preemption.Status{Code: s.Code.Public(), Filter: s.Filter, Reasons: s.Text}
	switch {
	case s.Excluded:
		out.Filter, out.ExcludedBy = "", s.Filter
	case s.By == filters.ByGuard:
		out.Filter = config.Guard.Name
	case s.By >= filters.FirstOfCaller:
		out.Filter = config.Filters[s.By-filters.FirstOfCaller].Name
	case s.By > filters.ByNone:
		out.Filter = filters.BuiltInNames[s.By]
	}

	// The reasons of NodeResourcesFit are made only now, when they are shown.
	if s.By == filters.ResourcesFilter.Index {
		out.Reasons = a.Asked.Shortages(s)
	}
	return out
}
