package convert

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
)

// TestEmptyReportedListsStay: an empty list of a status means that nothing is set
// aside, and where there is none the spec counts.
func TestEmptyReportedListsStay(t *testing.T) {
	cpu := corev1.ResourceList{corev1.ResourceCPU: apiresource.MustParse("1")}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: cpu}}}},
		Status: corev1.PodStatus{
			Conditions:         []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonInfeasible}},
			ContainerStatuses:  []corev1.ContainerStatus{{Name: "c", AllocatedResources: cpu}},
			AllocatedResources: corev1.ResourceList{},
			Resources:          &corev1.ResourceRequirements{Requests: corev1.ResourceList{}},
		},
	}
	p, err := Pod(pod)
	require.NoError(t, err)
	require.Zero(t, p.RunningRequests(outrank.V1_37)["cpu"])

	pod.Status.AllocatedResources = nil
	p, err = Pod(pod)
	require.NoError(t, err)
	require.Equal(t, "1", p.RunningRequests(outrank.V1_37)["cpu"].String())
}
