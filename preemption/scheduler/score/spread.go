package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// hostname is the topology key for which every node is a domain of its own.
const hostname = "kubernetes.io/hostname"

// systemSpread are the system's constraints for a pod without any of its own (rule 27.5.3).
var systemSpread = []outrank.TopologySpreadConstraint{
	{TopologyKey: hostname, WhenUnsatisfiable: outrank.ScheduleAnyway, MaxSkew: 3},
	{TopologyKey: outrank.ZoneLabel, WhenUnsatisfiable: outrank.ScheduleAnyway, MaxSkew: 5},
}

// constraint is a preferred topology spread constraint, with the counts for it.
type constraint struct {
	*outrank.TopologySpreadConstraint
	matcher outrank.Matcher
	// column has the nodes' values of the topology key.
	column *labels
	// onNode counts the matching pods on each node, by the node's index in the table.
	onNode []int64
	// inDomain counts the matching pods in each domain, by the number of the topology key's value in the
	// column. It is not used for the key hostname.
	inDomain []int64
	// scored marks the domains of the scored nodes. Other domains do not matter.
	scored []bool
	// factor is the weight of the counts, which grows with the number of domains (rule 27.5.7).
	factor float64
}

// spread scores each node by how many pods near it match the pod's preferred constraints: the more, the worse
// (group 27.5). The result is nil if there are no constraints.
func (q *question) spread() ([]int64, error) {
	constraints, requireAll, err := q.softConstraints()
	if err != nil || len(constraints) == 0 {
		return nil, err
	}

	q.ignored = make([]bool, len(q.nodes))
	for i, at := range q.at {
		if q.Ended(len(constraints)) {
			return nil, nil
		}
		q.ignored[i] = requireAll && !hasAllKeys(at, constraints)
	}

	// Pods are counted on all nodes of the cluster, for the domains of the nodes that are scored.
	for i := range constraints {
		q.countDomains(&constraints[i])
		q.countPods(&constraints[i], func(at int32) bool { return !requireAll || hasAllKeys(at, constraints) })
	}

	raw := make([]int64, len(q.nodes))
	for i, at := range q.at {
		if q.Ended(len(constraints)) {
			return nil, nil
		}
		if !q.ignored[i] {
			raw[i] = near(at, constraints)
		}
	}
	return raw, nil
}

// near returns the raw score of a node, from the counts in its domains. The explicit conversions keep products
// from being fused with sums, which would round differently on some machines.
func near(at int32, constraints []constraint) int64 {
	score := 0.0
	for i := range constraints {
		c := &constraints[i]
		if !c.column.has[at] {
			continue
		}
		count := c.onNode[at]
		if c.TopologyKey != hostname {
			count = c.inDomain[c.column.ids[at]]
		}
		score += float64(float64(count)*c.factor) + float64(c.MaxSkew-1)
	}
	return int64(math.Round(score))
}

// softConstraints returns the preferred constraints of the pod, or the default ones. requireAll
// says that a node without one of the topology keys is left out. It is true unless the constraints are
// the system's (rules 27.5.2 to 27.5.5).
func (q *question) softConstraints() (all []constraint, requireAll bool, err error) {
	list := q.pod.TopologySpreadConstraints
	requireAll = true
	if len(list) == 0 {
		list = q.defaultSpread()
		requireAll = q.config.DefaultSpread != nil
	}

	for i := range list {
		c := &list[i]
		if c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			continue
		}
		if err := c.LabelSelector.Validate(); err != nil {
			return nil, false, fmt.Errorf("constraint of %s: %w", c.TopologyKey, err)
		}
		all = append(all, constraint{
			TopologySpreadConstraint: c, matcher: fit.Narrowed(c.LabelSelector, q.pod.Labels, c.MatchLabelKeys, nil),
			column: q.table.label(c.TopologyKey), onNode: make([]int64, len(q.table.nodes)),
		})
	}
	return all, requireAll, nil
}

// defaultSpread returns the default constraints, with the selector of the pod's services and controller.
// A pod that has neither has no constraints.
func (q *question) defaultSpread() []outrank.TopologySpreadConstraint {
	list := q.config.DefaultSpread
	if list == nil {
		list = systemSpread
	}
	if q.config.SpreadSelector == nil || len(list) == 0 {
		return nil
	}
	selector := q.config.SpreadSelector(q.pod)
	if selector == nil || selector.Empty() {
		return nil
	}

	list = slices.Clone(list)
	for i := range list {
		list[i].LabelSelector, list[i].MatchLabelKeys = selector, nil
	}
	return list
}

// hasAllKeys reports whether a node has the topology keys of all constraints.
func hasAllKeys(at int32, constraints []constraint) bool {
	for i := range constraints {
		if !constraints[i].column.has[at] {
			return false
		}
	}
	return true
}

// countDomains marks the domains of the scored nodes, and sets the factor from their number. For the key
// hostname each node is a domain.
func (q *question) countDomains(c *constraint) {
	c.inDomain, c.scored = make([]int64, c.column.size), make([]bool, c.column.size)
	size := 0
	for i, at := range q.at {
		if q.Ended(1) {
			return
		}
		switch id := c.column.ids[at]; {
		case q.ignored[i]:
		case c.TopologyKey == hostname:
			size++
		case !c.scored[id]:
			c.scored[id] = true
			size++
		}
	}
	c.factor = math.Log(float64(size + 2))
}

// countPods counts the matching pods on every node, and adds them up for each domain. counts reports whether
// a node contributes to its domain.
func (q *question) countPods(c *constraint, counts func(at int32) bool) {
	if c.matcher.Empty() {
		return
	}

	// All pods of a class match or none does, so each class is asked once.
	for _, k := range q.counts.classes {
		if q.Ended(1) {
			return
		}
		if k.like.Terminating() || k.like.NamespaceName() != q.pod.NamespaceName() || !c.matcher.Matches(k.like.Labels) {
			continue
		}
		for node, n := range k.on {
			if q.Ended(1) {
				return
			}
			if at, ok := q.table.at[node]; ok {
				c.onNode[at] += n
			}
		}
	}

	// For the key hostname the numbers of the nodes are all that is needed.
	if c.TopologyKey == hostname {
		return
	}
	for at, count := range c.onNode {
		if q.Ended(1) {
			return
		}
		if id := c.column.ids[at]; count != 0 && c.scored[id] && counts(int32(at)) && q.includes(c, q.table.nodes[at]) {
			c.inDomain[id] += count
		}
	}
}

// includes reports whether the constraint's policies for node affinity and taints let the pods of a node count
// (rule 27.5.6).
func (q *question) includes(c *constraint, n *outrank.Node) bool {
	if c.NodeAffinityPolicy != outrank.NodeIgnore && !fit.NodeAffinity(q.pod, n) {
		return false
	}
	if c.NodeTaintsPolicy != outrank.NodeHonor {
		return true
	}
	_, untolerated := q.tolerations.Untolerated(n, outrank.NoSchedule, outrank.NoExecute)
	return !untolerated
}

// normalizeSpread gives the node with the fewest pods near it the best score, and nodes that are left out the
// score 0 (rule 27.5.9).
func (q *question) normalizeSpread(raw []int64) []int64 {
	least, most := int64(math.MaxInt64), int64(0)
	for i, score := range raw {
		if !q.ignored[i] {
			least, most = min(least, score), max(most, score)
		}
	}
	out := make([]int64, len(raw))
	for i, score := range raw {
		switch {
		case q.ignored[i]:
		case most == 0:
			out[i] = maxScore
		default:
			out[i] = maxScore * (most + least - score) / most
		}
	}
	return out
}
