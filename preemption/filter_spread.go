package preemption

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// spread is the filter PodTopologySpread for one preemptor: how many pods like
// it each topology domain holds at the start of the attempt (section 5;
// PodTopologySpread PreFilter). Workers share it.
type spread struct {
	pod         *outrank.Pod
	namespace   string
	constraints []spreadConstraint
	// parts says which constraints pods of a kind count for.
	parts kindParts
}

// spreadConstraint is a constraint with its counts.
type spreadConstraint struct {
	*outrank.TopologySpreadConstraint
	*partition
	matcher    outrank.Matcher
	self       int    // 1 if the preemptor matches its own selector
	included   []bool // whether pods on a node count, by slot
	pods       []int  // matching pods by domain, absent where no node counts
	present    int    // domains with a node that counts
	minDomains int
	// least is the smallest count, in domain leastIn; second the smallest of
	// the other domains.
	least, second int
	leastIn       int32
}

// absent stands for the count of a domain none of whose nodes counts.
const absent = -1

// newSpread goes over the kinds of pods and the nodes once; nil if the pod has
// no constraint that keeps it out.
func newSpread(snap *Snapshot, pod *outrank.Pod) *spread {
	if len(pod.TopologySpread) == 0 {
		return nil
	}
	s := &spread{pod: pod, namespace: pod.NamespaceName()}
	for i := range pod.TopologySpread {
		c := &pod.TopologySpread[i]
		if c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			s.constraints = append(s.constraints, newSpreadConstraint(snap, c, pod))
		}
	}
	if len(s.constraints) == 0 {
		return nil
	}
	s.include(snap)
	s.count(snap)
	for i := range s.constraints {
		s.constraints[i].findLeast()
	}
	return s
}

func newSpreadConstraint(snap *Snapshot, c *outrank.TopologySpreadConstraint, pod *outrank.Pod) spreadConstraint {
	sc := spreadConstraint{
		TopologySpreadConstraint: c,
		partition:                snap.partition(c.TopologyKey),
		matcher:                  folded(c.Selector, pod.Labels, c.MatchLabelKeys, nil),
		included:                 make([]bool, len(snap.nodes)),
		minDomains:               int(max(1, c.MinDomains)),
	}
	sc.pods = fill(sc.pods, sc.domains, absent)
	if sc.matcher.Matches(pod.Labels) {
		sc.self = 1
	}
	return sc
}

// include finds the nodes that count, and the domains: a node counts only if it
// has every topology key.
func (s *spread) include(snap *Snapshot) {
	for _, slot := range snap.order {
		if !s.hasKeys(slot) {
			continue
		}
		for i := range s.constraints {
			c := &s.constraints[i]
			if !c.includes(s.pod, snap.nodes[slot]) {
				continue
			}
			c.included[slot] = true
			if id := c.ids[slot]; c.pods[id] == absent {
				c.pods[id] = 0
				c.present++
			}
		}
	}
}

// count counts the matching pods in each domain. Selectors are asked once per
// kind of pod.
func (s *spread) count(snap *Snapshot) {
	snap.kinds.each(func(_ string, m *members) {
		parts := s.partsOf(m.kind)
		if len(parts) == 0 {
			return
		}
		s.parts.set(m.kind, parts)
		if m.kind.terminating {
			return
		}
		for _, part := range parts {
			c := &s.constraints[part.in]
			if c.matcher.Empty() {
				continue
			}
			for slot, pods := range m.nodes {
				if int(slot) < len(c.included) && c.included[slot] {
					c.pods[c.ids[slot]] += int(pods)
				}
			}
		}
	})
}

// partsOf lists the constraints whose selector picks pods of a kind.
func (s *spread) partsOf(k *kind) []part {
	if k.namespace != s.namespace {
		return nil
	}
	var parts []part
	for i := range s.constraints {
		if s.constraints[i].matcher.Matches(k.labels) {
			parts = append(parts, part{in: i})
		}
	}
	return parts
}

func (s *spread) hasKeys(slot int32) bool {
	for i := range s.constraints {
		if s.constraints[i].of(slot) == noDomain {
			return false
		}
	}
	return true
}

