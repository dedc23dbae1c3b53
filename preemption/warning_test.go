package preemption_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// A plan warns of claims for devices, which no filter reads, unless the caller has one that does (rule 7.14.7).
func TestClaimsForDevicesAreAWarning(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("pods", "10")}}}
	p := &outrank.Pod{Name: "p", ResourceClaims: []string{"gpu", "nic"}}
	plan, err := preemption.Preempt(c, preemption.Request{Pod: p}, preemption.Config{})
	require.NoError(t, err)
	const text = "pod default/p: spec.resourceClaims: no filter reads claims for devices (gpu, nic); the pod is decided about as if it had none"
	require.Len(t, plan.Warnings, 1)
	assert.Equal(t, text, plan.Warnings[0].String())
	assert.Equal(t, preemption.Fits, plan.Outcome)
	assert.Equal(t, "default/p: fits on 1 node\n  warning: "+text, plan.String())
	document, err := json.Marshal(plan)
	require.NoError(t, err)
	assert.Contains(t, string(document), `"warnings":["`+text+`"]`)

	passes := func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }
	own := preemption.Config{Filters: []*preemption.Filter{{Name: "DynamicResources", Node: passes}}}
	plan, err = preemption.Preempt(c, preemption.Request{Pod: p}, own)
	require.NoError(t, err)
	assert.Empty(t, plan.Warnings)

	p.ResourceClaims = nil
	plan, err = preemption.Preempt(c, preemption.Request{Pod: p}, preemption.Config{})
	require.NoError(t, err)
	assert.Empty(t, plan.Warnings)
}

// A pod that is passed along with the question, and is not in the cluster, has a claim of which only the name is
// known: the plan warns of it (rule 7.10.4). What is known of a claim is no warning.
func TestClaimsThatAreMissingAreAWarning(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:  []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("pods", "10")}},
		Claims: []*outrank.VolumeClaim{{Name: "there", Volume: outrank.Volume{Driver: "d"}}},
	}
	p := &outrank.Pod{Name: "p", Volumes: []outrank.Volume{{Claim: "there"}, {Claim: "gone"}, {Claim: "lost"}, {Claim: "p-v", Ephemeral: true}}}
	c.ResolveVolumes(p)
	plan, err := preemption.Preempt(c, preemption.Request{Pod: p}, preemption.Config{})
	require.NoError(t, err)
	require.Len(t, plan.Warnings, 1)
	const text = "pod default/p: spec.volumes: of claims only the names are known (gone, lost); they keep the pod from no node, and a cluster without them schedules no such pod"
	assert.Equal(t, text, plan.Warnings[0].String())
	assert.Equal(t, preemption.Fits, plan.Outcome)
	assert.Empty(t, c.Warnings(), "nothing else tells")

	p.Volumes = p.Volumes[:1]
	plan, err = preemption.Preempt(c, preemption.Request{Pod: p}, preemption.Config{})
	require.NoError(t, err)
	assert.Empty(t, plan.Warnings)
}
