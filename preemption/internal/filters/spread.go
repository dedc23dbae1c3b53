package filters

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

// SpreadFilter is PodTopologySpread.
var SpreadFilter = descriptor{
	Name: filter.PodTopologySpread,
	begin: func(q *Question) PodFilter {
		if s := newSpread(q); s != nil {
			return s
		}
		return nil
	},
}

// Spread counts, at the start of the attempt, the pods that match the
// preemptor's constraints, by topology domain (group 7.12; PodTopologySpread
// PreFilter).
type Spread struct {
	pod         *outrank.Pod
	namespace   string
	Constraints []spreadConstraint
	// Parts says which constraints pods of a class count for.
	Parts classParts
	// touched marks the slots of nodes with pods that a constraint matches.
	touched []bool
	// AsCounted is set where a pod that leaves counts only if it counted at the start
	// (rule 23.9). Otherwise it counts wherever the selector matches it, as an empty one
	// does that counted nobody. A nominated pod always counts like that.
	AsCounted bool
}

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
func (s *Spread) Touches(n *state.NodeState) bool { return s.touched[n.Slot] }

// OnNode returns the filter for one worker; see [PodFilter].
func (s *Spread) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*SpreadOnNode)
	if !ok {
		n = &SpreadOnNode{}
	}
	n.Spread = s
	return n
}

// spreadConstraint is a constraint with its counts.
type spreadConstraint struct {
	*outrank.TopologySpreadConstraint
	*state.Partition
	matcher    outrank.Matcher
	Self       int    // 1 if the preemptor matches its own selector
	Included   []bool // whether pods on a node count, by slot
	Pods       []int  // matching pods by domain, absent where no node counts
	present    int    // domains with a node that counts
	minDomains int
	// least is the smallest count, in domain leastIn. second is the smallest
	// count of the other domains.
	least, second int
	leastIn       int32
	// followed is set once a pod has come or gone since these were found.
	followed bool
}

// absent is the count of a domain without any node that counts.
const absent = -1

// newSpread goes over the pod classes and the nodes once. It returns nil if the
// pod has no constraint that can keep it out.
func newSpread(q *Question) *Spread {
	if len(q.spread) == 0 {
		return nil
	}
	snap, pod := q.Snap, q.Pod
	s := &Spread{pod: pod, namespace: pod.NamespaceName(), touched: make([]bool, len(snap.NodeStates))}
	for i := range q.spread {
		c := &q.spread[i]
		if c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			s.Constraints = append(s.Constraints, newSpreadConstraint(snap, c, pod))
		}
	}
	if len(s.Constraints) == 0 {
		return nil
	}
	s.include(snap)
	s.count(snap)
	for i := range s.Constraints {
		s.Constraints[i].findLeast()
	}
	return s
}

func newSpreadConstraint(snap *state.Snapshot, c *outrank.TopologySpreadConstraint, pod *outrank.Pod) spreadConstraint {
	sc := spreadConstraint{
		TopologySpreadConstraint: c,
		Partition:                snap.Partition(c.TopologyKey),
		matcher:                  state.Narrowed(c.LabelSelector, pod.Labels, c.MatchLabelKeys, nil),
		Included:                 make([]bool, len(snap.NodeStates)),
		minDomains:               int(max(1, c.MinDomains)),
	}
	sc.Pods = state.Fill(sc.Pods, sc.Domains, absent)
	if sc.matcher.Matches(pod.Labels) {
		sc.Self = 1
	}
	return sc
}

// include finds the nodes and domains that count. A node counts only if it has
// the topology keys of all constraints (rule 7.12.9).
func (s *Spread) include(snap *state.Snapshot) {
	for _, slot := range snap.Order {
		if !s.hasKeys(slot) {
			continue
		}
		for i := range s.Constraints {
			c := &s.Constraints[i]
			if !c.includes(s.pod, snap.NodeStates[slot]) {
				continue
			}
			c.Included[slot] = true
			if id := c.IDs[slot]; c.Pods[id] == absent {
				c.Pods[id] = 0
				c.present++
			}
		}
	}
}

// count counts the matching pods in each domain. Each selector is asked once
// per pod class.
func (s *Spread) count(snap *state.Snapshot) {
	snap.Classes.Each(func(_ string, m *state.ClassMembers) {
		parts := s.PartsOf(m.Class)
		if len(parts) == 0 {
			return
		}
		s.Parts.set(m.Class, parts)
		for slot := range m.Nodes {
			s.touched[slot] = true
		}
		if m.Class.Terminating {
			return
		}
		for _, part := range parts {
			c := &s.Constraints[part.Index]
			if c.matcher.Empty() {
				continue
			}
			for slot, pods := range m.Nodes {
				if int(slot) < len(c.Included) && c.Included[slot] {
					c.Pods[c.IDs[slot]] += int(pods)
				}
			}
		}
	})
}

