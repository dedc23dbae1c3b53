package state

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// join takes a pod that runs on a node that exists into its group and unit.
func (x *unitIndex) join(p *PodState, all *groupObjects, o *Owner) {
	key := p.Class.Group
	if key == "" {
		return
	}
	g := x.writableGroup(key, o)
	g.Pods = insertByImportance(g.Pods, p)
	if len(g.Pods) == 1 {
		x.tie(key, g, all.fateOf(key), o)
	}
	if u := x.wholeOf(g, o); u != nil {
		u.Pods = insertByImportance(u.Pods, p)
		x.stale = append(x.stale, u)
	}
}

// leave takes such a pod out again.
func (x *unitIndex) leave(p *PodState, o *Owner) {
	key := p.Class.Group
	if key == "" {
		return
	}
	g := x.writableGroup(key, o)
	g.Pods = removeByImportance(g.Pods, p)
	if u := x.wholeOf(g, o); u != nil {
		x.stale = append(x.stale, u)
		u.Pods = removeByImportance(u.Pods, p)
	}
	if len(g.Pods) == 0 {
		x.untie(key, g, o)
		x.Groups.Remove(key)
	}
}

// replace puts another state of such a pod in the place of one.
func (x *unitIndex) replace(p, q *PodState, o *Owner) {
	g := x.writableGroup(p.Class.Group, o)
	g.Pods[indexOf(g.Pods, p)] = q
	if u := x.wholeOf(g, o); u != nil {
		u.Pods[indexOf(u.Pods, p)] = q
		x.stale = append(x.stale, u)
	}
}

// regroup looks anew at what becomes of the running pods of a group.
func (x *unitIndex) regroup(key string, all *groupObjects, o *Owner) {
	g, ok := x.Groups.Get(key)
	if !ok {
		return
	}
	fate := all.fateOf(key)
	if fate == g.Fate {
		return
	}
	g = x.writableGroup(key, o)
	if u := x.wholeOf(g, o); u != nil {
		x.stale = append(x.stale, u)
		u.Pods = slices.DeleteFunc(u.Pods, func(p *PodState) bool { return p.Class.Group == key })
	}
	x.untie(key, g, o)
	if u := x.tie(key, g, fate, o); u != nil {
		u.Pods = append(u.Pods, g.Pods...)
		slices.SortFunc(u.Pods, func(p, q *PodState) int { return p.Compare(q, rank.Never) })
		x.stale = append(x.stale, u)
	}
	x.moved = append(x.moved, g.Pods...)
}

// regroupBelow is regroup for every group below a composite group, or below one that
// was there.
func (x *unitIndex) regroupBelow(composite string, all *groupObjects, o *Owner) {
	groups, _ := x.Below.Get(composite)
	for _, key := range groups {
		x.regroup(key, all, o)
	}
}

// tie gives a group its fate. It returns its unit, which lacks the group's pods, or nil.
func (x *unitIndex) tie(key string, g *GroupState, fate groupFate, o *Owner) *WholeUnit {
	g.Fate = fate
	for i, above := range fate.above {
		if above != "" && !slices.Contains(fate.above[:i], above) {
			x.changeBelow(string(above), key, true)
		}
	}
	if fate.whole == "" {
		return nil
	}
	u := x.writableWhole(fate.whole, o)
	if u.Group = fate.group; fate.composite != nil {
		u.Group, u.Composite = nil, fate.composite
	}
	at, _ := slices.BinarySearch(u.Groups, key)
	u.Groups = slices.Insert(u.Groups, at, key)
	x.setPriority(u)
	return u
}

// untie takes its fate away from a group, whose pods its unit has lost.
func (x *unitIndex) untie(key string, g *GroupState, o *Owner) {
	for i, above := range g.Fate.above {
		if above != "" && !slices.Contains(g.Fate.above[:i], above) {
			x.changeBelow(string(above), key, false)
		}
	}
	if u := x.wholeOf(g, o); u != nil {
		at, _ := slices.BinarySearch(u.Groups, key)
		if u.Groups = slices.Delete(u.Groups, at, at+1); len(u.Groups) == 0 {
			x.wholes.Remove(u.Name)
		} else {
			x.setPriority(u)
		}
	}
	g.Fate = groupFate{}
}

// setPriority works out the priority of a unit. Its groups agree in that, but for
// trees with too many levels (rule 12.6.6).
func (x *unitIndex) setPriority(u *WholeUnit) {
	before := u.Priority
	for i, key := range u.Groups {
		g, _ := x.Groups.Get(key)
		if p := g.Fate.priority; i == 0 || p > u.Priority {
			u.Priority = p
		}
	}
	if u.Priority != before {
		x.moved = append(x.moved, u.Pods...)
	}
}

// wholeOf returns the unit of a group's pods for writing, nil where each leaves by
// itself.
func (x *unitIndex) wholeOf(g *GroupState, o *Owner) *WholeUnit {
	if g.Fate.whole == "" {
		return nil
	}
	return x.writableWhole(g.Fate.whole, o)
}

// writableGroup returns the state of a group for writing, a new one if there is none.
func (x *unitIndex) writableGroup(key string, o *Owner) *GroupState {
	g, ok := x.Groups.Get(key)
	switch {
	case !ok:
		g = &GroupState{owner: o}
	case g.owner != o:
		g = &GroupState{owner: o, Pods: slices.Clone(g.Pods), Fate: g.Fate}
	default:
		return g
	}
	x.Groups.Set(key, g)
	return g
}

// writableWhole is writableGroup for a unit.
func (x *unitIndex) writableWhole(name string, o *Owner) *WholeUnit {
	u, ok := x.wholes.Get(name)
	switch {
	case !ok:
		u = &WholeUnit{owner: o, Name: name}
	case u.owner != o:
		own := *u
		u = &own
		u.owner, u.Pods, u.Groups = o, slices.Clone(u.Pods), slices.Clone(u.Groups)
	default:
		return u
	}
	x.wholes.Set(name, u)
	return u
}

// changeBelow puts a group on the list of those below a composite group, or takes it
// off. Lists are shared, and never written.
func (x *unitIndex) changeBelow(composite, group string, add bool) {
	list, _ := x.Below.Get(composite)
	at, there := slices.BinarySearchFunc(list, group, cmp.Compare[string])
	switch {
	case add && !there:
		list = slices.Insert(slices.Clone(list), at, group)
	case !add && there:
		list = slices.Delete(slices.Clone(list), at, at+1)
	}
	if len(list) == 0 {
		x.Below.Remove(composite)
	} else {
		x.Below.Set(composite, list)
	}
}

// load finds the units of pods that run, all at once.
func (x *unitIndex) load(pods []*PodState, all *groupObjects, o *Owner) {
	for _, p := range pods {
		g := x.writableGroup(p.Class.Group, o)
		g.Pods = append(g.Pods, p)
	}
	x.Groups.Each(func(key string, g *GroupState) {
		slices.SortFunc(g.Pods, func(p, q *PodState) int { return p.Compare(q, rank.Never) })
		if u := x.tie(key, g, all.fateOf(key), o); u != nil {
			u.Pods = append(u.Pods, g.Pods...)
		}
	})
	x.Each(func(u *WholeUnit) {
		slices.SortFunc(u.Pods, func(p, q *PodState) int { return p.Compare(q, rank.Never) })
	})
	x.stale, x.moved = nil, nil
}
