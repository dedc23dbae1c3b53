package reference_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

func tolerates(list ...outrank.Toleration) podOption {
	return func(p *outrank.Pod) { p.Tolerations = list }
}

func cordoned(n *outrank.Node) { n.Unschedulable = true }

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

func TestNodeFilters(t *testing.T) {
	runRows(t, []row{
		{
			name:    "a cordoned node is unresolvable",
			cluster: []any{node("a", cordoned), pod("low", "a", 1)},
			pod:     preemptor(),
			want:    `a: Unresolvable NodeUnschedulable [node(s) were unschedulable]`,
		},
		{
			name:    "a toleration of the cordon lets in",
			cluster: []any{node("a", cordoned)},
			pod:     preemptor(tolerates(outrank.Toleration{Key: outrank.UnschedulableTaint, Operator: outrank.TolerationExists})),
			want:    `a: fits`,
		},
		{
			name:    "spec.nodeName keeps to one node",
			why:     "The preemptor may name a node; the others are unresolvable, and that one is dry run as any.",
			release: outrank.V1_36,
			cluster: []any{node("a"), node("b"), pod("low-a", "a", 1, cpu("1")), pod("low-b", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.NodeName = "b" }),
			want: `
				a: Unresolvable NodeName [node(s) didn't match the requested node name]
				b: Unschedulable NodeResourcesFit [Insufficient cpu]
				b <- low-b (0)
				best b`,
		},
		{
			name:    "spec.nodeName leaves one node",
			why:     "From v1.37 on the other nodes are not filtered at all (rule 7.15.8).",
			cluster: []any{node("a"), node("b"), pod("low-a", "a", 1, cpu("1")), pod("low-b", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("1"), func(p *outrank.Pod) { p.NodeName = "b" }),
			release: outrank.V1_37,
			want: `
				a: Unresolvable [node(s) didn't satisfy plugin(s) [NodeName]]
				b: Unschedulable NodeResourcesFit [Insufficient cpu]
				b <- low-b (0)
				best b`,
		},
		{
			name: "taints",
			why:  "NoSchedule and NoExecute keep away, PreferNoSchedule does not.",
			cluster: []any{
				node("a", taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule})),
				node("b", taints(outrank.Taint{Key: "k", Effect: outrank.NoExecute})),
				node("c", taints(outrank.Taint{Key: "k", Effect: outrank.PreferNoSchedule})),
			},
			pod: preemptor(),
			want: `
				a: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				b: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				c: fits`,
		},
		{
			name: "tolerations",
			why: "No operator means Equal, no effect means all; an empty key means every taint with Exists and none " +
				"without. Every taint has to be tolerated.",
			cluster: []any{
				node("equal", taints(outrank.Taint{Key: "k", Value: "v", Effect: outrank.NoExecute})),
				node("other-value", taints(outrank.Taint{Key: "k", Value: "w", Effect: outrank.NoExecute})),
				node("other-effect", taints(outrank.Taint{Key: "only", Effect: outrank.NoExecute})),
				node("exists", taints(outrank.Taint{Key: "only", Value: "any", Effect: outrank.NoSchedule})),
				node("no-key", taints(outrank.Taint{Effect: outrank.NoSchedule})),
				node("one-of-two", taints(
					outrank.Taint{Key: "k", Value: "v", Effect: outrank.NoSchedule},
					outrank.Taint{Key: "z", Effect: outrank.NoSchedule})),
			},
			pod: preemptor(tolerates(
				outrank.Toleration{Key: "k", Value: "v"},
				outrank.Toleration{Key: "only", Operator: outrank.TolerationExists, Effect: outrank.NoSchedule},
				outrank.Toleration{})),
			want: `
				equal: fits
				other-value: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				other-effect: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				exists: fits
				no-key: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				one-of-two: Unresolvable TaintToleration [node(s) had untolerated taint(s)]`,
		},
		{
			name: "filters run in order",
			why:  "A node that fails several filters shows the first of them.",
			cluster: []any{
				node("a", cordoned, taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule})),
				node("b", taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule})),
				node("c", taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule})),
			},
			pod:     preemptor(cpu("9"), nodeTerms(label("x", outrank.Exists)), func(p *outrank.Pod) { p.NodeName = "c" }),
			release: outrank.V1_36,
			want: `
				a: Unresolvable NodeUnschedulable [node(s) were unschedulable]
				b: Unresolvable NodeName [node(s) didn't match the requested node name]
				c: Unresolvable TaintToleration [node(s) had untolerated taint(s)]`,
		},
		{
			name: "filters that look at pods run in order",
			why:  "Node a fails all of them, b all but the ports, c all but ports and resources, d the last.",
			cluster: []any{
				node("a", zone("1")), pod("xa", "a", 200, web, binds(80, "", ""), cpu("1")),
				node("b", zone("1")), pod("xb", "b", 200, web, cpu("1")),
				node("c", zone("1")), pod("xc", "c", 200, web),
				node("d", zone("2")), pod("xd", "d", 200, labels("app", "db")),
			},
			pod: preemptor(web, binds(80, "", ""), cpu("1"), spread("zone"), away("host", selects("app", "web")), away("host", selects("app", "db"))),
			want: `
				a: Unschedulable NodePorts [node(s) didn't have free ports for the requested pod ports]
				a out: Unresolvable [No preemption victims found for incoming pod]
				b: Unschedulable NodeResourcesFit [Insufficient cpu]
				b out: Unresolvable [No preemption victims found for incoming pod]
				c: Unschedulable PodTopologySpread [node(s) didn't match pod topology spread constraints]
				c out: Unresolvable [No preemption victims found for incoming pod]
				d: Unschedulable InterPodAffinity [node(s) didn't match pod anti-affinity rules]
				d out: Unresolvable [No preemption victims found for incoming pod]`,
		},
	})
}

