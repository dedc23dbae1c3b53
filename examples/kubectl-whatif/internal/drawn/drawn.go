// Package drawn draws random clusters on which properties of the answers are tested.
package drawn

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// Cluster draws a cluster of a shape. Most pods have controllers and classes, and some pods wait.
func Cluster(t *rapid.T, shape clustergen.Shape) *outrank.Cluster {
	shape.Nodes = rapid.IntRange(1, 6).Draw(t, "nodes")
	shape.Budgets = rapid.IntRange(0, 4).Draw(t, "budgets")
	shape.Nominated = rapid.IntRange(0, 4).Draw(t, "nominated")
	c, err := clustergen.Cluster(shape, rapid.Uint64().Draw(t, "seed"))
	require.NoError(t, err)

	// Controllers, readiness and classes follow from the index of a pod, in different periods, so that all
	// combinations occur.
	c.Classes = []*outrank.PriorityClass{{Name: "low", Value: 10}, {Name: "high", Value: 1000}, {Name: "polite", Value: 500, PreemptionPolicy: outrank.PreemptNever}}
	for i, p := range c.Pods {
		if i%4 > 0 {
			p.Owner = outrank.Owner{Kind: []string{"ReplicaSet", "DaemonSet", "Job"}[i%3], Name: fmt.Sprint(i % 5)}
		}
		p.Ready = i%5 > 0 && p.NodeName != ""
		if i%3 > 0 {
			class := c.Classes[i%len(c.Classes)]
			p.PriorityClassName = class.Name
			p.Priority = outrank.Priority(class.Value)
			p.PreemptionPolicy = class.PreemptionPolicy
		}
	}

	for i := range rapid.IntRange(0, 4).Draw(t, "waiting") {
		p, err := clustergen.Preemptor(shape, rapid.Uint64().Draw(t, "pod"))
		require.NoError(t, err)
		p.Name = fmt.Sprintf("waiting-%d", i)
		p.UID, p.NominatedNodeName = "", ""
		c.Pods = append(c.Pods, p)
	}

	for i, p := range c.Pods {
		if p.NodeName == "" {
			c.Pods[i] = unreported(p)
		}
	}
	return c
}

// unreported returns a waiting pod without the fields that only a kubelet sets.
func unreported(p *outrank.Pod) *outrank.Pod {
	one := *p
	one.AllocatedResources, one.Actual = nil, nil
	one.Reported = false
	one.Containers, one.InitContainers = slices.Clone(p.Containers), slices.Clone(p.InitContainers)
	for _, list := range [][]outrank.Container{one.Containers, one.InitContainers} {
		for i := range list {
			list[i].AllocatedResources, list[i].Actual = nil, nil
			list[i].Reported = false
		}
	}
	return &one
}

// Setting returns a setting about a cluster, with the default rules.
func Setting(t require.TestingT, c *outrank.Cluster) question.Setting {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	return question.Setting{Cluster: c, Snapshot: snap, Evaluator: eval, Now: clustergen.Now()}
}

// State describes what a question must not change: pods with their nodes, what nodes offer, and budgets.
// Objects are compared by address, so that replacing one by a copy counts as a change, too.
func State(s question.Setting) (out []string) {
	for p := range s.Snapshot.Pods() {
		out = append(out, fmt.Sprintf("%p %s %s %s", p, p.Key(), s.Snapshot.NodeOf(p.Key()), s.Snapshot.NominationOf(p.Key())))
	}
	for n := range s.Snapshot.Nodes() {
		out = append(out, fmt.Sprintf("%p %d", n, s.Snapshot.Used(n.Name, resource.CPU)))
	}
	for b := range s.Snapshot.Budgets() {
		out = append(out, fmt.Sprintf("%p %d", b, b.DisruptionsAllowed))
	}
	return out
}

// Shapes returns the shapes of clusters on which properties are tested, by name.
func Shapes() map[string]clustergen.Shape {
	return map[string]clustergen.Shape{
		"resources": {}, "filters": {Taints: true, Selectors: true, Ports: true}, "affinity": {Affinity: true, Spread: true}, "volumes": {Volumes: true},
	}
}
