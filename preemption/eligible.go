package preemption

import "github.com/outrank-go/outrank"

// eligible asks whether the pod may preempt at all (section 6;
// PodEligibleToPreemptOthers). statusOf gives the status of a node in this
// attempt.
func (a *attempt) eligible(statusOf func(node string) (Code, bool)) Ineligibility {
	if a.pod.PreemptionPolicy == outrank.PreemptNever {
		return PolicyNever
	}
	nominated := a.nomination()
	if nominated == "" {
		return Eligible
	}
	// Only a node where preemption may still help can be worth waiting for.
	if code, ok := statusOf(nominated); !ok || code != Unschedulable {
		return Eligible
	}
	for _, p := range a.snap.node(nominated).pods {
		if p.rank.priority < a.priority && leavingByPreemption(p.pod) {
			return VictimsTerminating
		}
	}
	return Eligible
}

// nomination is where the preemptor is nominated to: as the snapshot knows, or
// as the pod itself says where the snapshot does not know it.
func (a *attempt) nomination() string {
	if p, ok := a.snap.pods.get(a.key); ok {
		return p.nominated
	}
	return a.pod.NominatedNode
}

func leavingByPreemption(p *outrank.Pod) bool {
	return p.Terminating() && p.DisruptionReason == outrank.PreemptionByScheduler
}
