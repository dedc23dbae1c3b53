package groups

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// possible lists the units that may be victims, unsorted (rule 12.9.8; newDomainForWorkloadPreemption,
// isPreemptionAllowed). Their priority is lower than the group's, or any with AnyPriority, and the caller's
// rules let all their pods be evicted (rule 13.6.7).
func (r *run) possible() []possibleVictim {
	below := int64(r.priority)
	if r.terms.Eligibility.AnyPriority {
		below = math.MaxInt64
	}
	units := r.units(below)
	if r.terms.AsksAbout() {
		units = slices.DeleteFunc(units, func(u possibleVictim) bool { return !r.look.Ended(1) && !r.allows(&u) })
	}
	return units
}

// units returns the running pods as units, as far as their priority is below a limit: single pods in the
// order of the nodes, then whole groups.
func (r *run) units(below int64) []possibleVictim {
	snap := r.snap
	r.whole = r.whole[:0]
	snap.Units.Each(r.addWhole)

	pods := 0
	for _, slot := range snap.Order {
		pods += len(snap.NodeStates[slot].Pods)
	}
	units := make([]possibleVictim, 0, pods)
	for position, slot := range snap.Order {
		n := snap.NodeStates[slot]
		if r.look.Ended(1 + len(n.SortKeys)) {
			return nil
		}
		units = r.appendSingle(units, n, int32(position), below)
	}
	return r.appendWhole(units, below)
}

// appendSingle appends the single pods of a node as units. It reads only the sort keys of the pods, and the
// pods themselves only on nodes where some name a group.
func (r *run) appendSingle(units []possibleVictim, n *state.NodeState, position int32, below int64) []possibleVictim {
	// covered has the covered pods that are still to come, in the order of the pods.
	covered := n.Covered
	for i := range n.SortKeys {
		rank := n.SortKeys[i].At(r.now)
		u := possibleVictim{priority: rank.Priority, sec: rank.Sec, nsec: rank.Nsec, node: position, pod: int32(i), budget: noBudget}
		if len(covered) > 0 && int(covered[0].Index) == i {
			u.budget, covered = mayViolate, covered[1:]
		}

		if n.Grouped > 0 && n.Pods[i].Pod.Group != "" {
			single := false
			if u.priority, u.size, single = r.member(n.Pods[i]); !single {
				continue
			}
		}
		if int64(u.priority) < below {
			units = append(units, u)
		}
	}
	return units
}

// member returns the priority and the size by which a pod of a group counts, and whether it is a unit by
// itself (rules 12.6.2 to 12.6.4 and 12.7.2).
func (r *run) member(p *state.PodState) (priority, size int32, single bool) {
	units := &r.snap.Units
	t := units.Of(p)
	return t.Priority, sizeOf(t.Rank, 1), t.Whole == nil
}

// addWhole adds a group to r.whole. Its list of pods is copied, because it will be sorted.
func (r *run) addWhole(u *state.WholeUnit) {
	r.whole = append(r.whole, wholeGroup{group: u.Group, composite: u.Composite, pods: slices.Clone(u.Pods), priority: u.Priority})
}

// appendWhole appends the whole groups as units, and sorts the pods of each.
func (r *run) appendWhole(units []possibleVictim, below int64) []possibleVictim {
	for i := range r.whole {
		g := &r.whole[i]
		if int64(g.priority) >= below {
			continue
		}
		slices.SortFunc(g.pods, r.moreImportantPod)

		// The first pod need not have started first, because the caller may order pods.
		start := g.pods[0].Rank().At(r.now)
		u := possibleVictim{priority: g.priority, size: g.size(), node: int32(i), pod: -1, budget: noBudget}
		for _, p := range g.pods {
			if p.Rank().CompareStart(start, r.now) < 0 {
				start = p.Rank().At(r.now)
			}
			if len(p.Class.Covering) > 0 {
				u.budget = mayViolate
			}
		}
		u.sec, u.nsec = start.Sec, start.Nsec
		units = append(units, u)
	}
	return units
}

// moreImportantPod orders the pods of a unit by the caller's order, then by importance (rule 12.7.5).
func (r *run) moreImportantPod(p, q *state.PodState) int {
	if r.terms.Importance != nil {
		if c := r.terms.Importance(p.Pod, q.Pod); c != 0 {
			return c
		}
	}
	return p.Compare(q, r.now)
}

// allows reports whether the caller's rules let every pod of the preempting group evict every pod of the
// unit. A unit with a running pod of the group itself is never a victim (rule 13.6.7).
func (r *run) allows(u *possibleVictim) bool {
	for _, p := range r.podsOf(u) {
		if p.Pod.Group != "" && r.owner.has(r.snap, p.Pod) {
			return false
		}
		for _, preemptor := range r.pods {
			if !r.terms.Allows(preemptor, p.Pod) {
				return false
			}
		}
	}
	return true
}

// addVictims appends the pods of the unit at index at to the victims of the plan. why is the reason that the
// unit could not stay. All its pods get the rule by which the first of them leaves.
func (r *run) addVictims(at int, u *possibleVictim, why *preemption.Refusal) {
	v := preemption.Victim{Priority: u.priority, Blocks: why.Guard, Blocked: why.Pod}
	if why.Pod != nil {
		v.Blocks = why.Nodes[0].Status // the status of the member's own node
	}
	if !u.single() {
		whole := &r.whole[u.node]
		v.Group, v.Composite = whole.group, whole.composite
	}

	violated, budgets := r.violated(at, u), r.work.BudgetSet
	for i, p := range r.podsOf(u) {
		v.Pod, v.Node = p.Located(), p.At.Name
		if i == 0 {
			v.Rule = r.ruleFor(v.Pod)
		}
		v.Violated = nil
		if i < len(violated) && violated[i] != noBudget {
			v.Violated = []*outrank.PodDisruptionBudget{budgets.List[violated[i]]}
		}
		r.plan.Victims = append(r.plan.Victims, v)
	}
}
