package reference

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// workload is a group as preemptor: a group of pods, or a tree of
// groups below a composite one.
type workload struct {
	in *GroupInput
	// base counts units for the whole cluster.
	base *attempt
	root level
}

func newWorkload(in *GroupInput) *workload {
	in.Cluster = withPending(in)
	base := newAttempt(Input{Cluster: in.Cluster, Pod: in.Pods[0], Now: in.Now, Setup: in.Setup, Variant: in.Variant})
	return &workload{in: in, base: base, root: base.top(in.Pods[0])}
}

// withPending is the cluster with the pods of the group among those that wait, each
// nominated as the cluster knows, or else as the pod says.
func withPending(in *GroupInput) *outrank.Cluster {
	c := in.Cluster
	for _, p := range in.Pods {
		waits := *p
		waits.NodeName, waits.NominatedNodeName = "", (&attempt{cluster: in.Cluster, pod: p}).nomination()
		c = withPods(withoutPending(c, p), []*outrank.Pod{&waits})
	}
	return c
}

func (w *workload) priority() int32 {
	if w.root.priority == nil {
		return 0
	}
	return *w.root.priority
}

// members are the pods that wait, and those of the same tree that run.
func (w *workload) members() []*outrank.Pod {
	pods := slices.Clone(w.in.Pods)
	for _, n := range w.base.cluster.Nodes {
		for _, p := range w.base.running[n.Name] {
			if p.Group != "" && w.base.top(p).is(w.root) {
				pods = append(pods, p)
			}
		}
	}
	return pods
}

// top is the group at the top of the pod's tree, or the named group if that
// cannot be found.
func (a *attempt) top(p *outrank.Pod) level {
	if line := a.lineage(p); len(line) > 0 {
		return line[len(line)-1]
	}
	return level{key: p.GroupKey(), priority: p.Priority, policy: p.PreemptionPolicy}
}

func (l level) is(m level) bool { return l.key == m.key && l.composite == m.composite }

// differs names a pod that cannot be of a group that preempts: all are of one
// tree with no more levels than trees have, and have one scheduler, one policy,
// and the priority of the group (rules 12.9.2 and 12.9.13).
func (w *workload) differs() error {
	first := w.in.Pods[0]
	for _, p := range w.in.Pods {
		top := w.base.top(p)
		if _, more := w.base.compositeLevel(top.parent); more || !top.is(w.root) {
			return fmt.Errorf("%s: another tree, or one with too many levels", p.Key())
		}
	}
	policy := first.PreemptionPolicy
	if w.base.rules.GroupPolicyCounts {
		policy = w.root.policy
	}
	for _, p := range w.members() {
		switch {
		case p.Scheduler() != first.Scheduler():
			return fmt.Errorf("%s: another scheduler", p.Key())
		case p.PriorityValue() != w.priority():
			return fmt.Errorf("%s: not the priority of the group", p.Key())
		case (p.PreemptionPolicy == outrank.PreemptNever) != (policy == outrank.PreemptNever):
			return fmt.Errorf("%s: another policy", p.Key())
		}
	}
	return nil
}

// never: the policy is the group's where groups have one, else that of its pods (rule
// 12.9.6).
func (w *workload) never() bool {
	if w.base.rules.GroupPolicyCounts {
		return w.root.policy == outrank.PreemptNever
	}
	return slices.ContainsFunc(w.in.Pods, func(p *outrank.Pod) bool { return p.PreemptionPolicy == outrank.PreemptNever })
}

// ongoing: a pod of lower priority is leaving because of a preemption, on a node that
// any of the waiting pods is nominated to (rule 12.9.7).
func (w *workload) ongoing() bool {
	nominations := w.nominations()
	for _, u := range w.base.units() {
		for _, v := range u.pods {
			for _, node := range nominations {
				if v.NodeName == node && w.mayTake(u) && leavesByPreemption(v) {
					return true
				}
			}
		}
	}
	return false
}

// nominations are those of the waiting pods; empty for those without.
func (w *workload) nominations() map[string]string {
	nodes := map[string]string{}
	for _, p := range w.in.Pods {
		nodes[string(p.Key())] = (&attempt{cluster: w.in.Cluster, pod: p}).nomination()
	}
	return nodes
}

// mayTake: units of lower priority, or those that a rule of the caller's names, unless
// they have a pod of the group itself (rule 13.6.7) or the caller spares one of their pods.
func (w *workload) mayTake(u *unit) bool {
	v := &w.base.variant
	for _, p := range u.pods {
		if p.Group != "" && w.base.top(p).is(w.root) || v.MayEvict != nil && !v.MayEvict(p) || v.MayTake != nil && !v.MayTake(p) {
			return false
		}
	}
	return v.MayTake != nil || u.priority < w.priority()
}

// possible are the units in the whole cluster that may be taken, by importance.
func (w *workload) possible() []*unit {
	units := slices.DeleteFunc(w.base.units(), func(u *unit) bool { return !w.mayTake(u) })
	w.base.sortUnits(units)
	return units
}
