package filters

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The reasons of the three failures (rules 7.13.2 to 7.13.4).
var (
	affinityText     = []string{"node(s) didn't match pod affinity rules"}
	antiAffinityText = []string{"node(s) didn't match pod anti-affinity rules"}
	existingAntiText = []string{"node(s) didn't satisfy existing pods anti-affinity rules"}
)

// InterPodFilter is InterPodAffinity.
var InterPodFilter = descriptor{
	Entry: filter.Of(filter.InterPodAffinity),
	begin: func(q *Question) PodFilter {
		if ip := newInterPod(q.Snap, q.Pod); ip != nil {
			return ip
		}
		return nil
	},
}

// The relations say why a pod is counted.
const (
	// affinityMatch counts a pod that matches all affinity terms of the preemptor.
	affinityMatch = iota
	// antiAffinityMatch counts a pod that matches an anti-affinity term of the
	// preemptor. It is counted once per term.
	antiAffinityMatch
	// existingAntiAffinity counts a pod with an anti-affinity term that picks the
	// preemptor. It is counted once per term.
	existingAntiAffinity
)

// InterPod counts the pods that the preemptor's terms pick and the pods whose anti-affinity
// picks the preemptor (group 7.13; InterPodAffinity PreFilter). The snapshot keeps the counts,
// by relation and topology key.
type InterPod struct {
	attemptCounts
	snap *state.Snapshot
	pod  *outrank.Pod
}

// OnNode returns the filter for one worker; see [PodFilter].
func (ip *InterPod) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*InterPodOnNode)
	if !ok {
		n = &InterPodOnNode{}
	}
	n.InterPod = ip
	return n
}

// newInterPod begins the filter for an attempt. It returns nil if the filter has nothing to say: the
// preemptor has no terms, and no pod's anti-affinity picks it. That holds for the whole attempt, also for
// nominated pods (rules 7.13.15 and 7.13.16).
func newInterPod(snap *state.Snapshot, pod *outrank.Pod) *InterPod {
	affinity := &pod.Affinity
	terms := len(affinity.PodAffinity) + len(affinity.PodAntiAffinity)
	if terms+snap.Classes.AntiAffinity == 0 {
		return nil
	}

	// The shape has all that the filter reads of the preemptor.
	ip := &InterPod{snap: snap, pod: pod}
	key := state.KeyWriter(make([]byte, 0, 256))
	key.Text(filter.InterPodAffinity)
	key.Text(pod.NamespaceName())
	key.Labels(pod.Labels)
	key.Terms(affinity.PodAffinity)
	key.Terms(affinity.PodAntiAffinity)
	ip.begin(snap, key, ip)

	if terms+ip.occupied(existingAntiAffinity) == 0 {
		ip.release()
		return nil
	}
	return ip
}

// podTerms has the terms of a preemptor, prepared for matching.
type podTerms struct{ affinity, antiAffinity []state.Term }

// termsOf returns the prepared terms that belong to counts.
func termsOf(c *podCounts) *podTerms { return c.prepared.(*podTerms) }

// prepare prepares the preemptor's terms; see [counter]. Few attempts do: most find their counts in the snapshot.
func (ip *InterPod) prepare() any {
	affinity := &ip.pod.Affinity
	return &podTerms{
		ip.snap.IncomingTerms(ip.pod, affinity.PodAffinity),
		ip.snap.IncomingTerms(ip.pod, affinity.PodAntiAffinity),
	}
}

// addSets adds the sets of the preemptor's own terms, and of the terms of others that pick it; see [counter].
func (ip *InterPod) addSets(c *podCounts) {
	terms, self := termsOf(c), 0
	if ip.matchesAffinity(terms, ip.pod.NamespaceName(), ip.pod.Labels) {
		self = 1
	}

	// A preemptor that matches its own terms asks whether any pod anywhere does (rule 7.13.6).
	for i := range terms.affinity {
		set := &c.sets[c.set(affinityMatch, terms.affinity[i].Key)]
		set.self = self
		if self > 0 {
			set.watch = watchOccupied
		}
	}
	for i := range terms.antiAffinity {
		c.set(antiAffinityMatch, terms.antiAffinity[i].Key)
	}
	ip.snap.KeptApart(ip.pod, func(key string, _ iter.Seq[*state.ClassMembers]) { c.set(existingAntiAffinity, key) })
}

