// Package load answers what a control plane does under load, and when parts of it fail. It sends bursts of
// important pods into a full cluster, for kube-scheduler and the plugin in turn. Meanwhile schedulers and the
// API server are killed or suspended, and objects that make little sense come and go.
package load

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// The numbers of nodes in the cluster and of pods in a burst.
const (
	nodeCount = 100
	burstSize = 200
)

// Profiles are the profiles of the schedulers. The pods of a burst name them alternately.
var Profiles = []string{"default-scheduler", "second-scheduler"}

// Namespace is the namespace of the pods of bursts.
const Namespace = fill.TrialNamespace

// burstLabel is the label with the name of the burst that a pod belongs to.
const burstLabel = "burst"

// nodes returns the nodes of the cluster. A quarter of them are twice as large as the others.
func nodes() []*corev1.Node {
	var out []*corev1.Node
	for i := range nodeCount {
		name, cores := nodeName(i), 8
		if i%4 == 3 {
			cores = 16
		}
		amounts := fill.Amounts("cpu", strconv.Itoa(cores), "memory", fmt.Sprintf("%dGi", 4*cores), "pods", "40", "ephemeral-storage", "100Gi")
		out = append(out, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
				corev1.LabelTopologyZone: fill.Zones[i%len(fill.Zones)], corev1.LabelTopologyRegion: "eu-1",
			}},
			Status: corev1.NodeStatus{Capacity: amounts, Allocatable: amounts.DeepCopy()},
		})
	}
	return out
}

func nodeName(i int) string { return fmt.Sprintf("n-%03d", i) }

// workloads draws unimportant workloads that together ask for a little more CPU than the cluster has. Half of
// them have a disruption budget.
func workloads(r *rand.Rand) []fill.Workload {
	var out []fill.Workload
	left := int64(0) // CPU that no workload has requested yet, in thousandths of a core
	for _, n := range nodes() {
		left += n.Status.Allocatable.Cpu().MilliValue()
	}
	left += left * 6 / 100

	namespaces := []string{"team-a", "team-b", "batch", "ml", "edge"}
	classes := []string{fill.Batch, fill.Batch, fill.Batch, fill.Standard, fill.Standard, fill.Low, fill.Low, fill.Medium}
	for i := 0; left > 0; i++ {
		cpu := int64(100 + 50*r.IntN(20))
		w := fill.Workload{
			Namespace: namespaces[r.IntN(len(namespaces))], Name: fmt.Sprintf("d%02d", i), Class: classes[r.IntN(len(classes))],
			Replicas: int32(20 + r.IntN(120)),
			Requests: []string{"cpu", fmt.Sprintf("%dm", cpu), "memory", fmt.Sprintf("%dMi", 128+128*r.IntN(12))},
		}

		switch r.IntN(8) {
		case 0:
			w.Shape = func(s *corev1.PodSpec) { s.Affinity = fill.Apart(w.Name, corev1.LabelHostname) }
		case 1:
			even := fill.Even(w.Name, corev1.LabelTopologyZone, 3)
			w.Shape = func(s *corev1.PodSpec) { s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{even} }
		}
		w.Budget = budgetOf(r.IntN(6))
		out = append(out, w)
		left -= cpu * int64(w.Replicas)
	}
	return out
}

func budgetOf(kind int) *policyv1.PodDisruptionBudgetSpec {
	tenth, one, most := intstr.FromString("10%"), intstr.FromInt32(1), intstr.FromString("80%")
	switch kind {
	case 0:
		return &policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &tenth}
	case 1:
		return &policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one}
	case 2:
		return &policyv1.PodDisruptionBudgetSpec{MinAvailable: &most}
	}
	return nil
}

// objects returns all objects of the workloads. A budget precedes the pods that it covers.
func objects(of []fill.Workload) []runtime.Object {
	var out []runtime.Object
	for i := range of {
		o := of[i].Objects()
		out = append(out, o[1:]...)
		out = append(out, o[0].(*appsv1.Deployment))
	}
	return out
}

// burstPods draws the pods of a burst. The same seed and number yield the same pods for every scheduler.
func burstPods(seed uint64, number int) []*corev1.Pod {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	classes := []string{fill.Medium, fill.High, fill.High, fill.Critical}
	var out []*corev1.Pod
	for i := range burstSize {
		cpu := resource.NewMilliQuantity(int64(300+100*r.IntN(25)), resource.DecimalSI)
		memory := resource.NewQuantity(int64(256+256*r.IntN(12))<<20, resource.BinarySI)
		p := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Labels: map[string]string{}},
			Spec: corev1.PodSpec{
				PriorityClassName: classes[r.IntN(len(classes))], SchedulerName: Profiles[i%len(Profiles)],
				Containers: []corev1.Container{{
					Name: "main", Image: fill.Image,
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *cpu, corev1.ResourceMemory: *memory}},
				}},
			},
		}

		switch r.IntN(12) {
		case 0:
			p.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: fill.Zones[r.IntN(len(fill.Zones))]}
		case 1:
			p.Labels["app"] = "apart"
			p.Spec.Affinity = fill.Apart("apart", corev1.LabelHostname)
		case 2:
			p.Labels["app"] = "even"
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{fill.Even("even", corev1.LabelTopologyZone, 2)}
		}
		out = append(out, p)
	}
	return out
}

// named gives the pods of a burst their label, and names that are unique in the run.
func named(pods []*corev1.Pod, label string) []*corev1.Pod {
	for i, p := range pods {
		p.Name = fmt.Sprintf("%s-%03d", label, i)
		p.Labels[burstLabel] = label
	}
	return pods
}
