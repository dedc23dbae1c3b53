package preemption

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// unit is what leaves together: a pod by itself or, where the release has it, all running pods of a
// group, or of the groups below a composite one (group 12.6). Where no pod names a group, units are
// pods, and everything about them reads as if it said pod.
type unit struct {
	// group or composite leaves whole; both are nil for a pod that leaves by itself.
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	// pods are in order of importance.
	pods     []*occupant
	priority int32
	kind     unitKind
}

// unitKind says who is the more important of two units of one priority: the higher (rule 12.7.2).
type unitKind int

const (
	ofPod unitKind = iota
	ofGroup
	ofComposite
)

// findUnits parts the pods on all nodes into units, in the order of the nodes and of the first pod of
// each. Pods of one unit agree in its priority, unless their tree has too many levels: then the highest
// counts (rule 12.6.6).
func (a *attempt) findUnits() {
	type whole struct {
		group     *outrank.PodGroup
		composite *outrank.CompositePodGroup
	}
	units := map[whole]*unit{}
	for _, s := range a.sites {
		for _, p := range s.running {
			u := a.unitOf(p)
			if is := (whole{u.group, u.composite}); is != (whole{}) {
				if first := units[is]; first != nil {
					first.pods = append(first.pods, p)
					first.priority = max(first.priority, u.priority)
					u = first
				}
				units[is] = u
			}
			p.unit = u
			if u.size() == 0 || !slices.Contains(s.units, u) {
				s.units = append(s.units, u)
			}
		}
	}
	for _, u := range units {
		slices.SortFunc(u.pods, func(p, q *occupant) int { return a.importance(p.pod, q.pod) })
	}
}

// unitOf is the unit that a pod leaves with, with no other pod in it yet: that of the highest group
// above it that leaves whole. Its priority is that of the group at the top, whichever leaves whole. A
// pod that names a group counts as one also where it leaves by itself, be there such a group or not
// (rules 12.6.2 to 12.6.5 and 12.7.2).
func (a *attempt) unitOf(p *occupant) *unit {
	u := &unit{pods: []*occupant{p}, priority: p.pod.PriorityValue()}
	if !a.rules.VictimUnits || p.pod.Group == "" {
		return u
	}
	u.kind = ofGroup
	group, above := a.tree.lineage(p.pod.GroupKey())
	if group == nil {
		return u
	}

	u.priority = orZero(group.Priority)
	if group.DisruptionMode == outrank.DisruptPodGroup {
		u.group = group
	}
	for _, c := range above {
		u.priority = orZero(c.Priority)
		if c.DisruptionMode == outrank.DisruptPodGroup {
			u.group, u.composite, u.kind = nil, c, ofComposite
		}
	}
	return u
}

// orZero is a priority, 0 where there is none (rules 4.3.1 and 12.6.2).
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

// byImportance sorts units: by the caller's own order of their most important pods, then the higher
// priority, the higher kind, more pods, the earlier start of the pod that started first, and the name, a
// group before a pod (group 12.7). Of single pods without groups that is importance.
func (a *attempt) byImportance(units []*unit) []*unit {
	slices.SortFunc(units, a.compareUnits)
	return units
}

// compareUnits is byImportance for two units (rules 12.7.1 to 12.7.6).
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
		cmp.Compare(v.size(), u.size()),
	)
}

// size is 1 for what leaves whole, 0 for a pod by itself (rule 12.7.5).
func (u *unit) size() int {
	if u.group != nil || u.composite != nil {
		return 1
	}
	return 0
}

// name is that of the group that leaves whole, or of the pod (rule 12.7.5).
func (u *unit) name() string {
	switch {
	case u.composite != nil:
		return u.composite.Name
	case u.group != nil:
		return u.group.Name
	}
	return u.pods[0].pod.Name
}

// ageOfUnit is the earliest start of its pods (rule 12.7.4).
func (a *attempt) ageOfUnit(u *unit) time.Time {
	earliest := a.steps.ageOf(a, u.pods[0].pod)
	for _, p := range u.pods {
		if start := a.steps.ageOf(a, p.pod); start.Before(earliest) {
			earliest = start
		}
	}
	return earliest
}

// startOf: a pod without a start counts as started now, and if nobody says when that is, later than
// any (rule 4.3.7).
func (a *attempt) startOf(p *outrank.Pod) time.Time {
	switch {
	case !p.StartTime.IsZero():
		return p.StartTime
	case a.now.IsZero():
		return laterThanAny
	}
	return a.now
}

var laterThanAny = time.Unix(1<<62, 0)

// podsOf lists the pods unit by unit (rule 12.8.5).
func podsOf(units []*unit) []*occupant {
	var pods []*occupant
	for _, u := range units {
		pods = append(pods, u.pods...)
	}
	return pods
}

// tree finds the groups above a pod.
type tree struct {
	groups     map[outrank.Key]*outrank.PodGroup
	composites map[outrank.Key]*outrank.CompositePodGroup
}

// newTree reads the groups. Where composite groups do not count, there are none (rule 12.6.4).
func newTree(cluster *outrank.Cluster, rules release.Rules) *tree {
	t := &tree{map[outrank.Key]*outrank.PodGroup{}, map[outrank.Key]*outrank.CompositePodGroup{}}
	for _, g := range cluster.Groups {
		t.groups[g.Key()] = g
	}
	for _, g := range cluster.Composites {
		if rules.CompositeUnits {
			t.composites[g.Key()] = g
		}
	}
	return t
}

// lineage is a group with the composite groups above it, the lowest first. It ends where a parent is
// not there, and after the last level that a tree may have (rules 12.6.4 and 12.6.6).
func (t *tree) lineage(key outrank.Key) (group *outrank.PodGroup, above []*outrank.CompositePodGroup) {
	if group = t.groups[key]; group == nil {
		return nil, nil
	}
	next := t.composites[group.ParentKey()]
	for next != nil && len(above) < outrank.MaxGroupLevels-1 {
		above = append(above, next)
		next = t.composites[next.ParentKey()]
	}
	return group, above
}
