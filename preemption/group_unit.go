package preemption

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
)

// groupUnit is a Unit while victims are looked for.
type groupUnit struct {
	group *outrank.PodGroup // nil for a single pod
	// pods are sorted by importance. first is the most important of them, by
	// the caller's own order if there is one.
	pods     []*podState
	first    *podState
	priority int32
	// start is the earliest start of the pods (rule 12.3.6). Its priority means
	// nothing.
	start importance
	// violated are budgets by index.
	violated []int32
	victim   bool
	blocks   *Refusal
}

// possible lists the units that could be victims, the most important first
// (rules 12.2.2, 12.2.4 and 12.2.5; newDomainForWorkloadPreemption,
// isPreemptionAllowed). They are of lower priority than the group, the
// configuration allows to evict their pods, and none is of the preempting group.
func (r *groupRun) possible() []*groupUnit {
	var units []*groupUnit
	for _, u := range r.units() {
		if u.priority < r.priority && r.mayEvict(u) {
			r.prepare(u)
			units = append(units, u)
		}
	}
	slices.SortFunc(units, r.moreImportant)
	return units
}

// units returns the running pods as units, without those of the preempting
// group.
func (r *groupRun) units() []*groupUnit {
	var units []*groupUnit
	whole := map[*outrank.PodGroup]*groupUnit{}
	for _, slot := range r.work.order {
		for _, p := range r.work.nodes[slot].pods {
			key := p.pod.GroupKey()
			if key != "" && key == r.group {
				continue
			}
			group, _ := r.work.Group(key)
			u := whole[group]
			if u == nil {
				u = &groupUnit{priority: priorityIn(group, p)}
				units = append(units, u)
				if group != nil && group.Disruption == outrank.DisruptPodGroup {
					u.group, whole[group] = group, u
				}
			}
			u.pods = append(u.pods, p)
			u.priority = max(u.priority, priorityIn(group, p))
		}
	}
	return units
}

// priorityIn returns the priority that a pod counts with: that of its group, if
// the group has one.
func priorityIn(group *outrank.PodGroup, p *podState) int32 {
	if group != nil && group.Priority != nil {
		return *group.Priority
	}
	return p.priority()
}

// mayEvict asks the caller's rule about every pod of the unit and every pod of
// the preempting group.
func (r *groupRun) mayEvict(u *groupUnit) bool {
	if r.config.MayEvict == nil {
		return true
	}
	for _, p := range u.pods {
		for _, preemptor := range r.pods {
			if !r.config.MayEvict(preemptor, p.pod) {
				return false
			}
		}
	}
	return true
}

// prepare computes what a unit is sorted by.
func (r *groupRun) prepare(u *groupUnit) {
	slices.SortFunc(u.pods, func(p, q *podState) int { return p.compare(q, r.now) })
	u.first, u.start = u.pods[0], u.pods[0].rank().at(r.now)
	for _, p := range u.pods[1:] {
		if p.rank().compareStart(u.start, r.now) < 0 {
			u.start = p.rank().at(r.now)
		}
		if r.config.Importance != nil && r.config.Importance(p.pod, u.first.pod) < 0 {
			u.first = p
		}
	}
}

// moreImportant orders units (group 12.3; moreImportantVictim): negative if u
// goes before v. It is a total order: ties end in names. What decides, after
// the caller's own order:
//
//  1. the higher priority;
//  2. a group before a single pod;
//  3. of two groups, the one with more pods;
//  4. the earlier start, of a group that of its pods that started first;
//  5. the namespace, then the name, of the group or of the pod.
func (r *groupRun) moreImportant(u, v *groupUnit) int {
	if r.config.Importance != nil {
		if c := r.config.Importance(u.first.pod, v.first.pod); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(v.priority, u.priority); c != 0 {
		return c
	}
	switch {
	case u.group != nil && v.group == nil:
		return -1
	case u.group == nil && v.group != nil:
		return 1
	}
	return cmp.Or(
		cmp.Compare(len(v.pods), len(u.pods)), // equal for single pods
		u.start.compareStart(v.start, r.now),
		cmp.Compare(u.namespace(), v.namespace()),
		cmp.Compare(u.name(), v.name()),
	)
}

func (u *groupUnit) namespace() string { return u.pods[0].pod.NamespaceName() }

func (u *groupUnit) name() string {
	if u.group != nil {
		return u.group.Name
	}
	return u.pods[0].pod.Name
}

// charge takes the units from the budgets that cover their pods, in order of
// importance (group 12.5; filterVictimsWithPDBViolation of pod group
// preemption): pod by pod up to the first that violates one, and for each pod
// budget by budget up to the first that has nothing left. Because of that the
// orders tell; budgets go by their namespaces and names (group 12.5 of RULES.md).
func (r *groupRun) charge(units []*groupUnit) {
	budgets := r.work.budgets
	ledger := budgets.matcher.Ledger()
	byKey := func(a, b int32) int {
		return cmp.Compare(budgets.list[a].Key(), budgets.list[b].Key())
	}
	var order []int32
	for _, u := range units {
		for _, p := range u.pods {
			order = append(order[:0], p.class.covering...)
			slices.SortFunc(order, byKey)
			broken := slices.IndexFunc(order, func(b int32) bool { return len(ledger.Charge(p.pod, []int32{b})) > 0 })
			if broken >= 0 {
				u.violated = []int32{order[broken]}
				break
			}
		}
	}
}

// public returns the unit for the plan.
func (r *groupRun) public(u *groupUnit) GroupVictim {
	v := GroupVictim{Unit: Unit{Group: u.group, Pods: podsOf(u.pods), Priority: u.priority}, Blocks: u.blocks}
	for _, b := range u.violated {
		v.Violated = append(v.Violated, r.work.budgets.list[b])
	}
	return v
}
