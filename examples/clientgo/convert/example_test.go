package convert_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
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

// A scheduler hears of a claim that was made, and asks its queue for the pods that it helps.
func ExampleStorageChange() {
	q, err := queue.New(queue.Config{})
	if err != nil {
		panic(err)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, claim := range []string{"data", "logs"} {
		_ = q.Add(&outrank.Pod{Name: "needs-" + claim, Volumes: []outrank.Volume{{Claim: claim}}}, now)
		e, _ := q.TryPop(now)
		e.FailedFilters = []string{"VolumeBinding"}
		_ = q.AddUnschedulableIfNotPresent(e, now)
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"}}
	q.MoveAll(queue.ClusterEvent{Kind: queue.EventStorageChanged, Storage: convert.StorageChange(nil, claim)}, now)
	fmt.Println(q.Counts())
	// Output:
	// 0 active, 1 in backoff, 1 unschedulable, 0 gated, 0 in flight
}
