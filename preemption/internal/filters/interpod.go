package filters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// The reasons.
var (
	affinityText     = []string{"node(s) didn't match pod affinity rules"}
	AntiAffinityText = []string{"node(s) didn't match pod anti-affinity rules"}
	ExistingAntiText = []string{"node(s) didn't satisfy existing pods anti-affinity rules"}
)

// InterPodFilter is InterPodAffinity.
var InterPodFilter = descriptor{
	Name: filter.InterPodAffinity,
	begin: func(q *Question) PodFilter {
		if ip := newInterPod(q.Snap, q.Pod); ip != nil {
			return ip
		}
		return nil
	},
}

// InterPod counts, at the start of the attempt, the pods that the preemptor's
// terms pick and the pods whose anti-affinity picks the preemptor (group 7.13;
// InterPodAffinity PreFilter).
type InterPod struct {
	Snap *state.Snapshot
	Pod  *outrank.Pod
	// Affinity and AntiAffinity are the preemptor's terms. affinityCounts and
	// antiAffinityCounts are the indexes of their counts.
	Affinity, antiAffinity             []state.Term
	affinityCounts, antiAffinityCounts []int
	// selfMatches is set if the preemptor matches its own affinity terms.
	selfMatches bool
	// Counts are the pods by topology domain, for each relation and each
	// topology key that the relation needs. occupied is the number of domains
	// with a count above 0.
	Counts   [numRelations][]domainCounts
	occupied [numRelations]int
	// Parts says what pods of a class count for. Most classes are not in it.
	Parts classParts
	// touched marks the slots of nodes with pods that count.
	touched []bool
}

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
func (ip *InterPod) Touches(n *state.NodeState) bool { return ip.touched[n.Slot] }

// OnNode returns the filter for one worker; see [PodFilter].
func (ip *InterPod) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*InterPodOnNode)
	if !ok {
		n = &InterPodOnNode{}
	}
	n.InterPod = ip
	return n
}

// domainCounts are numbers of pods by domain of a topology key.
type domainCounts struct {
	key string
	*state.Partition
	pods []int
}

// newInterPod returns nil if the filter has nothing to say: the preemptor has
// no terms, and no pod's anti-affinity picks it. That holds for the whole
// attempt, also for nominated pods (rules 7.13.15 and 7.13.16).
func newInterPod(snap *state.Snapshot, pod *outrank.Pod) *InterPod {
	if len(pod.Affinity.PodAffinity)+len(pod.Affinity.PodAntiAffinity)+snap.Classes.AntiAffinity == 0 {
		return nil
	}
	ip := &InterPod{
		Snap: snap, Pod: pod, touched: make([]bool, len(snap.NodeStates)),
		Affinity: state.TermsOf(pod, pod.Affinity.PodAffinity), antiAffinity: state.TermsOf(pod, pod.Affinity.PodAntiAffinity),
	}
	for _, terms := range [...][]state.Term{ip.Affinity, ip.antiAffinity} {
		for i := range terms {
			terms[i].OfIncoming(snap.Rules)
		}
	}
	for i := range ip.Affinity {
		ip.affinityCounts = append(ip.affinityCounts, ip.countsBy(AffinityMatch, ip.Affinity[i].Key))
	}
	for i := range ip.antiAffinity {
		ip.antiAffinityCounts = append(ip.antiAffinityCounts, ip.countsBy(AntiAffinityMatch, ip.antiAffinity[i].Key))
	}
	ip.count()
	if len(ip.Affinity)+len(ip.antiAffinity)+ip.occupied[existingAntiAffinity] == 0 {
		return nil
	}
	ip.selfMatches = ip.MatchesAffinity(pod.NamespaceName(), pod.Labels)
	return ip
}

// countsBy returns the index of a relation's counts for a topology key. It adds
// them if there are none.
func (ip *InterPod) countsBy(r Relation, key string) int {
	for i := range ip.Counts[r] {
		if ip.Counts[r][i].key == key {
			return i
		}
	}
	p := ip.Snap.Partition(key)
	ip.Counts[r] = append(ip.Counts[r], domainCounts{key, p, make([]int, p.Domains)})
	return len(ip.Counts[r]) - 1
}

