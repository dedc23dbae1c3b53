package convert_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

func ExamplePod() {
	priority := int32(100)
	pod, err := convert.Pod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "shop"},
		Spec: corev1.PodSpec{Priority: &priority, Containers: []corev1.Container{{
			Name: "web", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("500m")}},
		}}},
	})
	fmt.Println(pod.Key(), pod.PriorityValue(), pod.Containers[0].Requests, err)

	_, err = convert.Pod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web-2", Namespace: "shop"},
		Spec:       corev1.PodSpec{Overhead: corev1.ResourceList{"cpu": resource.MustParse("-1")}},
	})
	fmt.Println(err)
	// Output:
	// shop/web-1 100 cpu: 500m <nil>
	// pod shop/web-2: spec.overhead.cpu: -1 is negative
}

func ExampleCluster() {
	cluster, err := convert.Cluster(convert.Objects{
		Nodes:   []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}},
		Pods:    []*corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "web-1"}, Spec: corev1.PodSpec{NodeName: "n1"}}},
		Budgets: []*policyv1.PodDisruptionBudget{{ObjectMeta: metav1.ObjectMeta{Name: "web"}}},
	})
	fmt.Println(len(cluster.Nodes), len(cluster.Pods), len(cluster.Budgets), err)
	// Output: 1 1 1 <nil>
}
