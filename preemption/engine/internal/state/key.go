package state

import (
	"encoding/binary"
	"slices"

	"github.com/outrank-go/outrank"
)

// KeyWriter builds keys. The same sequence of calls gives equal keys only for equal values: each text is
// preceded by its length and each list by its number of elements, so that no value can pass for another.
type KeyWriter []byte

// Number appends a number.
func (b *KeyWriter) Number(n int) { *b = binary.AppendUvarint(*b, uint64(n)) }

// Amount appends a number that may not fit into an int on a 32-bit machine.
func (b *KeyWriter) Amount(v int64) { *b = binary.AppendUvarint(*b, uint64(v)) }

// Text appends a text with its length.
func (b *KeyWriter) Text(s string) {
	b.Number(len(s))
	*b = append(*b, s...)
}

// Texts appends texts in their order.
func (b *KeyWriter) Texts(ss []string) {
	b.Number(len(ss))
	for _, s := range ss {
		b.Text(s)
	}
}

// Flag appends a truth value.
func (b *KeyWriter) Flag(v bool) {
	if v {
		b.Number(1)
	} else {
		b.Number(0)
	}
}

// Labels appends labels, sorted by key. Up to 16 labels allocate nothing.
func (b *KeyWriter) Labels(m map[string]string) {
	var space [16]string
	keys := space[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)

	b.Number(len(keys))
	for _, k := range keys {
		b.Text(k)
		b.Text(m[k])
	}
}

// Selector appends a label selector, which may be nil.
func (b *KeyWriter) Selector(s *outrank.LabelSelector) {
	b.Flag(s != nil)
	if s == nil {
		return
	}
	b.Labels(s.MatchLabels)
	b.Number(len(s.MatchExpressions))
	for i := range s.MatchExpressions {
		e := &s.MatchExpressions[i]
		b.Text(e.Key)
		b.Text(string(e.Operator))
		b.Texts(e.Values)
	}
}

// Terms appends pod affinity terms.
func (b *KeyWriter) Terms(terms []outrank.PodAffinityTerm) {
	b.Number(len(terms))
	for i := range terms {
		t := &terms[i]
		b.Text(t.TopologyKey)
		b.Selector(t.LabelSelector)
		b.Texts(t.Namespaces)
		b.Selector(t.NamespaceSelector)
		b.Texts(t.MatchLabelKeys)
		b.Texts(t.MismatchLabelKeys)
	}
}

// NodeSelector appends a node selector, which may be nil.
func (b *KeyWriter) NodeSelector(s *outrank.NodeSelector) {
	b.Flag(s != nil)
	if s == nil {
		return
	}
	b.Number(len(s.NodeSelectorTerms))
	for i := range s.NodeSelectorTerms {
		b.requirements(s.NodeSelectorTerms[i].MatchExpressions)
		b.requirements(s.NodeSelectorTerms[i].MatchFields)
	}
}

// requirements appends the requirements of a node selector term.
func (b *KeyWriter) requirements(rs []outrank.NodeRequirement) {
	b.Number(len(rs))
	for i := range rs {
		b.Text(rs[i].Key)
		b.Text(string(rs[i].Operator))
		b.Texts(rs[i].Values)
	}
}

// UsesClaim reports whether a volume uses a claim that other pods may use as well. The claim of an ephemeral
// volume is made with the pod and does not count.
func UsesClaim(v *outrank.Volume) bool { return v.Claim != "" && !v.Ephemeral }

// ClaimKey returns the key of a claim in the namespace of a pod.
func ClaimKey(p *outrank.Pod, claim string) string { return p.NamespaceName() + "/" + claim }
