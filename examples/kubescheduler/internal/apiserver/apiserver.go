// Package apiserver answers whether an API server of this release accepts an object, and what it stores.
//
// It asks the reference's own code for the defaults, for what an API server prepares before it writes, and for
// the validation of objects and of their statuses. It does not ask admission plugins or authorization.
package apiserver

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/scheduling/compositepodgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
)

// kind says how the API server writes the objects of a kind. The strategy for the status is nil if they have none.
type kind struct {
	create rest.RESTCreateStrategy
	status rest.RESTUpdateStrategy
}

var kinds = map[reflect.Type]kind{
	reflect.TypeFor[*core.Pod]():                     {pod.Strategy, pod.StatusStrategy},
	reflect.TypeFor[*core.Node]():                    {node.Strategy, node.StatusStrategy},
	reflect.TypeFor[*core.Namespace]():               {namespace.Strategy, nil},
	reflect.TypeFor[*core.PersistentVolume]():        {persistentvolume.Strategy, nil},
	reflect.TypeFor[*core.PersistentVolumeClaim]():   {persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy},
	reflect.TypeFor[*policy.PodDisruptionBudget]():   {poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy},
	reflect.TypeFor[*scheduling.PriorityClass]():     {priorityclass.Strategy, nil},
	reflect.TypeFor[*scheduling.PodGroup]():          {podgroup.NewStrategy(), podgroup.NewStatusStrategy(podgroup.NewStrategy())},
	reflect.TypeFor[*scheduling.CompositePodGroup](): {compositepodgroup.NewStrategy(), compositepodgroup.NewStatusStrategy(compositepodgroup.NewStrategy())},
	reflect.TypeFor[*scheduling.Workload]():          {workload.Strategy, nil},
	reflect.TypeFor[*storage.StorageClass]():         {storageclass.Strategy, nil},
	reflect.TypeFor[*storage.CSINode]():              {csinode.Strategy, nil},
	reflect.TypeFor[*storage.CSIDriver]():            {csidriver.Strategy, nil},
}

// Store returns an object of the API as clients read it once it was created and its status was written. The error
// is the API server's.
func Store(o runtime.Object) (runtime.Object, error) {
	gvks, _, err := legacyscheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, err
	}
	version := gvks[0].GroupVersion()

	// Defaults belong to the version; everything else is done with the internal version.
	o = o.DeepCopyObject()
	legacyscheme.Scheme.Default(o)
	stored, err := internal(o)
	if err != nil {
		return nil, err
	}

	of, ok := kinds[reflect.TypeOf(stored)]
	if !ok {
		return nil, fmt.Errorf("no strategy for %T", stored)
	}
	m, err := meta.Accessor(stored)
	if err != nil {
		return nil, err
	}

	// An API server ignores the status of a new object. The status is written in a second request.
	ctx := requestOf(version, m.GetNamespace(), "")
	initialize(m)
	if err := rest.BeforeCreate(of.create, ctx, stored); err != nil {
		return nil, err
	}
	if of.status != nil {
		if stored, err = writeStatus(of, version, o, stored); err != nil {
			return nil, err
		}
	}
	return legacyscheme.Scheme.ConvertToVersion(stored, version)
}

// writeStatus writes the status of the object o into the stored one.
func writeStatus(of kind, version schema.GroupVersion, o, stored runtime.Object) (runtime.Object, error) {
	written, err := internal(o)
	if err != nil {
		return nil, err
	}
	was, err := meta.Accessor(stored)
	if err != nil {
		return nil, err
	}
	next := stored.DeepCopyObject()
	reflect.ValueOf(next).Elem().FieldByName("Status").Set(reflect.ValueOf(written).Elem().FieldByName("Status"))
	return next, rest.BeforeUpdate(of.status, requestOf(version, was.GetNamespace(), "status"), next, stored)
}

func internal(o runtime.Object) (runtime.Object, error) {
	to, err := legacyscheme.Scheme.UnsafeConvertToVersion(o.DeepCopyObject(), runtime.InternalGroupVersioner)
	if err != nil {
		return nil, err
	}
	to.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return to, nil
}

// initialize gives an object the fields that an API server gives every new one.
func initialize(m metav1.Object) {
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetManagedFields(nil)
	if m.GetUID() == "" {
		m.SetUID(types.UID("uid"))
	}
	if m.GetCreationTimestamp().Time.IsZero() {
		m.SetCreationTimestamp(metav1.Unix(1_700_000_000, 0))
	}
	m.SetResourceVersion("1")
}

func requestOf(version schema.GroupVersion, ns, sub string) context.Context {
	of := request.WithNamespace(request.NewContext(), ns)
	return request.WithRequestInfo(of, &request.RequestInfo{APIGroup: version.Group, APIVersion: version.Version, Subresource: sub})
}
