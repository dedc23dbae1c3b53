package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/trace"
)

// A trace is told beside the answer in every form: each node with its steps, and the ranks.
func TestTrace(t *testing.T) {
	plain, text := answered(t, ""), answered(t, "", "--trace")
	for line := range strings.Lines(plain) {
		assert.Contains(t, text, line)
	}
	for _, want := range []string{
		"Step by step, node apps-b2, which is chosen:\n  as it is: NodeResourcesFit: cpu: 3 needed, 0.6 free; memory: 8Gi needed, 1.8Gi free\n  with the 4 pods gone that could leave: the pod fits",
		"  1  tools/dashboard-0                 1000  stays     the pod fits\n",
		"  2  reports/exporter-5c7d8-mm2zx      1000  leaves    NodeResourcesFit: cpu: 3 needed, 2.2 free\n",
		"  1  media/transcoder-58c4d-vb9zk       100  media/transcoder  leaves    NodeResourcesFit: cpu: 3 needed, 2.1 free\n",
		"node apps-b1, where it does not help:\n  as it is: NodeResourcesFit: cpu: 3 needed, 0.6 free\n  nobody there could leave\n",
		"3 more nodes are not tried, as no eviction helps there",
		"The 3 candidates are compared, rank by rank, until apps-b2 is left:\n  fewer budget violations: 0 on apps-b2; out: apps-a1 (1), apps-a2 (2)\n",
	} {
		assert.Contains(t, text, want)
	}
	assert.Contains(t, answered(t, "", "--trace", "-o", "wide"), "node apps-b3, where it does not help")
	short := answered(t, "", "--trace", "--list", "1")
	assert.Contains(t, short, "And 4 more nodes where pods are taken away")
	var doc struct {
		Trace *trace.Trace `json:"trace"`
	}
	require.NoError(t, json.Unmarshal([]byte(answered(t, "", "--trace", "-o", "json")), &doc))
	require.NotNil(t, doc.Trace)
	assert.Equal(t, "apps-b2", doc.Trace.Chosen)
	assert.Len(t, doc.Trace.Nodes, 5)
	assert.NotContains(t, answered(t, "", "-o", "json"), `"trace"`)
	page := answered(t, "", "--trace", "-o", "html")
	assert.Contains(t, page, "Step by step: node apps-b2, which is chosen")
	assert.Contains(t, page, "Step by step: the ranks")
}

// A trace goes with changes and other additions, and where nobody is taken away it says so.
func TestTraceWithOthers(t *testing.T) {
	for args, want := range map[string]string{
		"--without apps-b2 --pending shop/checkout-2 --trace --exact": "Step by step, node",
		"--cpu 100m --class batch --trace":                            "Step by step: a node takes the pod as things are, so nobody is taken away.",
		"--pending ml/train-2 --trace":                                "Step by step: the pod may not push others out, so nobody is taken away.",
		"--cpu 1000 --trace":                                          "Step by step: no node is tried, as no eviction helps on any.",
		"--sample units --trace":                                      "default/t1 with default/t2",
		"--sample resize --trace":                                     "default/young",
		"--sample exact --trace":                                      "Step by step, node n1, which is chosen:",
		"-f sample/deployment.yaml --trace":                           "Step by step",
	} {
		assert.Contains(t, answered(t, "", strings.Fields(args)...), want, args)
		assert.NotContains(t, answered(t, "", append(strings.Fields(args), "-o", "yaml")...), "null", args)
	}
	for _, s := range samples.All() {
		if s.Name != "gang" {
			answered(t, "", "--sample", s.Name, "--trace")
		}
	}
	for args, want := range map[string]string{
		"--trace --pending all":               "--trace is about the answer for one pod",
		"--trace --replicas 2":                "--trace is about the answer for one pod",
		"--sample gang --trace":               "--trace knows the steps for a pod by itself only",
		"--trace --why-preempted " + exporter: "--trace is about the answer for one pod",
		"--trace --why-not apps-a1":           "--trace is about the answer for one pod",
	} {
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, want, args)
	}
}
