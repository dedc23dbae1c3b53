package reference

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// possibleUnits are the units of lower priority, most important first.
func (g *group) possibleUnits() []*GroupUnit {
	var possible []*GroupUnit
	for _, u := range g.units() {
		(&attempt{now: g.in.Now}).sortByImportance(u.Pods)
		if u.Priority < g.priority() {
			possible = append(possible, u)
		}
	}
	slices.SortFunc(possible, g.compareUnits)
	return possible
}

// units parts the pods on nodes: pods of one group whose mode is PodGroup are
// together, all others alone. Those of the preempting group are left out.
func (g *group) units() []*GroupUnit {
	var units []*GroupUnit
	for _, p := range g.cluster.Pods {
		if !g.runs(p) || p.Group != "" && p.GroupKey() == g.pods[0].GroupKey() {
			continue
		}
		known := g.groupOf(p)
		priority := p.PriorityValue()
		if known != nil && known.Priority != nil {
			priority = *known.Priority
		}
		name := ""
		if known != nil && known.Disruption == outrank.DisruptPodGroup {
			name = string(known.Key())
		}
		i := slices.IndexFunc(units, func(u *GroupUnit) bool { return name != "" && u.Group == name })
		if i < 0 {
			units = append(units, &GroupUnit{Group: name, Pods: []*outrank.Pod{p}, Priority: priority})
			continue
		}
		units[i].Pods = append(units[i].Pods, p)
		units[i].Priority = max(units[i].Priority, priority)
	}
	return units
}

// runs: the pod is on a node that exists.
func (g *group) runs(p *outrank.Pod) bool {
	return !p.Finished() && p.NodeName != "" &&
		slices.ContainsFunc(g.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == p.NodeName })
}

func (g *group) groupOf(p *outrank.Pod) *outrank.PodGroup {
	for _, known := range g.cluster.Groups {
		if p.Group != "" && known.Key() == p.GroupKey() {
			return known
		}
	}
	return nil
}

// compareUnits: the higher priority; a group before a pod; the larger group;
// the earlier start; the name.
func (g *group) compareUnits(u, v *GroupUnit) int {
	kind := func(u *GroupUnit) int {
		if u.Group != "" {
			return 0
		}
		return 1
	}
	size := func(u *GroupUnit) int {
		if u.Group != "" {
			return len(u.Pods)
		}
		return 0
	}
	name := func(u *GroupUnit) []string {
		if u.Group != "" {
			return strings.Split(u.Group, "/")
		}
		return []string{u.Pods[0].NamespaceName(), u.Pods[0].Name}
	}
	return cmp.Or(
		cmp.Compare(v.Priority, u.Priority),
		cmp.Compare(kind(u), kind(v)),
		cmp.Compare(size(v), size(u)),
		g.startOfUnit(u).Compare(g.startOfUnit(v)),
		slices.Compare(name(u), name(v)),
	)
}

func (g *group) startOfUnit(u *GroupUnit) time.Time {
	earliest := startOf(u.Pods[0], g.in.Now)
	for _, p := range u.Pods {
		if start := startOf(p, g.in.Now); start.Before(earliest) {
			earliest = start
		}
	}
	return earliest
}

// splitUnits marks the units that break a budget (group 12.5). For each pod the
// budgets are charged in order of their names, up to the first that has
// nothing left.
func (g *group) splitUnits(units []*GroupUnit) {
	budgets := slices.Clone(g.cluster.Budgets)
	slices.SortFunc(budgets, func(a, b *outrank.PodDisruptionBudget) int { return cmp.Compare(a.Key(), b.Key()) })
	allowance := map[*outrank.PodDisruptionBudget]int64{}
	for _, b := range budgets {
		allowance[b] = int64(b.Allowed)
	}
	breaks := func(p *outrank.Pod) bool {
		for _, b := range budgets {
			if !covers(b, p) || alreadyCounted(b, p) {
				continue
			}
			allowance[b]--
			if allowance[b] < 0 {
				return true
			}
		}
		return false
	}
	for _, u := range units {
		if u.Violates = slices.ContainsFunc(u.Pods, breaks); u.Violates {
			u.Violations = 1
		}
	}
}