func TestNodeAffinity(t *testing.T) {
	const no = ": Unresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]\n"
	const absent = ": Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity]]\n"
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
			name:    "nodes no term names are never filtered",
			why:     "Cordoned and absent: the status is that of an absent node, which no filter gave.",
			cluster: []any{node("a"), node("b", cordoned), node("c", cordoned)},
			pod:     preemptor(nodeTerms(field(outrank.In, "a"), field(outrank.In, "b"))),
			want: "a: fits\n" +
				"b: Unresolvable NodeUnschedulable [node(s) were unschedulable]\n" +
				"c" + absent,
		},
		{
			name:    "one term without a name opens all nodes",
			cluster: []any{node("a"), node("b"), node("c", nodeLabels("disk", "ssd"))},
			pod:     preemptor(nodeTerms(field(outrank.In, "a"), label("disk", outrank.Exists))),
			want:    "a: fits\nb" + no + "c: fits",
		},
		{
			name:    "NotIn names no node",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(field(outrank.NotIn, "a"))),
			want:    "a" + no + "b: fits",
		},
		{
			name:    "named but unfit",
			why:     "The labels of the term are still asked for on the node that it names.",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "a"), label("disk", outrank.Exists)))),
			want:    "a" + no + "b" + absent,
		},
		{
			name:    "two names in one term leave no node",
			cluster: []any{node("a"), node("b"), pod("low", "a", 1)},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "a"), field(outrank.In, "b")))),
			want: `
				a: Unresolvable NodeAffinity [pod affinity terms conflict]
				b: Unresolvable NodeAffinity [pod affinity terms conflict]`,
		},
		{
			name:    "a conflict in one term leaves the names of the others",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "a"), field(outrank.In, "b")), field(outrank.In, "b"))),
			want:    "a" + absent + "b: fits",
		},
		{
			name:    "a name that is no node",
			cluster: []any{node("a")},
			pod:     preemptor(nodeTerms(field(outrank.In, "gone"))),
			want:    "a" + absent,
		},
	})
}
