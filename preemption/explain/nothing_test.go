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
