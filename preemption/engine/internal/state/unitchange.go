package state

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// join adds a pod that runs on an existing node to its group and unit.
func (x *unitIndex) join(p *PodState, all *groupObjects, o *Owner) {
	key := p.Class.Group
	if key == "" {
		return
	}

	g := x.writableGroup(key, o)
	g.Pods = insertByImportance(g.Pods, p)

	// The first running pod adds the group to the index, and with it the unit.
	if len(g.Pods) == 1 {
		x.setFate(key, g, all.fateOf(key), o)
	}
	if u := x.wholeOf(g, o); u != nil {
		u.Pods = insertByImportance(u.Pods, p)
		x.stale = append(x.stale, u)
	}
}

// leave removes a pod that join added from its group and unit.
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

	// The index has only groups with running pods, and only units with groups (clearFate).
	if len(g.Pods) == 0 {
		x.clearFate(key, g, o)
		x.Groups.Remove(key)
	}
}

// replace puts q, another state of the running pod p with the same group and importance, in its place.
func (x *unitIndex) replace(p, q *PodState, o *Owner) {
	g := x.writableGroup(p.Class.Group, o)
	g.Pods[indexOf(g.Pods, p)] = q
	if u := x.wholeOf(g, o); u != nil {
		u.Pods[indexOf(u.Pods, p)] = q
		x.stale = append(x.stale, u)
	}
}

// regroup updates the fate of a group after the group or one above it has changed, and moves its running pods
// to the unit of the new fate.
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
	x.clearFate(key, g, o)

	if u := x.setFate(key, g, fate, o); u != nil {
		u.Pods = append(u.Pods, g.Pods...)
		slices.SortFunc(u.Pods, func(p, q *PodState) int { return p.Compare(q, rank.Never) })
		x.stale = append(x.stale, u)
	}

	// Even if the unit is the same, the priority may have changed.
	x.moved = append(x.moved, g.Pods...)
}

// regroupBelow calls regroup for every group below a composite group that has come, changed or gone.
func (x *unitIndex) regroupBelow(composite string, all *groupObjects, o *Owner) {
	// Lists are replaced and never written, so that regroup may change Below meanwhile.
	groups, _ := x.Below.Get(composite)
	for _, key := range groups {
		x.regroup(key, all, o)
	}
}

// setFate gives a fate to a group without one, and adds the group to the lists and the unit that follow from
// it. It returns the unit, to which the caller must add the pods, or nil if each pod leaves by itself.
func (x *unitIndex) setFate(key string, g *GroupState, fate groupFate, o *Owner) *WholeUnit {
	g.Fate = fate

	// In an invalid tree the same composite group may be above a group twice.
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

// clearFate removes the fate of a group. Its pods must have left the unit already.
func (x *unitIndex) clearFate(key string, g *GroupState, o *Owner) {
	for i, above := range g.Fate.above {
		if above != "" && !slices.Contains(g.Fate.above[:i], above) {
			x.changeBelow(string(above), key, false)
		}
	}

	// A unit ends with its last group.
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

// setPriority sets the priority of a unit to the highest that any of its groups gives it. The groups agree
// except in trees with too many levels (rule 12.6.6).
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

// wholeOf returns the unit of a group's pods for writing, nil if each pod leaves by itself.
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

// writableWhole returns the unit of this name for writing, a new one if there is none.
func (x *unitIndex) writableWhole(name string, o *Owner) *WholeUnit {
	u, ok := x.wholes.Get(name)
	switch {
	case !ok:
		u = &WholeUnit{owner: o, Name: name}
	case u.owner != o:
		own := *u
		own.owner = o
		own.Pods, own.Groups = slices.Clone(u.Pods), slices.Clone(u.Groups)
		u = &own
	default:
		return u
	}
	x.wholes.Set(name, u)
	return u
}

// changeBelow adds a group to the list of those below a composite group, or removes it. Clones and loops may
// share a list, so that a new list takes its place.
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

// load builds the groups and units of all running pods of a new snapshot, and sorts each list of pods only
// once.
func (x *unitIndex) load(pods []*PodState, all *groupObjects, o *Owner) {
	for _, p := range pods {
		g := x.writableGroup(p.Class.Group, o)
		g.Pods = append(g.Pods, p)
	}

	x.Groups.Each(func(key string, g *GroupState) {
		slices.SortFunc(g.Pods, func(p, q *PodState) int { return p.Compare(q, rank.Never) })
		if u := x.setFate(key, g, all.fateOf(key), o); u != nil {
			u.Pods = append(u.Pods, g.Pods...)
		}
	})
	x.Each(func(u *WholeUnit) {
		slices.SortFunc(u.Pods, func(p, q *PodState) int { return p.Compare(q, rank.Never) })
	})

	// No summaries or answers exist yet that would have to be updated.
	x.stale, x.moved = nil, nil
}
