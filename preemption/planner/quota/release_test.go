package quota_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

// opposite is a pod with one container that grows and one that shrinks.
func opposite() *outrank.Pod {
	return &outrank.Pod{Name: "web", NodeName: "n1", Containers: []outrank.Container{
		{Name: "a", Requests: resource.MustList("cpu", "100m"), Actual: resource.MustList("cpu", "500m")},
		{Name: "b", Requests: resource.MustList("cpu", "500m"), Actual: resource.MustList("cpu", "100m")},
	}}
}

// The usage of pods and their QoS class follow the release (rules 2.2.11, 3.12
// and 20.3.8).
func TestReleasesOfQuotas(t *testing.T) {
	empty := &outrank.Pod{Name: "empty", Resources: &resource.Requirements{}, Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "250m")}}}
	effort := &quota.Quota{Name: "q", Scopes: []quota.Requirement{{Scope: quota.BestEffort, Operator: outrank.Exists}}, Hard: resource.MustList("pods", "0"), Used: resource.MustList("pods", "0")}
	room := &quota.Quota{Name: "q", Hard: resource.MustList("requests.cpu", "700m"), Used: resource.MustList("requests.cpu", "0")}
	for r, want := range map[outrank.Release]struct {
		cpu        string
		bestEffort int64
	}{outrank.V1_36: {"1", 1}, outrank.V1_37: {"600m", 0}} {
		pods := []quota.Pod{{Pod: opposite()}, {Pod: empty}}
		assert.Zero(t, resource.MustParse(want.cpu).Cmp(quota.Usage(r, opposite())["requests.cpu"]), "%v", r)
		assert.Equal(t, want.bestEffort, effort.Measure(r, pods).Amount("pods"), "%v", r)
		a := quota.Admission{Release: r}
		v, err := a.Admit([]*quota.Quota{room}, quota.Pod{Pod: opposite()})
		require.NoError(t, err)
		assert.Equal(t, want.bestEffort == 0, v.Reason == "", "%v: %v", r, v)
		v, err = a.Admit([]*quota.Quota{effort}, quota.Pod{Pod: empty})
		require.NoError(t, err)
		assert.Equal(t, want.bestEffort == 0, v.Reason == "", "%v: %v", r, v)
	}
	assert.Equal(t, quota.Usage(0, opposite()), quota.Usage(outrank.DefaultRelease, opposite()))
}

func TestQuotasOfUnknownRelease(t *testing.T) {
	a := quota.Admission{Release: 7}
	_, err := a.Admit(nil, quota.Pod{Pod: opposite()})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "admission: Release: release 0x7 is not known")
}

// The usage of a pod whose containers are being resized in opposite directions.
func ExampleUsage_release() {
	for _, r := range outrank.Releases() {
		fmt.Println(r, quota.Usage(r, opposite())["cpu"])
	}
	q := quota.Quota{Name: "q", Hard: resource.MustList("cpu", "4")}
	fmt.Println(q.Measure(outrank.V1_37, []quota.Pod{{Pod: opposite()}}).String())
	// Output:
	// v1.36 1
	// v1.37 600m
	// cpu: 600m
}
