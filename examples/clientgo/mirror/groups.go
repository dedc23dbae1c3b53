//go:build !kube136

package mirror

import (
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// putGroupKind adds a group or a workload.
func (m *Mirror) putGroupKind(id id, object any) error {
	switch o := object.(type) {
	case *schedulingv1beta1.PodGroup:
		return m.orDrop(id, converted(o, convert.PodGroup, m.snap.PutGroup))
	case *schedulingv1alpha3.PodGroup:
		return m.orDrop(id, converted(o, convert.PodGroupAlpha, m.snap.PutGroup))
	case *schedulingv1alpha3.CompositePodGroup:
		return m.orDrop(id, converted(o, convert.CompositePodGroup, m.snap.PutComposite))
	case *schedulingv1beta1.Workload:
		return m.orDrop(id, converted(o, convert.Workload, m.putWorkload))
	case *schedulingv1alpha3.Workload:
		return m.orDrop(id, converted(o, convert.WorkloadAlpha, m.putWorkload))
	}
	return nil
}

// groupKindOf returns the kind of a group or a workload.
func groupKindOf(object any) (kind string, namespaced bool) {
	switch o := object.(type) {
	case *schedulingv1beta1.PodGroup:
		return unlessNil(o, groupKind), true
	case *schedulingv1alpha3.PodGroup:
		return unlessNil(o, groupKind), true
	case *schedulingv1alpha3.CompositePodGroup:
		return unlessNil(o, compositeKind), true
	case *schedulingv1beta1.Workload:
		return unlessNil(o, workloadKind), true
	case *schedulingv1alpha3.Workload:
		return unlessNil(o, workloadKind), true
	}
	return "", false
}

// groupInformerOf returns the informer of groups or workloads.
func groupInformerOf(f informers.SharedInformerFactory, kind Kind) cache.SharedIndexInformer {
	switch kind {
	case PodGroups:
		return f.Scheduling().V1beta1().PodGroups().Informer()
	case CompositePodGroups:
		return f.Scheduling().V1alpha3().CompositePodGroups().Informer()
	case Workloads:
		return f.Scheduling().V1beta1().Workloads().Informer()
	}
	return nil
}
