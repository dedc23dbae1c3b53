package explain

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// nameLabels finds the requirements that the node does not meet: those of the pod's node selector, of its node
// affinity, and of the node affinity that the configuration adds.
func (f *finder) nameLabels(o *Obstacle, at *place) {
	for _, key := range slices.Sorted(maps.Keys(f.pod.NodeSelector)) {
		r := outrank.NodeRequirement{Key: key, Operator: outrank.In, Values: []string{f.pod.NodeSelector[key]}}
		if got, ok := at.node.Labels[key]; !ok || got != r.Values[0] {
			o.Labels = append(o.Labels, labelOf(&r, at.node))
		}
	}
	o.Terms = append(f.unmetTerms(f.pod.Affinity.NodeAffinity, at.node, false),
		f.unmetTerms(f.config.Profile.AddedAffinity, at.node, true)...)
}

// unmetTerms returns all terms of a selector that does not match the node, and nil if it matches. A selector without
// terms matches nothing; it is represented by one empty term. added is set for the configuration's selector.
func (f *finder) unmetTerms(s *outrank.NodeSelector, node *outrank.Node, added bool) []Term {
	if s == nil || slices.ContainsFunc(s.NodeSelectorTerms, func(t outrank.NodeSelectorTerm) bool { return fit.MatchesTerm(t, node) }) {
		return nil
	}
	if len(s.NodeSelectorTerms) == 0 {
		return []Term{{Unmet: []Label{}, Added: added}}
	}
	out := make([]Term, len(s.NodeSelectorTerms))
	for i := range s.NodeSelectorTerms {
		out[i] = Term{Unmet: unmetOf(&s.NodeSelectorTerms[i], node), Added: added}
	}
	return out
}

// unmetOf returns the requirements of a term that a node does not meet. If the node meets each of them separately, it
// is not known which one makes the term fail, and all are returned.
func unmetOf(t *outrank.NodeSelectorTerm, node *outrank.Node) []Label {
	// Each requirement is checked as a term of its own.
	unmet, all := []Label{}, []Label{}
	add := func(r *outrank.NodeRequirement, alone outrank.NodeSelectorTerm) {
		l := labelOf(r, node)
		if all = append(all, l); !fit.MatchesTerm(alone, node) {
			unmet = append(unmet, l)
		}
	}

	for i := range t.MatchExpressions {
		add(&t.MatchExpressions[i], outrank.NodeSelectorTerm{MatchExpressions: t.MatchExpressions[i : i+1]})
	}
	for i := range t.MatchFields {
		add(&t.MatchFields[i], outrank.NodeSelectorTerm{MatchFields: t.MatchFields[i : i+1]})
	}

	if len(unmet) == 0 {
		return all
	}
	return unmet
}

// labelOf returns a requirement with the node's value of the label. The result shares no memory with either.
func labelOf(r *outrank.NodeRequirement, node *outrank.Node) Label {
	l := Label{NodeRequirement: outrank.NodeRequirement{Key: r.Key, Operator: r.Operator, Values: slices.Clone(r.Values)}}
	if r.Key == outrank.FieldName {
		name := node.Name
		l.Have = &name
		return l
	}
	if have, ok := node.Labels[r.Key]; ok {
		l.Have = &have
	}
	return l
}

// namedNodes returns the names of the only nodes that the pod's node affinity allows (rule 7.15.1), sorted.
func namedNodes(pod *outrank.Pod) []string {
	names, _ := fit.NamedNodes(pod)
	return slices.Sorted(maps.Keys(names))
}
