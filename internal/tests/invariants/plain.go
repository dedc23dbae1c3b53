package invariants

import (
	"cmp"
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

// The answers of a node about a pod.
const (
	takesIt  = "has room"
	curable  = "might have room without some pods"
	hopeless = "can have no room"
)

// answer says whether a node takes a pod beside the pods that are there. It asks in the order of the filters, of
// which the first that fails decides (rule 7.1.3).
func (w *World) answer(n *Node, there []*Pod, asks *Pod) string {
	if n.Cordoned {
		return hopeless
	}
	var cpu, memory, ofA int64
	portTaken := false
	for _, p := range there {
		cpu += p.CPU
		memory += p.Memory
		portTaken = portTaken || asks.Port > 0 && p.Port == asks.Port
		if p.App == "a" {
			ofA++
		}
	}

	noCPU := asks.CPU > 0 && cpu+asks.CPU > n.CPU
	noMemory := asks.Memory > 0 && memory+asks.Memory > n.Memory
	noPlace := int64(len(there))+1 > n.Pods
	switch {
	case portTaken:
		return curable
	case noCPU && asks.CPU > n.CPU, noMemory && asks.Memory > n.Memory:
		return hopeless // more than the whole node has (rule 7.7.5)
	case noCPU, noMemory, noPlace:
		return curable
	case asks.App == "a" && w.MostOfA >= 0 && ofA >= int64(w.MostOfA):
		return curable
	}
	return takesIt
}

// now is the answer of a node about a pod with everybody there, those included who keep their room.
func (w *World) now(n *Node, asks *Pod) string {
	there := w.on(n.Name)
	if with := w.nominated(n.Name, asks); len(with) > 0 {
		if said := w.answer(n, slices.Concat(there, with), asks); said != takesIt {
			return said
		}
	}
	return w.answer(n, there, asks)
}

// fits reports whether a node takes the pod beside these, with those who keep their room and without them.
func (w *World) fits(n *Node, there []*Pod, asks *Pod) bool {
	return w.answer(n, slices.Concat(there, w.nominated(n.Name, asks)), asks) == takesIt && w.answer(n, there, asks) == takesIt
}

// unit is what leaves together: one pod, or the running pods of a whole group.
type unit struct {
	name     string
	priority int32
	grouped  bool
	pods     []*Pod // the most important first
}

// unitsOn returns the units with a pod on one of the nodes, the most important first.
func (w *World) unitsOn(nodes ...string) (units []*unit) {
	seen := map[string]bool{}
	for i := range w.Pods {
		p := &w.Pods[i]
		if !slices.Contains(nodes, p.Node) {
			continue
		}
		if u := w.unitOf(p); !seen[u.name] { // no pod has the name of a group
			seen[u.name] = true
			units = append(units, u)
		}
	}
	slices.SortFunc(units, moreImportant)
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
		return cmp.Or(cmp.Compare(b.priority(), a.priority()), cmp.Compare(b.Started, a.Started), cmp.Compare(a.Name, b.Name))
	})
	return u
}

// moreImportant orders units (rules 4.3.3 to 4.3.6 and 12.7.1 to 12.7.5).
func moreImportant(a, b *unit) int {
	grouped := func(u *unit) int {
		if u.grouped {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(grouped(a), grouped(b)),
		cmp.Compare(len(b.pods), len(a.pods)),
		cmp.Compare(b.longest(), a.longest()),
		cmp.Compare(a.name, b.name),
	)
}

// longest is how long the pod that started first runs, 0 if none has a start.
func (u *unit) longest() (minutes int64) {
	for _, p := range u.pods {
		minutes = max(minutes, p.Started)
	}
	return minutes
}

// mayLeave reports whether the asker may push a unit out: its priority is lower, or the caller has all of its pods
// taken whatever that is, and no rule of the caller's protects one of them.
func (w *World) mayLeave(u *unit) bool {
	spared := func(p *Pod) bool { return w.Spared != "" && p.App == w.Spared }
	kept := func(p *Pod) bool { return w.Taken == "" || p.App != w.Taken }
	lower := u.priority < w.Asks[0].priority() || !slices.ContainsFunc(u.pods, kept)
	return lower && !slices.ContainsFunc(u.pods, spared)
}

// violations charges the budgets for units that would leave, in this order, and returns the budgets that each of
// their pods violates (rules 6.3.2 to 6.3.8).
func (w *World) violations(units []*unit) map[*Pod][]string {
	left := map[string]int32{}
	for _, b := range w.Budgets {
		left[b.Name] = b.Allowed
	}

	violated := map[*Pod][]string{}
	for _, u := range units {
		for _, p := range u.pods {
			labels := p.labels()
			for _, b := range w.Budgets {
				if labels[b.Label] != b.Value || b.Disrupted == p.Name || b.Elsewhere {
					continue
				}
				left[b.Name]--
				if left[b.Name] < 0 {
					violated[p] = append(violated[p], b.Name)
					if w.Release != v136 {
						break // the budgets behind it are not charged
					}
				}
			}
		}
	}
	return violated
}
