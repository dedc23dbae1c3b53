package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// oddStatuses are merge patches for the statuses of running pods, each of which a kubelet may write. NAME
// stands for the name of the pod's container.
var oddStatuses = []string{
	`{"containerStatuses":[{"name":"NAME","image":"i","imageID":"i","ready":true,"restartCount":0,"allocatedResources":{"cpu":"-100m"}}]}`,
	`{"containerStatuses":[{"name":"NAME","image":"i","imageID":"i","ready":true,"restartCount":0,"resources":{"requests":{"cpu":"-1","memory":"-1Gi"}}}]}`,
	`{"containerStatuses":[{"name":"NAME","image":"i","imageID":"i","ready":true,"restartCount":0,"allocatedResources":{"cpu":"9223372036854775807","memory":"8Ei"}}]}`,
	`{"containerStatuses":[{"name":"NAME","image":"i","imageID":"i","ready":true,"restartCount":0,"allocatedResources":{"cpu":"1n","no such":"1"}}]}`,
	`{"containerStatuses":[{"name":"nobody","image":"","imageID":"","ready":false,"restartCount":-1,"allocatedResources":{"cpu":"64"}}]}`,
	`{"containerStatuses":[{"name":"NAME","image":"","imageID":"","ready":true,"restartCount":0},{"name":"NAME","image":"","imageID":"","ready":true,"restartCount":0}]}`,
	`{"containerStatuses":null,"initContainerStatuses":[{"name":"nobody","image":"","imageID":"","ready":false,"restartCount":0,"allocatedResources":{"cpu":"-1"}}]}`,
	`{"ephemeralContainerStatuses":[{"name":"e","image":"","imageID":"","ready":false,"restartCount":0,"allocatedResources":{"cpu":"-1"}}]}`,
	`{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"0000-01-01T00:00:00+23:59"}]}`,
	`{"conditions":[{"type":"DisruptionTarget","status":"Perhaps","reason":"PreemptionByScheduler","lastTransitionTime":"9999-12-31T23:59:59-23:59"}]}`,
	`{"conditions":[{"type":"","status":"","lastProbeTime":"0000-01-01T00:00:00+14:00"},{"type":"","status":""}]}`,
	`{"conditions":[{"type":"PodResizePending","status":"True","reason":"Deferred"},{"type":"PodResizePending","status":"True","reason":"Infeasible"}]}`,
	`{"conditions":[{"type":"PodResizeInProgress","status":"Unknown","reason":"Nothing","message":"\u0000\u2028"}]}`,
	`{"phase":"Unknown"}`,
	`{"phase":"Odd"}`,
	`{"phase":""}`,
	`{"startTime":"0000-01-01T00:00:00+23:59"}`,
	`{"startTime":"9999-12-31T23:59:59Z"}`,
	`{"startTime":null}`,
	`{"nominatedNodeName":"no such node"}`,
	`{"observedGeneration":-1}`,
	`{"resize":"Odd"}`,
	`{"resources":{"requests":{"cpu":"-2"}},"allocatedResources":{"cpu":"-2"}}`,
	`{"podIPs":[{"ip":"none"}],"hostIPs":[{"ip":""}]}`,
	`{"reason":"Evicted","message":"still here"}`,
	`{"resourceClaimStatuses":[{"name":"nobody","resourceClaimName":"none"}]}`,
}

// oddNodeStatuses are merge patches for the statuses of nodes.
var oddNodeStatuses = []string{
	`{"allocatable":{"example.com/odd":"9223372036854775807"},"capacity":{"example.com/odd":"1"}}`,
	`{"allocatable":{"example.com/none":"0","hugepages-3Mi":"3Mi"}}`,
	`{"conditions":[{"type":"Odd","status":"Perhaps","lastHeartbeatTime":"0000-01-01T00:00:00+23:59"}]}`,
	`{"images":[{"names":[],"sizeBytes":-1},{"names":null}]}`,
	`{"volumesAttached":[{"name":"","devicePath":""}],"volumesInUse":["","nobody"]}`,
	`{"phase":"Terminated"}`,
}

