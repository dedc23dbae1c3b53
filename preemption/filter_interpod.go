package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// term is a pod affinity term, ready for matching.
type term struct {
	key     string // topology key
	matcher outrank.Matcher
	// namespaces are named one by one, selected by their labels, or all.
	namespaces []string
	selector   *outrank.Matcher
	all        bool
}

// termsOf prepares a pod's terms.
func termsOf(p *outrank.Pod, terms []outrank.PodAffinityTerm) []term {
	var out []term
	for i := range terms {
		t := &terms[i]
		prepared := term{
			key:        t.TopologyKey,
			matcher:    folded(t.Selector, p.Labels, t.MatchLabelKeys, t.MismatchLabelKeys),
			namespaces: t.Namespaces,
			all:        t.NamespaceSelector.Empty(),
		}
		if m, err := t.NamespaceSelector.Matcher(); err == nil && t.NamespaceSelector != nil {
			prepared.selector = &m
		}
		if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
			prepared.namespaces = []string{p.NamespaceName()}
		}
		out = append(out, prepared)
	}
	return out
}

// matches reports whether the term picks a pod by its namespace and labels. The
// namespace has the labels in of; known is whether it is there at all.
func (t *term) matches(namespace string, labels, of map[string]string, known bool) bool {
	if !t.matcher.Matches(labels) {
		return false
	}
	return t.all || slices.Contains(t.namespaces, namespace) ||
		known && t.selector != nil && t.selector.Matches(of)
}

// interPod is the filter InterPodAffinity for one preemptor: where pods that
// its terms pick are, and where pods are whose anti-affinity picks it, at the
// start of the attempt (section 5; InterPodAffinity PreFilter). Workers share
// it.
type interPod struct {
	snap *Snapshot
	pod  *outrank.Pod
	// near are the preemptor's affinity terms, far its anti-affinity terms, and
	// nearIn and farIn the counts that they look at.
	near, far     []term
	nearIn, farIn []int
	// selfNear: the preemptor matches its own affinity terms.
	selfNear bool
	// counts of pods by topology domain, for each relation and each topology
	// key that it has to do with; there are where any is not 0.
	counts [relations][]domainCounts
	there  [relations]int
	// parts says what pods of a kind count for; most kinds are not in it.
	parts kindParts
}

// domainCounts are pods by domain of a topology key.
type domainCounts struct {
	key string
	*partition
	pods []int
}

// part is a count that pods of a kind belong in: that of a relation, for the
// topology key of this index.
type part struct {
	relation
	in int
}

// relation is a reason to count a pod.
type relation int

const (
	// nearby: it matches all of the preemptor's affinity terms.
	nearby relation = iota
	// opposed: it matches one of the anti-affinity terms; once per term.
	opposed
	// repelling: one of its own anti-affinity terms picks the preemptor; once
	// per term.
	repelling
	relations
)

// newInterPod is nil where the filter has nothing to say: the preemptor has no
// terms, and no pod's anti-affinity concerns it. That holds for the whole
// attempt, also for nominated pods.
func newInterPod(snap *Snapshot, pod *outrank.Pod) *interPod {
	if len(pod.Affinity.Pods)+len(pod.Affinity.AntiPods)+snap.repelling == 0 {
		return nil
	}
	ip := &interPod{
		snap: snap, pod: pod,
		near: termsOf(pod, pod.Affinity.Pods), far: termsOf(pod, pod.Affinity.AntiPods),
	}
	for i := range ip.near {
		ip.nearIn = append(ip.nearIn, ip.countsBy(nearby, ip.near[i].key))
	}
	for i := range ip.far {
		ip.farIn = append(ip.farIn, ip.countsBy(opposed, ip.far[i].key))
	}
	ip.count()
	if len(ip.near)+len(ip.far)+ip.there[repelling] == 0 {
		return nil
	}
	ip.selfNear = ip.matchesNear(pod.NamespaceName(), pod.Labels)
	return ip
}

// countsBy finds the index of a relation's counts for a topology key, or makes
// them.
func (ip *interPod) countsBy(r relation, key string) int {
	for i := range ip.counts[r] {
		if ip.counts[r][i].key == key {
			return i
		}
	}
	p := ip.snap.partition(key)
	ip.counts[r] = append(ip.counts[r], domainCounts{key, p, make([]int, p.domains)})
	return len(ip.counts[r]) - 1
}

// count asks each kind of pod once, and counts its pods where they are.
func (ip *interPod) count() {
	ip.snap.kinds.each(func(_ string, m *members) {
		parts := ip.partsOf(m.kind)
		if len(parts) == 0 {
			return
		}
		ip.parts.set(m.kind, parts)
		for slot, pods := range m.nodes {
			for _, p := range parts {
				c := &ip.counts[p.relation][p.in]
				if id := c.of(slot); id != noDomain {
					c.pods[id] += int(pods)
				}
			}
		}
	})
	for r := range ip.counts {
		for _, c := range ip.counts[r] {
			for _, pods := range c.pods {
				ip.there[r] += min(pods, 1)
			}
		}
	}
}

