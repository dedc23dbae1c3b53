package clientgo_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/apiserver"
)

// withGates makes an API server keep the fields about groups of pods.
func withGates(t *testing.T) {
	featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
		features.GenericWorkload: true, features.TopologyAwareWorkloadScheduling: true, features.CompositePodGroup: true,
		features.PodGroupPreemptionPolicy: true,
	})
}

func kinds(t *testing.T) []apitest.Kind {
	all, err := apitest.Kinds()
	require.NoError(t, err)
	return all
}

// objectsOf is a cluster of one object. A volume has a claim, by which alone it counts.
func objectsOf(t rapid.TB, o runtime.Object) (c convert.Objects) {
	switch o := o.(type) {
	case *corev1.Pod:
		c.Pods = append(c.Pods, o)
	case *corev1.Node:
		c.Nodes = append(c.Nodes, o)
	case *policyv1.PodDisruptionBudget:
		c.Budgets = append(c.Budgets, o)
	case *schedulingv1.PriorityClass:
		c.PriorityClasses = append(c.PriorityClasses, o)
	case *corev1.Namespace:
		c.Namespaces = append(c.Namespaces, o)
	case *corev1.PersistentVolumeClaim:
		c.Claims = append(c.Claims, o)
	case *corev1.PersistentVolume:
		c.Volumes = append(c.Volumes, o)
		claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: o.Name}}
		claim.Name, claim.Annotations = "c", map[string]string{"pv.kubernetes.io/bind-completed": ""}
		c.Claims = append(c.Claims, claim)
	case *storagev1.StorageClass:
		c.StorageClasses = append(c.StorageClasses, o)
	case *storagev1.CSINode:
		c.CSINodes = append(c.CSINodes, o)
	case *storagev1.CSIDriver:
		c.CSIDrivers = append(c.CSIDrivers, o)
	case *schedulingv1beta1.PodGroup:
		c.PodGroups = append(c.PodGroups, o)
	case *schedulingv1alpha3.CompositePodGroup:
		c.CompositePodGroups = append(c.CompositePodGroups, o)
	case *schedulingv1beta1.Workload:
		c.Workloads = append(c.Workloads, o)
	case *schedulingv1alpha3.PodGroup:
	case *schedulingv1alpha3.Workload:
	default:
		t.Fatalf("%T", o)
	}
	return c
}

// taken reads an object, and the warnings about it.
func taken(t rapid.TB, o runtime.Object) (warnings []outrank.Problem, err error) {
	switch o := o.(type) {
	case *schedulingv1alpha3.PodGroup:
		_, err = convert.PodGroupAlpha(o)
		return nil, err
	case *schedulingv1alpha3.Workload:
		_, err = convert.WorkloadAlpha(o)
		return nil, err
	}
	c, err := convert.Cluster(objectsOf(t, o))
	if err != nil {
		return nil, err
	}
	return c.Warnings(), nil
}

// The objects that other tests begin with are valid for an API server.
func TestValidObjects(t *testing.T) {
	withGates(t)
	for _, k := range kinds(t) {
		for _, o := range k.Valid {
			_, err := apiserver.Store(o)
			require.NoError(t, err, k.Name)
			_, err = taken(t, o)
			require.NoError(t, err, k.Name)
		}
	}
}