// oddSpecs turn pods into odd ones. The pods are bound to a node from the start, one of them to a node that
// does not exist.
var oddSpecs = []func(*corev1.PodSpec){
	func(s *corev1.PodSpec) { s.NodeName = "no-such-node" },
	func(s *corev1.PodSpec) { request(s, "cpu", "1n", "memory", "1m") },
	func(s *corev1.PodSpec) { request(s, "cpu", "0", "example.com/odd", "9223372036854775807") },
	func(s *corev1.PodSpec) { request(s, "memory", "7Ei", "ephemeral-storage", "7Ei") },
	func(s *corev1.PodSpec) { s.PriorityClassName = "system-node-critical" },
	func(s *corev1.PodSpec) {
		long := int64(-5)
		s.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &long}}
	},
	func(s *corev1.PodSpec) {
		s.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			{TopologyKey: "nobody.has/this", LabelSelector: &metav1.LabelSelector{}},
			{TopologyKey: corev1.LabelHostname, LabelSelector: nil, NamespaceSelector: &metav1.LabelSelector{}},
		}}}
	},
	func(s *corev1.PodSpec) {
		s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{MaxSkew: 2147483647, TopologyKey: "nobody.has/this", WhenUnsatisfiable: corev1.DoNotSchedule, MinDomains: new(int32(2147483647))},
		}
	},
	func(s *corev1.PodSpec) {
		s.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 1, HostPort: 65535, HostIP: "::"}, {ContainerPort: 2, HostPort: 65535, HostIP: "127.0.0.1"}}
	},
	func(s *corev1.PodSpec) {
		s.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "no-such-claim"}}}}
	},
}

func request(s *corev1.PodSpec, pairs ...string) {
	s.Containers[0].Resources.Requests = fill.Amounts(pairs...)
	s.Containers[0].Resources.Limits = corev1.ResourceList{}
	for name, amount := range s.Containers[0].Resources.Requests {
		if strings.Contains(string(name), "/") {
			s.Containers[0].Resources.Limits[name] = amount
		}
	}
}

// oddities makes the odd objects of a burst.
type oddities struct {
	client kubernetes.Interface
	// pods are the odd pods that were created.
	pods []*corev1.Pod
	// taken counts the objects that the API server accepted, and refused the others.
	taken, refused int
}

// add gives odd statuses to running pods and nodes, and creates odd pods.
func (o *oddities) add(ctx context.Context, r *rand.Rand, running []*corev1.Pod) error {
	r.Shuffle(len(running), func(i, j int) { running[i], running[j] = running[j], running[i] })
	for i, patch := range oddStatuses[:min(len(oddStatuses), len(running))] {
		p := running[i]
		patch = strings.ReplaceAll(patch, "NAME", p.Spec.Containers[0].Name)
		_, err := o.client.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType, []byte(`{"status":`+patch+`}`), metav1.PatchOptions{}, "status")
		o.pods = append(o.pods, p)
		if err := o.count(err); err != nil {
			return err
		}
	}

	for _, patch := range oddNodeStatuses {
		name := nodeName(r.IntN(nodeCount))
		_, err := o.client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(`{"status":`+patch+`}`), metav1.PatchOptions{}, "status")
		if err := o.count(err); err != nil {
			return err
		}
	}

	for i, shape := range oddSpecs {
		p := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: fmt.Sprintf("odd-%02d", i)},
			Spec:       corev1.PodSpec{NodeName: nodeName(r.IntN(nodeCount)), Containers: []corev1.Container{{Name: "main", Image: fill.Image}}},
		}
		shape(&p.Spec)
		_, err := o.client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
		o.pods = append(o.pods, p)
		if err := o.count(err); err != nil {
			return err
		}
	}
	return nil
}

// count counts an object, given the error of the request. It is no error if the API server refuses the object,
// or if the object is gone by then.
func (o *oddities) count(err error) error {
	switch {
	case err == nil:
		o.taken++
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		o.refused++
	default:
		return err
	}
	return nil
}

// remove removes the odd pods. Controllers replace the ones that belong to workloads.
func (o *oddities) remove(ctx context.Context) error {
	now := int64(0)
	for _, p := range o.pods {
		err := o.client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
