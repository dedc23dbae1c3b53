package filters

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var (
	spreadText      = []string{"node(s) didn't match pod topology spread constraints"}
	spreadLabelText = []string{spreadText[0] + " (missing required label)"}
)

// SpreadFilter is PodTopologySpread.
var SpreadFilter = descriptor{
	Entry: filter.Of(filter.PodTopologySpread),
	begin: func(q *Question) PodFilter {
		if s := newSpread(q); s != nil {
			return s
		}
		return nil
	},
}

// Spread counts the pods that match the preemptor's constraints, by topology domain (group
// 7.12; PodTopologySpread PreFilter). The snapshot keeps the counts, one set for each
// constraint.
type Spread struct {
	attemptCounts
	snap *state.Snapshot
	pod  *outrank.Pod
	// tolerations are the pod's own.
	tolerations fit.Tolerations
	// constraints are the constraints that can keep the pod out (rule 7.12.1).
	constraints []*outrank.TopologySpreadConstraint
	// AsCounted is set where a pod that an empty selector matches does not count when it leaves, because
	// it did not count at the start (rules 7.12.7 and 23.9). Otherwise it counts, as a nominated pod
	// always does.
	AsCounted bool
	// space is the memory of constraints.
	space [2]*outrank.TopologySpreadConstraint
}

// OnNode returns the filter for one worker; see [PodFilter].
func (s *Spread) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*SpreadOnNode)
	if !ok {
		n = &SpreadOnNode{}
	}
	n.Spread = s
	return n
}

// newSpread begins the filter for an attempt. It returns nil if the filter has nothing to say.
func newSpread(q *Question) *Spread {
	s := constrained(q)
	if s == nil {
		return nil
	}
	key := state.KeyWriter(make([]byte, 0, 256))
	s.appendShape(&key)
	s.begin(s.snap, key, s)
	return s
}

// constrained returns the filter without counts, nil if the pod has no constraint that can keep it out.
func constrained(q *Question) *Spread {
	if len(q.spread) == 0 {
		return nil
	}
	s := &Spread{snap: q.Snap, pod: q.Pod, tolerations: q.tolerations}
	s.constraints = s.space[:0]
	for i := range q.spread {
		if c := &q.spread[i]; c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			s.constraints = append(s.constraints, c)
		}
	}
	if len(s.constraints) == 0 {
		return nil
	}
	return s
}

// appendShape appends all that the filter reads of the preemptor.
func (s *Spread) appendShape(key *state.KeyWriter) {
	key.Text(filter.PodTopologySpread)
	key.Text(s.pod.NamespaceName())
	key.Labels(s.pod.Labels)
	for _, c := range s.constraints {
		key.Text(c.TopologyKey)
		key.Amount(int64(c.MaxSkew))
		key.Amount(int64(c.MinDomains))
		key.Selector(c.LabelSelector)
		key.Texts(c.MatchLabelKeys)
		key.Text(string(c.NodeAffinityPolicy))
		key.Text(string(c.NodeTaintsPolicy))
	}

	// Node inclusion policies make the counts depend on these, too (rule 7.12.10).
	for _, name := range []string{filter.NodeAffinity, filter.TaintToleration} {
		filter.Of(name).Signature(key, s.pod)
	}
}

// matcher returns what picks the pods that a constraint counts (rules 7.12.4 and 7.12.8).
func (s *Spread) matcher(constraint int) outrank.Matcher {
	c := s.constraints[constraint]
	return fit.Narrowed(c.LabelSelector, s.pod.Labels, c.MatchLabelKeys, nil)
}

// addSets adds a set for each constraint; see [counter].
func (s *Spread) addSets(c *podCounts) {
	for i, constraint := range s.constraints {
		set := &c.sets[c.set(i, constraint.TopologyKey)]
		set.watch = watchLeast
		if s.matcher(i).Matches(s.pod.Labels) {
			set.self = 1
		}
	}
}

// partsOf lists the constraints whose selector picks pods of a class; see [counter]. Terminating pods do
// not count at the start (rule 7.12.5), and neither does a pod that an empty selector picks (rule
// 7.12.7).
func (s *Spread) partsOf(_ *podCounts, k *state.PodClass) (parts []ClassPart) {
	if k.Namespace != s.pod.NamespaceName() {
		return nil
	}
	for i := range s.constraints {
		if m := s.matcher(i); m.Matches(k.Labels) {
			parts = append(parts, ClassPart{set: i, late: k.Terminating || m.Empty(), empty: m.Empty()})
		}
	}
	return parts
}

// includes reports whether a node counts (rules 7.12.9 and 7.12.10); see [counter].
func (s *Spread) includes(c *podCounts, n *state.NodeState, set int) bool {
	for i := range c.sets {
		if c.sets[i].Of(n.Slot) == state.NoDomain {
			return false
		}
	}

	constraint := s.constraints[set]
	if constraint.NodeAffinityPolicy != outrank.NodeIgnore && !fit.NodeAffinity(s.pod, n.Node) {
		return false
	}
	return constraint.NodeTaintsPolicy != outrank.NodeHonor || !untolerated(&s.tolerations, n.Node)
}

// Parts lists the constraints that count pods of a class.
func (s *Spread) Parts(k *state.PodClass) []ClassPart { return s.partsFor(k) }

// CountsIn reports whether a pod on the node on counts, for any of these constraints, in the domain of
// the node n.
func (s *Spread) CountsIn(parts []ClassPart, on, n *state.NodeState) bool {
	return slices.ContainsFunc(parts, func(p ClassPart) bool {
		set := &s.sets[p.set]
		id := set.Of(n.Slot)
		return id != state.NoDomain && id == set.countedIn(on.Slot)
	})
}