// count asks about each pod class once, and counts the pods of the class by
// node.
func (ip *InterPod) count() {
	ip.Snap.Classes.Each(func(_ string, m *state.ClassMembers) {
		parts := ip.partsOf(m.Class)
		if len(parts) == 0 {
			return
		}
		ip.Parts.set(m.Class, parts)
		for slot, pods := range m.Nodes {
			ip.touched[slot] = true
			for _, p := range parts {
				c := &ip.Counts[p.Relation][p.Index]
				if id := c.Of(slot); id != state.NoDomain {
					c.pods[id] += int(pods)
				}
			}
		}
	})
	for r := range ip.Counts {
		for _, c := range ip.Counts[r] {
			for _, pods := range c.pods {
				ip.occupied[r] += min(pods, 1)
			}
		}
	}
}

// PartsOf lists the counts that pods of a class belong in, once for every term.
func (ip *InterPod) partsOf(k *state.PodClass) []ClassPart {
	var parts []ClassPart
	if ip.MatchesAffinity(k.Namespace, k.Labels) {
		for _, in := range ip.affinityCounts {
			parts = append(parts, ClassPart{AffinityMatch, in})
		}
	}
	for i := range ip.antiAffinity {
		if ip.Picks(&ip.antiAffinity[i], k.Namespace, k.Labels) {
			parts = append(parts, ClassPart{AntiAffinityMatch, ip.antiAffinityCounts[i]})
		}
	}
	if len(k.AntiAffinity) == 0 {
		return parts
	}
	namespace := ip.Pod.NamespaceName()
	for i := range k.AntiAffinity {
		// A namespace that is not listed counts as one without labels here.
		if k.AntiAffinity[i].Matches(namespace, ip.Pod.Labels, ip.Snap.NamespaceLabels(namespace), true) {
			parts = append(parts, ClassPart{existingAntiAffinity, ip.countsBy(existingAntiAffinity, k.AntiAffinity[i].Key)})
		}
	}
	return parts
}

// MatchesAffinity reports whether a pod matches all affinity terms of the
// preemptor.
func (ip *InterPod) MatchesAffinity(namespace string, labels map[string]string) bool {
	for i := range ip.Affinity {
		if !ip.Picks(&ip.Affinity[i], namespace, labels) {
			return false
		}
	}
	return len(ip.Affinity) > 0
}

// Picks asks one of the preemptor's own terms. The term's namespace selector
// picks among the namespaces that the snapshot knows.
func (ip *InterPod) Picks(t *state.Term, namespace string, labels map[string]string) bool {
	return t.Matches(namespace, labels, ip.Snap.NamespaceLabels(namespace), ip.Snap.HasNamespace(namespace))
}

// InterPodOnNode is the filter on one node. Only the domains of that node can
// change, one for each topology key. The changes are kept apart from the shared
// counts.
type InterPodOnNode struct {
	*InterPod
	slot int32
	// changes are by relation and topology key.
	changes [numRelations][]int
	// far has, by topology key, the changes of AffinityMatch in other domains.
	far []map[int32]int
}

// Enter begins with a node; see [NodeFilter].
func (n *InterPodOnNode) Enter(on *state.NodeState) {
	n.slot = on.Slot
	for r := range n.changes {
		n.changes[r] = state.Fill(n.changes[r], len(n.Counts[r]), 0)
	}
	n.far = n.far[:0]
}

// ChangeFar counts a pod of another node that is taken away or put back.
func (n *InterPodOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range n.Parts.Of(p.Class) {
		c := &n.Counts[part.Relation][part.Index]
		switch id := c.Of(on.Slot); {
		case id == state.NoDomain:
		case id == c.Of(n.slot):
			n.changes[part.Relation][part.Index] += by
		case part.Relation == AffinityMatch:
			n.far = changeDomain(n.far, part.Index, id, by)
		}
	}
}

