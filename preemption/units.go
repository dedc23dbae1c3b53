package preemption

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// unit is a set of running pods that leave together: a pod by itself or, where the release has it, all
// running pods of a group, or of the groups below a composite one (group 12.6). Where no pod names a
// group, each unit is one pod, and one may read "pod" wherever the rules say "unit".
type unit struct {
	whole
	// pods are in order of importance.
	pods []*occupant
	// priority is the priority with which the unit counts as a victim, whatever the priorities of its pods (rule
	// 12.6.2).
	priority int32
	kind     unitKind
}

// whole is the group, or the composite group, whose pods leave together. Both are nil for a pod that leaves by
// itself.
type whole struct {
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
}

// isGroup reports whether there is such a group.
func (w whole) isGroup() bool { return w != whole{} }

// unitKind decides between units of one priority: the higher kind is the more important (rule 12.7.2).
type unitKind int

// The kinds of units. A pod that names a group is ofGroup, even if it leaves by itself.
const (
	ofPod unitKind = iota
	ofGroup
	ofComposite
)

// findUnits divides the running pods of all nodes into units. Each site lists the units with a pod there, in
// the order of their first pods.
func (a *attempt) findUnits() {
	units := map[whole]*unit{} // the units that are groups
	for _, s := range a.sites {
		for _, p := range s.running {
			u := a.unitOf(p)
			if u.isGroup() {
				u = joined(units, u)
			}
			p.unit = u

			// A pod by itself is a new unit. To look for it in the list would take time quadratic in the
			// pods of the node.
			if !u.isGroup() || !slices.Contains(s.units, u) {
				s.units = append(s.units, u)
			}
		}
	}

	for _, u := range units {
		slices.SortFunc(u.pods, func(p, q *occupant) int { return a.importance(p.pod, q.pod) })
	}
}

// joined adds the pods of u to the unit of the same group, and returns that unit; it is u for the first
// of them. Pods of one unit agree in its priority, unless their tree has too many levels: then the
// highest counts (rule 12.6.6).
func joined(units map[whole]*unit, u *unit) *unit {
	first := units[u.whole]
	if first == nil {
		units[u.whole] = u
		return u
	}
	first.pods = append(first.pods, u.pods...)
	first.priority = max(first.priority, u.priority)
	return first
}

// unitOf returns the unit that a pod leaves with, without its other pods: the highest group above the pod
// that leaves whole, or the pod by itself (rules 12.6.3 and 12.6.4).
func (a *attempt) unitOf(p *occupant) *unit {
	u := &unit{pods: []*occupant{p}, priority: p.pod.PriorityValue()}
	if !a.rules.VictimUnits || p.pod.Group == "" {
		return u
	}

	// A pod that names a group counts as a group, even if it leaves by itself, or if there is no such group
	// (rule 12.7.2). An unknown group has no priority to give (rule 12.6.2).
	u.kind = ofGroup
	group, above := a.tree.lineage(p.pod.GroupKey())
	if group == nil {
		return u
	}

	// The topmost group gives the priority, and the highest group that leaves whole is the unit (rules 12.6.4
	// and 12.6.5).
	u.priority = orZero(group.Priority)
	if group.DisruptionMode == outrank.DisruptPodGroup {
		u.group = group
	}
	for _, c := range above {
		u.priority = orZero(c.Priority)
		if c.DisruptionMode == outrank.DisruptPodGroup {
			u.whole = whole{composite: c}
			u.kind = ofComposite
		}
	}
	return u
}

// orZero returns a priority, and 0 if there is none (rules 4.3.1 and 12.6.2).
func orZero(priority *int32) int32 {
	if priority == nil {
		return 0
	}
	return *priority
}

// importance orders pods from the most to the least important: by the caller's own order, then the
// higher priority, the earlier start, and the name, so that the order of the input decides nothing
// (group 4.3).
func (a *attempt) importance(p, q *outrank.Pod) int {
	if own := a.config.Importance; own != nil {
		if c := own(p, q); c != 0 {
			return c
		}
	}
	return cmp.Or(
		cmp.Compare(q.PriorityValue(), p.PriorityValue()),
		a.steps.ageOf(a, p).Compare(a.steps.ageOf(a, q)),
		cmp.Compare(p.NamespaceName(), q.NamespaceName()),
		cmp.Compare(p.Name, q.Name),
	)
}

