package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// outcomeIn says what comes of a preemptor in a cluster by a release: the status of each
// node, and the victims on the chosen one.
func outcomeIn(t *testing.T, c outrank.Cluster, p *outrank.Pod, r outrank.Release) string {
	t.Helper()
	c.Release = r
	ex := explain(t, &c, p)
	sameAsBook(t, &c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{}, ex)
	var parts []string
	for _, n := range ex.Nodes {
		if n.Status.Code != preemption.Success {
			parts = append(parts, fmt.Sprintf("%s: %s %s", n.Node, n.Status.Filter, strings.Join(n.Status.Reasons, ", ")))
		}
	}
	if ex.Outcome == preemption.Preempts {
		for _, v := range ex.Victims {
			parts = append(parts, "victim "+v.Pod.Name)
		}
	} else {
		parts = append(parts, string(ex.Outcome))
	}
	return strings.Join(parts, "; ")
}

func askingFor(cpu string, priority int32, change func(*outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{Name: "asker", Priority: outrank.Priority(priority), Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	if change != nil {
		change(p)
	}
	return p
}

func running(name, node, cpu string, labels ...string) *outrank.Pod {
	p := &outrank.Pod{Name: name, NodeName: node, Priority: outrank.Priority(1), StartTime: gen.Now.Add(-1), Labels: map[string]string{}}
	p.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}}
	for i := 0; i < len(labels); i += 2 {
		p.Labels[labels[i]] = labels[i+1]
	}
	return p
}

func offering(name, cpu string) *outrank.Node {
	return &outrank.Node{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}, Allocatable: resource.MustList("cpu", cpu, "pods", "10")}
}

