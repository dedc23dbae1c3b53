package preemption

import "github.com/outrank-go/outrank"

// eligible returns whether the pod may preempt (chapter 8;
// PodEligibleToPreemptOthers). statusOf returns the code of a node in this
// attempt; it is not ok for a node that does not exist.
func (a *attempt) eligible(statusOf func(node string) (code Code, ok bool)) Ineligibility {
	policy := &a.config.Policy
	if policy.Disabled {
		return Disabled
	}
	if a.pod.PreemptionPolicy == outrank.PreemptNever && !policy.IgnoreNever {
		return PolicyNever
	}
	nominated := a.nomination()
	if nominated == "" {
		return Eligible
	}
	code, there := statusOf(nominated)
	switch policy.Waiting {
	case WaitWhileNominated:
		if !there || code != UnschedulableAndUnresolvable {
			return Nominated
		}
	case WaitForTerminating:
		if there && a.leaves(nominated, func(p *podState) bool { return p.pod.Terminating() }) {
			return VictimsTerminating
		}
	default:
		// The preemptor waits only for a node where preemption may still help.
		if there && code == Unschedulable && a.leaves(nominated, leavesByPreemption) {
			return VictimsTerminating
		}
	}
	return Eligible
}

// leaves reports whether a pod that the preemptor may evict is leaving the
// node.
func (a *attempt) leaves(node string, leaving func(*podState) bool) bool {
	n := a.snap.node(node)
	units := a.hasUnits(n)
	for _, p := range n.pods {
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
	if p, ok := a.snap.pods.of(a.pod); ok {
		return p.nominated()
	}
	return a.pod.NominatedNode
}

func leavesByPreemption(p *podState) bool {
	return p.pod.Terminating() && p.pod.DisruptionReason == outrank.PreemptionByScheduler
}
