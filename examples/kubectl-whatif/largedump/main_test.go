package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

// small is a dump that is made in milliseconds.
var small = size{nodes: 40, pods: 10, waiting: 24}

// dumpOf returns the text of a dump.
func dumpOf(t *testing.T, size size, form string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out, size, 1, form))
	return out.Bytes()
}

// clusterOf reads a dump.
func clusterOf(t *testing.T, text []byte) *outrank.Cluster {
	t.Helper()
	r, err := input.JSON(bytes.NewReader(text))
	require.NoError(t, err)
	c, err := kube.ReadCluster(r)
	require.NoError(t, err)
	return c
}

// A dump has everything that makes a question hard, and the two forms say the same.
func TestDump(t *testing.T) {
	text := dumpOf(t, small, "json")
	assert.Equal(t, text, dumpOf(t, small, "json"), "the same flags give the same bytes")
	c := clusterOf(t, text)
	assert.Equal(t, c, clusterOf(t, dumpOf(t, small, "yaml")))

	require.NoError(t, c.Validate())
	assert.Len(t, c.Nodes, small.nodes)
	assert.Len(t, c.Classes, len(classes))
	assert.NotEmpty(t, c.Budgets)

	waiting, kinds := 0, map[string]int{}
	for _, p := range c.Pods {
		if p.NodeName == "" {
			waiting++
		} else {
			kinds[p.Owner.Kind]++
		}
	}
	assert.Equal(t, small.waiting, waiting)
	assert.InDelta(t, small.nodes*small.pods, len(c.Pods)-waiting, float64(small.nodes*small.pods)/4)
	for _, kind := range []string{"DaemonSet", "StatefulSet", "ReplicaSet", "Job"} {
		assert.NotZero(t, kinds[kind], kind)
	}
	assert.Contains(t, string(text), `"kind": "ResourceQuota"`)
}

// The nodes are nearly full, so that of the pods that wait some fit, some push others out and some do neither.
func TestNodesAreFull(t *testing.T) {
	c := clusterOf(t, dumpOf(t, small, "json"))
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	offered, used := int64(0), int64(0)
	for _, n := range c.Nodes {
		offered += n.Allocatable.Amount(resource.CPU)
		used += snap.Used(n.Name, resource.CPU)
	}
	assert.Greater(t, float64(used), 0.9*float64(offered))
	assert.LessOrEqual(t, used, offered)

	outcomes := map[preemption.Outcome]int{}
	for _, p := range c.Pods {
		if p.NodeName != "" {
			continue
		}
		plan, err := new(engine.Evaluator).Preempt(t.Context(), snap, preemption.Request{Pod: p})
		require.NoError(t, err)
		outcomes[plan.Outcome]++
	}
	assert.NotZero(t, outcomes[preemption.Fits])
	assert.NotZero(t, outcomes[preemption.Preempts])
	assert.Greater(t, small.waiting, outcomes[preemption.Fits]+outcomes[preemption.Preempts])
}

func TestSizesThatAreRefused(t *testing.T) {
	for want, s := range map[string]size{
		"-nodes 0":    {nodes: 0, pods: 30},
		"-pods 3":     {nodes: 1, pods: 3},
		"-waiting -1": {nodes: 1, pods: 30, waiting: -1},
	} {
		assert.ErrorContains(t, write(&strings.Builder{}, s, 1, "json"), want)
	}
	assert.ErrorContains(t, write(&strings.Builder{}, small, 1, "xml"), "json and yaml")
}
