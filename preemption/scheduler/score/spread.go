package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// hostname is the label that has a domain of its own for each node.
const hostname = "kubernetes.io/hostname"

// systemSpread are the constraints of a pod without any (rule 27.5.3).
var systemSpread = []outrank.TopologySpreadConstraint{
	{TopologyKey: hostname, WhenUnsatisfiable: outrank.ScheduleAnyway, MaxSkew: 3},
	{TopologyKey: outrank.ZoneLabel, WhenUnsatisfiable: outrank.ScheduleAnyway, MaxSkew: 5},
}

// constraint is one that is only preferred.
type constraint struct {
	*outrank.TopologySpreadConstraint
	matcher outrank.Matcher
	column  *labels
	// onNode counts the pods that match, by the node's place in the table.
	onNode []int64
	// inDomain counts them by the number of the topology key's value; not for the key of
	// hostnames. Scored marks the domains of nodes that are scored: others do not matter.
	inDomain []int64
	scored   []bool
	// factor is higher the more domains there are (rule 27.5.7).
	factor float64
}

// spread sums up how many pods match the pod's preferred constraints near each node (group
// 27.5).
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

// near is the raw score of a node. Conversions keep products from being fused with sums.
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

// softConstraints are the preferred constraints of the pod, or the default ones; requireAll
// says that a node without one of the topology keys is left out (rules 27.5.2 to 27.5.5).
func (q *question) softConstraints() (all []constraint, requireAll bool, err error) {
	list := q.pod.TopologySpreadConstraints
	if requireAll = len(list) > 0; !requireAll {
		if list, err = q.defaultSpread(); err != nil {
			return nil, false, err
		}
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

func (q *question) defaultSpread() ([]outrank.TopologySpreadConstraint, error) {
	list := q.config.DefaultSpread
	if list == nil {
		list = systemSpread
	}
	if q.config.SpreadSelector == nil || len(list) == 0 {
		return nil, nil
	}
	selector := q.config.SpreadSelector(q.pod)
	if selector == nil || selector.Empty() {
		return nil, nil
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].LabelSelector, list[i].MatchLabelKeys = selector, nil
	}
	return list, nil
}

func hasAllKeys(at int32, constraints []constraint) bool {
	for i := range constraints {
		if !constraints[i].column.has[at] {
			return false
		}
	}
	return true
}

// countDomains finds the domains of the nodes that are scored, and the factor.
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

// countPods counts the pods that match, on the nodes that count.
func (q *question) countPods(c *constraint, counts func(at int32) bool) {
	if c.matcher.Empty() {
		return
	}
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

// includes reports whether the pods of a node count by the constraint's policies (rule 27.5.6).
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

// normalizeSpread makes the node with the fewest pods the best; nodes that are left out get 0
// (rule 27.5.9).
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
