package groups

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// possible lists the units that could be victims, not sorted (rule 12.9.8;
// newDomainForWorkloadPreemption, isPreemptionAllowed). They are of lower priority than
// the group, or of any where a rule of the caller's says who may be taken from (rule
// 13.6.7), and the configuration allows to evict their pods.
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

// units returns the running pods as units of a priority below a limit.
func (r *run) units(below int64) []possibleVictim {
	r.whole = r.whole[:0]
	pods := 0
	for _, slot := range r.snap.Order {
		pods += len(r.snap.NodeStates[slot].Pods)
	}
	units := make([]possibleVictim, 0, pods)
	r.snap.Units.Each(r.addWhole)
	for position, slot := range r.snap.Order {
		n := r.snap.NodeStates[slot]
		if r.look.Ended(1 + len(n.SortKeys)) {
			return nil
		}
		covered := n.Covered
		for i := range n.SortKeys {
			rank := n.SortKeys[i].At(r.now)
			u := possibleVictim{priority: rank.Priority, sec: rank.Sec, nsec: rank.Nsec, node: int32(position), pod: int32(i), budget: noBudget}
			if len(covered) > 0 && int(covered[0].Index) == i {
				u.budget, covered = mayViolate, covered[1:]
			}
			if n.Grouped > 0 && n.Pods[i].Pod.Group != "" {
				alone := false
				if u.priority, u.size, alone = r.member(n.Pods[i]); !alone {
					continue
				}
			}
			if int64(u.priority) < below {
				units = append(units, u)
			}
		}
	}
	return r.appendWhole(units, below)
}

// member says what a pod that names a group counts as, and whether it leaves by itself
// (rules 12.6.2 to 12.7.2).
func (r *run) member(p *state.PodState) (priority, size int32, alone bool) {
	t := r.snap.Units.Of(p)
	return t.Priority, sizeOf(t.Rank, 1), t.Whole == nil
}

// addWhole adds a unit that is more than a pod by itself.
func (r *run) addWhole(u *state.WholeUnit) {
	r.whole = append(r.whole, wholeGroup{group: u.Group, composite: u.Composite, pods: slices.Clone(u.Pods), priority: u.Priority})
}

// appendWhole appends the units of whole groups.
func (r *run) appendWhole(units []possibleVictim, below int64) []possibleVictim {
	for i := range r.whole {
		g := &r.whole[i]
		if int64(g.priority) >= below {
			continue
		}
		slices.SortFunc(g.pods, r.moreImportantPod)
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

// moreImportantPod orders the pods of a unit by importance, or as the caller defined it (rule 12.7.5).
func (r *run) moreImportantPod(p, q *state.PodState) int {
	if r.terms.Importance != nil {
		if c := r.terms.Importance(p.Pod, q.Pod); c != 0 {
			return c
		}
	}
	return p.Compare(q, r.now)
}

// allows asks the caller's rules about every pod of the unit and every pod of the preempting
// group. Those of the group that run already are nobody's victims, whatever the rules say.
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

// public appends the pods of a unit to the victims of the plan, with the rule by which they are.
func (r *run) addVictims(at int, u *possibleVictim, why *preemption.Refusal) {
	v := preemption.Victim{Priority: u.priority, Blocks: why.Guard, Blocked: why.Pod}
	if why.Pod != nil {
		v.Blocks = why.Nodes[0].Status // of its own node
	}
	if !u.single() {
		v.Group, v.Composite = r.whole[u.node].group, r.whole[u.node].composite
	}
	violated := r.violated(at, u)
	for i, p := range r.podsOf(u) {
		v.Pod, v.Node, v.Violated = p.Located(), p.At.Name, nil
		if i == 0 {
			v.Rule = r.ruleFor(v.Pod)
		}
		if i < len(violated) && violated[i] != noBudget {
			v.Violated = []*outrank.PodDisruptionBudget{r.work.BudgetSet.List[violated[i]]}
		}
		r.plan.Victims = append(r.plan.Victims, v)
	}
}
