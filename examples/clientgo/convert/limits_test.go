package convert_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// No number of seconds turns into another sign.
func TestGraceBeyondAllTime(t *testing.T) {
	for _, seconds := range []int64{math.MinInt64, math.MinInt64 / 2, -1, 1, math.MaxInt64 / 2, math.MaxInt64} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
		p.Spec.TerminationGracePeriodSeconds = &seconds
		one, err := convert.Pod(p)
		if err != nil {
			assert.Negative(t, seconds, "%v", err)
			continue
		}
		assert.Equal(t, seconds > 0, *one.Grace > 0, "%d: %v", seconds, *one.Grace)
		assert.Equal(t, seconds < 0, *one.Grace < 0, "%d: %v", seconds, *one.Grace)
	}
}

// Appending to a converted list does not write to the object.
func TestListsEndWhereTheyEnd(t *testing.T) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	n.Status.DeclaredFeatures = append(make([]string, 0, 2), "a")
	one, err := convert.Node(n)
	require.NoError(t, err)
	_ = append(one.DeclaredFeatures, "b")
	assert.Equal(t, []string{"a", ""}, n.Status.DeclaredFeatures[:2])
}

// Of several statuses of a container the first counts, however many containers there are.
func TestFirstStatusCounts(t *testing.T) {
	for _, containers := range []int{1, 20} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{NodeName: "n"}}
		for i := range containers {
			name := fmt.Sprint("c", i)
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: name})
			for _, cpu := range []string{"1", "2"} {
				p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
					Name: name, AllocatedResources: corev1.ResourceList{"cpu": resource.MustParse(cpu)},
				})
			}
		}
		one, err := convert.Pod(p)
		require.NoError(t, err)
		for i := range one.Containers {
			assert.EqualValues(t, 1000, one.Containers[i].AllocatedResources.Amount("cpu"), "%d of %d", i, containers)
		}
	}
}

// A claim's own state stays, whatever is bound to it.
func TestBindLeavesTheClaim(t *testing.T) {
	claim := &outrank.VolumeClaim{Name: "c", Namespace: "default"}
	bound := convert.Bind(claim, convert.Binding{Volume: "v", Completed: true}, &outrank.Volume{Driver: "d", Handle: "h"}, nil)
	assert.Equal(t, "d", bound.Volume.Driver)
	assert.Equal(t, &outrank.VolumeClaim{Name: "c", Namespace: "default"}, claim)
}

// A cluster is as of the latest creation of any object, finished or not, whatever its nodes say.
func TestAsOfTheLatestCreation(t *testing.T) {
	at, ahead := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), metav1.NewTime(time.Date(3026, 1, 1, 0, 0, 0, 0, time.UTC))
	early := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", CreationTimestamp: metav1.NewTime(at.Add(-time.Hour))}}
	early.Status.Conditions = []corev1.NodeCondition{{LastHeartbeatTime: ahead, LastTransitionTime: ahead}}
	meta := metav1.ObjectMeta{Name: "x", CreationTimestamp: at}
	started := corev1.PodStatus{StartTime: &ahead, Conditions: []corev1.PodCondition{{LastProbeTime: ahead, LastTransitionTime: ahead}}}
	finished := started
	finished.Phase = corev1.PodSucceeded
	for name, o := range map[string]convert.Objects{
		"pod":           {Pods: []*corev1.Pod{{ObjectMeta: meta, Status: started}}},
		"finished":      {Pods: []*corev1.Pod{{ObjectMeta: meta, Status: finished}}},
		"budget":        {Budgets: []*policyv1.PodDisruptionBudget{{ObjectMeta: meta}}},
		"class":         {PriorityClasses: []*schedulingv1.PriorityClass{{ObjectMeta: meta}}},
		"namespace":     {Namespaces: []*corev1.Namespace{{ObjectMeta: meta}}},
		"claim":         {Claims: []*corev1.PersistentVolumeClaim{{ObjectMeta: meta}}},
		"volume":        {Volumes: []*corev1.PersistentVolume{{ObjectMeta: meta}}},
		"storage class": {StorageClasses: []*storagev1.StorageClass{{ObjectMeta: meta}}},
		"csinode":       {CSINodes: []*storagev1.CSINode{{ObjectMeta: meta}}},
		"csidriver":     {CSIDrivers: []*storagev1.CSIDriver{{ObjectMeta: meta}}},
	} {
		o.Nodes = []*corev1.Node{early}
		c, err := convert.Cluster(o)
		require.NoError(t, err)
		assert.Equal(t, at.Time, c.AsOf, name)
	}
}
