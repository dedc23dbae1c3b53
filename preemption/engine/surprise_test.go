package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// with changes a pod that is being written down.
type with func(*outrank.Pod)

func pod(name string, priority int32, cpu string, options ...with) *outrank.Pod {
	p := &outrank.Pod{
		Name: name, Priority: &priority, StartTime: gen.Now.Add(-time.Hour),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
	for _, o := range options {
		o(p)
	}
	return p
}

func on(node string) with        { return func(p *outrank.Pod) { p.NodeName = node } }
func nominated(node string) with { return func(p *outrank.Pod) { p.NominatedNodeName = node } }
func app(name string) with {
	return func(p *outrank.Pod) { p.Labels = map[string]string{"app": name, "rev": "1"} }
}
func port(n int32) with {
	return func(p *outrank.Pod) { p.Containers[0].Ports = []outrank.Port{{HostPort: n}} }
}
func leaving(reason string) with {
	return func(p *outrank.Pod) { p.DeletionTimestamp, p.DisruptionReason = gen.Now, reason }
}

func selects(name string) *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func near(name string) with {
	return func(p *outrank.Pod) {
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: selects(name), TopologyKey: "zone"}}
	}
}

func apart(name string) with {
	return func(p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: selects(name), TopologyKey: "zone"}}
	}
}

func spread(c outrank.TopologySpreadConstraint) with {
	return func(p *outrank.Pod) {
		c.MaxSkew, c.TopologyKey = 1, "zone"
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{c}
	}
}

func node(name, cpu, zone string) *outrank.Node {
	return &outrank.Node{
		Name: name, Allocatable: resource.MustList("cpu", cpu, "pods", "10"),
		Labels: map[string]string{"zone": zone},
	}
}