// addSetsOf adds the sets of the anti-affinity terms of a class that pick the preemptor; see [counter].
func (ip *InterPod) addSetsOf(c *podCounts, k *state.PodClass) {
	ip.snap.EachApart(k, ip.pod, func(key string) { c.set(existingAntiAffinity, key) })
}

// includes is true for every node: affinity knows no inclusion policies; see [counter].
func (*InterPod) includes(*podCounts, *state.NodeState, int) bool { return true }

// eachCounted finds the classes by the labels that the terms ask for; see [counter].
func (ip *InterPod) eachCounted(c *podCounts, f func(*state.ClassMembers, ClassPart)) {
	// For affinity a pod counts only if it matches all terms (rule 7.13.5), for anti-affinity if it
	// matches one.
	terms := termsOf(c)
	if len(terms.affinity) > 0 {
		ip.snap.Selected(&terms.affinity[0], func(m *state.ClassMembers) {
			if len(terms.affinity) > 1 && !ip.matchesAffinity(terms, m.Class.Namespace, m.Class.Labels) {
				return
			}
			for i := range terms.affinity {
				f(m, ClassPart{set: c.find(affinityMatch, terms.affinity[i].Key)})
			}
		})
	}
	for i := range terms.antiAffinity {
		part := ClassPart{set: c.find(antiAffinityMatch, terms.antiAffinity[i].Key)}
		ip.snap.Selected(&terms.antiAffinity[i], func(m *state.ClassMembers) { f(m, part) })
	}

	ip.snap.KeptApart(ip.pod, func(key string, classes iter.Seq[*state.ClassMembers]) {
		part := ClassPart{set: c.find(existingAntiAffinity, key)}
		for m := range classes {
			f(m, part)
		}
	})
}

// appendParts appends the sets that pods of a class count in, one for every term; see [counter].
func (ip *InterPod) appendParts(to []ClassPart, c *podCounts, k *state.PodClass) []ClassPart {
	terms := termsOf(c)
	if ip.matchesAffinity(terms, k.Namespace, k.Labels) {
		for i := range terms.affinity {
			to = append(to, ClassPart{set: c.find(affinityMatch, terms.affinity[i].Key)})
		}
	}
	for i := range terms.antiAffinity {
		if ip.snap.Picks(&terms.antiAffinity[i], k.Namespace, k.Labels) {
			to = append(to, ClassPart{set: c.find(antiAffinityMatch, terms.antiAffinity[i].Key)})
		}
	}
	ip.snap.EachApart(k, ip.pod, func(key string) {
		// A class that the snapshot does not have may have a term for which there is no set.
		if set := c.find(existingAntiAffinity, key); set >= 0 {
			to = append(to, ClassPart{set: set})
		}
	})
	return to
}

// counts reports whether pods of a class count in any set.
func (ip *InterPod) counts(k *state.PodClass) bool {
	terms := ip.prepare().(*podTerms)
	picked := ip.matchesAffinity(terms, k.Namespace, k.Labels) || slices.ContainsFunc(terms.antiAffinity, func(t state.Term) bool {
		return ip.snap.Picks(&t, k.Namespace, k.Labels)
	})
	ip.snap.EachApart(k, ip.pod, func(string) { picked = true })
	return picked
}

// matchesAffinity reports whether a pod with this namespace and these labels matches all affinity terms of
// the preemptor. It is false for a preemptor without terms.
func (ip *InterPod) matchesAffinity(terms *podTerms, namespace string, labels map[string]string) bool {
	for i := range terms.affinity {
		if !ip.snap.Picks(&terms.affinity[i], namespace, labels) {
			return false
		}
	}
	return len(terms.affinity) > 0
}

// occupied returns the number of domains with a pod counted for a relation, summed over the topology keys.
func (ip *InterPod) occupied(relation int) (domains int) {
	for i := range ip.sets {
		if s := &ip.sets[i]; s.relation == relation {
			domains += s.occupied
		}
	}
	return domains
}

