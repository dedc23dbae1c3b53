package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// objection is the reason why the preemptor may not preempt; empty if it may
// (chapter 8).
func (a *attempt) objection(filter map[string]Status) string {
	rule := a.objectionByRules(filter)
	if a.variant.MayPreempt != nil {
		return a.variant.MayPreempt(filter[a.nomination()], rule)
	}
	return rule
}

// objectionByRules is the objection of the rules.
func (a *attempt) objectionByRules(filter map[string]Status) string {
	if a.pod.PreemptionPolicy == outrank.PreemptNever && !a.variant.IgnoreNever {
		return "not eligible due to preemptionPolicy=Never."
	}
	if a.waits(filter) {
		if a.variant.WaitWhileNominated {
			return "not eligible due to the nominated node."
		}
		return "not eligible due to a terminating pod on the nominated node."
	}
	return ""
}

// waitsForVictims: an earlier preemption for this pod is still under way on its
// nominated node. A node that is gone, that the pod fits on now, or that no
// eviction can help on is nothing to wait for.
func (a *attempt) waitsForVictims(filter map[string]Status) bool {
	node := a.nomination()
	if filter[node].Code != Unschedulable {
		return false
	}
	for _, p := range a.running[node] {
		if a.mayPreempt(p) && leavesByPreemption(p) {
			return true
		}
	}
	return false
}

// nomination is the node that the preemptor is nominated to by the cluster, or
// by itself where the cluster does not know the pod.
func (a *attempt) nomination() string {
	if a.resize {
		return ""
	}
	for _, p := range a.cluster.Pods {
		if p.NodeName == "" && !p.Finished() && p.Key() == a.pod.Key() {
			return p.NominatedNodeName
		}
	}
	return a.pod.NominatedNodeName
}

// leavesByPreemption: the pod is being deleted, and the first condition that
// says why names the scheduler's preemption.
func leavesByPreemption(p *outrank.Pod) bool {
	return p.Terminating() && p.DisruptionReason == outrank.PreemptionByScheduler
}

// mayPreempt: only pods of lower priority may be pushed out; no priority is 0
// (rules 4.3.1 and 9.1). A pod in a group has the priority of its unit. A
// variant takes pods without one, too, and the caller may spare some.
func (a *attempt) mayPreempt(p *outrank.Pod) bool {
	for _, u := range a.units() {
		if slices.Contains(u.pods, p) {
			return a.mayPreemptUnit(u)
		}
	}
	return false // on no node
}

// mayPreemptUnit: the caller may spare a unit for any of its pods (rule 12.8.9).
func (a *attempt) mayPreemptUnit(u *unit) bool {
	lower := u.priority < a.pod.PriorityValue() || a.variant.EvictUnprioritized && u.rank == rankPod && u.pods[0].Priority == nil
	if a.variant.MayTake != nil {
		refused := func(p *outrank.Pod) bool { return !a.variant.MayTake(p) }
		lower = !slices.ContainsFunc(u.pods, refused)
	}
	spared := func(p *outrank.Pod) bool { return a.variant.MayEvict != nil && !a.variant.MayEvict(p) }
	return lower && !slices.ContainsFunc(u.pods, spared) && !slices.ContainsFunc(u.pods, a.isItself)
}

// waits reports whether an earlier preemption keeps the preemptor waiting, by the
// rules of a variant.
func (a *attempt) waits(filter map[string]Status) bool {
	node := a.nomination()
	status, there := filter[node]
	switch {
	case node == "":
		return false
	case a.variant.WaitWhileNominated:
		return !there || status.Code != UnschedulableAndUnresolvable
	case a.variant.WaitForTerminating:
		return slices.ContainsFunc(a.running[node], func(p *outrank.Pod) bool { return there && a.mayPreempt(p) && p.Terminating() })
	}
	return a.waitsForVictims(filter)
}
