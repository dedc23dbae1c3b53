package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// eligible returns whether the pod may preempt (chapter 8;
// PodEligibleToPreemptOthers), and notes what the caller has against it. statusOf returns
// the status of a node in this attempt; it is not ok for a node that does not exist.
func (a *attempt) eligible(statusOf func(node string) (s filters.Status, ok bool)) decision.Ineligibility {
	if a.config.Policy.Disabled {
		return decision.Disabled
	}
	by := a.eligibleByRules(statusOf)
	if a.refusal = ""; a.config.MayPreempt == nil {
		return by
	}
	status := decision.Status{}
	if s, ok := statusOf(a.nomination()); ok {
		status = a.public(s)
	}
	switch refusal := a.config.MayPreempt(a.Pod, status, by); refusal {
	case "":
		return decision.Eligible
	case by.String():
		return by
	default:
		a.refusal = refusal
		return decision.ByCaller
	}
}

// eligibleByRules is what chapter 8 says.
func (a *attempt) eligibleByRules(statusOf func(node string) (s filters.Status, ok bool)) decision.Ineligibility {
	variant := a.config.variant()
	if a.Pod.PreemptionPolicy == outrank.PreemptNever && !variant.ignoresNever {
		return decision.PolicyNever
	}
	nominated := a.nomination()
	if nominated == "" {
		return decision.Eligible
	}
	status, there := statusOf(nominated)
	code := status.Code
	switch {
	case variant.waitsWhileNominated:
		if !there || code != decision.UnschedulableAndUnresolvable {
			return decision.Nominated
		}
	case variant.waitsForTerminating:
		if there && a.leaves(nominated, func(p *state.PodState) bool { return p.Pod.Terminating() }) {
			return decision.VictimsTerminating
		}
	default:
		// The preemptor waits only for a node where preemption may still help.
		if there && code == decision.Unschedulable && a.leaves(nominated, leavesByPreemption) {
			return decision.VictimsTerminating
		}
	}
	return decision.Eligible
}

// leaves reports whether a pod that the preemptor may evict is leaving the
// node.
func (a *attempt) leaves(node string, leaving func(*state.PodState) bool) bool {
	n := a.Snap.NodeState(node)
	units := a.hasUnits(n)
	for _, p := range n.Pods {
		if !leaving(p) {
			continue
		}
		if units && a.mayEvictUnit(a.unitOf(p)) || !units && a.mayEvict(p) {
			return true
		}
	}
	return false
}

// nomination returns the node that the preemptor is nominated to: as the
// snapshot knows, or as the pod says if the snapshot does not know the pod.
func (a *attempt) nomination() string {
	if a.Deferral.Asked {
		return "" // rule 7.19.6
	}
	if p, ok := a.Snap.PodStates.Of(a.Pod); ok {
		return p.Nominated()
	}
	return a.Pod.NominatedNode
}

func leavesByPreemption(p *state.PodState) bool {
	return p.Pod.Terminating() && p.Pod.DisruptionReason == outrank.PreemptionByScheduler
}
