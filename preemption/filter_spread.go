package preemption

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

var (
	spreadText      = []string{"node(s) didn't match pod topology spread constraints"}
	spreadLabelText = []string{spreadText[0] + " (missing required label)"}
)

var spreadFilter = descriptor{
	name: filter.PodTopologySpread,
	begin: func(q *question) podFilter {
		if s := newSpread(q); s != nil {
			return s
		}
		return nil
	},
}

// spread counts, at the start of the attempt, the pods that match the
// preemptor's constraints, by topology domain (group 7.12; PodTopologySpread
// PreFilter).
type spread struct {
	pod         *outrank.Pod
	namespace   string
	constraints []spreadConstraint
	// parts says which constraints pods of a class count for.
	parts classParts
	// touched marks the slots of nodes with pods that a constraint matches.
	touched []bool
	// asCounted is set where a pod that leaves counts only if it counted at the start
	// (rule 23.9). Otherwise it counts wherever the selector matches it, as an empty one
	// does that counted nobody. A nominated pod always counts like that.
	asCounted bool
}

func (s *spread) touches(n *state.NodeState) bool { return s.touched[n.Slot] }

func (s *spread) onNode(earlier nodeFilter) nodeFilter {
	n, ok := earlier.(*spreadOnNode)
	if !ok {
		n = &spreadOnNode{}
	}
	n.spread = s
	return n
}

// spreadConstraint is a constraint with its counts.
type spreadConstraint struct {
	*outrank.TopologySpreadConstraint
	*state.Partition
	matcher    outrank.Matcher
	self       int    // 1 if the preemptor matches its own selector
	included   []bool // whether pods on a node count, by slot
	pods       []int  // matching pods by domain, absent where no node counts
	present    int    // domains with a node that counts
	minDomains int
	// least is the smallest count, in domain leastIn. second is the smallest
	// count of the other domains.
	least, second int
	leastIn       int32
	// followed: pods came or went since these were found.
	followed bool
}

// absent is the count of a domain without any node that counts.
const absent = -1

