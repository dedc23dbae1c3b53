package mirror

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// A Mirror is a handler for informers of all kinds. A handler cannot return errors; [Mirror.Problems] has them.
var _ cache.ResourceEventHandler = (*Mirror)(nil)

// OnAdd calls [Mirror.Put].
func (m *Mirror) OnAdd(object any, _ bool) { _ = m.Put(object) }

// OnUpdate calls [Mirror.Put] with the newer version.
func (m *Mirror) OnUpdate(_, object any) { _ = m.Put(object) }

// OnDelete calls [Mirror.Delete], even if the informer has missed the deletion itself.
func (m *Mirror) OnDelete(object any) {
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	_ = m.Delete(object)
}

// Kind names a kind of API objects that [Mirror.Follow] can follow.
type Kind string

// The kinds. PodGroups are read from scheduling.k8s.io/v1beta1 and CompositePodGroups from v1alpha3, as
// kube-scheduler v1.37 does if its gates are on. An informer for a version that the API server does not serve
// never syncs.
const (
	Pods               Kind = "pods"
	Nodes              Kind = "nodes"
	Budgets            Kind = "poddisruptionbudgets"
	PriorityClasses    Kind = "priorityclasses"
	Namespaces         Kind = "namespaces"
	Claims             Kind = "persistentvolumeclaims"
	Volumes            Kind = "persistentvolumes"
	StorageClasses     Kind = "storageclasses"
	CSINodes           Kind = "csinodes"
	CSIDrivers         Kind = "csidrivers"
	PodGroups          Kind = "podgroups"
	CompositePodGroups Kind = "compositepodgroups"
	Workloads          Kind = "workloads"
)

// BesidePodsAndNodes are the other kinds on which decisions depend and that every API server has. Everything
// includes pods and nodes as well. Kinds of groups of pods have to be named in addition.
var (
	BesidePodsAndNodes = []Kind{Budgets, Namespaces, Claims, Volumes, StorageClasses, CSINodes, CSIDrivers}
	Everything         = append([]Kind{Nodes, Pods}, BesidePodsAndNodes...)
)

// Follow registers the mirror with the informers of the given kinds. For each kind it returns a function that
// reports whether the mirror has received all present objects (see cache.WaitForCacheSync). The factory must be
// started afterwards, again if it was started before. An unknown kind is an error.
func (m *Mirror) Follow(f informers.SharedInformerFactory, kinds ...Kind) ([]cache.InformerSynced, error) {
	var synced []cache.InformerSynced
	for _, kind := range kinds {
		informer := informerOf(f, kind)
		if informer == nil {
			return nil, fmt.Errorf("%s: %w", kind, ErrKind)
		}
		registration, err := informer.AddEventHandler(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		synced = append(synced, registration.HasSynced)
	}
	return synced, nil
}

// informerOf returns the informer of a kind, or nil for an unknown kind.
func informerOf(f informers.SharedInformerFactory, kind Kind) cache.SharedIndexInformer {
	switch kind {
	case Pods:
		return f.Core().V1().Pods().Informer()
	case Nodes:
		return f.Core().V1().Nodes().Informer()
	case Budgets:
		return f.Policy().V1().PodDisruptionBudgets().Informer()
	case PriorityClasses:
		return f.Scheduling().V1().PriorityClasses().Informer()
	case Namespaces:
		return f.Core().V1().Namespaces().Informer()
	case Claims:
		return f.Core().V1().PersistentVolumeClaims().Informer()
	case Volumes:
		return f.Core().V1().PersistentVolumes().Informer()
	case StorageClasses:
		return f.Storage().V1().StorageClasses().Informer()
	case CSINodes:
		return f.Storage().V1().CSINodes().Informer()
	case CSIDrivers:
		return f.Storage().V1().CSIDrivers().Informer()
	}
	return groupInformerOf(f, kind)
}
