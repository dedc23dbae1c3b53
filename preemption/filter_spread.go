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
	// key is the topology key: nodes with one value of it are one domain.
	key                 string
	maxSkew, minDomains int
	selector            outrank.Matcher
	// honorAffinity and honorTaints leave out nodes that the pod's affinity or its tolerations rule out.
	honorAffinity, honorTaints bool

	// counts says for each node, by its position, whether it counts. It is nil if the filter is off.
	counts []bool
	// domains has, by the value of the key, the number of pods at the start on the nodes that count. least
	// lists these values, the ones with the fewest pods first.
	domains map[string]int
	least   []string
}

// readSpread reads the constraints of DoNotSchedule. ScheduleAnyway never fails (rule 7.12.1).
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

		// The defaults: one domain is enough (rule 7.12.12), nodes that the affinity rules out are left out,
		// and nodes with taints count (rule 7.12.10).
		a.spread = append(a.spread, constraint{
			key: c.TopologyKey, maxSkew: int(c.MaxSkew), minDomains: max(1, int(c.MinDomains)),
			selector:      matcherOf(narrowedBy(c.LabelSelector, a.pod, keys, outrank.In)),
			honorAffinity: c.NodeAffinityPolicy != outrank.NodeIgnore,
			honorTaints:   c.NodeTaintsPolicy == outrank.NodeHonor,
		})
	}
	return nil
}

// constraintsOf returns the pod's own constraints, or else the profile's (rule 7.18.7). narrowed says
// that the labels named by their matchLabelKeys narrow the selectors (rules 7.12.8 and 7.18.8).
func (a *attempt) constraintsOf() (list []outrank.TopologySpreadConstraint, narrowed bool, err error) {
	// The profile is not asked for a selector that no constraint would read.
	profile := a.profile()
	hard := slices.ContainsFunc(profile.DefaultConstraints, func(c outrank.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != outrank.ScheduleAnyway
	})
	if len(a.pod.TopologySpreadConstraints) > 0 || profile.SpreadSelector == nil || !hard {
		return a.pod.TopologySpreadConstraints, true, nil
	}

	// Default constraints count the pods that the services and the controller of the pod select. They do not
	// apply if nothing selects the pod, or if the selector picks everything (rules 7.18.8 and 7.18.9).
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

// beginSpread counts over the whole cluster, and has nothing to say about a pod without constraints (rule
// 7.12.1).
func (a *attempt) beginSpread() bool {
	for i := range a.spread {
		a.countAtStart(&a.spread[i])
	}
	return len(a.spread) > 0
}

// countAtStart counts the pods of each domain, on the nodes that count.
func (a *attempt) countAtStart(c *constraint) {
	c.domains = map[string]int{}
	c.counts = make([]bool, len(a.sites))
	for i, s := range a.sites {
		if c.counts[i] = a.nodeCounts(c, s.node); !c.counts[i] {
			continue
		}

		// Pods that are being deleted do not count, and an empty selector counts no pods (rules 7.12.4, 7.12.5
		// and 7.12.7). A domain without pods that count is still a domain (rule 7.12.11).
		pods := 0
		for _, p := range s.running {
			if !c.selector.Empty() && !p.pod.Terminating() && a.selects(c, p.pod) {
				pods++
			}
		}
		domain, _ := s.label(c.key)
		c.domains[domain] += pods
	}

	// As long as nothing changes, globalMinimum needs only the first of these.
	c.least = slices.SortedFunc(maps.Keys(c.domains), func(d, e string) int { return cmp.Compare(c.domains[d], c.domains[e]) })
}

// nodeCounts reports whether a node counts for a constraint. It must have the keys of all constraints (rule
// 7.12.9), and no inclusion policy may leave it out because the pod cannot run there (rule 7.12.10).
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

// enterSpread begins with the counts at the start (rule 7.12.6). The dry run counts what has changed.
func (d *dryRun) enterSpread() { d.spreadBy = make([]map[string]int, len(d.attempt.spread)) }

// followSpread counts a pod that comes or goes. Unlike countAtStart it asks neither whether the pod is being
// deleted nor whether the selector is empty: a pod that was never counted is subtracted all the same (rule
// 7.12.6).
func (d *dryRun) followSpread(p *occupant, by int) {
	for i := range d.attempt.spread {
		c := &d.attempt.spread[i]
		if !c.counts[p.site.position] || !d.attempt.selects(c, p.pod) {
			continue
		}

		if d.spreadBy[i] == nil {
			d.spreadBy[i] = map[string]int{}
		}
		domain, _ := p.site.label(c.key) // a node that counts has the key
		d.spreadBy[i][domain] += by
	}
}

// askSpread fails if the preemptor would give the node's domain over maxSkew pods more than the domain with the
// fewest has (rule 7.12.3).
func (d *dryRun) askSpread() Status {
	const reason = "node(s) didn't match pod topology spread constraints"
	for i := range d.attempt.spread {
		c := &d.attempt.spread[i]
		domain, ok := d.site.label(c.key)
		if !ok { // rule 7.12.2
			return unresolvableBy(PodTopologySpread, reason+" (missing required label)")
		}

		// The preemptor counts only if it matches its own selector.
		self := 0
		if c.selector.Matches(d.pod.Labels) {
			self = 1
		}

		pods := c.domains[domain] + d.spreadBy[i][domain] + self
		if pods-c.globalMinimum(d.spreadBy[i]) > c.maxSkew {
			return unschedulableBy(PodTopologySpread, reason)
		}
	}
	return Status{}
}

// globalMinimum returns the number of pods of the domain with the fewest, after changes by domain (rule
// 7.12.11). It is 0 if there are fewer domains than minDomains (rule 7.12.12), which is at least 1.
func (c *constraint) globalMinimum(changes map[string]int) int {
	if len(c.domains) < c.minDomains {
		return 0
	}

	// Of the domains without a change, the first in least has the fewest pods. So the others without a change
	// need no look. All that have changed are looked at below.
	var fewest []int
	for _, domain := range c.least {
		by, changed := changes[domain]
		fewest = append(fewest, c.domains[domain]+by)
		if !changed {
			break
		}
	}

	for domain, by := range changes {
		if start, counts := c.domains[domain]; counts {
			fewest = append(fewest, start+by)
		}
	}
	return slices.Min(fewest)
}