// Each rule of a decision that differs between releases, as a cluster and a pod.
func TestReleasesDiffer(t *testing.T) {
	budget := func(name string, allowed int32, key string) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: name, DisruptionsAllowed: allowed, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{key: "y"}}}
	}
	overlapping := func(budgets ...*outrank.PodDisruptionBudget) outrank.Cluster {
		x1, x2, x3 := running("x1", "n1", "1", "a", "y", "b", "y"), running("x2", "n1", "1", "b", "y"), running("x3", "n1", "1", "c", "y")
		x1.StartTime, x3.StartTime, x2.StartTime = gen.Now.Add(-30), gen.Now.Add(-20), gen.Now.Add(-10)
		return outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "3")}, Pods: []*outrank.Pod{x1, x2, x3}, Budgets: budgets}
	}
	opposite := running("opposite", "n1", "500m")
	opposite.Containers[0].Actual = resource.MustList("cpu", "100m")
	opposite.Containers = append(opposite.Containers, outrank.Container{Name: "d", Requests: resource.MustList("cpu", "100m"), Actual: resource.MustList("cpu", "500m")})
	red := running("other", "n1", "100m", "app", "db")
	red.Namespace = "red"
	namespaces := outrank.Cluster{
		Nodes: []*outrank.Node{offering("n1", "1")}, Pods: []*outrank.Pod{red},
		Namespaces: []*outrank.Namespace{{Name: "red", Labels: map[string]string{"team": "red"}}, {Name: "default"}},
	}
	term := func(selector outrank.Requirement) []outrank.PodAffinityTerm {
		return []outrank.PodAffinityTerm{{
			TopologyKey: "kubernetes.io/hostname", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
			NamespaceSelector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{selector}},
		}}
	}
	cordoned := offering("n1", "1")
	cordoned.Unschedulable = true
	two := outrank.Cluster{Nodes: []*outrank.Node{cordoned, offering("n2", "1")}}
	named := func(names ...string) *outrank.NodeSelector {
		s := &outrank.NodeSelector{}
		for _, name := range names {
			s.NodeSelectorTerms = append(s.NodeSelectorTerms, outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{name}}}})
		}
		return s
	}
	gated := askingFor("1", 20, func(p *outrank.Pod) { p.Name, p.NominatedNodeName, p.SchedulingGates = "gated", "n1", []string{"wait"} })
	bare := offering("n1", "1")
	bare.MissingDrivers = []string{"disk.example.com"}
	mounting := askingFor("100m", 10, func(p *outrank.Pod) {
		p.Volumes = []outrank.Volume{{Claim: "data", Driver: "disk.example.com", Handle: "h"}}
	})
	barest := offering("n1", "1")
	barest.MissingDrivers = []string{"a.example.com", "disk.example.com", "z.example.com"}
	mountingMore := askingFor("100m", 10, func(p *outrank.Pod) {
		for _, driver := range []string{"there", "disk", "z", "a"} {
			p.Volumes = append(p.Volumes, outrank.Volume{Claim: driver, Driver: driver + ".example.com", Handle: driver})
		}
	})
	off, err := outrank.V1_37.With(map[string]bool{"VolumeLimitScaling": false})
	require.NoError(t, err)
	for _, test := range []struct {
		name     string
		c        outrank.Cluster
		p        *outrank.Pod
		old, new string
	}{
		{"rule 2.2.11: requests", outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "1")}, Pods: []*outrank.Pod{opposite}}, askingFor("400m", 10, nil),
			"n1: NodeResourcesFit Insufficient cpu; victim opposite", "fits"},
		{"rule 7.14.6: options of bind mounts", outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "1")}}, askingFor("1", 10, func(p *outrank.Pod) {
			p.InitContainers = []outrank.Container{{Name: "i", BindMountOptions: true}}
		}), "fits", "n1: NodeDeclaredFeatures node(s) didn't match Pod's required features; nothing-helps"},
		{"rule 6.3.8: budgets in this order", overlapping(budget("p1", 0, "a"), budget("p2", 1, "b")), askingFor("1", 10, nil),
			"n1: NodeResourcesFit Insufficient cpu; victim x3", "n1: NodeResourcesFit Insufficient cpu; victim x2"},
		{"rule 6.3.8: and in the other one", overlapping(budget("p2", 1, "b"), budget("p1", 0, "a")), askingFor("1", 10, nil),
			"n1: NodeResourcesFit Insufficient cpu; victim x3", "n1: NodeResourcesFit Insufficient cpu; victim x3"},
		{"rule 7.13.19: anti-affinity", namespaces, askingFor("100m", 10, func(p *outrank.Pod) {
			p.Affinity.PodAntiAffinity = term(outrank.Requirement{Key: "team", Operator: outrank.DoesNotExist})
		}), "n1: InterPodAffinity node(s) didn't match pod anti-affinity rules; victim other", "fits"},
		{"rule 7.13.19: affinity", namespaces, askingFor("100m", 10, func(p *outrank.Pod) {
			p.Affinity.PodAffinity = term(outrank.Requirement{Key: "team", Operator: outrank.NotIn, Values: []string{"red"}})
		}), "fits", "n1: InterPodAffinity node(s) didn't match pod affinity rules; nothing-helps"},
		{"rules 7.1.7 and 7.15.8: another node is named", two, askingFor("1", 10, func(p *outrank.Pod) { p.NodeName = "n3" }),
			"n1: NodeUnschedulable node(s) were unschedulable; n2: NodeName node(s) didn't match the requested node name; nothing-helps",
			"n1:  node(s) didn't satisfy plugin(s) [NodeName]; n2:  node(s) didn't satisfy plugin(s) [NodeName]; nothing-helps"},
		{"rule 7.15.8: by both, one left", two, askingFor("1", 10, func(p *outrank.Pod) { p.NodeName, p.Affinity.NodeAffinity = "n1", named("n1", "n2") }),
			"n1: NodeUnschedulable node(s) were unschedulable; n2: NodeName node(s) didn't match the requested node name; nothing-helps",
			"n1: NodeUnschedulable node(s) were unschedulable; n2:  node(s) didn't satisfy plugin(s) [NodeAffinity NodeName]; nothing-helps"},
		{"rule 7.15.8: by both, none left", two, askingFor("1", 10, func(p *outrank.Pod) { p.NodeName, p.Affinity.NodeAffinity = "n1", named("n2") }),
			"n1:  node(s) didn't satisfy plugin(s) [NodeAffinity]; n2: NodeName node(s) didn't match the requested node name; nothing-helps",
			"n1:  node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously; n2:  node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously; nothing-helps"},
		{"rule 7.15.8: none left before the claims are looked at", two, askingFor("1", 10, func(p *outrank.Pod) {
			p.NodeName, p.Affinity.NodeAffinity = "n1", named("n2")
			p.Volumes = []outrank.Volume{{Claim: "data", State: outrank.ClaimDeleting}}
		}),
			"n1: VolumeBinding persistentvolumeclaim \"data\" is being deleted; n2: VolumeBinding persistentvolumeclaim \"data\" is being deleted; nothing-helps",
			"n1:  node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously; n2:  node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously; nothing-helps"},
		{"rule 7.16.5: a gated pod's nomination", outrank.Cluster{Nodes: []*outrank.Node{offering("n1", "1")}, Pods: []*outrank.Pod{gated}}, askingFor("1", 10, nil),
			"fits", "n1: NodeResourcesFit Insufficient cpu; nothing-helps"},
		{"rule 7.9.9: a driver", outrank.Cluster{Nodes: []*outrank.Node{bare}, Pods: []*outrank.Pod{running("low", "n1", "1")}}, mounting,
			"n1: NodeResourcesFit Insufficient cpu; victim low", "n1: NodeResourcesFit Insufficient cpu; nothing-helps"},
		{"rule 7.9.9: alone", outrank.Cluster{Nodes: []*outrank.Node{bare}}, mounting,
			"fits", "n1: NodeVolumeLimits disk.example.com CSI driver is not installed on the node; nothing-helps"},
		{"rule 7.9.9: the first of several", outrank.Cluster{Nodes: []*outrank.Node{barest}}, mountingMore,
			"fits", "n1: NodeVolumeLimits disk.example.com CSI driver is not installed on the node; nothing-helps"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.old, outcomeIn(t, test.c, test.p, outrank.V1_36), "v1.36")
			assert.Equal(t, test.new, outcomeIn(t, test.c, test.p, outrank.V1_37), "v1.37")
			if strings.Contains(test.name, "7.9.9") {
				assert.Equal(t, test.old, outcomeIn(t, test.c, test.p, off), "without VolumeLimitScaling")
			} else {
				assert.Equal(t, test.new, outcomeIn(t, test.c, test.p, off))
			}
		})
	}
}