// changeDomain changes the count of a domain in the list of an index.
func changeDomain(lists []map[int32]int, index int, id int32, by int) []map[int32]int {
	for len(lists) <= index {
		lists = append(lists, map[int32]int{})
	}
	lists[index][id] += by
	return lists
}

// Change counts a pod that is added or removed.
func (n *InterPodOnNode) Change(p *state.PodState, by int) {
	for _, part := range n.Parts.Of(p.Class) {
		n.changes[part.Relation][part.Index] += by
	}
}

// Follow is asked about classes that the attempt did not find at its begin, too.
func (n *InterPodOnNode) Follow(p *state.PodState, at *state.NodeState, by int) {
	parts, known := n.Parts.find(p.Class)
	if !known {
		parts = n.partsOf(p.Class)
		n.Parts.set(p.Class, parts)
	}
	for _, part := range parts {
		c := &n.Counts[part.Relation][part.Index]
		id := c.Of(at.Slot)
		if id == state.NoDomain {
			continue
		}
		before := min(c.pods[id], 1)
		c.pods[id] += by
		n.occupied[part.Relation] += min(c.pods[id], 1) - before
	}
}

// current returns the count for a relation and topology key in the present
// state of the dry run. It is not ok if the node lacks the key.
func (n *InterPodOnNode) current(r Relation, in int) (pods int, ok bool) {
	c := &n.Counts[r][in]
	id := c.Of(n.slot)
	if id == state.NoDomain {
		return 0, false
	}
	return c.pods[id] + n.changes[r][in], true
}

// Check asks about the node; see [NodeFilter].
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
func (n *InterPodOnNode) Release() { n.InterPod = nil }

// ask checks the three rules in the order of rule 7.13.1.
func (n *InterPodOnNode) ask() Status {
	switch {
	case !n.affinityHolds():
		return Status{Code: decision.UnschedulableAndUnresolvable, Text: affinityText}
	case n.anyInDomain(AntiAffinityMatch):
		return Status{Code: decision.Unschedulable, Text: AntiAffinityText}
	case n.anyInDomain(existingAntiAffinity):
		return Status{Code: decision.Unschedulable, Text: ExistingAntiText}
	}
	return Status{}
}

// affinityHolds reports whether the preemptor's affinity is met: for every term
// the node has the topology key and a matching pod is in the domain, or no pod
// anywhere matches and the preemptor is the first of a group that matches its
// own terms (rule 7.13.6).
func (n *InterPodOnNode) affinityHolds() bool {
	found := true
	for in := range n.Counts[AffinityMatch] {
		pods, ok := n.current(AffinityMatch, in)
		if !ok {
			return false
		}
		found = found && pods > 0
	}
	return found || n.selfMatches && n.noMatchAnywhere()
}

// noMatchAnywhere reports whether no pod in the cluster matches the affinity
// terms, in the present state of the dry run.
func (n *InterPodOnNode) noMatchAnywhere() bool {
	there := n.occupied[AffinityMatch]
	for in, by := range n.changes[AffinityMatch] {
		c := &n.Counts[AffinityMatch][in]
		id := c.Of(n.slot)
		if by == 0 || id == state.NoDomain {
			continue
		}
		before := c.pods[id]
		if before != 0 && before+by == 0 {
			there--
		}
		if before == 0 {
			there++
		}
	}
	for in, domains := range n.far {
		for id, by := range domains {
			if before := n.Counts[AffinityMatch][in].pods[id]; by != 0 && before != 0 && before+by == 0 {
				there--
			}
		}
	}
	return there == 0
}

// anyInDomain reports whether a pod that counts for a relation is in a domain
// of the node. A term whose topology key the node lacks is ignored.
func (n *InterPodOnNode) anyInDomain(r Relation) bool {
	for in := range n.Counts[r] {
		if pods, _ := n.current(r, in); pods > 0 {
			return true
		}
	}
	return false
}
