package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank"
)

func tolerates(list ...outrank.Toleration) podOption {
	return func(p *outrank.Pod) { p.Tolerations = list }
}

func cordoned(n *outrank.Node) { n.Unschedulable = true }

// The filters that look at the node alone, and the order of all (rules 7.1.3 and 7.1.4, groups 7.2 to 7.4).
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
			why:  "No operator means Equal, no effect means all. Every taint has to be tolerated.",
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
				outrank.Toleration{Key: "only", Operator: outrank.TolerationExists, Effect: outrank.NoSchedule})),
			want: `
				equal: fits
				other-value: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				other-effect: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				exists: fits
				no-key: Unresolvable TaintToleration [node(s) had untolerated taint(s)]
				one-of-two: Unresolvable TaintToleration [node(s) had untolerated taint(s)]`,
		},
		{
			name: "an empty key means every taint with Exists",
			why:  "But for the effect, which the second taint of b has not.",
			cluster: []any{
				node("a", taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule}, outrank.Taint{Key: "l", Value: "v", Effect: outrank.NoSchedule})),
				node("b", taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule}, outrank.Taint{Key: "l", Effect: outrank.NoExecute})),
			},
			pod:  preemptor(tolerates(outrank.Toleration{Operator: outrank.TolerationExists, Effect: outrank.NoSchedule})),
			want: "a: fits\nb: Unresolvable TaintToleration [node(s) had untolerated taint(s)]",
		},
		{
			name:    "an empty key without Exists is no toleration that a pod can have",
			cluster: []any{node("a")},
			pod:     preemptor(tolerates(outrank.Toleration{})),
			want:    "error: pod default/p: spec.tolerations[0].operator: without a key it has to be Exists",
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
