package fill

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The priority classes, the least important first.
const (
	Batch    = "batch"
	Standard = "standard" // the default of pods that name no class
	Low      = "low"
	Medium   = "medium"
	High     = "high"
	Never    = "never" // important, but pushes nobody out
	Critical = "critical"
)

// TrialNamespace is the namespace in which trials create their pods, unless they need another.
const TrialNamespace = "trial"

// Classes returns the priority classes.
func Classes() []*schedulingv1.PriorityClass {
	class := func(name string, value int32) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	}
	standard, never, policy := class(Standard, 10), class(Never, 50000), corev1.PreemptNever
	standard.GlobalDefault = true
	never.PreemptionPolicy = &policy
	return []*schedulingv1.PriorityClass{
		class(Batch, -10), standard, class(Low, 100), class(Medium, 1000), class(High, 10000), never, class(Critical, 100000),
	}
}

// Namespaces returns the namespaces of the workloads and of the trials. The namespaces of teams have labels.
func Namespaces() []*corev1.Namespace {
	var out []*corev1.Namespace
	for _, name := range []string{"team-a", "team-b", "edge", "ml", "mesh", "batch", "infra", "monitoring", TrialNamespace} {
		tier := "other"
		if name == "team-a" || name == "team-b" {
			tier = "prod"
		}
		out = append(out, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"tier": tier}}})
	}
	return out
}

// Volumes is the number of bound claims for trials, from Claim(0) on. Each has a volume in one zone.
const Volumes = 9

// Claim returns the name of a bound claim in TrialNamespace.
func Claim(i int) string { return fmt.Sprintf("data-%d", i) }

func volume(i int) (*corev1.PersistentVolume, *corev1.PersistentVolumeClaim) {
	name, none := fmt.Sprintf("pv-%d", i), ""
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	zone := corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{Zones[i%len(Zones)]}}
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
			AccessModes: modes, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: Driver, VolumeHandle: name}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{zone}}},
			}},
		},
	}
	pvc := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: TrialNamespace, Name: Claim(i)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, StorageClassName: &none, VolumeName: name,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")}},
		},
	}
	return pv, pvc
}

// Base returns the objects to which workloads refer: everything except nodes and workloads.
func Base() []runtime.Object {
	var out []runtime.Object
	for _, c := range Classes() {
		out = append(out, c)
	}
	for _, n := range Namespaces() {
		out = append(out, n)
	}
	for _, n := range CSINodes() {
		out = append(out, n)
	}
	attach := false // otherwise the controllers would track attachments that no driver carries out
	out = append(out, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: Driver}, Spec: storagev1.CSIDriverSpec{AttachRequired: &attach}})
	for i := range Volumes {
		pv, pvc := volume(i)
		out = append(out, pv, pvc)
	}
	return append(out, runtimeClass(), limitRange())
}

func runtimeClass() *nodev1.RuntimeClass {
	return &nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: "kata"}, Handler: "kata",
		Overhead: &nodev1.Overhead{PodFixed: Amounts("cpu", "250m", "memory", "120Mi")},
	}
}

func limitRange() *corev1.LimitRange {
	return &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: "mesh", Name: "defaults"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer, DefaultRequest: Amounts("cpu", "100m", "memory", "128Mi"), Default: Amounts("cpu", "2", "memory", "2Gi"),
		}}},
	}
}

// Amounts returns resources, given as alternating names and amounts. It panics on an invalid amount, because
// all arguments are constants.
func Amounts(pairs ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return out
}
