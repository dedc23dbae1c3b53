package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

var (
	affinityText     = []string{"node(s) didn't match pod affinity rules"}
	antiAffinityText = []string{"node(s) didn't match pod anti-affinity rules"}
	existingAntiText = []string{"node(s) didn't satisfy existing pods anti-affinity rules"}
)

var interPodFilter = descriptor{
	name: filter.InterPodAffinity,
	begin: func(q *question) podFilter {
		if ip := newInterPod(q.snap, q.pod); ip != nil {
			return ip
		}
		return nil
	},
}

// interPod counts, at the start of the attempt, the pods that the preemptor's
// terms pick and the pods whose anti-affinity picks the preemptor (group 7.13;
// InterPodAffinity PreFilter).
type interPod struct {
	snap *state.Snapshot
	pod  *outrank.Pod
	// affinity and AntiAffinity are the preemptor's terms. affinityCounts and
	// antiAffinityCounts are the indexes of their counts.
	affinity, antiAffinity             []state.Term
	affinityCounts, antiAffinityCounts []int
	// selfMatches: the preemptor matches its own affinity terms.
	selfMatches bool
	// counts are the pods by topology domain, for each relation and each
	// topology key that the relation needs. occupied is the number of domains
	// with a count above 0.
	counts   [numRelations][]domainCounts
	occupied [numRelations]int
	// parts says what pods of a class count for. Most classes are not in it.
	parts classParts
	// touched marks the slots of nodes with pods that count.
	touched []bool
}

func (ip *interPod) touches(n *state.NodeState) bool { return ip.touched[n.Slot] }

