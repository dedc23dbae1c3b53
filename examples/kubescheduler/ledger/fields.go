package ledger

import (
	"encoding/json"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcealpha "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingalpha "k8s.io/api/scheduling/v1alpha3"
	schedulingbeta "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Kind is a kind of the API with its type, in the newest version that there is.
type Kind struct {
	Name, APIVersion string
	Type             reflect.Type
}

// Kinds lists the kinds of the ledger.
func Kinds() []Kind {
	return []Kind{
		{"Pod", "v1", reflect.TypeFor[corev1.Pod]()},
		{"Node", "v1", reflect.TypeFor[corev1.Node]()},
		{"Namespace", "v1", reflect.TypeFor[corev1.Namespace]()},
		{"PodDisruptionBudget", "policy/v1", reflect.TypeFor[policyv1.PodDisruptionBudget]()},
		{"PriorityClass", "scheduling.k8s.io/v1", reflect.TypeFor[schedulingv1.PriorityClass]()},
		{"PodGroup", "scheduling.k8s.io/v1beta1", reflect.TypeFor[schedulingbeta.PodGroup]()},
		{"CompositePodGroup", "scheduling.k8s.io/v1alpha3", reflect.TypeFor[schedulingalpha.CompositePodGroup]()},
		{"Workload", "scheduling.k8s.io/v1beta1", reflect.TypeFor[schedulingbeta.Workload]()},
		{"PersistentVolume", "v1", reflect.TypeFor[corev1.PersistentVolume]()},
		{"PersistentVolumeClaim", "v1", reflect.TypeFor[corev1.PersistentVolumeClaim]()},
		{"StorageClass", "storage.k8s.io/v1", reflect.TypeFor[storagev1.StorageClass]()},
		{"CSINode", "storage.k8s.io/v1", reflect.TypeFor[storagev1.CSINode]()},
		{"CSIDriver", "storage.k8s.io/v1", reflect.TypeFor[storagev1.CSIDriver]()},
		{"ResourceQuota", "v1", reflect.TypeFor[corev1.ResourceQuota]()},
		{"ResourceClaim", "resource.k8s.io/v1", reflect.TypeFor[resourcev1.ResourceClaim]()},
		{"ResourceClaimTemplate", "resource.k8s.io/v1", reflect.TypeFor[resourcev1.ResourceClaimTemplate]()},
		{"ResourceSlice", "resource.k8s.io/v1", reflect.TypeFor[resourcev1.ResourceSlice]()},
		{"DeviceClass", "resource.k8s.io/v1", reflect.TypeFor[resourcev1.DeviceClass]()},
		{"DeviceTaintRule", "resource.k8s.io/v1alpha3", reflect.TypeFor[resourcealpha.DeviceTaintRule]()},
	}
}

// Field is a field that holds a value and no further fields.
type Field struct {
	// Path is the path of the field in JSON, below the name of its kind. A list is "[]", and a map "{}".
	Path string
	// Type is the type of its values in JSON.
	Type Type
}

// Type is a type of values in JSON.
type Type string

// The types of values. Empty is an object without fields, whose presence is its value.
const (
	Text     Type = "text"
	Number   Type = "number"
	Flag     Type = "flag"
	Amount   Type = "amount"
	Time     Type = "time"
	Share    Type = "share"
	Empty    Type = "empty"
	Anything Type = "anything"
)

// whole lists the types that have a form of their own in JSON.
var whole = map[reflect.Type]Type{
	reflect.TypeFor[resource.Quantity]():    Amount,
	reflect.TypeFor[metav1.Time]():          Time,
	reflect.TypeFor[metav1.MicroTime]():     Time,
	reflect.TypeFor[metav1.Duration]():      Text,
	reflect.TypeFor[intstr.IntOrString]():   Share,
	reflect.TypeFor[metav1.FieldsV1]():      Anything,
	reflect.TypeFor[runtime.RawExtension](): Anything,
	reflect.TypeFor[[]byte]():               Text,
	reflect.TypeFor[json.RawMessage]():      Anything,
}

// Fields lists the fields of a type below a path, in the order of the type. A type within itself, as a template of
// groups has templates, is listed once: its fields are those further up.
func Fields(t reflect.Type, path string) []Field {
	w := walker{}
	w.walk(t, path, nil)
	return w.found
}

type walker struct{ found []Field }

func (w *walker) walk(t reflect.Type, path string, above []reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if kind, ok := whole[t]; ok {
		w.found = append(w.found, Field{path, kind})
		return
	}

	switch t.Kind() {
	case reflect.Struct:
		w.fields(t, path, above)
	case reflect.Slice:
		w.walk(t.Elem(), path+"[]", above)
	case reflect.Map:
		w.walk(t.Elem(), path+"{}", above)
	case reflect.String:
		w.found = append(w.found, Field{path, Text})
	case reflect.Bool:
		w.found = append(w.found, Field{path, Flag})
	case reflect.Interface:
		w.found = append(w.found, Field{path, Anything})
	default:
		w.found = append(w.found, Field{path, Number})
	}
}

// fields walks through the fields of a struct. above has the structs around it.
func (w *walker) fields(t reflect.Type, path string, above []reflect.Type) {
	for _, outer := range above {
		if outer == t {
			return
		}
	}
	above = append(above[:len(above):len(above)], t)

	if t.NumField() == 0 {
		w.found = append(w.found, Field{path, Empty})
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && f.Anonymous:
			w.walk(f.Type, path, above)
		case path == "":
			w.walk(f.Type, name, above)
		default:
			w.walk(f.Type, path+"."+name, above)
		}
	}
}