// Cases that are easy to get wrong and that recorded decisions do not cover.
// The book must agree on each.
func TestSurprises(t *testing.T) {
	tainted := node("n2", "4", "b")
	tainted.Taints = []outrank.Taint{{Key: "k", Effect: outrank.NoSchedule}}
	budget := func(allowed int32) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: "b", Selector: selects("web"), DisruptionsAllowed: allowed}
	}
	twoRevisions := func(p *outrank.Pod) { p.Labels = map[string]string{"app": "web", "rev": "2"} }
	resized := func(infeasible bool) with {
		return func(p *outrank.Pod) {
			p.Containers[0].Actual, p.ResizeInfeasible = resource.MustList("cpu", "1"), infeasible
		}
	}
	for _, test := range []struct {
		name    string
		c       *outrank.Cluster
		p       *outrank.Pod
		outcome preemption.Outcome
		want    string // node, victims, violations
	}{
		{
			name: "a budget is charged by importance, so the more important pod goes",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "2", "a")}, Budgets: []*outrank.PodDisruptionBudget{budget(1)},
				Pods: []*outrank.Pod{pod("hi", 5, "1", on("n1"), app("web")), pod("lo", 1, "1", on("n1"), app("web"))},
			},
			p: pod("p", 9, "1"), outcome: preemption.Preempts, want: "n1 [default/hi] 0",
		},
		{
			name: "a pod with a nomination is no neighbour: it may never come (second pass)",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a")},
				Pods:  []*outrank.Pod{pod("friend", 9, "1", nominated("n1"), app("friend")), pod("lo", 1, "1", on("n1"))},
			},
			p: pod("p", 5, "1", near("friend")), outcome: preemption.NothingHelps,
		},
		{
			name: "but room is kept for it (first pass)",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "2", "a")},
				Pods:  []*outrank.Pod{pod("friend", 9, "1", nominated("n1")), pod("lo", 1, "1", on("n1"))},
			},
			p: pod("p", 5, "1"), outcome: preemption.Preempts, want: "n1 [default/lo] 0",
		},
		{
			name: "the anti-affinity of a nominated pod is not seen where no pod had any at the start",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a")},
				Pods:  []*outrank.Pod{pod("hermit", 9, "1", nominated("n1"), apart("web"))},
			},
			p: pod("p", 5, "1", app("web")), outcome: preemption.Fits,
		},
		{
			name: "it is seen where the filter is at work anyway",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a")},
				Pods:  []*outrank.Pod{pod("hermit", 9, "1", nominated("n1"), apart("web")), pod("lo", 1, "1", on("n1"))},
			},
			p: pod("p", 5, "1", app("web"), apart("nobody")), outcome: preemption.NothingHelps,
		},
		{
			name: "ports are a set: the lower of two holders frees the port for both",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a")},
				Pods:  []*outrank.Pod{pod("hi", 9, "1", on("n1"), port(80)), pod("lo", 1, "1", on("n1"), port(80))},
			},
			p: pod("p", 5, "1", port(80)), outcome: preemption.Preempts, want: "n1 [default/lo] 0",
		},
		{
			name: "a victim under way on the nominated node is waited for",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a")},
				Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), leaving(outrank.PreemptionByScheduler))},
			},
			p: pod("p", 5, "1", nominated("n1")), outcome: preemption.NotEligible,
		},
		{
			name: "one that leaves for another reason is not",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a")},
				Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), leaving("EvictionByEvictionAPI"))},
			},
			p: pod("p", 5, "1", nominated("n1")), outcome: preemption.Preempts, want: "n1 [default/lo] 0",
		},
		{
			name: "a nominated node that is gone holds nobody up",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a")},
				Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), leaving(outrank.PreemptionByScheduler))},
			},
			p: pod("p", 5, "1", nominated("gone")), outcome: preemption.Preempts, want: "n1 [default/lo] 0",
		},
		{
			name: "spec.nodeName leaves one node",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "b")},
				Pods:  []*outrank.Pod{pod("x", 1, "1", on("n1")), pod("y", 2, "1", on("n2"))},
			},
			p: pod("p", 5, "1", on("n2")), outcome: preemption.Preempts, want: "n2 [default/y] 0",
		},
		{
			name: "a resize under way counts the larger figure",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "3", "a")},
				Pods:  []*outrank.Pod{pod("lo", 1, "3", on("n1"), resized(false))},
			},
			p: pod("p", 5, "1"), outcome: preemption.Preempts, want: "n1 [default/lo] 0",
		},
		{
			name: "a resize that can never be done counts what is there",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "3", "a")},
				Pods:  []*outrank.Pod{pod("lo", 1, "3", on("n1"), resized(true))},
			},
			p: pod("p", 5, "1"), outcome: preemption.Fits,
		},
		{
			name: "spread: a tainted node is a domain all the same, and the emptiest one",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a"), tainted},
				Pods:  []*outrank.Pod{pod("web", 1, "1", on("n1"), app("web"))},
			},
			p:       pod("p", 5, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web")})),
			outcome: preemption.Preempts, want: "n1 [default/web] 0",
		},
		{
			name: "spread: unless taints are honoured",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a"), tainted},
				Pods:  []*outrank.Pod{pod("web", 1, "1", on("n1"), app("web"))},
			},
			p:       pod("p", 5, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web"), NodeTaintsPolicy: outrank.NodeHonor})),
			outcome: preemption.Fits,
		},
		{
			name: "spread: too few domains make the minimum 0",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a")},
				Pods:  []*outrank.Pod{pod("web", 1, "1", on("n1"), app("web"))},
			},
			p:       pod("p", 5, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web"), MinDomains: 2})),
			outcome: preemption.Preempts, want: "n1 [default/web] 0",
		},
		{
			name: "spread: a nominated pod raises the emptiest domain, and the minimum with it",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "1", "b")},
				Pods: []*outrank.Pod{
					pod("coming", 9, "1", nominated("n1"), app("web")), pod("web", 9, "1", on("n2"), app("web")),
				},
			},
			p:       pod("p", 5, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web")})),
			outcome: preemption.Fits,
		},
		{
			name: "spread: matchLabelKeys leave other revisions out",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a"), node("n2", "1", "b")},
				Pods:  []*outrank.Pod{pod("web", 1, "1", on("n1"), twoRevisions), pod("full", 9, "1", on("n2"))},
			},
			p:       pod("p", 5, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web"), MatchLabelKeys: []string{"rev"}})),
			outcome: preemption.Fits,
		},
		{
			name: "spread: a terminating pod was never counted, and is taken off all the same",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "b")},
				Pods: []*outrank.Pod{
					pod("going", 1, "1", on("n1"), app("web"), leaving("")), pod("web", 9, "1", on("n2"), app("web")),
				},
			},
			p:       pod("p", 5, "1", app("web"), spread(outrank.TopologySpreadConstraint{LabelSelector: selects("web")})),
			outcome: preemption.Preempts, want: "n1 [default/going] 0",
		},
		{
			name: "names that contradict each other turn every node down",
			c:    &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4", "a")}},
			p: pod("p", 5, "1", func(p *outrank.Pod) {
				is := func(n string) outrank.NodeRequirement {
					return outrank.NodeRequirement{Key: outrank.FieldName, Operator: outrank.In, Values: []string{n}}
				}
				p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchFields: []outrank.NodeRequirement{is("n1"), is("n2")}}}}
			}),
			outcome: preemption.NothingHelps,
		},
		{
			name: "namespaces that are not listed are not selected",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "4", "a")},
				Pods:  []*outrank.Pod{pod("web", 1, "1", on("n1"), app("web"), func(p *outrank.Pod) { p.Namespace = "unlisted" })},
			},
			p: pod("p", 5, "1", func(p *outrank.Pod) {
				p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{
					LabelSelector: selects("web"), TopologyKey: "zone",
					NamespaceSelector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "x", Operator: outrank.Exists}}},
				}}
			}),
			outcome: preemption.Fits,
		},
		{
			name: "a selector that asks for no label selects every namespace, listed or not",
			c: &outrank.Cluster{
				Release: outrank.V1_36,
				Nodes:   []*outrank.Node{node("n1", "4", "a")},
				Pods:    []*outrank.Pod{pod("web", 1, "1", on("n1"), app("web"), func(p *outrank.Pod) { p.Namespace = "unlisted" })},
			},
			p: pod("p", 5, "1", func(p *outrank.Pod) {
				p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{
					LabelSelector: selects("web"), TopologyKey: "zone",
					NamespaceSelector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "x", Operator: outrank.DoesNotExist}}},
				}}
			}),
			outcome: preemption.Preempts, want: "n1 [unlisted/web] 0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			ex := explain(t, test.c, test.p)
			got := ""
			if ex.Outcome == preemption.Preempts {
				got = fmt.Sprint(ex.Node, " ", ex.Victims, " ", ex.Score.Violations)
			}
			assert.Equal(t, test.outcome, ex.Outcome, "%v %v", ex.TurnedDown, ex.Unhelpful)
			assert.Equal(t, test.want, got)
			sameAsBook(t, test.c, preemption.Request{Pod: test.p, Now: gen.Now}, preemption.Config{}, ex)
		})
	}
}
