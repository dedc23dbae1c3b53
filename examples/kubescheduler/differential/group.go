package differential

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// GroupVersion is the API version of the pod groups that are drawn. This package is also built with releases that
// do not have it, so it makes groups by the name of their kind and not by their type.
var GroupVersion = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1beta1"}

// Object is an object of the API.
type Object interface {
	metav1.Object
	runtime.Object
}

// newGroup makes an empty group. It fails in a release without this API.
func newGroup() (Object, error) { return newOf(GroupVersion.WithKind("PodGroup")) }

// newOf makes an empty object of a kind. It fails in a release without the kind.
func newOf(kind schema.GroupVersionKind) (Object, error) {
	made, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	o, ok := made.(Object)
	if !ok {
		return nil, fmt.Errorf("%T is no object of the API", made)
	}
	return o, nil
}

// groupOf makes a group with this spec.
func groupOf(of metav1.ObjectMeta, spec map[string]any) (Object, error) {
	g, err := newGroup()
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": spec}, g); err != nil {
		return nil, err
	}
	g.SetName(of.Name)
	g.SetNamespace(of.Namespace)
	g.SetUID(of.UID)
	return g, nil
}