// AppendOthers appends, for each constraint, the least count of the domains other than the node's. It
// is 0 where there are fewer domains than minDomains, or the node lacks the topology key.
func (s *Spread) AppendOthers(to []int, n *state.NodeState) []int {
	for i := range s.constraints {
		others := 0
		if id := s.sets[i].Of(n.Slot); id != state.NoDomain {
			others = s.minimum(i, id, math.MaxInt)
		}
		to = append(to, others)
	}
	return to
}

// minimum returns the global minimum of a constraint if a domain has this count (rules 7.12.11 and
// 7.12.12).
func (s *Spread) minimum(constraint int, domain int32, count int) int {
	set := &s.sets[constraint]
	switch {
	case set.present < s.minDomains(constraint):
		return 0
	case !set.anyNode(domain):
		return set.leastBut(state.NoDomain)
	}
	return min(set.leastBut(domain), count)
}

// minDomains returns the number of domains below which the minimum is 0.
func (s *Spread) minDomains(constraint int) int {
	return int(max(1, s.constraints[constraint].MinDomains))
}

// SpreadOnNode is the filter on one node. The counts are shared, so that a dry run notes its changes
// beside them.
type SpreadOnNode struct {
	*Spread
	slot int32
	// changes has, by constraint, the change in the domain of the node.
	changes []int
	// far has, by constraint, the changes in other domains.
	far []map[int32]int
}

// Enter begins with a node; see [NodeFilter].
func (s *SpreadOnNode) Enter(n *state.NodeState) {
	s.slot = n.Slot
	s.changes = state.Fill(s.changes, len(s.constraints), 0)
	s.far = s.far[:0]
}

// ChangeFar follows a pod of another node that is taken away or put back.
func (s *SpreadOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range s.partsFor(p.Class) {
		set := &s.sets[part.set]
		switch id := set.countedIn(on.Slot); {
		case id == state.NoDomain || s.AsCounted && part.empty:
		case id == set.Of(s.slot):
			s.changes[part.set] += by
		default:
			s.far = changeDomain(s.far, part.set, id, by)
		}
	}
}

// Change follows a pod that is removed or put back. A terminating pod was not
// counted at the start, and still changes the count here (rule 7.12.6).
func (s *SpreadOnNode) Change(p *state.PodState, by int) {
	for _, part := range s.partsFor(p.Class) {
		if !s.AsCounted || !part.empty {
			s.shift(part.set, by)
		}
	}
}

// shift changes the count in the domain of the node, if the pods of the node count.
func (s *SpreadOnNode) shift(constraint, by int) {
	if s.sets[constraint].countedIn(s.slot) != state.NoDomain {
		s.changes[constraint] += by
	}
}

// ChangeBelow takes the pods below a priority away. It reports false where it must be told of them one
// by one.
func (s *SpreadOnNode) ChangeBelow(priority int64) bool {
	return s.changeBelow(s.slot, priority, s.changes)
}

// PassesBelow reports whether the filter is known to pass without the pods of a node below a
// priority. The node need not be entered.
func (s *SpreadOnNode) PassesBelow(n *state.NodeState, priority int64) bool {
	all, known := s.goneBelow(n.Slot, priority)
	for i, c := range s.constraints {
		set := &s.sets[i]
		domain := set.countedIn(n.Slot)
		if !known || domain == state.NoDomain {
			return false
		}

		count := set.remaining(n.Slot, all)
		if count+set.self-s.minimum(i, domain, count) > int(c.MaxSkew) {
			return false
		}
	}
	return true
}

// changeNominated adds or removes pods that are nominated to the node. These count whatever AsCounted
// says.
func (s *SpreadOnNode) changeNominated(pods []*state.PodState, by int) {
	for _, p := range pods {
		for _, part := range s.partsFor(p.Class) {
			s.shift(part.set, by)
		}
	}
}

// Follow counts a pod that comes or leaves for good; see [ClusterFilter]. As in Change, terminating pods
// count.
func (s *SpreadOnNode) Follow(p *state.PodState, at *state.NodeState, by int) {
	s.follow(counterOf{snap: s.snap, counter: s}, p, at.Slot, by)
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

// skewed compares the skew of each constraint with its limit (rule 7.12.3).
func (s *SpreadOnNode) skewed() Status {
	for i, c := range s.constraints {
		set := &s.sets[i]
		domain := set.Of(s.slot)
		if domain == state.NoDomain {
			return Status{Code: UnschedulableAndUnresolvable, Text: spreadLabelText}
		}

		// Where pods of other domains are away, the least count that is kept does not hold, and all
		// domains are looked at. With fewer than minDomains the minimum is 0 all the same.
		count := set.count(domain) + s.changes[i]
		least := s.minimum(i, domain, count)
		if i < len(s.far) && len(s.far[i]) > 0 && set.present >= s.minDomains(i) {
			least = set.leastWith(s.far[i], domain)
			if set.anyNode(domain) {
				least = min(least, count)
			}
		}

		if count+set.self-least > int(c.MaxSkew) {
			return Status{Code: Unschedulable, Text: spreadText}
		}
	}
	return Status{}
}

// SkewedForGood reports whether the pods that are left in the domain of the node are too many for any
// constraint, where others has the least counts of the other domains (see AppendOthers).
func (s *SpreadOnNode) SkewedForGood(others []int) bool {
	for i, c := range s.constraints {
		set := &s.sets[i]
		id := set.Of(s.slot)
		if id == state.NoDomain || set.count(id)+s.changes[i]+set.self-others[i] > int(c.MaxSkew) {
			return true
		}
	}
	return false
}
