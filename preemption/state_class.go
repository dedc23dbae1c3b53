package preemption

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// kind is what pods have in common that no selector and no budget tells apart:
// the replicas of one deployment, mostly. So a selector is asked once per kind
// and not once per pod. A kind never changes; snapshots share it.
type podClass struct {
	key       string // of everything below
	namespace string
	labels    map[string]string
	// repels are the required anti-affinity terms of these pods.
	antiAffinity []term
	// terminating pods are not counted when a spread is worked out.
	terminating bool
	// bit is one of 64, for masks of kinds.
	bit uint64
	// covering are the budgets that cover these pods, by index.
	covering []int32
}

// members is how many pods of a kind run on each node, by slot. It is written
// by the snapshot that owns it, and copied by any other.
type classMembers struct {
	owner *owner
	class *podClass
	nodes map[int32]int32
	// pods counts all pods of the kind, pending ones included.
	pods int
}

// kindOf finds the kind of a pod, or makes it.
func (s *Snapshot) classOf(p *outrank.Pod) *podClass {
	key := classKey(p)
	if m, ok := s.classes.get(string(key)); ok {
		return m.class
	}
	return &podClass{
		key: string(key), namespace: p.NamespaceName(), labels: p.Labels,
		antiAffinity: termsOf(p, p.Affinity.AntiPods),
		terminating:  p.Terminating(), bit: bitOf(key),
		covering: s.budgets.matcher.AppendCovering(nil, p),
	}
}

// bitOf picks a bit at random, the same for the same key.
func bitOf(key []byte) uint64 {
	h := fnv.New32a()
	h.Write(key)
	return 1 << (h.Sum32() % 64)
}

// with gives the kind with other budgets.
func (k *podClass) with(set *budgetSet) *podClass {
	other := *k
	other.covering = set.matcher.AppendCovering(nil, &outrank.Pod{Name: "-", Namespace: k.namespace, Labels: k.labels})
	return &other
}

// join counts a pod in, leave counts it out.
func (s *Snapshot) join(p *podState) {
	m := s.membersOf(p.class)
	m.class = p.class // other budgets may cover it now
	if m.pods++; m.pods == 1 && len(p.class.antiAffinity) > 0 {
		s.antiAffine++
	}
	if p.running {
		slot, _ := s.slots.get(p.at.name)
		m.nodes[slot]++
	}
}

func (s *Snapshot) leave(p *podState) {
	m := s.membersOf(p.class)
	if p.running {
		slot, _ := s.slots.get(p.at.name)
		if m.nodes[slot]--; m.nodes[slot] == 0 {
			delete(m.nodes, slot)
		}
	}
	if m.pods--; m.pods == 0 {
		s.classes.remove(p.class.key)
		if len(p.class.antiAffinity) > 0 {
			s.antiAffine--
		}
	}
}

// membersOf finds or makes the members of a kind for changing them.
func (s *Snapshot) membersOf(k *podClass) *classMembers {
	m, ok := s.classes.get(k.key)
	switch {
	case !ok:
		m = &classMembers{owner: s.owner, class: k, nodes: map[int32]int32{}}
	case m.owner != s.owner:
		m = &classMembers{owner: s.owner, class: k, nodes: maps.Clone(m.nodes), pods: m.pods}
	default:
		return m
	}
	s.classes.set(k.key, m)
	return m
}

// kindKey writes down all that makes a kind, each text after its length, so
// that no two kinds share a key.
func classKey(p *outrank.Pod) []byte {
	b := keyWriter(make([]byte, 0, 128))
	b.text(p.NamespaceName())
	b.labels(p.Labels)
	b.flag(p.Terminating())
	for i := range p.Affinity.AntiPods {
		t := &p.Affinity.AntiPods[i]
		b.text(t.TopologyKey)
		b.selector(t.Selector)
		b.texts(t.Namespaces)
		b.selector(t.NamespaceSelector)
		b.texts(t.MatchLabelKeys)
		b.texts(t.MismatchLabelKeys)
	}
	return b
}

type keyWriter []byte

func (b *keyWriter) number(n int) { *b = binary.AppendUvarint(*b, uint64(n)) }

func (b *keyWriter) text(s string) {
	b.number(len(s))
	*b = append(*b, s...)
}

func (b *keyWriter) texts(ss []string) {
	b.number(len(ss))
	for _, s := range ss {
		b.text(s)
	}
}

func (b *keyWriter) flag(v bool) {
	if v {
		b.number(1)
	} else {
		b.number(0)
	}
}

func (b *keyWriter) labels(m map[string]string) {
	var space [16]string
	keys := space[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b.number(len(keys))
	for _, k := range keys {
		b.text(k)
		b.text(m[k])
	}
}

func (b *keyWriter) selector(s *outrank.LabelSelector) {
	b.flag(s != nil)
	if s == nil {
		return
	}
	b.labels(s.Labels)
	b.number(len(s.Expressions))
	for i := range s.Expressions {
		e := &s.Expressions[i]
		b.text(e.Key)
		b.text(string(e.Operator))
		b.texts(e.Values)
	}
}
