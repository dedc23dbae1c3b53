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
	// tolerations are the preemptor's.
	tolerations fit.Tolerations
	// constraints has the preemptor's constraints that can keep it from a node (rule 7.12.1).
	constraints []*outrank.TopologySpreadConstraint
	// AsCounted is set if a pod that an empty selector matches changes no count when it leaves, because it
	// was not counted at the start (rules 7.12.7 and 23.9). Otherwise its leaving lowers the count. A
	// nominated pod counts in either case.
	AsCounted bool
	// space is the first memory of constraints.
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

// constrained returns the filter before it has counts, or nil if no constraint can keep the pod from a node.
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

// appendShape appends all that the filter reads of the preemptor: pods of one shape share counts.
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

	// By the node inclusion policies the counts also depend on the pod's node affinity and tolerations (rule
	// 7.12.10).
	for _, name := range []string{filter.NodeAffinity, filter.TaintToleration} {
		filter.Of(name).Signature(key, s.pod)
	}
}

// prepare returns the selectors of the constraints with their match label keys applied (rules 7.12.4 and 7.12.8); see
// [counter].
func (s *Spread) prepare() any {
	var selectors []state.Picker
	for _, c := range s.constraints {
		selectors = append(selectors, state.NewPicker(fit.NarrowedSelector(c.LabelSelector, s.pod.Labels, c.MatchLabelKeys, nil)))
	}
	return selectors
}

// selectorsOf returns the prepared selectors that belong to counts.
func selectorsOf(c *podCounts) []state.Picker { return c.prepared.([]state.Picker) }

// addSets adds a set for each constraint; see [counter].
func (s *Spread) addSets(c *podCounts) {
	selectors := selectorsOf(c)
	for i, constraint := range s.constraints {
		set := &c.sets[c.set(i, constraint.TopologyKey)]
		set.watch = watchLeast
		if selectors[i].Picks(s.pod.Labels) {
			set.self = 1
		}
	}
}

// addSetsOf adds none: all sets follow from the preemptor; see [counter].
func (*Spread) addSetsOf(*podCounts, *state.PodClass) {}

// eachCounted finds the classes by the labels that the selectors ask for; see [counter].
func (s *Spread) eachCounted(c *podCounts, f func(*state.ClassMembers, ClassPart)) {
	for i, picker := range selectorsOf(c) {
		s.snap.SelectedIn(s.pod.NamespaceName(), picker.Selector, func(m *state.ClassMembers) { f(m, partOf(i, &picker, m.Class)) })
	}
}

// appendParts appends the constraints whose selector picks pods of a class; see [counter].
func (s *Spread) appendParts(to []ClassPart, c *podCounts, k *state.PodClass) []ClassPart {
	if k.Namespace != s.pod.NamespaceName() {
		return to
	}
	selectors := selectorsOf(c)
	for i := range selectors {
		if selectors[i].Picks(k.Labels) {
			to = append(to, partOf(i, &selectors[i], k))
		}
	}
	return to
}

// partOf is the part of a constraint with this selector and a class that it picks. Terminating pods do not
// count at the start (rule 7.12.5), nor do pods that an empty selector picks (rule 7.12.7).
func partOf(constraint int, p *state.Picker, k *state.PodClass) ClassPart {
	empty := p.Empty()
	return ClassPart{set: constraint, late: k.Terminating || empty, empty: empty}
}

// includes reports whether a node counts for a constraint: it has all topology keys, and meets the
// constraint's inclusion policies (rules 7.12.9 and 7.12.10); see [counter].
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

// CountsIn reports whether a pod on one node (on) counts, by any of these constraints, in the domain of
// another (n).
func (s *Spread) CountsIn(parts []ClassPart, on, n *state.NodeState) bool {
	return slices.ContainsFunc(parts, func(p ClassPart) bool {
		set := &s.sets[p.set]
		id := set.Of(n.Slot)
		return id != state.NoDomain && id == set.countedIn(on.Slot)
	})
}

