package explain_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// What is missing with the highest priority is found in a large cluster, too, where pods of many
// nodes are gone through.
func TestNothingHelpsAmongManyNodes(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 200 {
		name := fmt.Sprint("n", i)
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}, Allocatable: resource.MustList("cpu", "1", "pods", "110"),
		})
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: name, NodeName: name, Priority: outrank.Priority(1), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		})
	}
	// No pod is the one that it has to be beside.
	asks := &outrank.Pod{Name: "asks", Priority: outrank.Priority(9), Containers: c.Pods[0].Containers}
	asks.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		TopologyKey: "kubernetes.io/hostname", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
	}}

	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: eval, Snapshot: snap, Request: preemption.Request{Pod: asks, Now: gen.Now}}, explain.Options{})
	require.NoError(t, err)
	require.Equal(t, preemption.NothingHelps, r.Outcome)
	require.NotNil(t, r.Nothing)
	require.True(t, r.Nothing.Hopeless)
}

// A search that ends among the higher priorities says how far it came there, and not that a lower priority was tried.
func TestSearchThatEndsAmongHigherPriorities(t *testing.T) {
	one := func(name, node string, priority int32, cpu string) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: node, Priority: &priority, Containers: asking("cpu", cpu), Labels: map[string]string{"app": name}}
	}
	c := &outrank.Cluster{}
	for _, name := range []string{"n1", "n2"} {
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}, Allocatable: resource.MustList("cpu", "400", "pods", "1000"),
		})
	}
	for i := range int32(300) {
		c.Pods = append(c.Pods, one(fmt.Sprint("higher-", i), "n1", 11+i, "1"))
	}

	// With all possible victims gone from n2, the pod that the asker wants to be with is gone, too. With a lower
	// priority the asker would spare that pod.
	c.Pods = append(c.Pods, one("friend", "n2", 5, "1"), one("lower", "n2", 4, "10"))
	asker := one("asker", "", 10, "395")
	asker.Affinity = outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{{
		TopologyKey: "kubernetes.io/hostname", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "friend"}},
	}}}
	reported := func() *explain.Nothing {
		r := ask(t, func() (*outrank.Cluster, *outrank.Pod) { return c, asker }, explain.Options{})
		require.NotNil(t, r.Nothing)
		return r.Nothing
	}
	n := reported()
	require.NotNil(t, n.SearchedTo)
	require.EqualValues(t, 12+255, *n.SearchedTo, "the last of 256 that were tried")

	c.Pods = c.Pods[44:] // 256 higher priorities, all of which are tried
	n = reported()
	require.NotNil(t, n.SearchedTo)
	require.EqualValues(t, 10, *n.SearchedTo, "its own, because no lower one was tried")
}
