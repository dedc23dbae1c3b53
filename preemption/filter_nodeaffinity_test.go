package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

// nodeTerms sets the pod's required node affinity.
func nodeTerms(terms ...outrank.NodeSelectorTerm) podOption {
	return func(p *outrank.Pod) { p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: terms} }
}

func label(key string, op outrank.Operator, values ...string) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: key, Operator: op, Values: values}}}
}

func field(op outrank.Operator, name string) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{
		{Key: outrank.FieldName, Operator: op, Values: []string{name}},
	}}
}

// both joins the parts of the terms, so that all must hold.
func both(terms ...outrank.NodeSelectorTerm) outrank.NodeSelectorTerm {
	var all outrank.NodeSelectorTerm
	for _, t := range terms {
		all.MatchExpressions = append(all.MatchExpressions, t.MatchExpressions...)
		all.MatchFields = append(all.MatchFields, t.MatchFields...)
	}
	return all
}

// Node selectors and required node affinity (group 7.5).
func TestNodeAffinity(t *testing.T) {
	const no = ": Unresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]\n"
	diskAndGen := []any{
		node("ssd3", nodeLabels("disk", "ssd", "gen", "3")),
		node("hdd2", nodeLabels("disk", "hdd", "gen", "2")),
		node("old", nodeLabels("gen", "old")),
	}
	runRows(t, []row{
		{
			name:    "node selector and affinity must both hold",
			cluster: diskAndGen,
			pod: preemptor(nodeTerms(label("disk", outrank.Exists)), func(p *outrank.Pod) {
				p.NodeSelector = map[string]string{"gen": "3"}
			}),
			want: "ssd3: fits\nhdd2" + no + "old" + no,
		},
		{
			name:    "a node selector needs the label",
			cluster: diskAndGen,
			pod: preemptor(func(p *outrank.Pod) {
				p.NodeSelector = map[string]string{"disk": ""}
			}),
			want: "ssd3" + no + "hdd2" + no + "old" + no,
		},
		{
			name:    "terms are ORed, an empty one matches nothing",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms(outrank.NodeSelectorTerm{}, label("disk", outrank.In, "ssd"), label("gen", outrank.In, "2"))),
			want:    "ssd3: fits\nhdd2: fits\nold" + no,
		},
		{
			name:    "requirements of a term are ANDed",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms(both(label("disk", outrank.Exists), label("disk", outrank.NotIn, "ssd")))),
			want:    "ssd3" + no + "hdd2: fits\nold" + no,
		},
		{
			name:    "NotIn and DoesNotExist hold where the label is missing",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms(both(label("disk", outrank.NotIn, "hdd"), label("rack", outrank.DoesNotExist)))),
			want:    "ssd3: fits\nhdd2" + no + "old: fits",
		},
		{
			name:    "Gt is strict and fails on what is no whole number",
			cluster: append([]any{node("none")}, diskAndGen...),
			pod:     preemptor(nodeTerms(label("gen", outrank.Gt, "2"))),
			want:    "none" + no + "ssd3: fits\nhdd2" + no + "old" + no,
		},
		{
			name:    "Lt is strict and fails on what is no whole number",
			cluster: append([]any{node("none")}, diskAndGen...),
			pod:     preemptor(nodeTerms(label("gen", outrank.Lt, "3"))),
			want:    "none" + no + "ssd3" + no + "hdd2: fits\nold" + no,
		},
		{
			name:    "Gt of a number with a sign matches nothing",
			why:     "No label could have the value, so the term cannot be read (rule 7.5.8).",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms(label("gen", outrank.Gt, "-1"))),
			want:    "ssd3" + no + "hdd2" + no + "old" + no,
		},
		{
			name:    "Lt of a number with a sign matches nothing",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms(label("gen", outrank.Lt, "+3"))),
			want:    "ssd3" + no + "hdd2" + no + "old" + no,
		},
		{
			name:    "no terms match nothing",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms()),
			want:    "ssd3" + no + "hdd2" + no + "old" + no,
		},
		{
			name:    "NotIn names no node",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(field(outrank.NotIn, "a"))),
			want:    "a" + no + "b: fits",
		},
		{
			name:    "values that no label could have leave a term without a node",
			why:     "By rule 7.5.8 that is so with NotIn, too; the other term still counts.",
			cluster: diskAndGen,
			pod:     preemptor(nodeTerms(label("disk", outrank.NotIn, "no value"), label("gen", outrank.In, "old"))),
			want:    "ssd3" + no + "hdd2" + no + "old: fits",
		},
	})
}
