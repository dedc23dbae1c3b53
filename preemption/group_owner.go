package preemption

import (
	"github.com/outrank-go/outrank"
)

// owner is the group that pods preempt for: their own or, where composite groups count, the group at the top
// of its tree (rules 12.9.2, 12.9.6 and 12.9.13).
type owner struct {
	key outrank.Key
	// composite is the group at the top of a tree; nil if there is none above the group of the pods.
	composite *outrank.CompositePodGroup
	priority  int32
	// never is set if the preemption policy is Never.
	never bool
}

// ownerOf finds the group of pods. The first pod speaks for a group that the cluster does not have.
func (a *attempt) ownerOf(pods []*outrank.Pod) owner {
	first := pods[0]
	o := owner{key: first.GroupKey(), priority: first.PriorityValue(), never: first.PreemptionPolicy == outrank.PreemptNever}
	group, above := a.tree.lineage(o.key)
	if group == nil {
		return o
	}

	o.priority = orZero(group.Priority)
	policy := group.PreemptionPolicy
	if len(above) > 0 {
		top := above[len(above)-1]
		o.key, o.composite = top.Key(), top
		o.priority = orZero(top.Priority)
		policy = top.PreemptionPolicy
	}

	// Without the gate it is the pods that say Never, and all say the same (rule 12.9.6).
	if a.rules.GroupPolicyCounts {
		o.never = policy == outrank.PreemptNever
	}
	return o
}

// includes reports whether a pod belongs to the group, or to its tree (rule 12.9.13).
func (o *owner) includes(t *tree, p *outrank.Pod) bool {
	if o.composite == nil {
		return p.GroupKey() == o.key
	}
	_, above := t.lineage(p.GroupKey())
	return len(above) > 0 && above[len(above)-1] == o.composite
}