// includes applies the node inclusion policies: by default the pod's node
// affinity is honoured and taints are not.
func (c *spreadConstraint) includes(pod *outrank.Pod, n *nodeState) bool {
	if c.NodeAffinityPolicy != outrank.NodeIgnore && !fit.NodeAffinity(pod, n.node) {
		return false
	}
	return c.NodeTaintsPolicy != outrank.NodeHonor || !untolerated(pod, n.node)
}

func (c *spreadConstraint) findLeast() {
	c.least, c.second, c.leastIn = math.MaxInt, math.MaxInt, noDomain
	for id, n := range c.pods {
		if n == absent {
			continue
		}
		if n < c.least {
			c.least, c.second, c.leastIn = n, c.least, int32(id)
		} else {
			c.second = min(c.second, n)
		}
	}
}

// minimum is the global minimum once the domain holds count pods.
func (c *spreadConstraint) minimum(domain int32, count int) int {
	if c.present < c.minDomains {
		return 0
	}
	if c.pods[domain] == absent {
		return c.least
	}
	others := c.least
	if domain == c.leastIn {
		others = c.second
	}
	return min(others, count)
}

// spreadNode is the filter on one node, during a dry run there. Only the
// domains the node is in can change, so a change per constraint says it all.
type spreadNode struct {
	*spread
	slot    int32
	changes []int // by constraint
}

func (s *spreadNode) enter(n *nodeState) {
	if s.spread == nil {
		return
	}
	s.slot = n.slot
	s.changes = fill(s.changes, len(s.constraints), 0)
}

// change counts a pod that comes or goes. A terminating pod was not counted at
// the start, and is counted here all the same, as in the reference.
func (s *spreadNode) change(p *podState, by int) {
	if s.spread == nil {
		return
	}
	for _, part := range s.parts.of(p.kind) {
		if s.constraints[part.in].included[s.slot] {
			s.changes[part.in] += by
		}
	}
}

func (s *spreadNode) check(nominated []*podState) status {
	if s.spread == nil {
		return status{}
	}
	for _, p := range nominated {
		s.change(p, 1)
	}
	st := s.skewed()
	for _, p := range nominated {
		s.change(p, -1)
	}
	return st
}

// skewed holds each constraint's count against its limit.
func (s *spreadNode) skewed() status {
	for i := range s.constraints {
		c := &s.constraints[i]
		domain := c.of(s.slot)
		if domain == noDomain {
			return status{code: UnschedulableAndUnresolvable, by: bySpread, text: spreadLabelText}
		}
		count := max(c.pods[domain], 0) + s.changes[i]
		if count+c.self-c.minimum(domain, count) > int(c.MaxSkew) {
			return status{code: Unschedulable, by: bySpread, text: spreadText}
		}
	}
	return status{}
}

// folded is a selector narrowed by the values that the pod itself has for some
// labels: a match must share those of keys and not share those of unlike. Keys
// that the pod does not have are ignored, and so are those that the API server
// folded in when it created the pod: the value it found then is what counts.
func folded(s *outrank.LabelSelector, labels map[string]string, keys, unlike []string) outrank.Matcher {
	if s == nil {
		return outrank.Matcher{}
	}
	narrowed := *s
	narrowed.Expressions = narrowed.Expressions[:len(s.Expressions):len(s.Expressions)]
	fold := func(keys []string, op outrank.Operator) {
		for _, k := range keys {
			if v, ok := labels[k]; ok && !foldedIn(s, k, op) {
				narrowed.Expressions = append(narrowed.Expressions, outrank.Requirement{Key: k, Operator: op, Values: []string{v}})
			}
		}
	}
	fold(keys, outrank.In)
	fold(unlike, outrank.NotIn)
	m, err := narrowed.Matcher()
	if err != nil {
		return outrank.Matcher{}
	}
	return m
}

// foldedIn recognises what the API server makes of a key: one value. A user
// cannot have written it, for a selector must not name such a key.
func foldedIn(s *outrank.LabelSelector, key string, op outrank.Operator) bool {
	for i := range s.Expressions {
		if e := &s.Expressions[i]; e.Key == key && e.Operator == op && len(e.Values) == 1 {
			return true
		}
	}
	return false
}
