package preemption

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
)

// NodeAffinity (group 7.5).

// askNodeAffinity: the affinity that the profile adds, and the pod's own node selector and required
// node affinity all have to hold (rules 7.5.1 and 7.18.3).
func (d *dryRun) askNodeAffinity() Status {
	if added := d.config.Profile.AddedAffinity; added != nil && !meetsAny(added.NodeSelectorTerms, d.site.node) {
		return unresolvableBy(NodeAffinity, "node(s) didn't match scheduler-enforced node affinity")
	}
	if !wantsNode(d.pod, d.site.node) {
		return unresolvableBy(NodeAffinity, "node(s) didn't match Pod's node affinity/selector")
	}
	return Status{}
}

// wantsNode reports whether the pod's node selector and its required node affinity both hold.
func wantsNode(p *outrank.Pod, n *outrank.Node) bool {
	for key, value := range p.NodeSelector {
		if got, ok := n.Labels[key]; !ok || got != value {
			return false
		}
	}
	return p.Affinity.NodeAffinity == nil || meetsAny(p.Affinity.NodeAffinity.NodeSelectorTerms, n)
}

// meetsAny reports whether the node meets one of the terms. Without terms there is nothing to meet
// (rule 7.5.3).
func meetsAny(terms []outrank.NodeSelectorTerm, n *outrank.Node) bool {
	return slices.ContainsFunc(terms, func(t outrank.NodeSelectorTerm) bool { return meets(t, n) })
}

// meets reports whether all that a term lists holds. One that lists nothing is met by no node (rules
// 7.5.3 and 7.5.4).
func meets(t outrank.NodeSelectorTerm, n *outrank.Node) bool {
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
		return false
	}
	for _, r := range t.MatchExpressions {
		if !labelHolds(r, n.Labels) {
			return false
		}
	}
	for _, r := range t.MatchFields {
		if !nameHolds(r, n.Name) {
			return false
		}
	}
	return true
}

// labelHolds: Gt and Lt exist for nodes alone, all else is as in any selector of labels. Whatever the
// operator, each value has to be one that a label could have (rules 7.5.5 and 7.5.8).
func labelHolds(r outrank.NodeRequirement, labels map[string]string) bool {
	for _, v := range r.Values {
		if !labelValue.MatchString(v) {
			return false
		}
	}
	if r.Operator == outrank.Gt || r.Operator == outrank.Lt {
		return comparisonHolds(r, labels)
	}
	selector := outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: r.Key, Operator: r.Operator, Values: r.Values}}}
	return selector.Matches(labels)
}

// labelValue matches the values that a label can have.
var labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)

// comparisonHolds: Gt and Lt take one value and compare whole numbers, strictly (rule 7.5.6).
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

// nameHolds: the node's name is the only field there is, and In and NotIn with one value are the only
// ways to ask for it (rule 7.5.7).
func nameHolds(r outrank.NodeRequirement, name string) bool {
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

// namesItsNode reports whether the pod's own wish for a node leaves all others out (rule 7.15.8).
func (a *attempt) namesItsNode() bool {
	return a.rules.NodeNameFirst && a.pod.NodeName != "" && !a.off(NodeName)
}

// namedByAffinity are the nodes that the terms of the node affinity name between them. It does not
// narrow if some term names none, and so leaves every node open (rules 7.15.1 and 7.15.3).
func (a *attempt) namedByAffinity() (names map[string]bool, narrows bool) {
	affinity := a.pod.Affinity.NodeAffinity
	if a.off(NodeAffinity) || affinity == nil || len(affinity.NodeSelectorTerms) == 0 {
		return nil, false
	}
	names = map[string]bool{}
	for _, t := range affinity.NodeSelectorTerms {
		named, narrows := namedByTerm(t)
		if !narrows {
			return nil, false
		}
		maps.Copy(names, named)
	}
	return names, true
}

// namedByTerm are the nodes that all fields of a term name. NotIn names none.
func namedByTerm(t outrank.NodeSelectorTerm) (names map[string]bool, narrows bool) {
	for _, r := range t.MatchFields {
		if r.Key != outrank.FieldName || r.Operator != outrank.In {
			continue
		}
		both := map[string]bool{}
		for _, v := range r.Values {
			if !narrows || names[v] {
				both[v] = true
			}
		}
		names, narrows = both, true
	}
	return names, narrows
}
