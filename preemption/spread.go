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
}

// spreadConstraint is a constraint with its counts.
type spreadConstraint struct {
	*outrank.TopologySpreadConstraint
	matcher    outrank.Matcher
	self       int            // 1 if the preemptor matches its own selector
	domains    map[string]int // matching pods by domain
	minDomains int
	// least is the smallest count, in domain leastIn; second the smallest of
	// the other domains.
	least, second int
	leastIn       string
}

// newSpread goes over the kinds of pods and the nodes once; nil if the pod has no constraint that
// keeps it out.
func newSpread(snap *Snapshot, pod *outrank.Pod) *spread {
	if len(pod.TopologySpread) == 0 {
		return nil
	}
	s := &spread{pod: pod, namespace: pod.NamespaceName()}
	for i := range pod.TopologySpread {
		c := &pod.TopologySpread[i]
		if c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			s.constraints = append(s.constraints, newSpreadConstraint(c, pod))
		}
	}
	if len(s.constraints) == 0 {
		return nil
	}
	s.count(snap)
	for i := range s.constraints {
		s.constraints[i].findLeast()
	}
	return s
}

func newSpreadConstraint(c *outrank.TopologySpreadConstraint, pod *outrank.Pod) spreadConstraint {
	sc := spreadConstraint{
		TopologySpreadConstraint: c,
		matcher:                  folded(c.Selector, pod.Labels, c.MatchLabelKeys, nil),
		domains:                  map[string]int{},
		minDomains:               int(max(1, c.MinDomains)),
	}
	if sc.matcher.Matches(pod.Labels) {
		sc.self = 1
	}
	return sc
}

// count finds the domains, and how many matching pods each holds. A node
// counts only if it has every topology key. Selectors are asked once per kind
// of pod.
func (s *spread) count(snap *Snapshot) {
	found := make([]map[int32]int32, len(s.constraints)) // by slot
	snap.kinds.each(func(_ string, m *members) {
		for i := range s.constraints {
			c := &s.constraints[i]
			if m.kind.terminating || c.matcher.Empty() || !s.matches(c, m.kind) {
				continue
			}
			if found[i] == nil {
				found[i] = map[int32]int32{}
			}
			for slot, pods := range m.nodes {
				found[i][slot] += pods
			}
		}
	})
	for _, slot := range snap.order {
		n := snap.nodes[slot].node
		if !s.hasKeys(n) {
			continue
		}
		for i := range s.constraints {
			if c := &s.constraints[i]; c.includes(s.pod, n) {
				c.domains[n.Labels[c.TopologyKey]] += int(found[i][slot])
			}
		}
	}
}

func (s *spread) matches(c *spreadConstraint, k *kind) bool {
	return k.namespace == s.namespace && c.matcher.Matches(k.labels)
}

// picks reports whether pods of a kind count for any constraint.
func (s *spread) picks(k *kind) bool {
	for i := range s.constraints {
		if s.matches(&s.constraints[i], k) {
			return true
		}
	}
	return false
}

func (s *spread) hasKeys(n *outrank.Node) bool {
	for i := range s.constraints {
		if _, ok := n.Labels[s.constraints[i].TopologyKey]; !ok {
			return false
		}
	}
	return true
}

// includes applies the node inclusion policies: by default the pod's node
// affinity is honoured and taints are not.
func (c *spreadConstraint) includes(pod *outrank.Pod, n *outrank.Node) bool {
	if c.NodeAffinityPolicy != outrank.NodeIgnore && !fit.NodeAffinity(pod, n) {
		return false
	}
	return c.NodeTaintsPolicy != outrank.NodeHonor || !untolerated(pod, n)
}

func (c *spreadConstraint) findLeast() {
	c.least, c.second = math.MaxInt, math.MaxInt
	for domain, n := range c.domains {
		if n < c.least || n == c.least && domain < c.leastIn {
			c.least, c.second, c.leastIn = n, c.least, domain
		} else {
			c.second = min(c.second, n)
		}
	}
}

// minimum is the global minimum once the domain holds count pods.
func (c *spreadConstraint) minimum(domain string, count int) int {
	if len(c.domains) < c.minDomains {
		return 0
	}
	if _, ok := c.domains[domain]; !ok {
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
	node    *outrank.Node
	counts  bool  // whether pods of this node count at all
	changes []int // by constraint
}

func (s *spreadNode) enter(n *nodeState) {
	if s.spread == nil {
		return
	}
	s.node, s.counts = n.node, s.hasKeys(n.node)
	s.changes = append(s.changes[:0], make([]int, len(s.constraints))...)
}

// change counts a pod that comes or goes. A terminating pod was not counted at
// the start, and is counted here all the same, as in the reference.
func (s *spreadNode) change(p *podState, by int) {
	if s.spread == nil || !s.counts {
		return
	}
	for i := range s.constraints {
		c := &s.constraints[i]
		if s.matches(c, p.kind) && c.includes(s.pod, s.node) {
			s.changes[i] += by
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
		domain, ok := s.node.Labels[c.TopologyKey]
		if !ok {
			return status{code: UnschedulableAndUnresolvable, by: bySpread, text: spreadLabelText}
		}
		count := c.domains[domain] + s.changes[i]
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
