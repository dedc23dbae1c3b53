package invariants

import (
	"cmp"
	"math"
	"slices"
)

// What follows are the sums that judges go by. They look at plain numbers alone.

// priority is what the pod preempts and compares with: 0 if it has none.
func (p *Pod) priority() int32 {
	if p.Unset {
		return 0
	}
	return p.Priority
}

// node returns the node of that name, nil if there is none.
func (w *World) node(name string) *Node {
	i := slices.IndexFunc(w.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &w.Nodes[i]
}

// pod returns the pod of that name, nil if there is none. It may be one of those that ask.
func (w *World) pod(name string) *Pod {
	for _, list := range [][]Pod{w.Pods, w.Asks} {
		if i := slices.IndexFunc(list, func(p Pod) bool { return p.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// group returns the group of a pod, nil for none and where groups do not count.
func (w *World) group(p *Pod) *Group {
	i := slices.IndexFunc(w.Groups, func(g Group) bool { return g.Name == p.Group })
	if i < 0 || !w.units() {
		return nil
	}
	return &w.Groups[i]
}

// on returns the pods that run on a node.
func (w *World) on(node string) (pods []*Pod) {
	for i := range w.Pods {
		if w.Pods[i].Node == node {
			pods = append(pods, &w.Pods[i])
		}
	}
	return pods
}

// nominated returns the pods that wait for a node and keep their room there from a pod that asks: those of the same
// or a higher priority (rule 7.16.1).
func (w *World) nominated(node string, asker *Pod) (pods []*Pod) {
	for i := range w.Pods {
		if p := &w.Pods[i]; p.Node == "" && p.Nominated == node && p.priority() >= asker.priority() {
			pods = append(pods, p)
		}
	}
	return pods
}

// unit is what leaves together: one pod, or the running pods of a whole group.
type unit struct {
	name     string
	priority int32
	grouped  bool
	pods     []*Pod // the most important first
}

// unitsOn returns the units with a pod on one of the nodes, the most important first.
func (w *World) unitsOn(nodes ...string) []*unit {
	var pods []*Pod
	for i := range w.Pods {
		if p := &w.Pods[i]; slices.Contains(nodes, p.Node) {
			pods = append(pods, p)
		}
	}
	return w.unitsOf(pods)
}

// unitsOf returns the units of some pods, the most important first.
func (w *World) unitsOf(pods []*Pod) (units []*unit) {
	seen := map[string]bool{}
	for _, p := range pods {
		if u := w.unitOf(p); !seen[u.name] { // no pod has the name of a group
			seen[u.name] = true
			units = append(units, u)
		}
	}
	slices.SortFunc(units, w.moreImportant)
	return units
}

// unitOf returns the unit of a running pod (rules 12.6.2 and 12.6.3).
func (w *World) unitOf(p *Pod) *unit {
	u := &unit{name: p.Name, priority: p.priority(), pods: []*Pod{p}}
	g := w.group(p)
	if g == nil {
		return u
	}
	u.grouped, u.priority = true, g.Priority
	if !g.Whole {
		return u
	}

	u.name, u.pods = g.Name, nil
	for i := range w.Pods {
		if q := &w.Pods[i]; q.Node != "" && q.Group == g.Name {
			u.pods = append(u.pods, q)
		}
	}
	slices.SortFunc(u.pods, func(a, b *Pod) int {
		return cmp.Or(
			w.byCPU(a, b),
			cmp.Compare(b.priority(), a.priority()),
			cmp.Compare(w.runs(b), w.runs(a)),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return u
}

// moreImportant orders units (rules 4.3.3 to 4.3.6, 12.7.1 to 12.7.6 and 13.2.1).
func (w *World) moreImportant(a, b *unit) int {
	grouped := func(u *unit) int {
		if u.grouped {
			return 0
		}
		return 1
	}
	longest := func(u *unit) int64 {
		minutes := int64(math.MinInt64)
		for _, p := range u.pods {
			minutes = max(minutes, w.runs(p))
		}
		return minutes
	}
	return cmp.Or(
		w.byCPU(a.pods[0], b.pods[0]),
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(grouped(a), grouped(b)),
		cmp.Compare(len(b.pods), len(a.pods)),
		cmp.Compare(longest(b), longest(a)),
		cmp.Compare(a.name, b.name),
	)
}

// byCPU orders pods by cpu, the larger first, if the caller has it so.
func (w *World) byCPU(a, b *Pod) int {
	if !w.ByCPU {
		return 0
	}
	return cmp.Compare(b.CPU, a.CPU)
}

// runs is how many minutes ago a pod started, as far as that counts.
func (w *World) runs(p *Pod) int64 {
	if w.Policy == v113 {
		return 0
	}
	return p.Started
}

// mayLeave reports whether the asker may push a unit out: its priority is lower, or the caller has all of its pods
// taken whatever that is, and no rule of the caller's protects one of them. In the simplified form a lone pod without a
// priority may always leave (rules 9.1, 12.8.1, 12.8.9, 12.8.10, 13.3.3 and 13.6.1).
func (w *World) mayLeave(u *unit) bool {
	spared := func(p *Pod) bool { return w.Spared != "" && p.App == w.Spared }
	lower := u.priority < w.Asks[0].priority() || w.Policy == simplified && !u.grouped && u.pods[0].Unset
	kept := func(p *Pod) bool {
		return w.Taken != "" && p.App != w.Taken && p.priority() >= w.Asks[0].priority()
	}
	if w.Taken != "" {
		lower = !slices.ContainsFunc(u.pods, kept)
	}
	return lower && !slices.ContainsFunc(u.pods, spared)
}

// possible returns those of the units that may leave, in their order.
func (w *World) possible(units []*unit) (may []*unit) {
	for _, u := range units {
		if w.mayLeave(u) {
			may = append(may, u)
		}
	}
	return may
}

// podsOf lists the pods of units, unit by unit.
func podsOf(units []*unit) (pods []*Pod) {
	for _, u := range units {
		pods = append(pods, u.pods...)
	}
	return pods
}

// without returns the pods that are not among these.
func without(pods, gone []*Pod) []*Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *Pod) bool { return slices.Contains(gone, p) })
}

// beforeInLine orders waiting pods: the higher priority, then the earlier start, of which none is the latest (rule
// 14.3.3).
func beforeInLine(a, b *Pod) int {
	return cmp.Or(cmp.Compare(b.priority(), a.priority()), cmp.Compare(b.Started, a.Started), cmp.Compare(a.Name, b.Name))
}