// Apart lists the sets of anti-affinity, in either direction, in which pods of a class count.
func (ip *InterPod) Apart(k *state.PodClass) (parts []ClassPart) {
	for _, part := range ip.partsFor(k) {
		if ip.sets[part.set].relation != affinityMatch {
			parts = append(parts, part)
		}
	}
	return parts
}

// KeepsApart reports whether a pod that counts in these sets keeps the preemptor away from a node (n) by
// running on another (on): the two nodes share a domain of any of the sets.
func (ip *InterPod) KeepsApart(parts []ClassPart, on, n *state.NodeState) bool {
	return slices.ContainsFunc(parts, func(p ClassPart) bool { return ip.apart(p, on, n) })
}

func (ip *InterPod) apart(part ClassPart, on, n *state.NodeState) bool {
	s := &ip.sets[part.set]
	id := s.countedIn(n.Slot)
	return id != state.NoDomain && id == s.countedIn(on.Slot)
}

// Blocked returns the status of a node (n) if a pod on another (on) keeps the preemptor away and may not
// leave.
func (ip *InterPod) Blocked(parts []ClassPart, on, n *state.NodeState) Status {
	s := Status{Code: Unschedulable, By: InterPodFilter.Index, Text: existingAntiText}
	for _, part := range parts {
		if ip.sets[part.set].relation == antiAffinityMatch && ip.apart(part, on, n) {
			s.Text = antiAffinityText
		}
	}
	return s
}

// InterPodOnNode is the filter on one node. Workers share the counts, so that a dry run keeps its changes
// here.
type InterPodOnNode struct {
	*InterPod
	slot  int32
	space []ClassPart // memory of partsOf
	// changes has, by set, how the dry run has changed the count of the node's domain.
	changes []int
	// far has, by set, how it has changed the counts of other domains. Only sets of affinityMatch have any.
	far []map[int32]int
}

// Enter begins with a node; see [NodeFilter].
func (n *InterPodOnNode) Enter(on *state.NodeState) {
	n.slot = on.Slot
	n.changes = state.Fill(n.changes, len(n.sets), 0)
	n.far = n.far[:0]
}

// ChangeFar counts a pod of another node that is removed or put back. Outside the node's domain only affinity
// depends on it, because rule 7.13.6 asks for pods anywhere.
func (n *InterPodOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range n.partsOf(&n.space, n.counter, p.Class) {
		s := &n.sets[part.set]
		switch id := s.countedIn(on.Slot); {
		case id == state.NoDomain:
		case id == s.countedIn(n.slot):
			n.changes[part.set] += by
		case s.relation == affinityMatch:
			n.far = changeDomain(n.far, part.set, id, by)
		}
	}
}

// changeDomain adds by to the change of a domain in lists[index], and lengthens lists as needed.
func changeDomain(lists []map[int32]int, index int, id int32, by int) []map[int32]int {
	for len(lists) <= index {
		lists = append(lists, map[int32]int{})
	}
	lists[index][id] += by
	return lists
}

// Change counts a pod that is added or removed.
func (n *InterPodOnNode) Change(p *state.PodState, by int) {
	for _, part := range n.partsOf(&n.space, n.counter, p.Class) {
		n.changes[part.set] += by
	}
}

// ChangeBelow removes the node's pods below a priority at once, for one check. It reports false and does nothing if
// Change must be called for each of them.
func (n *InterPodOnNode) ChangeBelow(priority int64) bool {
	return n.keptApart(priority) || n.changeBelow(n.slot, priority, n.changes)
}

// keptApart reports whether a pod of the node that stays keeps the preemptor away, by the only set there is. The
// answer is the same with all pods in place.
func (n *InterPodOnNode) keptApart(priority int64) bool {
	if len(n.sets) != 1 || n.sets[0].relation == affinityMatch || n.sets[0].countedIn(n.slot) == state.NoDomain {
		return false
	}
	m := n.mark(n.slot)
	return m != mixed && int64(m.high) >= priority
}

