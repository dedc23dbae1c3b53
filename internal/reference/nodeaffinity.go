package reference

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// wantsNode reports whether the pod's node selector and its required node
// affinity both hold (rule 7.5.1).
func wantsNode(p *outrank.Pod, n *outrank.Node) bool {
	for key, value := range p.NodeSelector {
		if got, ok := n.Labels[key]; !ok || got != value {
			return false
		}
	}
	if p.Affinity.NodeAffinity == nil {
		return true
	}
	// Terms are ORed; without any, nothing matches.
	return slices.ContainsFunc(p.Affinity.NodeAffinity.NodeSelectorTerms, func(t outrank.NodeSelectorTerm) bool {
		return termWantsNode(t, n)
	})
}

// termWantsNode: the parts of a term are ANDed, and an empty term matches nothing.
func termWantsNode(t outrank.NodeSelectorTerm, n *outrank.Node) bool {
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
		return false
	}
	for _, r := range t.MatchExpressions {
		if !labelHolds(r, n.Labels) {
			return false
		}
	}
	for _, r := range t.MatchFields {
		if !fieldHolds(r, n.Name) {
			return false
		}
	}
	return true
}

// labelHolds: Gt and Lt are for nodes alone, all else is as in any label
// selector, which also refuses what makes no sense. Whatever the operator, each of the
// values has to be one that a label could have (rule 7.5.8).
func labelHolds(r outrank.NodeRequirement, labels map[string]string) bool {
	for _, v := range r.Values {
		if !labelValue.MatchString(v) {
			return false
		}
	}
	if r.Operator == outrank.Gt || r.Operator == outrank.Lt {
		return comparisonHolds(r, labels)
	}
	selector := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{
		Key: r.Key, Operator: r.Operator, Values: r.Values,
	}}}
	return selector.Matches(labels)
}

// labelValue matches the values that a label may have.
var labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)

// comparisonHolds: Gt and Lt take one value, are strict, and hold for whole
// numbers only; a missing label or one that is no whole number fails.
func comparisonHolds(r outrank.NodeRequirement, labels map[string]string) bool {
	text, ok := labels[r.Key]
	if !ok || len(r.Values) != 1 {
		return false
	}
	got, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	bound, err := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil {
		return false
	}
	if r.Operator == outrank.Gt {
		return got > bound
	}
	return got < bound
}

// fieldHolds: the node's name is the only field there is, In and NotIn with one
// value the only ways to ask for it.
func fieldHolds(r outrank.NodeRequirement, name string) bool {
	if r.Key != outrank.FieldName || len(r.Values) != 1 {
		return false
	}
	switch r.Operator {
	case outrank.In:
		return r.Values[0] == name
	case outrank.NotIn:
		return r.Values[0] != name
	}
	return false
}

// nodeNamesAllow comes before the filters: where the pod names its node, or every
// term of the node affinity does, the other nodes are not filtered at all (rules
// 7.15.1 to 7.15.3 and 7.15.8).
func (a *attempt) nodeNamesAllow(n *outrank.Node) Status {
	names, all := a.namedNodes()
	byAffinity := !all && !names[n.Name]
	byName := a.namesItsNode() && a.pod.NodeName != n.Name
	var status Status
	switch {
	case !byAffinity && !byName:
		return status
	case !a.namesItsNode():
		status = unresolvable("", "node(s) didn't satisfy plugin(s) [NodeAffinity]")
	case all:
		status = unresolvable("", "node(s) didn't satisfy plugin(s) [NodeName]")
	default:
		status = unresolvable("", "node(s) didn't satisfy plugin(s) [NodeAffinity NodeName]")
	}
	status.ExcludedBy = filter.NodeAffinity
	if all {
		status.ExcludedBy = filter.NodeName
	}
	return status
}

// namesItsNode reports whether the pod's own wish for a node leaves the others out.
func (a *attempt) namesItsNode() bool {
	return a.rules.NodeNameFirst && a.pod.NodeName != "" && !a.setup.off(filter.NodeName)
}

// namedNodes are the nodes that the terms name between them; all is set if some
// term names none and so leaves every node open.
func (a *attempt) namedNodes() (names map[string]bool, all bool) {
	p := a.pod
	if a.setup.off(filter.NodeAffinity) || p.Affinity.NodeAffinity == nil || len(p.Affinity.NodeAffinity.NodeSelectorTerms) == 0 {
		return nil, true
	}
	names = map[string]bool{}
	for _, t := range p.Affinity.NodeAffinity.NodeSelectorTerms {
		named, any := namedByTerm(t)
		if !any {
			return nil, true
		}
		maps.Copy(names, named)
	}
	return names, false
}

// namedByTerm are the nodes that all of the term's fields name; any is false if
// it has no field that names nodes. NotIn names none.
func namedByTerm(t outrank.NodeSelectorTerm) (names map[string]bool, any bool) {
	for _, r := range t.MatchFields {
		if r.Key != outrank.FieldName || r.Operator != outrank.In {
			continue
		}
		here := map[string]bool{}
		for _, v := range r.Values {
			if !any || names[v] {
				here[v] = true
			}
		}
		names, any = here, true
	}
	return names, any
}

// allows: the node meets one of the terms, if there are demands at all.
func (s *Setup) allows(n *outrank.Node) bool {
	if s.Added == nil {
		return true
	}
	for _, t := range s.Added.NodeSelectorTerms {
		if termWantsNode(t, n) {
			return true
		}
	}
	return false
}
