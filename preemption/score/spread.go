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
	// onNode counts the pods that match, by node.
	onNode map[string]int64
	// inDomain counts them by the values of the topology key, for the domains of nodes that
	// are scored; not for the key of hostnames.
	inDomain map[string]int64
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
	for i, n := range q.nodes {
		q.ignored[i] = requireAll && !hasAllKeys(n, constraints)
	}
	for i := range constraints {
		q.countDomains(&constraints[i])
	}
	for i := range constraints {
		q.countPods(&constraints[i], func(n *outrank.Node) bool { return !requireAll || hasAllKeys(n, constraints) })
	}
	raw := make([]int64, len(q.nodes))
	for i, n := range q.nodes {
		if !q.ignored[i] {
			raw[i] = near(n, constraints)
		}
	}
	return raw, nil
}

// near is the raw score of a node. Conversions keep products from being fused with sums.
func near(n *outrank.Node, constraints []constraint) int64 {
	score := 0.0
	for i := range constraints {
		c := &constraints[i]
		value, ok := n.Labels[c.TopologyKey]
		if !ok {
			continue
		}
		count := c.inDomain[value]
		if c.TopologyKey == hostname {
			count = c.onNode[n.Name]
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
		all = append(all, constraint{TopologySpreadConstraint: c, matcher: fit.Narrowed(c.LabelSelector, q.pod.Labels, c.MatchLabelKeys, nil)})
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

func hasAllKeys(n *outrank.Node, constraints []constraint) bool {
	for i := range constraints {
		if _, ok := n.Labels[constraints[i].TopologyKey]; !ok {
			return false
		}
	}
	return true
}

// countDomains finds the domains of the nodes that are scored, and the factor.
func (q *question) countDomains(c *constraint) {
	c.inDomain = map[string]int64{}
	size := 0
	for i, n := range q.nodes {
		switch {
		case q.ignored[i]:
		case c.TopologyKey == hostname:
			size++
		default:
			c.inDomain[n.Labels[c.TopologyKey]] = 0
		}
	}
	c.factor = math.Log(float64(size + len(c.inDomain) + 2))
}

// countPods counts the pods that match, on the nodes that count.
func (q *question) countPods(c *constraint, counts func(*outrank.Node) bool) {
	c.onNode = map[string]int64{}
	if c.matcher.Empty() {
		return
	}
	for _, k := range q.counts.classes {
		if k.like.Terminating() || k.like.NamespaceName() != q.pod.NamespaceName() || !c.matcher.Matches(k.like.Labels) {
			continue
		}
		for node, n := range k.on {
			c.onNode[node] += n
		}
	}
	if c.TopologyKey == hostname {
		return
	}
	for node, count := range c.onNode {
		n, ok := q.snap.Node(node)
		if !ok || !counts(n) || !q.includes(c, n) {
			continue
		}
		value := n.Labels[c.TopologyKey]
		if sum, scored := c.inDomain[value]; scored {
			c.inDomain[value] = sum + count
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
	_, untolerated := fit.UntoleratedTaint(q.pod, n, outrank.NoSchedule, outrank.NoExecute)
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
			out[i] = MaxScore
		default:
			out[i] = MaxScore * (most + least - score) / most
		}
	}
	return out
}
