package kubeletadmit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// The check counts the pods that are there as the release does (rule 2.2.11), and the
// choice takes them for what the release says (rule 3.12).
func TestConfigFollowsItsRelease(t *testing.T) {
	shrinking := newPod("shrinking", req("cpu", "100m"))
	shrinking.Containers[0].Name, shrinking.Containers[0].Actual = "a", resource.MustList("cpu", "500m")
	shrinking.Containers = append(shrinking.Containers, outrank.Container{
		Name: "b", Requests: resource.MustList("cpu", "500m"), Actual: resource.MustList("cpu", "100m"),
	})
	pod := newPod("critical", req("cpu", "400m"))
	pod.Priority = outrank.Priority(2_000_000_000)
	node, active := newNode("cpu", "1"), []*outrank.Pod{shrinking}
	for r, want := range map[outrank.Release]kubeletadmit.Outcome{
		outrank.V1_36: kubeletadmit.AdmittedAfterEvicting, outrank.V1_37: kubeletadmit.Admitted,
	} {
		adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{Release: r})
		require.NoError(t, err)
		assert.Equal(t, want, adm.Outcome, "%v", r)
	}
	// Empty pod-level resources: BestEffort goes first, Burstable does not.
	empty, other := newPod("empty", req("cpu", "400m")), newPod("other", req("cpu", "400m"))
	empty.Resources = &resource.Requirements{}
	other.Containers[0].Requests["memory"] = resource.MustParse("1Ki")
	active = []*outrank.Pod{other, empty}
	for r, want := range map[outrank.Release]outrank.QOSClass{outrank.V1_36: outrank.BestEffort, outrank.V1_37: outrank.Burstable} {
		adm, err := kubeletadmit.Admit(newNode("cpu", "1"), active, pod, kubeletadmit.Config{Release: r})
		require.NoError(t, err)
		require.Len(t, adm.Evictions, 1)
		assert.Equal(t, want, adm.Evictions[0].Tier, "%v", r)
	}
}

func TestUnknownRelease(t *testing.T) {
	a := kubeletadmit.Config{Release: 7}
	pod := newPod("p", nil)
	_, err := kubeletadmit.Admit(newNode(), nil, pod, a)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, "config: Release: release 0x7 is not known")
	_, err = kubeletadmit.Check(newNode(), nil, pod, a)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = kubeletadmit.Resolve(pod, nil, nil, a)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// A pod whose containers are being resized in opposite directions takes less in v1.37.
func ExampleConfig() {
	running := &outrank.Pod{Name: "web", Containers: []outrank.Container{
		{Name: "a", Requests: resource.MustList("cpu", "100m"), Actual: resource.MustList("cpu", "500m")},
		{Name: "b", Requests: resource.MustList("cpu", "500m"), Actual: resource.MustList("cpu", "100m")},
	}}
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "10")}
	pod := &outrank.Pod{Name: "dns", Priority: outrank.Priority(2_000_001_000), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "400m")}}}
	for _, r := range outrank.Releases() {
		a := kubeletadmit.Config{Release: r}
		adm, err := kubeletadmit.Admit(node, []*outrank.Pod{running}, pod, a)
		fmt.Println(r, adm.Outcome, len(adm.Evictions), err)
		failures, _ := kubeletadmit.Check(node, []*outrank.Pod{running}, pod, a)
		again, _ := kubeletadmit.Resolve(pod, []*outrank.Pod{running}, failures, a)
		fmt.Println(failures, again.Outcome)
	}
	// Output:
	// v1.36 AdmittedAfterEvicting 1 <nil>
	// [Insufficient cpu] AdmittedAfterEvicting
	// v1.37 Admitted 0 <nil>
	// [] Admitted
}

// Options that make no sense are refused, and none of them changes who may be evicted.
func TestOptionsAreChecked(t *testing.T) {
	bad := kubeletadmit.Config{Exact: true, Limit: -1}
	node, active, pod := cornered()
	_, err := kubeletadmit.Admit(node, active, pod, bad)
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "config: Limit: -1 is negative")
}