// PartsOf lists the constraints whose selector picks pods of a class.
func (s *Spread) PartsOf(k *state.PodClass) []ClassPart {
	if k.Namespace != s.namespace {
		return nil
	}
	var parts []ClassPart
	for i := range s.Constraints {
		if s.Constraints[i].matcher.Matches(k.Labels) {
			parts = append(parts, ClassPart{Index: i})
		}
	}
	return parts
}

func (s *Spread) hasKeys(slot int32) bool {
	for i := range s.Constraints {
		if s.Constraints[i].Of(slot) == state.NoDomain {
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
	for id, n := range c.Pods {
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

// Minimum returns the global minimum if the domain holds count pods.
func (c *spreadConstraint) Minimum(domain int32, count int) int {
	if c.present < c.minDomains {
		return 0
	}
	if c.Pods[domain] == absent {
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
	for id, n := range c.Pods {
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

// SpreadOnNode is the filter on one node. Only the domains of that node can
// change, so one change per constraint suffices.
type SpreadOnNode struct {
	*Spread
	Slot    int32
	Changes []int // by constraint
	// far has, by constraint, the changes in other domains.
	far []map[int32]int
}

// Enter begins with a node; see [NodeFilter].
func (s *SpreadOnNode) Enter(n *state.NodeState) {
	s.Slot = n.Slot
	s.Changes = state.Fill(s.Changes, len(s.Constraints), 0)
	s.far = s.far[:0]
}

// ChangeFar follows a pod of another node that is taken away or put back.
func (s *SpreadOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range s.Parts.Of(p.Class) {
		c := &s.Constraints[part.Index]
		switch id := c.Of(on.Slot); {
		case !c.Included[on.Slot] || s.AsCounted && c.matcher.Empty():
		case id == c.Of(s.Slot):
			s.Changes[part.Index] += by
		default:
			s.far = changeDomain(s.far, part.Index, id, by)
		}
	}
}

// Change follows a pod that is added or removed. A terminating pod was not
// counted at the start and still changes the count here (rule 7.12.6).
func (s *SpreadOnNode) Change(p *state.PodState, by int) {
	for _, part := range s.Parts.Of(p.Class) {
		if !s.AsCounted || !s.Constraints[part.Index].matcher.Empty() {
			s.shift(part.Index, by)
		}
	}
}

func (s *SpreadOnNode) shift(constraint, by int) {
	if s.Constraints[constraint].Included[s.Slot] {
		s.Changes[constraint] += by
	}
}

// changeNominated adds or removes pods that are nominated to the node.
func (s *SpreadOnNode) changeNominated(pods []*state.PodState, by int) {
	for _, p := range pods {
		for _, part := range s.Parts.Of(p.Class) {
			s.shift(part.Index, by)
		}
	}
}

// Follow is asked about classes that the attempt did not find at its begin, too. As in
// change, terminating pods count.
func (s *SpreadOnNode) Follow(p *state.PodState, at *state.NodeState, by int) {
	parts, known := s.Parts.find(p.Class)
	if !known {
		parts = s.PartsOf(p.Class)
		s.Parts.set(p.Class, parts)
	}
	for _, part := range parts {
		if c := &s.Constraints[part.Index]; c.Included[at.Slot] {
			c.Pods[c.IDs[at.Slot]] += by
			c.followed = true
		}
	}
}

// Check asks about the node; see [NodeFilter].
func (s *SpreadOnNode) Check(nominated []*state.PodState) Status {
	s.changeNominated(nominated, 1)
	st := s.skewed()
	s.changeNominated(nominated, -1)
	return st
}

// Release drops what belongs to the attempt; see [NodeFilter].
func (s *SpreadOnNode) Release() { s.Spread = nil }

// skewed compares the skew of each constraint with its limit.
func (s *SpreadOnNode) skewed() Status {
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if c.followed {
			c.findLeast()
		}
		domain := c.Of(s.Slot)
		if domain == state.NoDomain {
			return Status{Code: decision.UnschedulableAndUnresolvable, Text: spreadLabelText}
		}
		count := max(c.Pods[domain], 0) + s.Changes[i]
		least := c.Minimum(domain, count)
		if i < len(s.far) && len(s.far[i]) > 0 && c.present >= c.minDomains {
			least = c.minimumWith(s.far[i], domain, count)
		}
		if count+c.Self-least > int(c.MaxSkew) {
			return Status{Code: decision.Unschedulable, Text: spreadText}
		}
	}
	return Status{}
}