// partsOf lists the counts that pods of a kind belong in, once for every term.
func (ip *interPod) partsOf(k *kind) []part {
	var parts []part
	if ip.matchesNear(k.namespace, k.labels) {
		for _, in := range ip.nearIn {
			parts = append(parts, part{nearby, in})
		}
	}
	for i := range ip.far {
		if ip.picks(&ip.far[i], k.namespace, k.labels) {
			parts = append(parts, part{opposed, ip.farIn[i]})
		}
	}
	if len(k.repels) == 0 {
		return parts
	}
	namespace := ip.pod.NamespaceName()
	for i := range k.repels {
		// A namespace that is not listed counts as one without labels here.
		if k.repels[i].matches(namespace, ip.pod.Labels, ip.snap.namespaces[namespace], true) {
			parts = append(parts, part{repelling, ip.countsBy(repelling, k.repels[i].key)})
		}
	}
	return parts
}

// matchesNear reports whether a pod matches all affinity terms.
func (ip *interPod) matchesNear(namespace string, labels map[string]string) bool {
	for i := range ip.near {
		if !ip.picks(&ip.near[i], namespace, labels) {
			return false
		}
	}
	return len(ip.near) > 0
}

// picks asks one of the preemptor's own terms. Its namespace selector picks
// among the namespaces that there are.
func (ip *interPod) picks(t *term, namespace string, labels map[string]string) bool {
	of, known := ip.snap.namespaces[namespace]
	return t.matches(namespace, labels, of, known)
}

// interPodNode is the filter on one node, during a dry run there. Only the
// domains that the node is in can change, one for each topology key; what
// changed is kept apart.
type interPodNode struct {
	*interPod
	slot    int32
	changes [relations][]int // by topology key
}

func (n *interPodNode) enter(state *nodeState) {
	if n.interPod == nil {
		return
	}
	n.slot = state.slot
	for r := range n.changes {
		n.changes[r] = fill(n.changes[r], len(n.counts[r]), 0)
	}
}

// change counts a pod that comes or goes.
func (n *interPodNode) change(p *podState, by int) {
	if n.interPod == nil {
		return
	}
	for _, part := range n.parts.of(p.kind) {
		n.changes[part.relation][part.in] += by
	}
}

// now is the count of a relation's topology key as the dry run stands; not ok
// where the node lacks the key.
func (n *interPodNode) now(r relation, in int) (pods int, ok bool) {
	c := &n.counts[r][in]
	id := c.of(n.slot)
	if id == noDomain {
		return 0, false
	}
	return c.pods[id] + n.changes[r][in], true
}

func (n *interPodNode) check(nominated []*podState) status {
	if n.interPod == nil {
		return status{}
	}
	for _, p := range nominated {
		n.change(p, 1)
	}
	st := n.ask()
	for _, p := range nominated {
		n.change(p, -1)
	}
	return st
}

// ask checks the three rules in the reference's order.
func (n *interPodNode) ask() status {
	switch {
	case !n.hasNeighbours():
		return status{code: UnschedulableAndUnresolvable, by: byInterPod, text: affinityText}
	case n.meets(opposed):
		return status{code: Unschedulable, by: byInterPod, text: antiAffinityText}
	case n.meets(repelling):
		return status{code: Unschedulable, by: byInterPod, text: existingAntiText}
	}
	return status{}
}

// hasNeighbours: every affinity term has its topology key on the node and a
// matching pod in the domain; or no pod anywhere matches, and the preemptor is
// the first of a group that matches its own terms.
func (n *interPodNode) hasNeighbours() bool {
	found := true
	for in := range n.counts[nearby] {
		pods, ok := n.now(nearby, in)
		if !ok {
			return false
		}
		found = found && pods > 0
	}
	return found || n.selfNear && n.nobodyNear()
}

// nobodyNear asks whether any pod anywhere matches the affinity terms, as the
// dry run stands.
func (n *interPodNode) nobodyNear() bool {
	there := n.there[nearby]
	for in, by := range n.changes[nearby] {
		c := &n.counts[nearby][in]
		id := c.of(n.slot)
		if by == 0 || id == noDomain {
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
	return there == 0
}

// meets: there is a pod of a relation in a domain of the node: one that an
// anti-affinity term of the preemptor picks, or one with such a term against
// it. A term whose topology key the node lacks is ignored.
func (n *interPodNode) meets(r relation) bool {
	for in := range n.counts[r] {
		if pods, _ := n.now(r, in); pods > 0 {
			return true
		}
	}
	return false
}