// newSpread goes over the pod classes and the nodes once. It returns nil if the
// pod has no constraint that can keep it out.
func newSpread(q *question) *spread {
	if len(q.spread) == 0 {
		return nil
	}
	snap, pod := q.snap, q.pod
	s := &spread{pod: pod, namespace: pod.NamespaceName(), touched: make([]bool, len(snap.NodeStates))}
	for i := range q.spread {
		c := &q.spread[i]
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

func newSpreadConstraint(snap *state.Snapshot, c *outrank.TopologySpreadConstraint, pod *outrank.Pod) spreadConstraint {
	sc := spreadConstraint{
		TopologySpreadConstraint: c,
		Partition:                snap.Partition(c.TopologyKey),
		matcher:                  state.Narrowed(c.Selector, pod.Labels, c.MatchLabelKeys, nil),
		included:                 make([]bool, len(snap.NodeStates)),
		minDomains:               int(max(1, c.MinDomains)),
	}
	sc.pods = state.Fill(sc.pods, sc.Domains, absent)
	if sc.matcher.Matches(pod.Labels) {
		sc.self = 1
	}
	return sc
}

// include finds the nodes and domains that count. A node counts only if it has
// the topology keys of all constraints (rule 7.12.9).
func (s *spread) include(snap *state.Snapshot) {
	for _, slot := range snap.Order {
		if !s.hasKeys(slot) {
			continue
		}
		for i := range s.constraints {
			c := &s.constraints[i]
			if !c.includes(s.pod, snap.NodeStates[slot]) {
				continue
			}
			c.included[slot] = true
			if id := c.IDs[slot]; c.pods[id] == absent {
				c.pods[id] = 0
				c.present++
			}
		}
	}
}

// count counts the matching pods in each domain. Each selector is asked once
// per pod class.
func (s *spread) count(snap *state.Snapshot) {
	snap.Classes.Each(func(_ string, m *state.ClassMembers) {
		parts := s.partsOf(m.Class)
		if len(parts) == 0 {
			return
		}
		s.parts.set(m.Class, parts)
		for slot := range m.Nodes {
			s.touched[slot] = true
		}
		if m.Class.Terminating {
			return
		}
		for _, part := range parts {
			c := &s.constraints[part.index]
			if c.matcher.Empty() {
				continue
			}
			for slot, pods := range m.Nodes {
				if int(slot) < len(c.included) && c.included[slot] {
					c.pods[c.IDs[slot]] += int(pods)
				}
			}
		}
	})
}

// partsOf lists the constraints whose selector picks pods of a class.
func (s *spread) partsOf(k *state.PodClass) []classPart {
	if k.Namespace != s.namespace {
		return nil
	}
	var parts []classPart
	for i := range s.constraints {
		if s.constraints[i].matcher.Matches(k.Labels) {
			parts = append(parts, classPart{index: i})
		}
	}
	return parts
}

func (s *spread) hasKeys(slot int32) bool {
	for i := range s.constraints {
		if s.constraints[i].Of(slot) == state.NoDomain {
			return false
		}
	}
	return true
}

// includes applies the node inclusion policies (rule 7.12.10).
func (c *spreadConstraint) includes(pod *outrank.Pod, n *state.NodeState) bool {
	if c.NodeAffinityPolicy != outrank.NodeIgnore && !fit.NodeAffinity(pod, n.Node) {
		return false
	}
	return c.NodeTaintsPolicy != outrank.NodeHonor || !untolerated(pod, n.Node)
}

func (c *spreadConstraint) findLeast() {
	c.least, c.second, c.leastIn, c.followed = math.MaxInt, math.MaxInt, state.NoDomain, false
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

// minimum returns the global minimum if the domain holds count pods.
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

// minimumWith is minimum with changes in other domains.
func (c *spreadConstraint) minimumWith(far map[int32]int, domain int32, count int) int {
	least := math.MaxInt
	for id, n := range c.pods {
		switch {
		case n == absent:
		case int32(id) == domain:
			least = min(least, count)
		default:
			least = min(least, n+far[int32(id)])
		}
	}
	return least
}

// spreadOnNode is the filter on one node. Only the domains of that node can
// change, so one change per constraint suffices.
type spreadOnNode struct {
	*spread
	slot    int32
	changes []int // by constraint
	// far has, by constraint, the changes in other domains.
	far []map[int32]int
}

func (s *spreadOnNode) enter(n *state.NodeState) {
	s.slot = n.Slot
	s.changes = state.Fill(s.changes, len(s.constraints), 0)
	s.far = s.far[:0]
}

// changeFar follows a pod of another node that is taken away or put back.
func (s *spreadOnNode) changeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range s.parts.of(p.Class) {
		c := &s.constraints[part.index]
		switch id := c.Of(on.Slot); {
		case !c.included[on.Slot] || s.asCounted && c.matcher.Empty():
		case id == c.Of(s.slot):
			s.changes[part.index] += by
		default:
			s.far = changeDomain(s.far, part.index, id, by)
		}
	}
}

// change follows a pod that is added or removed. A terminating pod was not
// counted at the start and still changes the count here (rule 7.12.6).
func (s *spreadOnNode) change(p *state.PodState, by int) {
	for _, part := range s.parts.of(p.Class) {
		if !s.asCounted || !s.constraints[part.index].matcher.Empty() {
			s.shift(part.index, by)
		}
	}
}

func (s *spreadOnNode) shift(constraint, by int) {
	if s.constraints[constraint].included[s.slot] {
		s.changes[constraint] += by
	}
}

// changeNominated adds or removes pods that are nominated to the node.
func (s *spreadOnNode) changeNominated(pods []*state.PodState, by int) {
	for _, p := range pods {
		for _, part := range s.parts.of(p.Class) {
			s.shift(part.index, by)
		}
	}
}

// follow is asked about classes that the attempt did not find at its begin, too. As in
// change, terminating pods count.
func (s *spreadOnNode) follow(p *state.PodState, at *state.NodeState, by int) {
	parts, known := s.parts.find(p.Class)
	if !known {
		parts = s.partsOf(p.Class)
		s.parts.set(p.Class, parts)
	}
	for _, part := range parts {
		if c := &s.constraints[part.index]; c.included[at.Slot] {
			c.pods[c.IDs[at.Slot]] += by
			c.followed = true
		}
	}
}

func (s *spreadOnNode) check(nominated []*state.PodState) filterStatus {
	s.changeNominated(nominated, 1)
	st := s.skewed()
	s.changeNominated(nominated, -1)
	return st
}

func (s *spreadOnNode) release() { s.spread = nil }

// skewed compares the skew of each constraint with its limit.
func (s *spreadOnNode) skewed() filterStatus {
	for i := range s.constraints {
		c := &s.constraints[i]
		if c.followed {
			c.findLeast()
		}
		domain := c.Of(s.slot)
		if domain == state.NoDomain {
			return filterStatus{code: decision.UnschedulableAndUnresolvable, text: spreadLabelText}
		}
		count := max(c.pods[domain], 0) + s.changes[i]
		least := c.minimum(domain, count)
		if i < len(s.far) && len(s.far[i]) > 0 && c.present >= c.minDomains {
			least = c.minimumWith(s.far[i], domain, count)
		}
		if count+c.self-least > int(c.MaxSkew) {
			return filterStatus{code: decision.Unschedulable, text: spreadText}
		}
	}
	return filterStatus{}
}