// AppendOthers appends, for each constraint, the least count of the domains other than the node's. That
// number is 0 if there are fewer domains than minDomains or the node lacks the topology key.
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

// minimum returns the global minimum of a constraint, given that a domain has the count that is passed (rules
// 7.12.11 and 7.12.12).
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

// minDomains returns the number of domains below which the global minimum is taken as 0.
func (s *Spread) minDomains(constraint int) int {
	return int(max(1, s.constraints[constraint].MinDomains))
}

// SpreadOnNode is the filter on one node. Workers share the counts, so that a dry run keeps its changes here.
type SpreadOnNode struct {
	*Spread
	slot  int32
	space []ClassPart // memory of partsOf
	// changes has, by constraint, how the dry run has changed the count of the node's domain.
	changes []int
	// far has, by constraint, how it has changed the counts of other domains.
	far []map[int32]int
}

// Enter begins with a node; see [NodeFilter].
func (s *SpreadOnNode) Enter(n *state.NodeState) {
	s.slot = n.Slot
	s.changes = state.Fill(s.changes, len(s.constraints), 0)
	s.far = s.far[:0]
}

// ChangeFar follows a pod of another node that is removed or put back.
func (s *SpreadOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range s.partsOf(&s.space, s.counter, p.Class) {
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
	for _, part := range s.partsOf(&s.space, s.counter, p.Class) {
		if !s.AsCounted || !part.empty {
			s.shift(part.set, by)
		}
	}
}

// shift changes the count of the node's domain, if the node counts.
func (s *SpreadOnNode) shift(constraint, by int) {
	if s.sets[constraint].countedIn(s.slot) != state.NoDomain {
		s.changes[constraint] += by
	}
}

// ChangeBelow removes the node's pods below a priority at once. It reports false and does nothing if Change
// must be called for each of them.
func (s *SpreadOnNode) ChangeBelow(priority int64) bool {
	return s.changeBelow(s.slot, priority, s.changes)
}

// PassesBelow reports whether the filter certainly passes once the pods of a node below a priority are gone.
// The node need not be entered.
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

// changeNominated adds or removes pods that are nominated to the node. Unlike in Change, AsCounted excludes
// none of them.
func (s *SpreadOnNode) changeNominated(pods []*state.PodState, by int) {
	for _, p := range pods {
		for _, part := range s.partsOf(&s.space, s.counter, p.Class) {
			s.shift(part.set, by)
		}
	}
}

// Follow counts a pod that comes or leaves for the rest of the attempt; see [ClusterFilter]. As in Change,
// terminating pods count.
func (s *SpreadOnNode) Follow(p *state.PodState, at *state.NodeState, by int) {
	s.follow(counterOf{snap: s.snap, counter: s}, p, at.Slot, by)
}

// Check adds the nominated pods, asks, and removes them again; see [NodeFilter].
func (s *SpreadOnNode) Check(nominated []*state.PodState) Status {
	s.changeNominated(nominated, 1)
	st := s.skewed()
	s.changeNominated(nominated, -1)
	return st
}

// Release drops what belongs to the attempt; see [NodeFilter].
func (s *SpreadOnNode) Release() {
	s.Spread = nil
}

// skewed compares the skew of each constraint with its limit (rule 7.12.3).
func (s *SpreadOnNode) skewed() Status {
	for i, c := range s.constraints {
		set := &s.sets[i]
		domain := set.Of(s.slot)
		if domain == state.NoDomain {
			return Status{Code: UnschedulableAndUnresolvable, Text: spreadLabelText}
		}

		// If the dry run has removed pods of other domains, the stored least count is out of date, and all
		// domains have to be looked at. With fewer domains than minDomains the minimum is 0 in any case.
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

// SkewedForGood reports whether, by any constraint, the pods left in the node's domain are too many however
// few the domain's own minimum allows. others has the least counts of the other domains (see AppendOthers).
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
