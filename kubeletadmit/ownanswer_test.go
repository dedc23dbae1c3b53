package kubeletadmit_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// An answer is the caller's own: neither what was passed in nor a later call
// changes it.
func TestAnswersAreTheCallersOwn(t *testing.T) {
	short := kubeletadmit.CheckFailure{Resource: resource.CPU, Requested: 1000, Used: 1000, Capacity: 1000}
	taint := kubeletadmit.CheckFailure{Predicate: kubeletadmit.TaintToleration, Text: "tainted"}
	critical := &outrank.Pod{Name: "critical", Static: true}
	plain := &outrank.Pod{Name: "plain"}
	low := &outrank.Pod{
		Name: "low", UID: "1", NodeName: "n",
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
	}
	for name, c := range map[string]struct {
		pod      *outrank.Pod
		failures []kubeletadmit.CheckFailure
	}{
		"admitted after evicting": {critical, []kubeletadmit.CheckFailure{short}},
		"rejected":                {plain, []kubeletadmit.CheckFailure{short, taint}},
		"rejected for one":        {critical, []kubeletadmit.CheckFailure{short, taint}},
	} {
		t.Run(name, func(t *testing.T) {
			given := slices.Clone(c.failures)
			adm, err := kubeletadmit.Resolve(c.pod, []*outrank.Pod{low}, given, kubeletadmit.Config{})
			require.NoError(t, err)
			returned := slices.Clone(adm.Returned)
			for i := range given {
				given[i] = kubeletadmit.CheckFailure{Predicate: "Scribbled"}
			}
			assert.Equal(t, c.failures, adm.Failures)
			assert.Equal(t, returned, adm.Returned)
			for i := range adm.Returned {
				adm.Returned[i] = kubeletadmit.CheckFailure{Predicate: "Scribbled"}
			}
			assert.Equal(t, c.failures, adm.Failures, "the two lists share nothing")
		})
	}
}

// Check and Admit reuse memory; an earlier answer does not change.
func TestAnswersOutliveLaterCalls(t *testing.T) {
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "1", "memory", "1Gi", "pods", "0")}
	big := &outrank.Pod{Name: "big", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2", "memory", "2Gi")}}}
	other := &outrank.Pod{Name: "other", NodeName: "elsewhere"}
	found, err := kubeletadmit.Check(node, nil, big, kubeletadmit.Config{})
	require.NoError(t, err)
	adm, err := kubeletadmit.Admit(node, nil, big, kubeletadmit.Config{})
	require.NoError(t, err)
	before := slices.Clone(found)
	require.Len(t, before, 3)
	for range 20 {
		_, err = kubeletadmit.Check(node, nil, other, kubeletadmit.Config{})
		require.NoError(t, err)
		_, err = kubeletadmit.Admit(node, nil, other, kubeletadmit.Config{})
		require.NoError(t, err)
	}
	assert.Equal(t, before, found)
	assert.Equal(t, before, adm.Failures)
	assert.Equal(t, before, adm.Returned)
}