// Each violated budget counts by itself with the simplified variant, so that all of them are
// charged whatever the release.
func TestPerBudgetChargesAllBudgets(t *testing.T) {
	all := func(name string) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: name, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"a": "y"}}}
	}
	for _, r := range outrank.Releases() {
		c := &outrank.Cluster{
			Release: r, Nodes: []*outrank.Node{offering("n1", "1")}, Pods: []*outrank.Pod{running("low", "n1", "1", "a", "y")},
			Budgets: []*outrank.PodDisruptionBudget{all("one"), all("two")},
		}
		e := newEvaluator(t, preemption.Config{Variant: outrank.VariantSimplified})
		plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: askingFor("1", 10, nil), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, 2, plan.Score.Violations, "%v", r)
	}
}

// A snapshot is of a release, and an evaluator of none: it answers about each by that one's rules.
func TestReleaseOfASnapshot(t *testing.T) {
	_, err := engine.NewSnapshot(&outrank.Cluster{Release: 4})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	old, current := newSnapshot(t, &outrank.Cluster{Release: outrank.V1_36}), newSnapshot(t, &outrank.Cluster{Release: outrank.V1_37})
	assert.Equal(t, outrank.V1_36, old.Release())
	assert.Equal(t, outrank.V1_37, current.Clone().Release())
	assert.Equal(t, outrank.V1_37, current.Cluster().Release)
	assert.Equal(t, outrank.DefaultRelease, newSnapshot(t, &outrank.Cluster{}).Release())
	e := newEvaluator(t, preemption.Config{})
	for _, snap := range []*engine.Snapshot{old, current} {
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: askingFor("1", 10, nil), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, snap.Release(), plan.Release)
	}
	assert.Equal(t, []string{"NodeName", "NodeUnschedulable", "TaintToleration"}, e.Filters(outrank.V1_37)[:3])
	assert.Equal(t, []string{"NodeUnschedulable", "NodeName", "TaintToleration"}, e.Filters(outrank.V1_36)[:3])
	assert.Equal(t, e.Filters(outrank.DefaultRelease), e.Filters(0))
}

// A node of the pod's own choice is filtered alone from v1.37 on.
func ExampleSnapshot_Release() {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "a", Unschedulable: true}}}
	for _, c.Release = range outrank.Releases() {
		snap := must(engine.NewSnapshot(c))
		ex := must(must(engine.New(preemption.Config{})).Explain(context.Background(), snap, preemption.Request{Pod: &outrank.Pod{Name: "p", NodeName: "b"}, Now: gen.Now}))
		fmt.Println(snap.Release(), ex.Nodes[0].Status.Reasons)
	}
	// Output:
	// v1.36 [node(s) were unschedulable]
	// v1.37 [node(s) didn't satisfy plugin(s) [NodeName]]
}
