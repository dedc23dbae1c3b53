package convert_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// ordinary is a running pod of a Deployment as an API server returns it: one container,
// a projected volume, two tolerations, conditions and a status.
func ordinary(i int) *corev1.Pod {
	yes, priority, never, grace := true, int32(100), corev1.PreemptLowerPriority, int64(30)
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	started := true
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprint("web-7d4b9c-", i), Namespace: "shop", UID: "8f0c7a5e-2c0f-4a5e-9f0b-000000000000",
			Labels:            map[string]string{"app": "web", "pod-template-hash": "7d4b9c"},
			CreationTimestamp: at,
			OwnerReferences:   []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-7d4b9c", Controller: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: "node-1", Priority: &priority, PriorityClassName: "normal", PreemptionPolicy: &never,
			SchedulerName: "default-scheduler", TerminationGracePeriodSeconds: &grace, SecurityContext: &corev1.PodSecurityContext{},
			Containers: []corev1.Container{{
				Name: "web", Image: "web:1", Ports: []corev1.ContainerPort{{ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("512Mi")},
					Limits:   corev1.ResourceList{"memory": resource.MustParse("1Gi")},
				},
				VolumeMounts: []corev1.VolumeMount{{Name: "kube-api-access", MountPath: "/var/run/secrets"}},
			}},
			Volumes: []corev1.Volume{{Name: "kube-api-access", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}},
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, StartTime: &at, QOSClass: corev1.PodQOSBurstable,
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "web", Started: &started,
				AllocatedResources: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("512Mi")},
				Resources: &corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("512Mi")},
				},
			}},
		},
	}
	for _, t := range []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	return p
}

// An ordinary pod takes few microseconds; see BenchmarkPod.
func BenchmarkPod(b *testing.B) {
	p := ordinary(1)
	b.Run("convert", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := convert.Pod(p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("JSON", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := viaJSON[outrank.Pod](p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNode(b *testing.B) {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{"topology.kubernetes.io/zone": "z"}}}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("15890m"), "memory": resource.MustParse("60Gi"), "pods": resource.MustParse("110"), "ephemeral-storage": resource.MustParse("47093746742")}
	n.Status.Conditions = make([]corev1.NodeCondition, 5)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := convert.Node(n); err != nil {
			b.Fatal(err)
		}
	}
}
