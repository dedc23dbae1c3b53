package apitest

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// Kind is a kind of objects that package convert reads.
type Kind struct {
	// Name is such as "pod", or "workload v1alpha3" for what is not the newest version.
	Name string
	// Type is the type of an object, such as that of corev1.Pod.
	Type reflect.Type
	// Convert converts a pointer to such an object. The error is that of package convert.
	Convert func(o any) (any, error)

	// Read lists the fields that are read, as paths such as spec.containers[].name, and
	// Ignored has for all others the reason why they are not. A path stands for all that
	// is below it.
	Read    []string
	Ignored map[string]string
	// Valid are objects that an API server lets in. They are not to be changed.
	Valid []runtime.Object
}

func kindOf[A, T any](name string, convert func(*A) (T, error)) Kind {
	return Kind{Name: name, Type: reflect.TypeFor[A](), Convert: func(o any) (any, error) { return convert(o.(*A)) }}
}

var (
	//go:embed fields.txt
	fieldsText string
	//go:embed valid.yaml
	validText string
)

// Kinds returns all kinds. The error is about the files beside this package, which its tests
// read.
func Kinds() ([]Kind, error) {
	kinds := []Kind{
		kindOf("pod", func(p *corev1.Pod) (any, error) { // with the time that a cluster takes from it
			return convert.Cluster(convert.Objects{Pods: []*corev1.Pod{p}})
		}),
		kindOf("node", func(n *corev1.Node) (any, error) {
			return convert.Cluster(convert.Objects{Nodes: []*corev1.Node{n}})
		}),
		kindOf("poddisruptionbudget", convert.Budget),
		kindOf("priorityclass", convert.PriorityClass),
		kindOf("namespace", convert.Namespace),
		kindOf("persistentvolumeclaim", func(c *corev1.PersistentVolumeClaim) (any, error) {
			claim, err := convert.Claim(c)
			return []any{claim, convert.BindingOf(c)}, err
		}),
		kindOf("persistentvolume", convert.Volume),
		kindOf("storageclass", convert.StorageClass),
		kindOf("csinode", convert.CSINode),
		kindOf("csidriver", convert.CSIDriver),
		kindOf("podgroup", convert.PodGroup),
		kindOf("podgroup v1alpha3", convert.PodGroupAlpha),
		kindOf("compositepodgroup", convert.CompositePodGroup),
		kindOf("workload", convert.Workload),
		kindOf("workload v1alpha3", convert.WorkloadAlpha),
	}
	if err := readFields(kinds); err != nil {
		return nil, err
	}
	return kinds, readValid(kinds)
}

// named returns the kind of this name.
func named(kinds []Kind, name string) (*Kind, error) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%q is no kind", name)
	}
	return &kinds[i], nil
}

// readFields reads fields.txt: a line with a kind and "read" or "ignored" with the reason,
// then the paths.
func readFields(kinds []Kind) error {
	var of *Kind
	reason := ""
	for i, line := range strings.Split(fieldsText, "\n") {
		path, within := strings.CutPrefix(line, "  ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case within && of == nil:
			return fmt.Errorf("fields.txt:%d: no kind", i+1)
		case within && reason == "":
			of.Read = append(of.Read, path)
		case within:
			of.Ignored[path] = reason
		default:
			name, rest, _ := strings.Cut(line, ": ")
			why, ignored := strings.CutPrefix(rest, "ignored, ")
			if !ignored && rest != "read" {
				return fmt.Errorf("fields.txt:%d: neither read nor ignored", i+1)
			}
			if reason = ""; ignored {
				reason = why
			}
			var err error
			if of, err = named(kinds, name); err != nil {
				return fmt.Errorf("fields.txt:%d: %w", i+1, err)
			}
			if of.Ignored == nil {
				of.Ignored = map[string]string{}
			}
		}
	}
	for i := range kinds {
		slices.Sort(kinds[i].Read)
	}
	return nil
}

// readValid reads valid.yaml, whose documents have the name of a kind above the object.
func readValid(kinds []Kind) error {
	for _, document := range strings.Split(validText, "\n---\n") {
		var one map[string]any
		if err := yaml.Unmarshal([]byte(document), &one); err != nil {
			return fmt.Errorf("valid.yaml: %w", err)
		}
		for name, content := range one {
			k, err := named(kinds, name)
			if err != nil {
				return fmt.Errorf("valid.yaml: %w", err)
			}
			text, err := yaml.Marshal(content)
			if err != nil {
				return fmt.Errorf("valid.yaml: %s: %w", name, err)
			}
			o := reflect.New(k.Type).Interface().(runtime.Object)
			if err := yaml.UnmarshalStrict(text, o); err != nil {
				return fmt.Errorf("valid.yaml: %s: %w", name, err)
			}
			k.Valid = append(k.Valid, o)
		}
	}
	for _, k := range kinds {
		if len(k.Valid) == 0 {
			return fmt.Errorf("valid.yaml: no %s", k.Name)
		}
	}
	return nil
}

// Why returns the reason why a field is ignored, and the path which stands for it in
// Ignored; both are empty where it is not.
func (k *Kind) Why(path string) (at, reason string) {
	for at = path; at != ""; {
		if reason, ok := k.Ignored[at]; ok {
			return at, reason
		}
		if i := strings.LastIndexAny(at, ".["); i >= 0 {
			at = at[:i]
		} else {
			at = ""
		}
	}
	return "", ""
}

// Leaves calls f with the fields of the kind down to those that have none, as paths such as
// spec.containers[].name.
func (k *Kind) Leaves(f func(path string, of reflect.Type)) { leaves(k.Type, "", nil, f) }

func leaves(t reflect.Type, at string, within []reflect.Type, f func(path string, of reflect.Type)) {
	switch {
	case t.Kind() == reflect.Pointer:
		leaves(t.Elem(), at, within, f)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		leaves(t.Elem(), at+"[]", within, f)
	case t.Kind() == reflect.Struct && t != timeType && t != quantityType && t != intstrType && t.NumField() > 0:
		if slices.Contains(within, t) {
			f(at, t) // a type within itself is accounted for where it stands first
			return
		}
		within = append(slices.Clone(within), t)
		for i := range t.NumField() {
			leaves(t.Field(i).Type, join(at, t.Field(i)), within, f)
		}
	default:
		f(at, t)
	}
}

// join is the path of a field: embedded ones and TypeMeta add none of their own.
func join(at string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return at
	}
	return strings.TrimPrefix(at+"."+name, ".")
}