// PassesBelow reports whether the filter certainly passes once the pods of a node below a priority are gone.
// The node need not be entered.
func (n *InterPodOnNode) PassesBelow(on *state.NodeState, priority int64) bool {
	all, known := n.goneBelow(on.Slot, priority)
	if !known {
		return false
	}

	// The filter passes for certain if each affinity set has a pod in the node's domain and no anti-affinity
	// set has one. The first pod of a group (rule 7.13.6) is left to Check.
	for i := range n.sets {
		s := &n.sets[i]
		if (s.remaining(on.Slot, all) > 0) != (s.relation == affinityMatch) {
			return false
		}
	}
	return true
}

// Follow counts a pod that comes or leaves for the rest of the attempt; see [ClusterFilter].
func (n *InterPodOnNode) Follow(p *state.PodState, at *state.NodeState, by int) {
	n.follow(counterOf{snap: n.snap, counter: n}, p, at.Slot, by)
}

// current returns the count of the node's domain in a set, with the changes of the dry run. ok is false if
// the node lacks the topology key.
func (n *InterPodOnNode) current(set int) (pods int, ok bool) {
	s := &n.sets[set]
	id := s.countedIn(n.slot)
	if id == state.NoDomain {
		return 0, false
	}
	return s.count(id) + n.changes[set], true
}

// Check adds the nominated pods, asks, and removes them again; see [NodeFilter].
func (n *InterPodOnNode) Check(nominated []*state.PodState) Status {
	for _, p := range nominated {
		n.Change(p, 1)
	}
	st := n.ask()
	for _, p := range nominated {
		n.Change(p, -1)
	}
	return st
}

// Release drops what belongs to the attempt; see [NodeFilter].
func (n *InterPodOnNode) Release() {
	n.InterPod = nil
}

// ask checks the three rules in the order of rule 7.13.1.
func (n *InterPodOnNode) ask() Status {
	switch {
	case !n.affinityHolds():
		return Status{Code: UnschedulableAndUnresolvable, Text: affinityText}
	case n.anyInDomain(antiAffinityMatch):
		return Status{Code: Unschedulable, Text: antiAffinityText}
	case n.anyInDomain(existingAntiAffinity):
		return Status{Code: Unschedulable, Text: existingAntiText}
	}
	return Status{}
}

// affinityHolds reports whether the preemptor's affinity is met. For every term the node must have the
// topology key (rule 7.13.8) and a matching pod in its domain. A preemptor that matches its own terms needs
// no pod in the domain if none matches anywhere (rule 7.13.6).
func (n *InterPodOnNode) affinityHolds() bool {
	found, first := true, false
	for set := range n.sets {
		s := &n.sets[set]
		if s.relation != affinityMatch {
			continue
		}

		pods, ok := n.current(set)
		if !ok {
			return false
		}
		found, first = found && pods > 0, s.self > 0
	}
	return found || first && n.noMatchAnywhere()
}

// noMatchAnywhere reports whether no pod in the cluster matches the affinity terms, in the present state of
// the dry run (rule 7.13.7). It starts from the number of occupied domains and corrects it by the changes of
// the dry run.
func (n *InterPodOnNode) noMatchAnywhere() bool {
	there := n.occupied(affinityMatch)
	for set, by := range n.changes {
		s := &n.sets[set]
		id := s.countedIn(n.slot)
		if by == 0 || id == state.NoDomain || s.relation != affinityMatch {
			continue
		}
		before := s.count(id)
		if before+by == 0 {
			there-- // the dry run has emptied it
		}
		if before == 0 {
			there++ // a nominated pod is the first there
		}
	}

	// On other nodes pods only leave and come back. No nominated pod is added there, so that a domain can
	// only become empty.
	for set, domains := range n.far {
		for id, by := range domains {
			if before := n.sets[set].count(id); by != 0 && before+by == 0 {
				there--
			}
		}
	}
	return there == 0
}

// anyInDomain reports whether any of the node's domains has a pod counted for a relation. A term whose
// topology key the node lacks is ignored.
func (n *InterPodOnNode) anyInDomain(relation int) bool {
	for set := range n.sets {
		if n.sets[set].relation != relation {
			continue
		}
		if pods, _ := n.current(set); pods > 0 {
			return true
		}
	}
	return false
}
