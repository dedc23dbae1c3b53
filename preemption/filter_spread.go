package preemption

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// PodTopologySpread (group 7.12).

// constraint is a topology spread constraint of DoNotSchedule with its defaults filled in, and the pods
// that it counts at the start.
type constraint struct {
	key                        string
	maxSkew, minDomains        int
	selector                   outrank.Matcher
	honorAffinity, honorTaints bool

	// counts says by position which nodes count.
	counts []bool
	// domains has the number of pods by the value of the key on nodes that count, and least these
	// values, those with the fewest pods first.
	domains map[string]int
	least   []string
}

// readSpread reads the constraints. ScheduleAnyway never fails (rule 7.12.1).
func (a *attempt) readSpread() error {
	constraints, narrowed, err := a.constraintsOf()
	if err != nil {
		return err
	}
	for _, c := range constraints {
		if c.WhenUnsatisfiable == outrank.ScheduleAnyway {
			continue
		}
		var keys []string
		if narrowed {
			keys = c.MatchLabelKeys
		}
		a.spread = append(a.spread, constraint{
			key: c.TopologyKey, maxSkew: int(c.MaxSkew), minDomains: max(1, int(c.MinDomains)),
			selector:      matcherOf(narrowedBy(c.LabelSelector, a.pod, keys, outrank.In)),
			honorAffinity: c.NodeAffinityPolicy != outrank.NodeIgnore,
			honorTaints:   c.NodeTaintsPolicy == outrank.NodeHonor,
		})
	}
	return nil
}

// constraintsOf are the pod's own constraints, which its labels narrow, or else the profile's, which
// count what selects the pod together with others. Where nothing does, or all pods are selected, there
// are none (rules 7.18.7 to 7.18.9).
func (a *attempt) constraintsOf() (list []outrank.TopologySpreadConstraint, narrowed bool, err error) {
	profile := &a.config.Profile
	hard := slices.ContainsFunc(profile.DefaultConstraints, func(c outrank.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != outrank.ScheduleAnyway
	})
	if len(a.pod.TopologySpreadConstraints) > 0 || profile.SpreadSelector == nil || !hard {
		return a.pod.TopologySpreadConstraints, true, nil
	}

	selector := profile.SpreadSelector(a.pod)
	if err := selector.Validate(); err != nil {
		return nil, false, fmt.Errorf("pod %s: Profile.SpreadSelector: %w: %w", a.pod.Key(), outrank.ErrInvalid, err)
	}
	if selector == nil || selector.Empty() {
		return nil, false, nil
	}
	list = slices.Clone(profile.DefaultConstraints)
	for i := range list {
		list[i].LabelSelector = selector
	}
	return list, false, nil
}

// beginSpread counts over the whole cluster (rule 7.12.9).
func (a *attempt) beginSpread() bool {
	for i := range a.spread {
		a.countAtStart(&a.spread[i])
	}
	return len(a.spread) > 0
}

// countAtStart counts pods that are not being deleted. A selector that is empty counts none of them
// (rules 7.12.4, 7.12.5 and 7.12.7).
func (a *attempt) countAtStart(c *constraint) {
	c.domains, c.counts = map[string]int{}, make([]bool, len(a.sites))
	for i, s := range a.sites {
		if c.counts[i] = a.nodeCounts(c, s.node); !c.counts[i] {
			continue
		}
		pods := 0
		for _, p := range s.running {
			if !c.selector.Empty() && !p.pod.Terminating() && a.selects(c, p.pod) {
				pods++
			}
		}
		c.domains[s.node.Labels[c.key]] += pods
	}
	c.least = slices.SortedFunc(maps.Keys(c.domains), func(d, e string) int { return cmp.Compare(c.domains[d], c.domains[e]) })
}

// nodeCounts: a node counts if it has the keys of all constraints, and is not left out because the pod
// could not run there anyway (rules 7.12.9 and 7.12.10).
func (a *attempt) nodeCounts(c *constraint, n *outrank.Node) bool {
	for i := range a.spread {
		if _, ok := n.Labels[a.spread[i].key]; !ok {
			return false
		}
	}
	if c.honorAffinity && !wantsNode(a.pod, n) {
		return false
	}
	return !c.honorTaints || toleratesNode(a.pod, n)
}

// selects reports whether a constraint is about a pod (rule 7.12.4).
func (a *attempt) selects(c *constraint, p *outrank.Pod) bool {
	return p.NamespaceName() == a.pod.NamespaceName() && c.selector.Matches(p.Labels)
}

// enterSpread begins with the counts at the start (rule 7.12.6). The dry run keeps what has changed.
func (d *dryRun) enterSpread() { d.spreadBy = make([]map[string]int, len(d.spread)) }

// followSpread asks neither whether the pod is being deleted nor whether the selector is empty. So a
// pod that was never counted is counted off all the same (rule 7.12.6).
func (d *dryRun) followSpread(p *occupant, by int) {
	for i := range d.spread {
		c := &d.spread[i]
		if !c.counts[p.site.position] || !d.selects(c, p.pod) {
			continue
		}
		if d.spreadBy[i] == nil {
			d.spreadBy[i] = map[string]int{}
		}
		d.spreadBy[i][p.site.node.Labels[c.key]] += by
	}
}

// askSpread: with the pod here, the domain of the node must not have more than maxSkew pods more than
// the domain with the fewest (rules 7.12.2 and 7.12.3).
func (d *dryRun) askSpread() Status {
	const reason = "node(s) didn't match pod topology spread constraints"
	for i := range d.spread {
		c := &d.spread[i]
		domain, ok := d.site.node.Labels[c.key]
		if !ok {
			return unresolvableBy(PodTopologySpread, reason+" (missing required label)")
		}
		self := 0
		if c.selector.Matches(d.pod.Labels) {
			self = 1
		}
		if c.domains[domain]+d.spreadBy[i][domain]+self-c.globalMinimum(d.spreadBy[i]) > c.maxSkew {
			return unschedulableBy(PodTopologySpread, reason)
		}
	}
	return Status{}
}

// globalMinimum is the count of the domain with the fewest pods, 0 where there are fewer domains than
// minDomains (rules 7.12.11 and 7.12.12). The fewest of the domains that have not changed is the first
// of them in the order of the start.
func (c *constraint) globalMinimum(changes map[string]int) int {
	if len(c.domains) < c.minDomains {
		return 0
	}
	var fewest []int
	for _, domain := range c.least {
		by, changed := changes[domain]
		fewest = append(fewest, c.domains[domain]+by)
		if !changed {
			break
		}
	}
	for domain, by := range changes {
		if at, counts := c.domains[domain]; counts {
			fewest = append(fewest, at+by)
		}
	}
	return slices.Min(fewest)
}
