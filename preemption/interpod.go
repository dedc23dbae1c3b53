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
	// near are the preemptor's affinity terms, far its anti-affinity terms.
	near, far []term
	// selfNear: the preemptor matches its own affinity terms.
	selfNear bool
	// counts of pods by topology domain, one for each relation.
	counts [relations]domains
	// parts says what pods of a kind count for; most kinds are not in it.
	parts map[*kind][]part
	// repellingKeys are the topology keys of the anti-affinity against the
	// preemptor, whether its pods run or are nominated.
	repellingKeys []string
}

// part is a count that pods of a kind belong in, in the domains of a topology
// key.
type part struct {
	relation
	key string
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

// domains counts by topology key and value; nothing is kept of a 0.
type domains map[domain]int

type domain struct{ key, value string }

func (d domains) add(at domain, by int) {
	if d[at] += by; d[at] == 0 {
		delete(d, at)
	}
}

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
		parts: map[*kind][]part{},
	}
	for r := range ip.counts {
		ip.counts[r] = domains{}
	}
	ip.count()
	if len(ip.near)+len(ip.far)+len(ip.counts[repelling]) == 0 {
		return nil
	}
	ip.selfNear = ip.matchesNear(pod.NamespaceName(), pod.Labels)
	return ip
}

// count asks each kind of pod once, and counts its pods where they are.
func (ip *interPod) count() {
	ip.snap.kinds.each(func(_ string, m *members) {
		parts := ip.partsOf(m.kind)
		if len(parts) == 0 {
			return
		}
		ip.parts[m.kind] = parts
		ip.noteKeys(parts)
		for slot, pods := range m.nodes {
			n := ip.snap.nodes[slot].node
			if n == nil {
				continue // pods of a node that is not there
			}
			for _, p := range parts {
				if value, ok := n.Labels[p.key]; ok {
					ip.counts[p.relation].add(domain{p.key, value}, int(pods))
				}
			}
		}
	})
}

func (ip *interPod) noteKeys(parts []part) {
	for _, p := range parts {
		if p.relation == repelling && !slices.Contains(ip.repellingKeys, p.key) {
			ip.repellingKeys = append(ip.repellingKeys, p.key)
		}
	}
}

// partsOf lists the counts that pods of a kind belong in, once for every term.
func (ip *interPod) partsOf(k *kind) []part {
	var parts []part
	if ip.matchesNear(k.namespace, k.labels) {
		for i := range ip.near {
			parts = append(parts, part{nearby, ip.near[i].key})
		}
	}
	for i := range ip.far {
		if ip.picks(&ip.far[i], k.namespace, k.labels) {
			parts = append(parts, part{opposed, ip.far[i].key})
		}
	}
	if len(k.repels) == 0 {
		return parts
	}
	namespace := ip.pod.NamespaceName()
	for i := range k.repels {
		// A namespace that is not listed counts as one without labels here.
		if k.repels[i].matches(namespace, ip.pod.Labels, ip.snap.namespaces[namespace], true) {
			parts = append(parts, part{repelling, k.repels[i].key})
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
// domains that the node is in can change; what changed is kept apart.
type interPodNode struct {
	*interPod
	node    *outrank.Node
	changes [relations]domains
}

func (n *interPodNode) enter(state *nodeState) {
	if n.interPod == nil {
		return
	}
	n.node = state.node
	for r := range n.changes {
		if n.changes[r] == nil {
			n.changes[r] = domains{}
		}
		clear(n.changes[r])
	}
}

// change counts a pod that comes or goes.
func (n *interPodNode) change(p *podState, by int) {
	if n.interPod == nil {
		return
	}
	for _, part := range n.parts[p.kind] {
		if value, ok := n.node.Labels[part.key]; ok {
			n.changes[part.relation].add(domain{part.key, value}, by)
		}
	}
}

// now is the count as the dry run stands.
func (n *interPodNode) now(r relation, at domain) int {
	return n.counts[r][at] + n.changes[r][at]
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
	case n.meetsOpposed():
		return status{code: Unschedulable, by: byInterPod, text: antiAffinityText}
	case n.isRepelled():
		return status{code: Unschedulable, by: byInterPod, text: existingAntiText}
	}
	return status{}
}

// hasNeighbours: every affinity term has its topology key on the node and a
// matching pod in the domain; or no pod anywhere matches, and the preemptor is
// the first of a group that matches its own terms.
func (n *interPodNode) hasNeighbours() bool {
	found := true
	for i := range n.near {
		key := n.near[i].key
		value, ok := n.node.Labels[key]
		if !ok {
			return false
		}
		found = found && n.now(nearby, domain{key, value}) > 0
	}
	return found || n.selfNear && n.nobodyNear()
}

// nobodyNear asks whether any pod anywhere matches the affinity terms, as the
// dry run stands.
func (n *interPodNode) nobodyNear() bool {
	there := len(n.counts[nearby])
	for at, by := range n.changes[nearby] {
		before := n.counts[nearby][at]
		if before != 0 && before+by == 0 {
			there--
		}
		if before == 0 && by != 0 {
			there++
		}
	}
	return there == 0
}

// meetsOpposed: a pod in the domain matches an anti-affinity term. A term whose
// topology key the node lacks is ignored.
func (n *interPodNode) meetsOpposed() bool {
	for i := range n.far {
		key := n.far[i].key
		if value, ok := n.node.Labels[key]; ok && n.now(opposed, domain{key, value}) > 0 {
			return true
		}
	}
	return false
}

// isRepelled: a pod in one of the node's domains has anti-affinity against the
// preemptor.
func (n *interPodNode) isRepelled() bool {
	for _, key := range n.repellingKeys {
		if value, ok := n.node.Labels[key]; ok && n.now(repelling, domain{key, value}) > 0 {
			return true
		}
	}
	return false
}
