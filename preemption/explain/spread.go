package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// spreadOf returns the constraints that apply to the pod: its own or, if it has none, the defaults of the
// configuration (rules 7.18.7 to 7.18.9).
func (f *finder) spreadOf() []outrank.TopologySpreadConstraint {
	p := &f.config.Profile
	if len(f.pod.TopologySpreadConstraints) > 0 || len(p.DefaultConstraints) == 0 || p.SpreadSelector == nil {
		return f.pod.TopologySpreadConstraints
	}

	selector := p.SpreadSelector(f.pod)
	if selector == nil || selector.Empty() {
		return nil
	}
	list := slices.Clone(p.DefaultConstraints)
	for i := range list {
		list[i].LabelSelector, list[i].MatchLabelKeys = selector, nil
	}
	return list
}

// indexSpread counts the matching pods of each constraint in each domain of the cluster. The index is incomplete if
// the context has ended.
func (f *finder) indexSpread() *spreadIndex {
	// Constraints that only affect scores are left out.
	x := &spreadIndex{}
	for _, c := range f.spreadOf() {
		if c.WhenUnsatisfiable == outrank.ScheduleAnyway {
			continue
		}
		s := narrowed(c.LabelSelector, f.pod, c.MatchLabelKeys, outrank.In)
		m, _ := s.Matcher()
		x.constraints = append(x.constraints, constraint{
			key: c.TopologyKey, maxSkew: c.MaxSkew, minDomains: max(1, int(c.MinDomains)), selector: s, matcher: m,
			affinity: c.NodeAffinityPolicy != outrank.NodeIgnore, taints: c.NodeTaintsPolicy == outrank.NodeHonor,
			counts: map[string]int{},
		})
	}

	// A node adds its domain even if no pod on it matches, because the emptiest domain may have none (rule 7.12.11).
	seen := 0
	for n := range f.snap.Nodes() {
		if seen++; seen%nodesPerLook == 0 && f.ctx.Err() != nil {
			break
		}
		for i := range x.constraints {
			if c := &x.constraints[i]; f.nodeCounts(x, c, n) {
				c.counts[n.Labels[c.key]] += f.matching(c, n)
			}
		}
	}

	// Domains sorted by their counts, so that leastOf need not look at all of them.
	for i := range x.constraints {
		counts := x.constraints[i].counts
		domains := sortedKeys(counts)
		slices.SortStableFunc(domains, func(a, b string) int { return counts[a] - counts[b] })
		x.order = append(x.order, domains)
	}
	return x
}

// nodeCounts reports whether a node counts for a constraint (rules 7.12.9 and 7.12.10).
func (f *finder) nodeCounts(x *spreadIndex, c *constraint, n *outrank.Node) bool {
	for i := range x.constraints {
		if _, ok := n.Labels[x.constraints[i].key]; !ok {
			return false
		}
	}

	// Only the pod's own node affinity counts, and not the one that the configuration adds (rule 7.18.4).
	if c.affinity && !fit.NodeAffinity(f.pod, n) {
		return false
	}
	if !c.taints {
		return true
	}
	_, untolerated := f.tolerations.Untolerated(n, outrank.NoSchedule, outrank.NoExecute)
	return !untolerated
}

// matching returns the number of pods on a node that match a constraint and are not terminating (rules 7.12.4 to
// 7.12.7).
func (f *finder) matching(c *constraint, n *outrank.Node) (count int) {
	if c.selector.Empty() {
		return 0 // an empty selector counts no pods (rule 7.12.7)
	}

	for _, p := range f.snap.PodsOn(n.Name) {
		if !p.Terminating() && f.counted(c, p) {
			count++
		}
	}
	return count
}

// counted reports whether a constraint selects a pod, terminating or not.
func (f *finder) counted(c *constraint, p *outrank.Pod) bool {
	return p.NamespaceName() == f.pod.NamespaceName() && c.matcher.Matches(p.Labels)
}

// nameSpread finds the constraints that the pod would violate on the node (rules 7.12.2 and 7.12.3).
func (f *finder) nameSpread(o *Obstacle, at *place) {
	if f.spread == nil {
		f.spread = f.indexSpread()
	}

	for i := range f.spread.constraints {
		c := &f.spread.constraints[i]
		s := Spread{Topology: Topology{TopologyKey: c.key, Selector: selectorText(c.selector)}, MaxSkew: c.maxSkew}
		value, ok := at.node.Labels[c.key]
		if !ok {
			o.Spread = append(o.Spread, s)
			continue
		}

		s.Domain = &value
		if s.With, s.Least = f.skew(i, at); int64(s.With)-int64(s.Least) > int64(c.maxSkew) {
			o.Spread = append(o.Spread, s)
		}
	}
}

// skew returns, for the i-th constraint, the number of matching pods in the node's domain if the preemptor ran there,
// and the number in the domain with the fewest.
func (f *finder) skew(i int, at *place) (with, least int) {
	x, c := f.spread, &f.spread.constraints[i]
	changed := map[string]int{}
	change := func(n *outrank.Node, p *outrank.Pod, by int) {
		if n != nil && f.nodeCounts(x, c, n) && f.counted(c, p) {
			changed[n.Labels[c.key]] += by
		}
	}

	// Like the filter, subtract a terminating pod that is gone although it was not counted (rule 7.12.6).
	for _, p := range at.gonePods {
		n, _ := f.snap.Node(f.snap.NodeOf(p.Key()))
		change(n, p, -1)
	}
	for _, p := range f.nominated(at) {
		change(at.node, p, 1)
	}

	value := at.node.Labels[c.key]
	with = c.counts[value] + changed[value]
	if c.matcher.Matches(f.pod.Labels) {
		with++
	}
	if len(c.counts) < c.minDomains {
		return with, 0 // with fewer domains than minDomains the least count is 0 (rule 7.12.12)
	}
	return with, leastOf(x.order[i], c.counts, changed)
}

// leastOf returns the smallest count of any domain after the changes. order lists the domains by their counts before
// the changes, the smallest first.
func leastOf(order []string, counts, changed map[string]int) int {
	least, found := 0, false
	note := func(n int) {
		if !found || n < least {
			least, found = n, true
		}
	}

	// The changed domains are few, so each is looked at.
	for _, d := range sortedKeys(changed) {
		if _, ok := counts[d]; ok {
			note(counts[d] + changed[d])
		}
	}

	// Of the unchanged domains the first one in the order has the smallest count.
	for _, d := range order {
		if changed[d] == 0 {
			note(counts[d])
			break
		}
	}
	return least
}
