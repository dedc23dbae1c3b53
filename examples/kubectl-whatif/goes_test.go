package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pod that fits is told where it goes, as its scheduler's scores have it: in text, JSON and page.
func TestWhereAPodGoes(t *testing.T) {
	asks := []string{"--cpu", "10m", "--priority", "1000"}
	_, text, _ := whatif("", asks...)
	assert.Contains(t, text, "\nBy its scheduler's scores it goes to edge-a1.\n")
	_, page, _ := whatif("", append(asks, "-o", "html")...)
	assert.Contains(t, page, "6 nodes take it. By its scheduler&#39;s scores it goes to edge-a1.")
	var doc Document
	_, answer, _ := whatif("", append(asks, "-o", "json")...)
	require.NoError(t, json.Unmarshal([]byte(answer), &struct{ Goes any }{&doc.Goes}))
	require.NotNil(t, doc.Goes)
	assert.Equal(t, "edge-a1", doc.Goes.Node)
	assert.Equal(t, 1, doc.Goes.Equal)
	_, text, _ = whatif("") // the sample's pod pushes others out
	assert.NotContains(t, text, "it goes to")
}

// A preference that the scheduler cannot read keeps a pod waiting that would fit.
func TestPodWhoseSchedulerFails(t *testing.T) {
	manifest := `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "odd"}, "spec": {"containers": [{"name": "c"}], "affinity": {"nodeAffinity": {
		"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}}]}}}}`
	status, text, stderr := whatif(manifest, "-f", "-")
	require.Zero(t, status, stderr)
	assert.Contains(t, strings.Join(strings.Fields(text), " "), "its scheduler fails over its preferences, and it waits: ")
}
