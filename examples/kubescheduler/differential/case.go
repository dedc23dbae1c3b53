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
)

// Case is a cluster and a pod that wants to run in it. Pods are listed in the order in
// which the scheduler learns of them; the preemptor comes last.
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
	// Groups mean something with the feature gate GenericWorkload. They are PodGroups of
	// GroupVersion, which not every release has.
	Groups []Object

	// Devices are claims of pods, and what they ask for.
	Devices Devices

	Preemptor *corev1.Pod
	// Around is the part of the scheduler beside its own plugins.
	Around Around
}

// Devices are the objects that plugin DynamicResources looks at. TaintRules are of version
// v1, which not every release has. InFlight are claims whose allocation is not yet written.
type Devices struct {
	Claims, InFlight []*resourcev1.ResourceClaim
	Slices           []*resourcev1.ResourceSlice
	Classes          []*resourcev1.DeviceClass
	TaintRules       []Object
}

// SecondProfile is the schedulerName of a second profile of the same scheduler.
const SecondProfile = "second-scheduler"

// Profiles are the schedulerNames of the case's scheduler.
func (c *Case) Profiles() []string {
	names := []string{corev1.DefaultSchedulerName}
	isOfSecond := func(p *corev1.Pod) bool { return p.Spec.SchedulerName == SecondProfile }
	if isOfSecond(c.Preemptor) || slices.ContainsFunc(c.Pods, isOfSecond) {
		names = append(names, SecondProfile)
	}
	return names
}

// lacksClaim reports whether a pod names a claim that does not exist.
func (c *Case) lacksClaim(p *corev1.Pod) bool {
	return slices.ContainsFunc(claimsOf(p), func(name string) bool {
		return !slices.ContainsFunc(c.Claims, func(o *corev1.PersistentVolumeClaim) bool { return o.Namespace == p.Namespace && o.Name == name })
	})
}

// Write writes the case as the list that kubectl get -o json prints, the preemptor
// among the pods. Programs whatif and replay of outrank read it.
func (c *Case) Write(w io.Writer) error {
	list := &corev1.List{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "List"})
	core := schema.GroupVersion{Version: "v1"}
	storage := schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}
	add := func(gv schema.GroupVersion, kind string, o runtime.Object) {
		o = o.DeepCopyObject()
		o.GetObjectKind().SetGroupVersionKind(gv.WithKind(kind))
		list.Items = append(list.Items, runtime.RawExtension{Object: o})
	}
	for _, o := range c.Namespaces {
		add(core, "Namespace", o)
	}
	for _, o := range c.Nodes {
		add(core, "Node", o)
	}
	for _, o := range c.Volumes {
		add(core, "PersistentVolume", o)
	}
	for _, o := range c.Claims {
		add(core, "PersistentVolumeClaim", o)
	}
	for _, o := range c.StorageClasses {
		add(storage, "StorageClass", o)
	}
	for _, o := range c.CSINodes {
		add(storage, "CSINode", o)
	}
	for _, o := range c.CSIDrivers {
		add(storage, "CSIDriver", o)
	}
	for _, o := range c.Budgets {
		add(schema.GroupVersion{Group: "policy", Version: "v1"}, "PodDisruptionBudget", o)
	}
	for _, o := range c.Groups {
		add(GroupVersion, "PodGroup", o)
	}
	devices := resourcev1.SchemeGroupVersion
	for _, o := range c.Devices.Classes {
		add(devices, "DeviceClass", o)
	}
	for _, o := range c.Devices.Slices {
		add(devices, "ResourceSlice", o)
	}
	for _, o := range c.Devices.TaintRules {
		add(devices, "DeviceTaintRule", o)
	}
	for _, o := range c.Devices.Claims {
		add(devices, "ResourceClaim", o)
	}
	for _, o := range c.Pods {
		add(core, "Pod", o)
	}
	if c.Preemptor != nil {
		add(core, "Pod", c.Preemptor)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(list)
}
