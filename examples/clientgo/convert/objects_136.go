//go:build kube136

package convert

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// Objects are the objects of a cluster, in the order in which they are listed.
type Objects struct {
	Nodes           []*corev1.Node
	Pods            []*corev1.Pod
	Budgets         []*policyv1.PodDisruptionBudget
	PriorityClasses []*schedulingv1.PriorityClass
	Namespaces      []*corev1.Namespace
	Claims          []*corev1.PersistentVolumeClaim
	Volumes         []*corev1.PersistentVolume
	StorageClasses  []*storagev1.StorageClass
	CSINodes        []*storagev1.CSINode
	CSIDrivers      []*storagev1.CSIDriver
}

// groups has nothing to convert, because the rules of v1.36 know no groups.
func (r *reading) groups(*Objects) {}

// bindOptions is always false, because mounts have no such options in v1.36.
func bindOptions(*corev1.VolumeMount) bool { return false }

// noResize is always empty, because nodes have no such demand in v1.36.
func noResize(*corev1.Node) []string { return nil }
