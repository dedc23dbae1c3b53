package explain

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// nameLabels finds the demands of the pod's node selector and affinity that the node does
// not meet, and those of the configuration.
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

// unmetTerms returns the terms of a selector that does not match the node; nil for one
// that does. A selector without terms, which matches nothing, is told as one empty term.
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

// unmetOf returns the demands of a term that a node does not meet. Where each is met by
// itself and the term is not, one of them says something that no node could meet, and all
// are returned.
func unmetOf(t *outrank.NodeSelectorTerm, node *outrank.Node) []Label {
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

// namedNodes returns the only nodes that the pod's node affinity names, in order of the
// name (rule 7.15.1).
func namedNodes(pod *outrank.Pod) []string {
	names, _ := fit.NamedNodes(pod)
	return slices.Sorted(maps.Keys(names))
}
