package devicetrial

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// create creates an object of any kind that the trials use.
func create(ctx context.Context, client kubernetes.Interface, o runtime.Object) (err error) {
	var options metav1.CreateOptions
	switch o := o.(type) {
	case *corev1.Namespace:
		_, err = client.CoreV1().Namespaces().Create(ctx, o, options)
	case *corev1.Node:
		_, err = client.CoreV1().Nodes().Create(ctx, o, options)
	case *corev1.Pod:
		_, err = client.CoreV1().Pods(o.Namespace).Create(ctx, o, options)
	case *schedulingv1.PriorityClass:
		_, err = client.SchedulingV1().PriorityClasses().Create(ctx, o, options)
	case *resourcev1.DeviceClass:
		_, err = client.ResourceV1().DeviceClasses().Create(ctx, o, options)
	case *resourcev1.ResourceSlice:
		_, err = client.ResourceV1().ResourceSlices().Create(ctx, o, options)
	case *resourcev1.ResourceClaim:
		_, err = client.ResourceV1().ResourceClaims(o.Namespace).Create(ctx, o, options)
	case *resourcev1.ResourceClaimTemplate:
		_, err = client.ResourceV1().ResourceClaimTemplates(o.Namespace).Create(ctx, o, options)
	default:
		err = fmt.Errorf("no way to create a %T", o)
	}
	return err
}
