package fill

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// Create creates an object of one of the kinds that fill a cluster.
func Create(ctx context.Context, c kubernetes.Interface, o runtime.Object) (err error) {
	var opts metav1.CreateOptions
	switch o := o.(type) {
	case *corev1.Node:
		_, err = c.CoreV1().Nodes().Create(ctx, o, opts)
	case *corev1.Namespace:
		_, err = c.CoreV1().Namespaces().Create(ctx, o, opts)
	case *corev1.PersistentVolume:
		_, err = c.CoreV1().PersistentVolumes().Create(ctx, o, opts)
	case *corev1.PersistentVolumeClaim:
		_, err = c.CoreV1().PersistentVolumeClaims(o.Namespace).Create(ctx, o, opts)
	case *corev1.LimitRange:
		_, err = c.CoreV1().LimitRanges(o.Namespace).Create(ctx, o, opts)

	case *schedulingv1.PriorityClass:
		_, err = c.SchedulingV1().PriorityClasses().Create(ctx, o, opts)
	case *storagev1.CSINode:
		_, err = c.StorageV1().CSINodes().Create(ctx, o, opts)
	case *storagev1.CSIDriver:
		_, err = c.StorageV1().CSIDrivers().Create(ctx, o, opts)
	case *nodev1.RuntimeClass:
		_, err = c.NodeV1().RuntimeClasses().Create(ctx, o, opts)

	case *policyv1.PodDisruptionBudget:
		_, err = c.PolicyV1().PodDisruptionBudgets(o.Namespace).Create(ctx, o, opts)
	case *appsv1.Deployment:
		_, err = c.AppsV1().Deployments(o.Namespace).Create(ctx, o, opts)
	case *appsv1.DaemonSet:
		_, err = c.AppsV1().DaemonSets(o.Namespace).Create(ctx, o, opts)
	default:
		err = fmt.Errorf("%T is not created here", o)
	}
	return err
}
