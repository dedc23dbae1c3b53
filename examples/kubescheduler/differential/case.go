package differential

import (
	"encoding/json"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
)

// Case is a cluster and a pod that wants to run in it. Pods are listed in the order in which the scheduler learns
// of them; the preemptor comes last.
type Case struct {
	Kind string
	Seed uint64

	Nodes          []*corev1.Node
	Pods           []*corev1.Pod
	Budgets        []*policyv1.PodDisruptionBudget
	Namespaces     []*corev1.Namespace
	Claims         []*corev1.PersistentVolumeClaim
	Volumes        []*corev1.PersistentVolume
	StorageClasses []*storagev1.StorageClass
	CSINodes       []*storagev1.CSINode
	CSIDrivers     []*storagev1.CSIDriver
	// Groups are PodGroups of GroupVersion, which not every release has. They count only with the feature gate
	// GenericWorkload.
	Groups []Object

	// Devices are the claims for devices, with everything that their allocation depends on.
	Devices Devices

	Preemptor *corev1.Pod
	// Around is what the scheduler has beside its own plugins.
	Around Around
}

// Devices are the objects that the plugin DynamicResources looks at.
type Devices struct {
	Claims []*resourcev1.ResourceClaim
	// InFlight are claims whose allocation is decided and not yet written.
	InFlight []*resourcev1.ResourceClaim
	Slices   []*resourcev1.ResourceSlice
	Classes  []*resourcev1.DeviceClass
	// TaintRules are of version v1, which not every release has.
	TaintRules []Object
}

// SecondProfile is the schedulerName of a second profile of the same scheduler.
const SecondProfile = "second-scheduler"

// Profiles returns the schedulerNames of the case's scheduler.
func (c *Case) Profiles() []string {
	names := []string{corev1.DefaultSchedulerName}
	isOfSecond := func(p *corev1.Pod) bool { return p.Spec.SchedulerName == SecondProfile }
	if isOfSecond(c.Preemptor) || slices.ContainsFunc(c.Pods, isOfSecond) {
		names = append(names, SecondProfile)
	}
	return names
}

// lacksClaim reports whether a pod names a PersistentVolumeClaim that does not exist.
func (c *Case) lacksClaim(p *corev1.Pod) bool {
	return slices.ContainsFunc(claimsOf(p), func(name string) bool {
		return !slices.ContainsFunc(c.Claims, func(o *corev1.PersistentVolumeClaim) bool { return o.Namespace == p.Namespace && o.Name == name })
	})
}

// thirdParty returns what extenders see of the case.
func (c *Case) thirdParty() *thirdparty.Cluster {
	return &thirdparty.Cluster{Nodes: c.Nodes, Pods: c.Pods, Preemptor: c.Preemptor}
}

// Write writes the case as the list that kubectl get -o json prints. The preemptor is the last of the pods. The
// programs whatif and replay of outrank read the list.
func (c *Case) Write(w io.Writer) error {
	core := schema.GroupVersion{Version: "v1"}
	storage := schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}
	policy := schema.GroupVersion{Group: "policy", Version: "v1"}
	devices := resourcev1.SchemeGroupVersion

	items := slices.Concat(
		itemsOf(core.WithKind("Namespace"), c.Namespaces),
		itemsOf(core.WithKind("Node"), c.Nodes),
		itemsOf(core.WithKind("PersistentVolume"), c.Volumes),
		itemsOf(core.WithKind("PersistentVolumeClaim"), c.Claims),
		itemsOf(storage.WithKind("StorageClass"), c.StorageClasses),
		itemsOf(storage.WithKind("CSINode"), c.CSINodes),
		itemsOf(storage.WithKind("CSIDriver"), c.CSIDrivers),
		itemsOf(policy.WithKind("PodDisruptionBudget"), c.Budgets),
		itemsOf(GroupVersion.WithKind("PodGroup"), c.Groups),
		itemsOf(devices.WithKind("DeviceClass"), c.Devices.Classes),
		itemsOf(devices.WithKind("ResourceSlice"), c.Devices.Slices),
		itemsOf(devices.WithKind("DeviceTaintRule"), c.Devices.TaintRules),
		itemsOf(devices.WithKind("ResourceClaim"), c.Devices.Claims),
		itemsOf(core.WithKind("Pod"), c.Pods),
	)
	if c.Preemptor != nil {
		items = append(items, itemsOf(core.WithKind("Pod"), []*corev1.Pod{c.Preemptor})...)
	}

	list := &corev1.List{Items: items}
	list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "List"})
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(list)
}

// itemsOf returns copies of the objects with their kind filled in. Objects from an informer leave it empty.
func itemsOf[T runtime.Object](kind schema.GroupVersionKind, objects []T) []runtime.RawExtension {
	items := make([]runtime.RawExtension, len(objects))
	for i, o := range objects {
		named := o.DeepCopyObject()
		named.GetObjectKind().SetGroupVersionKind(kind)
		items[i] = runtime.RawExtension{Object: named}
	}
	return items
}
