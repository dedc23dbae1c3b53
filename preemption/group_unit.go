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
	// at are the positions of the pods' nodes, parallel to pods.
	at []int32
}

// possible lists the units that could be victims, the most important first
// (rules 12.2.2, 12.2.4 and 12.2.5; newDomainForWorkloadPreemption,
// isPreemptionAllowed). They are of lower priority than the group, the
// configuration allows to evict their pods, and none is of the preempting group.
func (r *groupRun) possible() []*groupUnit {
	units := slices.DeleteFunc(r.units(int64(r.priority)), func(u *groupUnit) bool {
		return u.priority >= r.priority || !r.mayEvict(u)
	})
	for _, u := range units {
		r.prepare(u)
	}
	r.sort(units)
	return units
}

// units returns the running pods as units, without those of the preempting group
// and without single pods whose priority is not below a limit.
func (r *groupRun) units(below int64) []*groupUnit {
	pods := 0
	for _, slot := range r.snap.order {
		pods += len(r.snap.nodes[slot].pods)
	}
	units, single := make([]*groupUnit, 0, pods), make([]groupUnit, 0, pods)
	whole := map[*outrank.PodGroup]*groupUnit{}
	for position, slot := range r.snap.order {
		n := r.snap.nodes[slot]
		for i, p := range n.pods {
			group, own := r.groupOf(p)
			priority := n.sortKeys[i].priority
			if group != nil && group.Priority != nil {
				priority = *group.Priority
			}
			u := whole[group]
			switch {
			case own:
				continue
			case group == nil || group.Disruption != outrank.DisruptPodGroup:
				if int64(priority) < below {
					single = append(single, groupUnit{pods: n.pods[i : i+1 : i+1], at: r.position(position), priority: priority})
					units = append(units, &single[len(single)-1])
				}
				continue
			case u == nil:
				u = &groupUnit{group: group, priority: priority}
				units, whole[group] = append(units, u), u
			}
			u.pods = append(u.pods, p)
			u.priority = max(u.priority, priority)
		}
	}
	return units
}

// groupOf returns the group of a running pod, nil for none that is known, and
// whether it is the preempting group.
func (r *groupRun) groupOf(p *podState) (group *outrank.PodGroup, own bool) {
	if p.pod.Group == "" {
		return nil, false
	}
	key := p.pod.GroupKey()
	group, _ = r.snap.Group(key)
	return group, key == r.group
}

// position returns a node's position as a list, which is shared.
func (r *groupRun) position(i int) []int32 { return r.positions[i : i+1 : i+1] }

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
	if u.group == nil {
		u.first, u.start = u.pods[0], u.pods[0].rank().at(r.now)
		return
	}
	slices.SortFunc(u.pods, func(p, q *podState) int { return p.compare(q, r.now) })
	u.first, u.start = u.pods[0], u.pods[0].rank().at(r.now)
	for _, p := range u.pods {
		if p.rank().compareStart(u.start, r.now) < 0 {
			u.start = p.rank().at(r.now)
		}
		if r.config.Importance != nil && r.config.Importance(p.pod, u.first.pod) < 0 {
			u.first = p
		}
		slot, _ := r.snap.slots.get(p.at.name)
		u.at = append(u.at, r.positionOf[slot])
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

// public returns the unit for the plan.
func (r *groupRun) public(u *groupUnit) GroupVictim {
	v := GroupVictim{Unit: Unit{Group: u.group, Pods: podsOf(u.pods), Priority: u.priority}, Blocks: u.blocks}
	for _, b := range u.violated {
		v.Violated = append(v.Violated, r.work.budgets.list[b])
	}
	return v
}