func (ip *interPod) onNode(earlier nodeFilter) nodeFilter {
	n, ok := earlier.(*interPodOnNode)
	if !ok {
		n = &interPodOnNode{}
	}
	n.interPod = ip
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
func newInterPod(snap *state.Snapshot, pod *outrank.Pod) *interPod {
	if len(pod.Affinity.Pods)+len(pod.Affinity.AntiPods)+snap.AntiAffinityClasses == 0 {
		return nil
	}
	ip := &interPod{
		snap: snap, pod: pod, touched: make([]bool, len(snap.NodeStates)),
		affinity: state.TermsOf(pod, pod.Affinity.Pods), antiAffinity: state.TermsOf(pod, pod.Affinity.AntiPods),
	}
	for _, terms := range [...][]state.Term{ip.affinity, ip.antiAffinity} {
		for i := range terms {
			terms[i].OfIncoming(snap.Rules)
		}
	}
	for i := range ip.affinity {
		ip.affinityCounts = append(ip.affinityCounts, ip.countsBy(affinityMatch, ip.affinity[i].Key))
	}
	for i := range ip.antiAffinity {
		ip.antiAffinityCounts = append(ip.antiAffinityCounts, ip.countsBy(antiAffinityMatch, ip.antiAffinity[i].Key))
	}
	ip.count()
	if len(ip.affinity)+len(ip.antiAffinity)+ip.occupied[existingAntiAffinity] == 0 {
		return nil
	}
	ip.selfMatches = ip.matchesAffinity(pod.NamespaceName(), pod.Labels)
	return ip
}

// countsBy returns the index of a relation's counts for a topology key. It adds
// them if there are none.
func (ip *interPod) countsBy(r relation, key string) int {
	for i := range ip.counts[r] {
		if ip.counts[r][i].key == key {
			return i
		}
	}
	p := ip.snap.Partition(key)
	ip.counts[r] = append(ip.counts[r], domainCounts{key, p, make([]int, p.Domains)})
	return len(ip.counts[r]) - 1
}

// count asks about each pod class once, and counts the pods of the class by
// node.
func (ip *interPod) count() {
	ip.snap.Classes.Each(func(_ string, m *state.ClassMembers) {
		parts := ip.partsOf(m.Class)
		if len(parts) == 0 {
			return
		}
		ip.parts.set(m.Class, parts)
		for slot, pods := range m.Nodes {
			ip.touched[slot] = true
			for _, p := range parts {
				c := &ip.counts[p.relation][p.index]
				if id := c.Of(slot); id != state.NoDomain {
					c.pods[id] += int(pods)
				}
			}
		}
	})
	for r := range ip.counts {
		for _, c := range ip.counts[r] {
			for _, pods := range c.pods {
				ip.occupied[r] += min(pods, 1)
			}
		}
	}
}

// partsOf lists the counts that pods of a class belong in, once for every term.
func (ip *interPod) partsOf(k *state.PodClass) []classPart {
	var parts []classPart
	if ip.matchesAffinity(k.Namespace, k.Labels) {
		for _, in := range ip.affinityCounts {
			parts = append(parts, classPart{affinityMatch, in})
		}
	}
	for i := range ip.antiAffinity {
		if ip.picks(&ip.antiAffinity[i], k.Namespace, k.Labels) {
			parts = append(parts, classPart{antiAffinityMatch, ip.antiAffinityCounts[i]})
		}
	}
	if len(k.AntiAffinity) == 0 {
		return parts
	}
	namespace := ip.pod.NamespaceName()
	for i := range k.AntiAffinity {
		// A namespace that is not listed counts as one without labels here.
		if k.AntiAffinity[i].Matches(namespace, ip.pod.Labels, ip.snap.NamespaceLabels(namespace), true) {
			parts = append(parts, classPart{existingAntiAffinity, ip.countsBy(existingAntiAffinity, k.AntiAffinity[i].Key)})
		}
	}
	return parts
}

// matchesAffinity reports whether a pod matches all affinity terms of the
// preemptor.
func (ip *interPod) matchesAffinity(namespace string, labels map[string]string) bool {
	for i := range ip.affinity {
		if !ip.picks(&ip.affinity[i], namespace, labels) {
			return false
		}
	}
	return len(ip.affinity) > 0
}

// picks asks one of the preemptor's own terms. The term's namespace selector
// picks among the namespaces that the snapshot knows.
func (ip *interPod) picks(t *state.Term, namespace string, labels map[string]string) bool {
	_, known := ip.snap.NamespacesByName.Get(namespace)
	return t.Matches(namespace, labels, ip.snap.NamespaceLabels(namespace), known)
}

// interPodOnNode is the filter on one node. Only the domains of that node can
// change, one for each topology key. The changes are kept apart from the shared
// counts.
type interPodOnNode struct {
	*interPod
	slot int32
	// changes are by relation and topology key.
	changes [numRelations][]int
	// far has, by topology key, the changes of affinityMatch in other domains.
	far []map[int32]int
}

func (n *interPodOnNode) enter(on *state.NodeState) {
	n.slot = on.Slot
	for r := range n.changes {
		n.changes[r] = state.Fill(n.changes[r], len(n.counts[r]), 0)
	}
	n.far = n.far[:0]
}

// changeFar counts a pod of another node that is taken away or put back.
func (n *interPodOnNode) changeFar(p *state.PodState, on *state.NodeState, by int) {
	for _, part := range n.parts.of(p.Class) {
		c := &n.counts[part.relation][part.index]
		switch id := c.Of(on.Slot); {
		case id == state.NoDomain:
		case id == c.Of(n.slot):
			n.changes[part.relation][part.index] += by
		case part.relation == affinityMatch:
			n.far = changeDomain(n.far, part.index, id, by)
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

// change counts a pod that is added or removed.
func (n *interPodOnNode) change(p *state.PodState, by int) {
	for _, part := range n.parts.of(p.Class) {
		n.changes[part.relation][part.index] += by
	}
}

// follow is asked about classes that the attempt did not find at its begin, too.
func (n *interPodOnNode) follow(p *state.PodState, at *state.NodeState, by int) {
	parts, known := n.parts.find(p.Class)
	if !known {
		parts = n.partsOf(p.Class)
		n.parts.set(p.Class, parts)
	}
	for _, part := range parts {
		c := &n.counts[part.relation][part.index]
		id := c.Of(at.Slot)
		if id == state.NoDomain {
			continue
		}
		before := min(c.pods[id], 1)
		c.pods[id] += by
		n.occupied[part.relation] += min(c.pods[id], 1) - before
	}
}

// current returns the count for a relation and topology key in the present
// state of the dry run. It is not ok if the node lacks the key.
func (n *interPodOnNode) current(r relation, in int) (pods int, ok bool) {
	c := &n.counts[r][in]
	id := c.Of(n.slot)
	if id == state.NoDomain {
		return 0, false
	}
	return c.pods[id] + n.changes[r][in], true
}

func (n *interPodOnNode) check(nominated []*state.PodState) filterStatus {
	for _, p := range nominated {
		n.change(p, 1)
	}
	st := n.ask()
	for _, p := range nominated {
		n.change(p, -1)
	}
	return st
}

func (n *interPodOnNode) release() { n.interPod = nil }

// ask checks the three rules in the order of rule 7.13.1.
func (n *interPodOnNode) ask() filterStatus {
	switch {
	case !n.affinityHolds():
		return filterStatus{code: decision.UnschedulableAndUnresolvable, text: affinityText}
	case n.anyInDomain(antiAffinityMatch):
		return filterStatus{code: decision.Unschedulable, text: antiAffinityText}
	case n.anyInDomain(existingAntiAffinity):
		return filterStatus{code: decision.Unschedulable, text: existingAntiText}
	}
	return filterStatus{}
}

// affinityHolds reports whether the preemptor's affinity is met: for every term
// the node has the topology key and a matching pod is in the domain, or no pod
// anywhere matches and the preemptor is the first of a group that matches its
// own terms (rule 7.13.6).
func (n *interPodOnNode) affinityHolds() bool {
	found := true
	for in := range n.counts[affinityMatch] {
		pods, ok := n.current(affinityMatch, in)
		if !ok {
			return false
		}
		found = found && pods > 0
	}
	return found || n.selfMatches && n.noMatchAnywhere()
}

// noMatchAnywhere reports whether no pod in the cluster matches the affinity
// terms, in the present state of the dry run.
func (n *interPodOnNode) noMatchAnywhere() bool {
	there := n.occupied[affinityMatch]
	for in, by := range n.changes[affinityMatch] {
		c := &n.counts[affinityMatch][in]
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
			if before := n.counts[affinityMatch][in].pods[id]; by != 0 && before != 0 && before+by == 0 {
				there--
			}
		}
	}
	return there == 0
}

// anyInDomain reports whether a pod that counts for a relation is in a domain
// of the node. A term whose topology key the node lacks is ignored.
func (n *interPodOnNode) anyInDomain(r relation) bool {
	for in := range n.counts[r] {
		if pods, _ := n.current(r, in); pods > 0 {
			return true
		}
	}
	return false
}