// byImportance sorts units, the most important first, and returns them (group 12.7).
func (a *attempt) byImportance(units []*unit) []*unit {
	slices.SortFunc(units, a.compareUnits)
	return units
}

// compareUnits orders units from the most to the least important: by the caller's own order of their most
// important pods, then the higher priority, the higher kind, more pods, the earlier start of the pod that
// started first, and the name (rules 12.7.1 to 12.7.6). It orders single pods without groups as importance
// does.
func (a *attempt) compareUnits(u, v *unit) int {
	if own := a.config.Importance; own != nil {
		if c := own(u.pods[0].pod, v.pods[0].pod); c != 0 {
			return c
		}
	}
	return cmp.Or(
		cmp.Compare(v.priority, u.priority),
		cmp.Compare(v.kind, u.kind),
		cmp.Compare(len(v.pods), len(u.pods)),
		a.ageOfUnit(u).Compare(a.ageOfUnit(v)),
		cmp.Compare(u.pods[0].pod.NamespaceName(), v.pods[0].pod.NamespaceName()),
		cmp.Compare(u.name(), v.name()),
		groupsFirst(u, v),
	)
}

// groupsFirst orders a unit that is a group before one that is a pod, which may have the group's name
// (rule 12.7.5).
func groupsFirst(u, v *unit) int {
	switch {
	case u.isGroup() == v.isGroup():
		return 0
	case u.isGroup():
		return -1
	}
	return 1
}

// name returns the name of the group that leaves whole, or of the pod (rule 12.7.5).
func (u *unit) name() string {
	switch {
	case u.composite != nil:
		return u.composite.Name
	case u.group != nil:
		return u.group.Name
	}
	return u.pods[0].pod.Name
}

// ageOfUnit returns the earliest start of the unit's pods (rule 12.7.4).
func (a *attempt) ageOfUnit(u *unit) time.Time {
	earliest := a.steps.ageOf(a, u.pods[0].pod)
	for _, p := range u.pods {
		if start := a.steps.ageOf(a, p.pod); start.Before(earliest) {
			earliest = start
		}
	}
	return earliest
}

// startOf returns the start by which a pod is ordered. A pod without one counts as started now or, where
// the request does not say when that is, as later than any other (rules 4.3.5 and 4.3.7).
func (a *attempt) startOf(p *outrank.Pod) time.Time {
	switch {
	case !p.StartTime.IsZero():
		return p.StartTime
	case a.now.IsZero():
		return laterThanAny
	}
	return a.now
}

// laterThanAny is after every start that a pod has.
var laterThanAny = time.Unix(1<<62, 0)

// podsOf lists the pods of units, unit by unit (rule 12.8.5).
func podsOf(units []*unit) []*occupant {
	var pods []*occupant
	for _, u := range units {
		pods = append(pods, u.pods...)
	}
	return pods
}

// tree has the groups of the cluster by their keys.
type tree struct {
	groups     map[outrank.Key]*outrank.PodGroup
	composites map[outrank.Key]*outrank.CompositePodGroup
}

// newTree reads the groups of a cluster. Without their gate, composite groups are left out (rule 12.6.4).
func newTree(cluster *outrank.Cluster, rules release.Rules) *tree {
	t := &tree{map[outrank.Key]*outrank.PodGroup{}, map[outrank.Key]*outrank.CompositePodGroup{}}
	for _, g := range cluster.Groups {
		t.groups[g.Key()] = g
	}
	if !rules.CompositeUnits {
		return t
	}
	for _, g := range cluster.Composites {
		t.composites[g.Key()] = g
	}
	return t
}

// lineage returns a group with the composite groups above it, the lowest first; nil if the group is
// not known. The way up ends where a parent is not there, and after the last level that a tree may have
// (rules 12.6.4 and 12.6.6). So it ends also where groups are in a circle.
func (t *tree) lineage(key outrank.Key) (group *outrank.PodGroup, above []*outrank.CompositePodGroup) {
	group = t.groups[key]
	if group == nil {
		return nil, nil
	}

	next := t.composites[group.ParentKey()]
	for next != nil && len(above) < outrank.MaxGroupLevels-1 {
		above = append(above, next)
		next = t.composites[next.ParentKey()]
	}
	return group, above
}
