package preemption

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// join takes a pod that runs on a node that exists into its group and unit.
func (x *unitIndex) join(p *podState, all *groupObjects, o *owner) {
	key := p.class.group
	if key == "" {
		return
	}
	g := x.writableGroup(key, o)
	g.pods = insertByImportance(g.pods, p)
	if len(g.pods) == 1 {
		x.tie(key, g, all.fateOf(key), o)
	}
	if u := x.wholeOf(g, o); u != nil {
		u.pods = insertByImportance(u.pods, p)
		x.stale = append(x.stale, u)
	}
}

// leave takes such a pod out again.
func (x *unitIndex) leave(p *podState, o *owner) {
	key := p.class.group
	if key == "" {
		return
	}
	g := x.writableGroup(key, o)
	g.pods = removeByImportance(g.pods, p)
	if u := x.wholeOf(g, o); u != nil {
		x.stale = append(x.stale, u)
		u.pods = removeByImportance(u.pods, p)
	}
	if len(g.pods) == 0 {
		x.untie(key, g, o)
		x.groups.remove(key)
	}
}

// replace puts another state of such a pod in the place of one.
func (x *unitIndex) replace(p, q *podState, o *owner) {
	g := x.writableGroup(p.class.group, o)
	g.pods[indexOf(g.pods, p)] = q
	if u := x.wholeOf(g, o); u != nil {
		u.pods[indexOf(u.pods, p)] = q
		x.stale = append(x.stale, u)
	}
}

// regroup looks anew at what becomes of the running pods of a group.
func (x *unitIndex) regroup(key string, all *groupObjects, o *owner) {
	g, ok := x.groups.get(key)
	if !ok {
		return
	}
	fate := all.fateOf(key)
	if fate == g.fate {
		return
	}
	g = x.writableGroup(key, o)
	if u := x.wholeOf(g, o); u != nil {
		x.stale = append(x.stale, u)
		u.pods = slices.DeleteFunc(u.pods, func(p *podState) bool { return p.class.group == key })
	}
	x.untie(key, g, o)
	if u := x.tie(key, g, fate, o); u != nil {
		u.pods = append(u.pods, g.pods...)
		slices.SortFunc(u.pods, func(p, q *podState) int { return p.compare(q, rank.Never) })
		x.stale = append(x.stale, u)
	}
	x.moved = append(x.moved, g.pods...)
}

// regroupBelow is regroup for every group below a composite group, or below one that
// was there.
func (x *unitIndex) regroupBelow(composite string, all *groupObjects, o *owner) {
	groups, _ := x.below.get(composite)
	for _, key := range groups {
		x.regroup(key, all, o)
	}
}

// tie gives a group its fate. It returns its unit, which lacks the group's pods, or nil.
func (x *unitIndex) tie(key string, g *groupState, fate groupFate, o *owner) *wholeUnit {
	g.fate = fate
	for i, above := range fate.above {
		if above != "" && !slices.Contains(fate.above[:i], above) {
			x.changeBelow(string(above), key, true)
		}
	}
	if fate.whole == "" {
		return nil
	}
	u := x.writableWhole(fate.whole, o)
	if u.group = fate.group; fate.composite != nil {
		u.group, u.composite = nil, fate.composite
	}
	at, _ := slices.BinarySearch(u.groups, key)
	u.groups = slices.Insert(u.groups, at, key)
	x.setPriority(u)
	return u
}

// untie takes its fate away from a group, whose pods its unit has lost.
func (x *unitIndex) untie(key string, g *groupState, o *owner) {
	for i, above := range g.fate.above {
		if above != "" && !slices.Contains(g.fate.above[:i], above) {
			x.changeBelow(string(above), key, false)
		}
	}
	if u := x.wholeOf(g, o); u != nil {
		at, _ := slices.BinarySearch(u.groups, key)
		if u.groups = slices.Delete(u.groups, at, at+1); len(u.groups) == 0 {
			x.wholes.remove(u.name)
		} else {
			x.setPriority(u)
		}
	}
	g.fate = groupFate{}
}

// setPriority works out the priority of a unit. Its groups agree in that, but for
// trees with too many levels (rule 12.6.6).
func (x *unitIndex) setPriority(u *wholeUnit) {
	before := u.priority
	for i, key := range u.groups {
		g, _ := x.groups.get(key)
		if p := g.fate.priority; i == 0 || p > u.priority {
			u.priority = p
		}
	}
	if u.priority != before {
		x.moved = append(x.moved, u.pods...)
	}
}

// wholeOf returns the unit of a group's pods for writing, nil where each leaves by
// itself.
func (x *unitIndex) wholeOf(g *groupState, o *owner) *wholeUnit {
	if g.fate.whole == "" {
		return nil
	}
	return x.writableWhole(g.fate.whole, o)
}

// writableGroup returns the state of a group for writing, a new one if there is none.
func (x *unitIndex) writableGroup(key string, o *owner) *groupState {
	g, ok := x.groups.get(key)
	switch {
	case !ok:
		g = &groupState{owner: o}
	case g.owner != o:
		g = &groupState{owner: o, pods: slices.Clone(g.pods), fate: g.fate}
	default:
		return g
	}
	x.groups.set(key, g)
	return g
}

// writableWhole is writableGroup for a unit.
func (x *unitIndex) writableWhole(name string, o *owner) *wholeUnit {
	u, ok := x.wholes.get(name)
	switch {
	case !ok:
		u = &wholeUnit{owner: o, name: name}
	case u.owner != o:
		own := *u
		u = &own
		u.owner, u.pods, u.groups = o, slices.Clone(u.pods), slices.Clone(u.groups)
	default:
		return u
	}
	x.wholes.set(name, u)
	return u
}

// changeBelow puts a group on the list of those below a composite group, or takes it
// off. Lists are shared, and never written.
func (x *unitIndex) changeBelow(composite, group string, add bool) {
	list, _ := x.below.get(composite)
	at, there := slices.BinarySearchFunc(list, group, cmp.Compare[string])
	switch {
	case add && !there:
		list = slices.Insert(slices.Clone(list), at, group)
	case !add && there:
		list = slices.Delete(slices.Clone(list), at, at+1)
	}
	if len(list) == 0 {
		x.below.remove(composite)
	} else {
		x.below.set(composite, list)
	}
}
